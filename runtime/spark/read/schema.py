"""Which Spark columns a read yields, and from which of the format's columns each of them comes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from pyspark.sql.types import (
    ArrayType,
    BinaryType,
    DataType,
    DecimalType,
    LongType,
    StringType,
    StructField,
    StructType,
)

from ...base.errors import WireloomError
from ...base.nearest import unknown
from ...format.description import Format

CORRUPT_RECORD = "_corrupt_record"

EXTRA_TYPES: dict[str, DataType] = {
    "_path": StringType(),
    "_offset": LongType(),
    "_error": StringType(),
    CORRUPT_RECORD: BinaryType(),
}
"""Columns that every format has besides its own. Offsets in files do not reach 2**63, so a long holds them."""

UNSIGNED64 = DecimalType(20, 0)


@dataclass(frozen=True)
class Target:
    """One column of the result: its field in Spark, and the format's column it shows; ``None``: what the files' folders
    say."""

    field: StructField
    source: str | None


def known_columns(format: Format, wire: StructType, corrupt_record: str, *, narrow: bool) -> dict[str, StructField]:
    """Every column that can be asked for, by name, in order: the wire's, the path's, then the extra ones.

    ``wire``: the generated schema. ``narrow``: unsigned 64-bit integers as ``long`` instead of ``decimal(20,0)``.

    Raises ``WireloomError`` where ``corrupt_record`` is the name of another column.
    """
    fields = [StructField(each.name, narrowed(each.dataType) if narrow else each.dataType) for each in wire.fields]
    fields += [StructField(name, StringType()) for name in format.path_columns]
    fields += [StructField(name, kind) for name, kind in EXTRA_TYPES.items() if name != CORRUPT_RECORD]
    if not corrupt_record or corrupt_record.lower() in (each.name.lower() for each in fields):
        raise WireloomError(
            f"option columnNameOfCorruptRecord is {corrupt_record!r}: expected a name that no other column of "
            f"{format.name} has"
        )
    fields.append(StructField(corrupt_record, EXTRA_TYPES[CORRUPT_RECORD]))
    return {each.name: each for each in fields}


def narrowed(kind: DataType) -> DataType:
    """The type with ``long`` wherever it has ``decimal(20,0)``."""
    if isinstance(kind, ArrayType):
        return ArrayType(narrowed(kind.elementType), kind.containsNull)
    if isinstance(kind, StructType):
        return StructType([StructField(each.name, narrowed(each.dataType), each.nullable) for each in kind.fields])
    return LongType() if kind == UNSIGNED64 else kind


def chosen_schema(
    format: Format,
    known: dict[str, StructField],
    columns: Sequence[str] | None,
    others: Callable[[], list[StructField]] = list,
) -> StructType:
    """The schema where the user gives none: ``columns`` by name, or the default ones and the ``others``, which are
    looked for where they may be needed. Raises ``UnknownNameError``."""
    names = list(format.default_columns if columns is None else columns)
    if columns is None or any(name not in known for name in columns):
        more = {each.name: each for each in others()}
        known = {**known, **more}
        names += [] if columns is not None else more
    for name in names:
        if name not in known:
            raise unknown(f"column of {format.name}", name, known)
    return StructType([known[name] for name in names])


def targets(schema: StructType, known: dict[str, StructField], corrupt_record: str) -> tuple[Target, ...]:
    """Where each column of ``schema`` comes from. As Spark does, names are found in any case of letters; those that the
    format does not have may be of the files' folders.

    Raises ``WireloomError`` for no column at all, and for one twice."""
    if not schema.fields:
        raise WireloomError("there are no columns to read: name at least one, such as _offset")
    names = [each.lower() for each in schema.names]
    twice = next((each for place, each in enumerate(schema.names) if each.lower() in names[:place]), None)
    if twice is not None:
        raise WireloomError(f"column {twice!r} is to be read twice: name it once")
    folded = {name.lower(): name for name in known}
    found = []
    for each in schema.fields:
        name = each.name if each.name in known else folded.get(each.name.lower())
        found.append(Target(each, CORRUPT_RECORD if name == corrupt_record else name))
    return tuple(found)
