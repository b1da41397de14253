"""Blobs to rows: each blob of a column is one unit of a format.

The decoder reads the column's own memory; nothing is copied before that, except arrays that Arrow stores in chunks
(``binary_view``).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Protocol

import pyarrow as pa
import pyarrow.compute as pc

from ...base.advice import Advice
from ...base.dataclass import asdict, dataclass, field
from ...base.errors import DamagedInputError, UnsupportedError, WireloomError
from ...base.limits import LARGEST_RECORD
from ...format import registry
from ...format.description import Format
from ...rows.numbers import constant, value_array
from ...rows.selected_columns import BatchBuilder, explained
from ...units.decoded_units import (
    DecodedUnits,
    beside,
    columns_to_decode,
    decoded_units,
    facts_of,
    hooks_for,
    row_starts,
)
from ...units.framing import is_blob
from ...units.units import Units
from ..batching import batch_of
from ..options import ScanOptions
from ..request import ScanRequest, request_of
from ..scan_readers import ScanReaders
from ..unit_events import unit_rows


def memory_of(array: pa.Array) -> tuple[Any, pa.Array, pa.Array]:
    """Return the memory with the values of an array of bytes, and the begin and size in bytes of each value (uint64;
    undefined for nulls). Raises ``WireloomError`` for other arrays."""
    if isinstance(array, pa.ExtensionArray):
        array = array.storage
    kind = array.type
    if pa.types.is_dictionary(kind):
        return memory_of(array.dictionary_decode())
    if pa.types.is_null(kind):
        array, kind = array.cast(pa.binary()), pa.binary()
    if kind == pa.binary_view():
        array, kind = array.cast(pa.large_binary()), pa.large_binary()
    if pa.types.is_fixed_size_binary(kind):
        width = kind.byte_width
        begins = value_array(range(array.offset * width, (array.offset + len(array)) * width, width or 1), pa.uint64())
        begins = begins if width else value_array([0] * len(array), pa.uint64())
        return _buffer(array.buffers()[1]), begins, pa.repeat(constant(width, pa.uint64()), len(array))
    if not (pa.types.is_binary(kind) or pa.types.is_large_binary(kind)):
        raise not_bytes(str(kind), is_text=kind in (pa.utf8(), pa.large_utf8(), pa.string_view()))
    large = pa.types.is_large_binary(kind)
    _, offsets, data = array.buffers()
    if offsets is None or not len(array):
        empty = value_array([], pa.uint64())
        return _buffer(data), empty, empty
    offsets = pa.Array.from_buffers(
        pa.int64() if large else pa.int32(), len(array) + 1, [None, offsets], offset=array.offset
    ).cast(pa.uint64())
    begins = offsets.slice(0, len(array))
    return _buffer(data), begins, pc.subtract(offsets.slice(1), begins)


def not_bytes(kind: str, *, is_text: bool) -> WireloomError:
    """Return the error for a column of another type. ``is_text``: whether the column is text that contains bytes in
    some encoding."""
    if is_text:
        return WireloomError(
            f"blobs must be a column of bytes, found text ({kind}): decode it first (base64 by"
            " base64.b64decode, in Spark by unbase64)"
        )
    return WireloomError(f"blobs must be a column of bytes, found {kind}: give a binary column")


def _buffer(data: pa.Buffer | None) -> Any:
    return data if data is not None else b""


MOST_LISTED = 100_000
"""Maximum number of damaged blobs that a report lists; others are only counted."""


@dataclass(frozen=True, slots=True)
class BlobProblem:
    """A damaged blob of a column.

    - ``blob``: its number in the column, from 0.
    - ``offset``: the offset in the blob at which the damage was found.
    - ``reason``: one of ``wireloom.base.report.REASONS``.
    - ``detail``: a sentence that names the field.
    - ``rows``: the number of rows before the damage, which are returned.
    """

    blob: int
    offset: int
    reason: str
    detail: str
    rows: int


@dataclass
class BlobReport:
    """The report of a column of blobs.

    - ``blobs``: the number of blobs; ``nulls``: how many of them are null; ``whole``: how many are not a message and
      were returned as one row, in formats that allow this.
    - ``rows``: the number of rows that were returned.
    - ``problems``: the damaged blobs.
    - ``facts``: details that are specific to the format.
    - ``engine``: as in ``ReadReport``.
    """

    format: str
    blobs: int = 0
    nulls: int = 0
    whole: int = 0
    rows: int = 0
    problems: list[BlobProblem] = field(default_factory=list)
    unlisted: int = 0
    """Number of damaged blobs that are not in ``problems``, which contains at most the first 100,000."""
    facts: dict[str, Any] = field(default_factory=dict)
    engine: str = "columns"

    @property
    def clean(self) -> bool:
        """Return whether every blob is valid."""
        return not self.problems

    def to_dict(self) -> dict[str, Any]:
        """Return the report as values for JSON."""
        result = asdict(self) | {"clean": self.clean} | self.facts
        del result["facts"]
        return result


SHOWN_OPTIONS = ("columns", "mode", "verify", "allow_modules")
READ_OPTIONS = (*SHOWN_OPTIONS, "max_record", "batch_rows")
"""Options of a scan that apply to blobs, those in signatures first; other options apply to files."""
NO_COLUMNS: Mapping[str, pa.Array] = {}
ROWS = 65_536
"""Approximate number of rows decoded at a time; usually a batch is 4 MiB of blobs."""


@dataclass(frozen=True)
class BlobRows:
    """Rows of consecutive blobs of a column. ``blobs``: the numbers of the blobs (int64); ``counts``: the number of
    rows of each (int32); ``hold``: whether each has a valid result; false for damaged ones without rows."""

    rows: pa.RecordBatch
    blobs: pa.Array
    counts: pa.Array
    hold: pa.Array


class RowCaster(Protocol):
    """Converts batches of rows to other types."""

    schema: pa.Schema

    def cast(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        """Return the batch converted to ``schema``."""
        ...


class BlobReader:
    """Decodes columns of blobs. ``options``: ``mode``, ``verify``, ``max_record`` and ``batch_rows`` as in a scan, and
    those of the format. ``report`` is filled in during reading. ``in_table``: whether options may name columns of the
    table that contains the blobs; ``beside`` contains the required ones, by option.

    Raises ``WireloomError`` and ``UnknownNameError`` for invalid options, before any blob is read.
    """

    def __init__(
        self,
        format: str | Path | Format,
        options: Mapping[str, Any],
        *,
        in_table: bool = False,
    ) -> None:
        general: dict[str, Any] = {"batch_rows": ROWS}
        general |= {name: options[name] for name in READ_OPTIONS if name in options}
        found = registry.get(format, general.pop("allow_modules", ()))
        if not is_blob(found):
            what = "a format of messages" if found.message is None else "one message by itself"
            raise UnsupportedError(f"{found.name} is not {what}, so it cannot be a blob: read it with wireloom.read")
        # A blob is in memory already: only Arrow's own limit matters, unless another limit is given.
        if general.get("max_record") is None:
            general["max_record"] = LARGEST_RECORD
        self.request: ScanRequest = request_of(
            found,
            ScanOptions(**general),
            {name: value for name, value in options.items() if name not in READ_OPTIONS},
            in_table=in_table,
            option_names=(*READ_OPTIONS, *(("keep",) if in_table else ())),
        )
        self._limit = self.request.max_record
        self.schema: pa.Schema = self.request.projection.schema
        self._hooks = hooks_for(self.request.format, self.request.message_options)
        self.beside = beside(self._hooks)
        projected = columns_to_decode(self.request.format, self.request.projection.projected, self._hooks)
        self._decoder = ScanReaders(self.request).decoder(projected, null_rows=self.request.null_rows)
        self.report = BlobReport(found.name, engine=self.request.engine)

    def parts(
        self, array: pa.Array, first: int = 0, columns: Mapping[str, pa.Array] = NO_COLUMNS
    ) -> Iterator[BlobRows]:
        """Yield the rows of all blobs that are not null, in order. ``first``: the number of the first blob in the
        column; ``columns``: those of ``beside``, by option.

        Raises ``DamagedInputError`` in mode ``failfast``, and ``WireloomError`` for an array of another type than
        bytes.
        """
        source, begins, sizes = memory_of(array)
        numbers = value_array(range(first, first + len(array)), pa.int64())
        if array.null_count:
            valid = array.is_valid()
            begins, sizes, numbers = begins.filter(valid), sizes.filter(valid), numbers.filter(valid)
            columns = {name: each.filter(valid) for name, each in columns.items()}
            self.report.nulls += array.null_count
        self.report.blobs += len(array)
        largest = pc.max(sizes).as_py() or 0
        if largest > self._limit:
            raise WireloomError(f"a blob has {largest} bytes, over the limit of {self._limit}", reason="limit")
        builder = self.request.projection.builder(None)
        units = Units(source, begins, sizes, numbers, sizes, is_open=True, beside=columns)
        for part in decoded_units(self._decoder, units, self.request.batch_rows, None, self._hooks):
            yield self._part(part, builder, source)
        if self._hooks is not None:
            self.report.facts = dict(facts_of(self._hooks))

    def _part(self, part: DecodedUnits, builder: BatchBuilder, source: Any) -> BlobRows:
        decoded, units = part.decoded, part.units
        blobs: Any = units.offsets
        problems = list(part.problems)
        for each in problems:
            self._note(BlobProblem(blobs[each.unit].as_py(), each.offset, each.reason, each.detail, each.rows))
        null_rows = self.request.null_rows
        event = unit_rows(part, units.begins, units.sizes, memoryview(source), 0, null_rows=null_rows)
        if self.request.projection.has_offsets:
            event.offsets = value_array([0], pa.uint64()).take(pa.nulls(decoded.rows, pa.int8()).fill_null(0))
        hold = [True] * decoded.units
        for each in problems:
            hold[each.unit] = each.rows > 0 or null_rows
        self.report.rows += decoded.rows - len(event.damages)
        self.report.whole += len(decoded.wholes)
        return BlobRows(batch_of(event, builder), blobs, decoded.counts, value_array(hold, pa.bool_()))

    def _note(self, problem: BlobProblem) -> None:
        if self.request.mode == "failfast":
            raise DamagedInputError(
                f"blob {problem.blob}: {problem.detail or explained(problem.reason)} ({problem.reason})",
                offset=problem.offset,
                reason=problem.reason,
                record=problem.rows + 1 if problem.rows else None,
                advice=Advice("{mode='permissive'} returns null for it"),
            )
        if len(self.report.problems) < MOST_LISTED:
            self.report.problems.append(problem)
        else:
            self.report.unlisted += 1

    def chunks(
        self,
        array: pa.Array,
        first: int = 0,
        caster: RowCaster | None = None,
        columns: Mapping[str, pa.Array] = NO_COLUMNS,
    ) -> Iterator[pa.Array]:
        """Yield a list of structs per blob, in arrays of about 4 MiB; null for null blobs and for damaged ones without
        rows. ``caster``: converts the rows to other types; ``columns``: as in ``parts``."""
        kind = pa.list_(pa.struct(caster.schema if caster is not None else self.schema))
        done = 0
        for part in self.parts(array, first, columns):
            end = part.blobs[-1].as_py() - first + 1
            yield _lists(part, kind, caster, array.slice(done, end - done))
            done = end
        if done < len(array):
            yield pa.nulls(len(array) - done, kind)

    def lists(
        self,
        array: pa.Array,
        first: int = 0,
        caster: RowCaster | None = None,
        columns: Mapping[str, pa.Array] = NO_COLUMNS,
    ) -> pa.Array:
        """Return the result of ``chunks`` as one array."""
        made = list(self.chunks(array, first, caster, columns))
        if not made:
            return value_array([], pa.list_(pa.struct(caster.schema if caster is not None else self.schema)))
        try:
            return made[0] if len(made) == 1 else pa.concat_arrays(made)
        except pa.ArrowInvalid as error:
            raise WireloomError(
                f"the rows of {len(array)} blobs are too large for one array ({error}): give fewer blobs at a time, or"
                " a chunked array",
                reason="limit",
            ) from error


def _lists(part: BlobRows, kind: pa.DataType, caster: RowCaster | None, blobs: pa.Array) -> pa.Array:
    """Return the lists of a part. ``blobs``: the numbers of its blobs, including the nulls among and before them."""
    structs = (part.rows if caster is None else caster.cast(part.rows)).to_struct_array()
    counts, hold = part.counts, part.hold
    if blobs.null_count:
        valid = blobs.is_valid()
        numbers = pc.subtract(pc.cumulative_sum(valid.cast(pa.int64())), 1)
        numbers = pc.if_else(valid, numbers, constant(None, pa.int64()))
        counts, hold = counts.take(numbers).fill_null(0), hold.take(numbers).fill_null(False)
    mask = None if pc.all(hold).as_py() is not False else pc.invert(hold)
    return pa.ListArray.from_arrays(row_starts(counts).cast(pa.int32()), structs, kind, mask=mask)
