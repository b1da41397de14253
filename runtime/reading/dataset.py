"""A source as a dataset of pyarrow: the columns and filters of queries are passed to the reader."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.dataset

from ..base.errors import UnsupportedError, WireloomError
from ..format.description import Format
from ..input.inputs import Input, listed_inputs
from .batching import coalesced
from .decoding.resolving import request_and_inputs
from .options import ScanOptions, checked_filter, takes
from .request import ScanRequest, narrowed
from .scanning import Scanner

ADVICE = "read it first, as with dataset.to_table(), and use the table"


class LogDataset(pyarrow.dataset.InMemoryDataset):  # type: ignore[misc]
    """The rows of some inputs, for libraries that accept a ``pyarrow.dataset.Dataset``: DuckDB, Polars, DataFusion.

    Each query is a new scan, which reads the columns and returns the rows that the query needs. Features of pyarrow's
    datasets other than scanning and filtering raise ``UnsupportedError``.
    """

    def __init__(self, request: ScanRequest, inputs: Sequence[Input]) -> None:
        with Scanner(request, inputs) as scanner:
            super().__init__(pa.Table.from_batches([], scanner.schema))
        self._request = request
        self._inputs = inputs
        self.scanners: list[Scanner] = []
        """A scanner for each query so far, whose ``report`` says what was damaged."""
        self.failures: list[WireloomError] = []
        """The errors that have ended scans, which libraries pass on in words of their own."""

    @property
    def path(self) -> str | None:
        """Return the path of its input as in reports; ``None`` for bytes, and for several inputs, each of which is one
        of ``get_fragments()``."""
        return self._inputs[0].path if len(self._inputs) == 1 else None

    def __repr__(self) -> str:
        return f"<LogDataset of {self._request.format.name}: {listed_inputs(self._inputs)}>"

    def scanner(
        self, columns: Any = None, filter: Any = None, batch_size: int | None = None, **_: Any
    ) -> pyarrow.dataset.Scanner:
        """Return a ``pyarrow.dataset.Scanner`` of some columns (also as a mapping of expressions), for the rows for
        which ``filter`` is true. Options of pyarrow about how files are read have no effect."""
        if batch_size is not None:
            batch_size = min(batch_size, self._request.batch_rows)
        own = self.schema.names
        names = own if columns is None or isinstance(columns, dict) else list(columns)
        unknown = sorted(set(names).difference(own))
        if unknown:
            known = any(each.name == unknown[0] for each in self._request.format.columns)
            advice = (
                f"; name it in columns=[…] of what has made the dataset: the format has {unknown[0]}" if known else ""
            )
            raise WireloomError(f"the dataset has no column {unknown[0]!r}: it has {', '.join(own)}{advice}")
        # A query that only counts rows needs no column, and receives the first one.
        request = _filtered(self._request, filter, names or own[:1])
        if batch_size:
            request = replace(request, batch_rows=batch_size)
        scanner = Scanner(request, self._inputs)
        self.scanners.append(scanner)
        batches = pa.RecordBatchReader.from_batches(
            scanner.schema, _closing(scanner, request.batch_rows, self.failures)
        )
        selected = columns if isinstance(columns, dict) else names
        return pyarrow.dataset.Scanner.from_batches(batches, columns=selected, use_threads=False)

    def get_fragments(self, filter: Any = None) -> Iterator[LogDataset]:
        """Return the inputs one by one, each a dataset with its ``path``."""
        request = _filtered(self._request, filter, _selected(self._request))
        return (LogDataset(request, [each]) for each in self._inputs)

    def filter(self, expression: Any) -> LogDataset:
        """Return the dataset of the rows for which an expression is true."""
        request = _filtered(self._request, checked_filter(expression), _selected(self._request))
        return LogDataset(request, self._inputs)

    def replace_schema(self, schema: Any) -> Any:
        """Raise ``UnsupportedError``."""
        raise UnsupportedError(f"the schema of a format's dataset is the format's: {ADVICE}")

    def _only_tables(self, *_: Any, **__: Any) -> Any:
        raise UnsupportedError(f"a format's dataset can only be scanned and filtered: {ADVICE}")

    join = join_asof = sort_by = _only_tables

    def __reduce__(self) -> Any:
        return LogDataset, (self._request, self._inputs)


@takes(ScanOptions)
def dataset(format: str | Path | Format, source: Any, **options: Any) -> LogDataset:
    """Return the rows of ``source`` as a ``pyarrow.dataset.Dataset``. Parameters and errors are those of
    ``wireloom.scan``. Inputs are only opened by queries; those that can be read only once serve a single query.

    {options}
    """
    return LogDataset(*request_and_inputs(format, source, options))


def _filtered(request: ScanRequest, expression: Any, columns: Sequence[str]) -> ScanRequest:
    """Return the request for some columns, with an additional filter. A limit would count other rows then."""
    if expression is not None and request.limit is not None:
        raise UnsupportedError("a dataset with a limit cannot be filtered: leave limit out, and limit the query")
    return narrowed(request, columns, None, expression)


def _selected(request: ScanRequest) -> list[str]:
    """Return the names of the selected columns."""
    return list(request.projection.names[: request.selected_count])


def _closing(scanner: Scanner, most: int, failures: list[WireloomError]) -> Iterator[Any]:
    """Yield the rows in batches of at most ``most`` rows, and close the scanner. An error is also added to
    ``failures``."""
    try:
        with scanner:
            yield from coalesced(scanner, most, eager=True)
    except WireloomError as error:
        failures.append(error)
        raise
