"""Spark functions for columns of messages, similar to ``from_protobuf`` and ``from_avro``.

>>> from wireloom.spark.functions import explode_wire, from_wire
>>> events.select("id", from_wire("data", "kpl_aggregated_record"))     # doctest: +SKIP
>>> explode_wire(events, "data", "kpl_aggregated_record")               # doctest: +SKIP

All functions process Spark's Arrow batches directly, without pandas, and work in batch and streaming queries.
``wireloom.spark.register`` registers them for SQL; see ``wireloom.spark.functions.sql``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyspark.sql.pandas.functions
from pyspark.sql.functions import col, udf
from pyspark.sql.types import ArrayType, BinaryType, DataType, NullType, StringType, StructType

from ...base.dataclass import dataclass
from ...base.errors import UnsupportedError, WireloomError
from ...base.options import documented
from ...format.columns import CORRUPT_RECORD
from ...format.description import Format
from ...format.registry import get
from ...reading.blobs.exploding import Exploder
from ...reading.blobs.reader import NO_COLUMNS, BlobReader, not_bytes
from ...reading.request import of_table
from ..errors import HideTraceback
from ..options import TYPE_OPTIONS, ColumnTypes
from ..read.casting import Caster
from ..read.schema import TargetColumn, chosen_schema, known_columns, targets, wire_schema
from ..versions import check_functions, to_arrow_schema, to_arrow_type

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame


@dataclass(frozen=True)
class Decoding:
    """A format with its options. ``schema``: the Spark schema of a row; ``targets``: the source of each column."""

    format: Format
    options: Mapping[str, Any]
    schema: StructType
    targets: tuple[TargetColumn, ...]
    in_table: bool = False

    @classmethod
    def of(
        cls,
        format: str | Path | Format,
        *,
        in_table: bool = False,
        allow_modules: Sequence[str] = (),
        **options: Any,
    ) -> Decoding:
        """Return a decoding after checking all arguments. ``in_table``: whether options may name columns of a table.
        Raises ``UnknownNameError`` and ``WireloomError``.
        """
        outermost = get(format, allow_modules)
        found, _ = of_table(outermost, options)
        types = ColumnTypes(**{name: options.pop(name) for name in TYPE_OPTIONS if name in options})
        reader = BlobReader(outermost, options, in_table=in_table)
        known = known_columns(found, wire_schema(found), CORRUPT_RECORD, types)
        schema = chosen_schema(found, known, options.get("columns"))
        # The table of the kind is not stored: only a format from a spec file includes its code when it is pickled.
        options["columns"] = tuple(reader.schema.names)
        return cls(outermost, options, schema, targets(schema, known, CORRUPT_RECORD), in_table)

    def lists(self, arrays: Iterable[pa.Array], beside: Mapping[str, pa.Array] = NO_COLUMNS) -> Iterator[pa.Array]:
        """Yield an array of lists of structs, in Spark's Arrow types, for each array of blobs. ``beside``: the columns
        that options name, by option, if there is a single array.
        """
        reader = BlobReader(self.format, self.options, in_table=self.in_table)
        caster, done = Caster(self.targets), 0
        wanted = to_arrow_type(ArrayType(self.schema))
        for array in arrays:
            yield reader.lists(array, done, caster, beside).cast(wanted)
            done += len(array)

    def exploder(self, column: str, keep: Sequence[str] | None) -> Exploder:
        """Return a function that turns batches with that column into flat rows."""
        return Exploder(self.format, column, self.options, keep=keep, caster=Caster(self.targets))


__all__ = ["explode_wire", "from_wire", "to_wire"]


def from_wire(column: Column | str, format: str | Path | Format, **options: Any) -> Column:
    """Decode a binary column to an array of structs, which are the rows of each blob.

    Null is decoded as null, and so is a damaged blob without valid rows. ``options``:

    - ``mode``: ``permissive``, ``dropmalformed``, or ``failfast``, which raises an error at the first damaged blob.
    - ``columns``: a list of names. If it includes ``_error`` or ``_corrupt_record``, a damaged blob is decoded to a
      struct of nulls with the reason or the bytes.
    - ``verify``: whether checksums are computed.
    {options}
    - ``allow_modules``: modules whose classes a spec may reference; see ``wireloom.load_spec``.
    - the options of the format, such as ``message="append_input"`` or ``hash_range="0-99"``.

    Raises ``UnknownNameError`` and ``WireloomError`` for invalid arguments when the function is called.
    """
    with HideTraceback():
        check_functions()
        decoding = Decoding.of(format, **options)
        made: Column = decoder(decoding)(_column(column))
    return made


documented(from_wire, ColumnTypes)


def decoder(decoding: Decoding) -> Any:
    """Return the user-defined function that decodes a binary column to arrays of structs."""

    def decode(arrays: Iterator[pa.Array]) -> Iterator[pa.Array]:
        with HideTraceback():
            yield from decoding.lists(arrays)

    return _user_function(decode, ArrayType(decoding.schema))


def to_wire(
    column: Column | str, format: str | Path | Format, *, allow_modules: Sequence[str] = (), **options: Any
) -> Column:
    """Encode each array of structs, in the form that ``from_wire`` returns, as one message of the format. Lengths,
    tables and digests are computed. Null is encoded as null. ``options``: those of ``wireloom.to_wire``.

    The query fails for a value that cannot be written, and for an array that does not fit into a single message.
    """
    from ...format.registry import get
    from ...writing.messages.output import to_wire as encoded

    with HideTraceback():
        check_functions()
        found = get(format, allow_modules)
        # Errors in the format or its options are raised here, before the query runs.
        encoded([], found, **options)
        made: Column = encoder(found, options)(_column(column))
    return made


def encoder(format: Format, options: Mapping[str, Any]) -> Any:
    """Return the user-defined function that encodes arrays of structs, the inverse of ``decoder``."""

    def encode(arrays: Iterator[pa.Array]) -> Iterator[pa.Array]:
        from ...writing.messages.output import to_wire as encoded

        with HideTraceback():
            for each in arrays:
                if not pa.types.is_list(each.type):
                    raise WireloomError(f"to_wire requires a column of arrays of structs, not {each.type}")
                yield encoded(each, format, **options)

    return _user_function(encode, BinaryType())


def explode_wire(
    df: DataFrame,
    column: str,
    format: str | Path | Format,
    *,
    keep: Sequence[str] | None = None,
    **options: Any,
) -> DataFrame:
    """Decode a binary column to flat rows: the columns ``keep`` of the data frame (default: all except the blobs),
    repeated for each row, followed by the ``columns`` of the format. Options may name columns of the frame, as in
    ``wireloom.explode``; the other options are those of ``from_wire``.

    Raises ``WireloomError`` if the frame and the format have columns of the same name, or if the column is not binary.
    """
    with HideTraceback():
        decoding = Decoding.of(format, in_table=True, **options)
        exploder = decoding.exploder(column, keep)
        exploder.schema_of(pa.schema([pa.field(name, pa.null()) for name in df.columns]))
        check_blobs(df.schema[column].dataType)
        names = exploder.kept(df.columns)
    kept = df.select(*dict.fromkeys((*names, column, *exploder.beside.values())))
    schema = StructType([*(each for each in kept.schema.fields if each.name in names), *decoding.schema.fields])
    wanted = to_arrow_schema(schema)

    def explode(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        with HideTraceback():
            exploder = decoding.exploder(column, names)
            for batch in batches:
                for made in exploder.batches(batch):
                    yield pa.RecordBatch.from_arrays(
                        [array.cast(field.type) for array, field in zip(made.columns, wanted, strict=True)],
                        names=wanted.names,
                    )

    return kept.mapInArrow(explode, schema)


def check_blobs(kind: DataType) -> None:
    """Raise ``WireloomError`` if the type of a column is not binary."""
    if not isinstance(kind, BinaryType | NullType):
        raise not_bytes(kind.simpleString(), is_text=isinstance(kind, StringType))


def _user_function(function: Callable[..., Iterator[pa.Array]], returns: DataType) -> Any:
    """Return a function of columns. Where PySpark has none of Arrow arrays, a query that calls it is refused."""
    try:
        check_functions()
    except UnsupportedError as error:
        refusal = error

        def refused(*_columns: object) -> None:
            raise refusal

        return udf(refused, returns)
    # Spark derives the kind of the function from its annotations, which pyspark's type stubs do not support.
    arrow_udf: Any = pyspark.sql.pandas.functions.arrow_udf
    return arrow_udf(function, returns)


def _column(column: Column | str) -> Column:
    return col(column) if isinstance(column, str) else column
