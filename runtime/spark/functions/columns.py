"""Columns of messages in Spark, as ``from_protobuf`` and ``from_avro`` are for theirs.

>>> from wireloom.spark.functions import explode_wire, from_wire
>>> events.select("id", from_wire("data", "kpl_aggregated_record"))     # doctest: +SKIP
>>> explode_wire(events, "data", "kpl_aggregated_record")               # doctest: +SKIP

All of them take Spark's Arrow batches as they are, without pandas, and work in batch and streaming queries. For SQL
``wireloom.spark.register`` makes them known, see ``wireloom.spark.functions.sql``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
from pyspark.sql.functions import col
from pyspark.sql.pandas.functions import arrow_udf
from pyspark.sql.types import ArrayType, BinaryType, DataType, NullType, StringType, StructType

from ...base.errors import WireloomError
from ...format.description import Format
from ...reading.blobs.memory import not_bytes
from ..errors import HideTraceback
from .decoding import Decoding

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

__all__ = ["explode_wire", "from_wire", "to_wire"]

USER_FUNCTION: Any = arrow_udf
"""Finds the kind of function by its annotations, which the types of pyspark do not know of."""


def from_wire(column: Column | str, format: str | Path | Format, **options: Any) -> Column:
    """Decode a binary column to an array of structs: the rows of each blob.

    A null gives null, and so does a damaged blob without valid rows. ``options``:

    - ``mode``: ``permissive``, ``dropmalformed``, or ``failfast``: an error at the first damaged blob.
    - ``columns``: a list of names. With ``_error`` or ``_corrupt_record`` among them, a damaged blob gives a struct of
      nulls with the reason or the bytes.
    - ``verify``: whether checksums are computed.
    - ``unsigned64``: the type of unsigned 64-bit integers, ``decimal`` or ``long``.
    - ``allow_modules``: modules whose classes a spec may name, see ``wireloom.load_spec``.
    - those of the format, such as ``message="append_input"`` or ``hash_range="0-99"``.

    Raises ``UnknownNameError`` and ``WireloomError`` for invalid arguments when it is called.
    """
    with HideTraceback():
        decoding = Decoding.of(format, **options)
        made: Column = decoder(decoding)(_column(column))
    return made


def decoder(decoding: Decoding) -> Any:
    """Return the user-defined function of a decoding: binary to an array of structs."""

    def decode(arrays: Iterator[pa.Array]) -> Iterator[pa.Array]:
        with HideTraceback():
            yield from decoding.lists(arrays)

    return USER_FUNCTION(decode, ArrayType(decoding.schema))


def to_wire(
    column: Column | str, format: str | Path | Format, *, allow_modules: Sequence[str] = (), **options: Any
) -> Column:
    """Encode an array of structs, as ``from_wire`` returns it, as one message of the format. Lengths, tables and
    digests are computed. A null gives null. ``options``: those of ``wireloom.to_wire``.

    A value that cannot be written, and an array that does not fit into a single message, are errors of the query.
    """
    from ...format.registry import get
    from ...writing.messages.output import to_wire as encoded

    with HideTraceback():
        found = get(format, allow_modules)
        # Raises here already what is wrong with the format or its options.
        encoded([], found, **options)
        made: Column = encoder(found, options)(_column(column))
    return made


def encoder(format: Format, options: Mapping[str, Any]) -> Any:
    """Return the user-defined function that is the inverse of ``decoder``."""

    def encode(arrays: Iterator[pa.Array]) -> Iterator[pa.Array]:
        from ...writing.messages.output import to_wire as encoded

        with HideTraceback():
            for each in arrays:
                if not pa.types.is_list(each.type):
                    raise WireloomError(f"to_wire takes arrays of structs, not a column of {each.type}")
                yield encoded(each, format, **options)

    return USER_FUNCTION(encode, BinaryType())


def explode_wire(
    df: DataFrame,
    column: str,
    format: str | Path | Format,
    *,
    keep: Sequence[str] | None = None,
    **options: Any,
) -> DataFrame:
    """Decode a binary column to flat rows: the columns ``keep`` of the data frame (by default all but the blobs),
    repeated, then the ``columns`` of the format. Options may name columns of the frame, as in ``wireloom.explode``; the
    others are those of ``from_wire``.

    Raises ``WireloomError`` if a column of the frame and one of the format have the same name, and for a column that is
    not binary.
    """
    from pyspark.sql.pandas.types import to_arrow_schema

    with HideTraceback():
        decoding = Decoding.of(format, in_table=True, **options)
        exploder = decoding.exploder(column, keep)
        exploder.schema_of(pa.schema([pa.field(name, pa.null()) for name in df.columns]))
        check_blobs(df.schema[column].dataType)
        names = exploder.kept(df.columns)
    kept = df.select(*dict.fromkeys((*names, column, *exploder.beside.values())))
    schema = StructType([*(each for each in kept.schema.fields if each.name in names), *decoding.schema.fields])
    wanted = to_arrow_schema(schema, timezone="UTC")

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
    """Raise ``WireloomError`` for a column's type that is not binary."""
    if not isinstance(kind, BinaryType | NullType):
        raise not_bytes(kind.simpleString(), is_text=isinstance(kind, StringType))


def _column(column: Column | str) -> Column:
    return col(column) if isinstance(column, str) else column
