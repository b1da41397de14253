"""Scanning: record batches from any number of inputs, in bounded memory, and all rows at once."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from contextlib import closing
from itertools import chain, islice
from operator import attrgetter
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import pyarrow as pa

from ..base.dataclass import replace
from ..base.errors import DamagedInputError, WireloomError
from ..base.report import FileReport, ReadReport
from ..format import registry
from ..format.description import Format
from ..format.routines import naming
from ..input.inputs import Input, listed_inputs
from ..rows.selected_columns import Projection
from .batching import batches_of
from .decoding.resolving import request_and_inputs, resolved
from .decoding.rows import decoded_events
from .input_scan import InputScan
from .joined_reports import JoinedReports
from .options import LAST_OFFSET, NAMES_OF_OPTIONS, ScanOptions, takes
from .parallel import ParallelScan
from .parts import ScanPart, max_threads, parts_of
from .request import ScanRequest, check_names, narrowed, of_table
from .row_filter import kept, limited, without_first
from .scan_readers import ScanReaders
from .small_files import Bundle, BundleReader, is_possible
from .wrong_format import wrong_format

FORMAT_ADVICE = "name the right format, or {check_format=False} to read such an input as empty"
SPENT = {"read": "has been read to its end", "failed": "has failed", "closed": "is closed"}
"""States of a scanner that returns no more batches, in words."""
AGAIN = "it can be read only once, so scan again, or keep the result of read_all()"


class Scanner:
    """An iterator of ``pyarrow.RecordBatch``. Each batch has rows of one input, unless ``mixes_inputs`` is set, in the
    order of the inputs and of their rows.

    ``schema`` is the schema of every batch. ``report`` is updated while batches are read. Close a scanner that is not
    read to its end, or use it in a ``with`` block. ``mixes_inputs``: whether a batch may have rows of several inputs.
    ``refuses_foreign``: whether ``foreign`` inputs are an error after all rows, if the option ``check_format`` is set;
    the scanners of threads only list them.

    ``foreign``: the reports of the inputs so far that are of another format. None of them has a row, not even one of
    nulls.

    A scanner can be read once: iterating it again, reading it after ``close`` or exporting it as an Arrow stream after
    batches have been read raises ``WireloomError``.
    """

    def __init__(
        self, request: ScanRequest, inputs: Sequence[Input], *, mixes_inputs: bool = False, refuses_foreign: bool = True
    ) -> None:
        schema = request.projection.schema
        self.schema = (
            schema
            if request.selected_count is None
            else pa.schema(list(schema)[: request.selected_count], schema.metadata)
        )
        self.report = ReadReport(request.format.name, engine=request.engine)
        self._request = request
        self.recovers = request.recover
        self._inputs = inputs
        self._mixes_inputs = mixes_inputs
        self._refuses_foreign = request.check_format and refuses_foreign
        self._part: tuple[ScanPart, Scanner] | None = None
        self.foreign: list[FileReport] = []
        sizes: list[Any] = list(map(attrgetter("size"), inputs))
        self._total: int | None = None if None in sizes else sum(sizes)
        self._done = self._unread = 0
        self._scan: InputScan | None = None
        self._readers = ScanReaders(request)
        self._keeps_all = False
        """Whether the consumer keeps all rows in memory anyway."""
        self._batches = self._run()
        if request.limit is not None:
            self._batches = limited(self._batches, request.limit)
        self._state = "unread"
        """``unread``, ``begun``, ``read`` (to its end), ``failed`` or ``closed``."""

    def __iter__(self) -> Iterator[Any]:
        self._check_open()
        return self

    def __next__(self) -> Any:
        # An iterator that has ended must remain ended.
        if self._state != "read":
            self._check_open()
        try:
            batch = next(self._batches)
        except StopIteration:
            self._state = "read"
            self._list_unread()
            raise
        except BaseException:
            self._state = "failed"
            self._list_unread()
            raise
        self._state = "begun"
        return batch

    def _check_open(self) -> None:
        if self._state in SPENT:
            raise WireloomError(f"the scanner {SPENT[self._state]}: {AGAIN}")

    def _all(self) -> Iterator[Any]:
        """Yield all batches. Raises ``WireloomError`` if some have been read already."""
        if self._state == "begun":
            raise WireloomError(f"some of the scanner's batches have been read already: {AGAIN}")
        yield from self

    def _run(self) -> Generator[Any, None, None]:
        parts, several = self._parts(), len(self._inputs) > 1
        if len(parts[0]) > 1:
            yield from self._parallel(*parts)
        elif not several or not is_possible(self._request):
            for source in self._inputs:
                yield from self._one(source)
        else:
            with closing(BundleReader(self._request, self._inputs, self._readers)) as reader:
                for bundle in reader:
                    yield from self._bundled(bundle)
                    for source in bundle.others:
                        yield from self._one(source)
        # After the rows of all other inputs have been returned.
        if self.foreign and self._refuses_foreign:
            raise wrong_format(self._request, self.foreign, FORMAT_ADVICE)

    def _parts(self) -> tuple[list[ScanPart], Iterator[ScanPart], int]:
        """Return the first parts of the inputs, at most one for each thread, the others, and the number of threads. One
        part is read without threads."""
        threads = max_threads(self._request, self._inputs)
        if threads == 1:
            return [], iter(()), 1
        parts = parts_of(self._request, self._inputs)
        return list(islice(parts, threads)), parts, threads

    def _parallel(self, first: list[ScanPart], others: Iterator[ScanPart], threads: int) -> Generator[Any, None, None]:
        """Yield the rows of parts that threads read, each with a scanner of its own."""
        request, mixes_inputs = self._request, self._mixes_inputs
        own = replace(request, threads=1, progress=None)
        if len(first) >= threads and request.prefetch is None:
            # There is no processor left to decompress ahead.
            own = replace(own, prefetch=False)
        of_range = replace(own, exact_range=True, codec="none")

        # The threads must not refer to this scanner, or it would never be collected.
        def scan(part: ScanPart) -> Scanner:
            of_part = own if part.byte_range is None else replace(of_range, byte_range=part.byte_range)
            return Scanner(of_part, part.inputs, mixes_inputs=mixes_inputs, refuses_foreign=False)

        parallel = ParallelScan(chain(first, others), scan, threads, None if self._keeps_all else request.max_ahead)
        reports, rows = JoinedReports(self.report.files), 0
        try:
            for part, scanner, batches in parallel.parts():
                source, self._part = part.inputs[0], (part, scanner)
                rows = rows if part.continues(source) else 0
                try:
                    for batch, files in batches:
                        is_known = reports.update(files)
                        if not is_known:
                            break
                        self._tell()
                        rows += batch.num_rows
                        yield batch
                    else:
                        is_known = reports.finish(part, scanner.report.files)
                except Exception as error:
                    is_known = False
                    reports.update(scanner.report.files[: scanner.begun])
                    if part.byte_range is None or not isinstance(error, WireloomError):
                        self.foreign += scanner.foreign
                        raise
                self._part = None
                if not is_known:
                    # One thread reads the input again: only it knows the number of a record, and how reading continues.
                    parallel.drop(source)
                    reports.forget()
                    yield from without_first(rows, self._one(source))
                    reports.skip()
                elif part.is_last:
                    self.foreign += scanner.foreign
                    self._done += scanner.progress[0] if part.byte_range is None else source.size or 0
                    self._tell()
        finally:
            parallel.close()

    def _bundled(self, bundle: Bundle) -> Iterator[Any]:
        """Yield the rows of files that were read together."""
        begun, request = self.report.files, self._request
        for batch, files in bundle.batches():
            first = 0
            for report, rows in files:
                if not begun or begun[-1] is not report:
                    begun.append(report)
                if not self._mixes_inputs:
                    yield from _filled(kept(batch.slice(first, rows), request.filter, request.selected_count))
                first += rows
            if self._mixes_inputs:
                yield from _filled(kept(batch, request.filter, request.selected_count))
        self._done += sum(each.source.size or 0 for each in bundle.good)
        self._tell()

    def _one(self, source: Input) -> Generator[Any, None, None]:
        request = self._request
        self._scan = scan = InputScan(request.encoded, source, self._readers)
        self.report.files.append(scan.report)
        events = decoded_events(request, scan, self._readers)
        # Closed explicitly: exceptions raised while Python collects a generator, including interrupts, are lost.
        batches = batches_of(events, request, scan.report)
        with naming(source.path), closing(batches):
            for batch in batches:
                self._tell()
                yield batch
        if scan.report.foreign and not (request.null_rows and scan.report.damaged):
            self.foreign.append(scan.report)
        self._done, self._scan = self._done + scan.stored_bytes, None
        self._tell()

    def _tell(self) -> None:
        if self._request.progress is not None:
            self._request.progress(*self.progress)

    def wrong_format(self, *advice: str) -> DamagedInputError | None:
        """Return the error for the ``foreign`` inputs; ``None`` if there are none. ``advice``: as for the function
        ``wrong_format``."""
        return wrong_format(self._request, self.foreign, *advice) if self.foreign else None

    @property
    def format(self) -> Format:
        """Return the format of the inputs."""
        return self._request.format

    @property
    def progress(self) -> tuple[int, int | None]:
        """Return the number of stored bytes read so far, and their total (``None`` if unknown). May be called from any
        thread, even while a batch is being read."""
        begun, scan, current = 0, self._scan, self._part
        if scan is not None:
            begun = scan.stored_bytes
        elif current is not None:
            part, scanner = current
            begun = min(scanner.progress[0], LAST_OFFSET if part.byte_range is None else part.byte_range[1])
        return self._done + begun, self._total

    def snapshot(self) -> list[FileReport]:
        """Return the reports of the inputs so far, as they are if no other batch is requested."""
        files = self.report.files[:]
        if self._scan is not None:
            files[-1] = self._scan.snapshot()
        return files

    def read_all(self) -> pa.Table:
        """Return the remaining rows as a ``pyarrow.Table``. Raises ``WireloomError`` for a scanner that has been read
        or closed."""
        self._keeps_all = True
        return pa.Table.from_batches(list(self), self.schema)

    def lazy(self) -> Any:
        """Return a ``polars.LazyFrame`` of the rows. Each query of it is a new scan, which reads the columns that the
        query needs, up to its limit. Inputs are only opened by queries; those that can be read only once, such as
        standard input, serve a single query. Raises ``MissingExtraError`` if Polars is not installed."""
        # Imported here: only users of Polars need it.
        from .polars_source import lazy_frame

        def scanner(columns: list[str], limit: int | None, filter: Any) -> Scanner:
            # A filter would be applied before the scan's own limit.
            own = None if self._request.limit is not None else filter
            return Scanner(narrowed(self._request, columns, limit, own), self._inputs)

        return lazy_frame(self.schema, scanner)

    def close(self) -> None:
        """Stop reading and release files, memory and threads. May be called at any time, and repeatedly."""
        self._batches.close()
        if self._state not in SPENT:
            self._state = "closed"
        self._list_unread()

    def _list_unread(self) -> None:
        """Add reports of the inputs that were not opened, since a limit, an error or ``close`` has ended the scan."""
        begun = len(self.report.files)
        if begun < len(self._inputs):
            self._unread += len(self._inputs) - begun
            self.report.files += [FileReport(each.path) for each in self._inputs[begun:]]

    @property
    def begun(self) -> int:
        """Return the number of inputs of which reading has begun, the first ones of the report."""
        return len(self.report.files) - self._unread

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<Scanner of {self.format.name}: {listed_inputs(self._inputs)}>"

    def _repr_html_(self) -> str:
        """Return the HTML representation for notebooks, without reading from the inputs."""
        # Imported here: only notebooks need it.
        from ..base.html_tables import grid, shortened

        columns = [(f"<code>{shortened(each.name)}</code>", shortened(str(each.type))) for each in self.schema]
        return grid(("column", "type"), columns) + self.report._repr_html_()

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """Export the batches by Arrow's C stream interface, which DuckDB, Polars, DataFusion and others read.

        Raises ``WireloomError`` if batches have already been read.
        """
        self._check_open()
        reader = pa.RecordBatchReader.from_batches(self.schema, self._all())
        return reader.__arrow_c_stream__(requested_schema)


def _filled(batch: Any) -> Iterator[Any]:
    """Yield the batch unless it is empty."""
    if batch.num_rows:
        yield batch


@takes(ScanOptions)
def scan(format: str | Path | Format, source: Any, **options: Any) -> Scanner:
    """Read ``source`` batch by batch.

    ``format``: a name (see ``wireloom.formats``) or the path of a spec. ``source``: a path, glob, folder, address
    (``s3://``, ``gs://``, ``https://`` …), ``-`` for standard input, a list of those, bytes, a binary file object, or
    the result of ``fsspec.open``.

    {options}

    ``options``: the format's own, such as ``stride="layout"``, or the kind of its messages, ``message="append_ack"``.

    Raises ``UnknownNameError`` for a name that does not exist, ``WireloomError`` for a source that does not exist,
    ``DamagedInputError`` in mode ``failfast``, and ``WrongFormatError`` for inputs of another format.
    """
    return Scanner(*request_and_inputs(format, source, options))


def schema(
    format: str | Path | Format,
    columns: Sequence[str] | None = None,
    *,
    allow_modules: Sequence[str] = (),
    **options: Any,
) -> Any:
    """Return the ``pyarrow.Schema`` of the batches of ``scan`` for these columns, without opening an input.

    ``options``: those of ``scan``, of which only ``decode``, ``schemas`` and the one that selects the table or the kind
    of message (``message="append_ack"``) have an effect. Raises ``UnknownNameError`` for a name that does not exist.
    """
    found, given = of_table(registry.get(format, allow_modules), options)
    check_names(found, given.keys() - set(NAMES_OF_OPTIONS), in_table=True, more=NAMES_OF_OPTIONS)
    found = resolved(found, (), *ScanOptions.split(given))
    return Projection.of(found, columns).schema


@takes(ScanOptions)
def read(format: str | Path | Format, source: Any, **options: Any) -> pa.Table:
    """Return the rows of ``source`` as a ``pyarrow.Table``. Parameters and errors are those of ``wireloom.scan``.

    {options}
    """
    with scan(format, source, **options) as scanner:
        return scanner.read_all()


@takes(ScanOptions)
def read_with_report(format: str | Path | Format, source: Any, **options: Any) -> tuple[pa.Table, ReadReport]:
    """Return the rows of ``source`` as a ``pyarrow.Table``, like ``read``, and the report of the scan.

    {options}
    """
    with scan(format, source, **options) as scanner:
        table = scanner.read_all()
    return table, scanner.report
