"""Compares the columns that are read with those of an existing table, and determines the table's new columns."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from ...base.dataclass import dataclass
from ...base.errors import WireloomError
from ...base.ingest_options import ADD, REFUSE
from .ledger import TableSchema

if TYPE_CHECKING:
    from pyspark.sql.types import StructType

ADVICE = "name another table, choose columns that fit, or replace the table with overwrite"
CHANGES = "or have schema_evolution add columns, or quarantine the records that do not fit"
UNKNOWN = "unknown"
"""Type of a column that exists only in the names of folders."""


@dataclass(frozen=True)
class Difference:
    """A column that differs: its types in the table and in the read, ``None`` if it is missing; ``fits``: whether the
    table can hold all of its values without loss."""

    name: str
    there: str | None
    here: str | None
    fits: bool = False

    def __str__(self) -> str:
        if self.there is None:
            return f"it has no column {self.name} ({self.here})"
        if self.here is None:
            return f"column {self.name} ({self.there}) is not among the columns that are read"
        return f"column {self.name} is {self.there} in the table and {self.here} in the rows"


def table_schema_of(schema: StructType, partition_by: Iterable[str], to: str) -> TableSchema:
    """Return the shape of a table with these columns."""
    columns = tuple((each.name, each.dataType.simpleString()) for each in schema.fields)
    # Comments, which say how columns are read, are not part of a table's shape.
    fields = [{**each.jsonValue(), "metadata": {}} for each in schema.fields]
    return TableSchema(
        columns, tuple(partition_by), to, type(schema).fromJson({"type": "struct", "fields": fields}).json()
    )


def evolved(table: str, there: TableSchema, schema: StructType, new: TableSchema, evolution: str) -> StructType:
    """Return the columns of the table from now on. ``schema``: that of the read, whose shape is ``new``; ``there``: the
    shape of the table.

    Raises ``WireloomError`` if columns, types or partitions differ in a way that was not requested; the order of
    columns is irrelevant.
    """
    other = _other_partitions(there, new)
    differences = [*_differences(dict(there.columns), dict(new.columns), schema)]
    # The schema of a table that was created by other software cannot be changed.
    fixed = evolution == REFUSE or not there.described
    refused: list[str] = [*other, *(str(each) for each in differences if fixed or _refused(each, there, evolution))]
    if refused:
        advice = f"{ADVICE}, {CHANGES}" if evolution == REFUSE and there.described and not other else ADVICE
        raise WireloomError(f"the table has a different schema: {'; '.join(refused)}", path=table, advice=advice)
    return schema if fixed else _with_added(there, schema, evolution)


def _with_added(there: TableSchema, schema: StructType, evolution: str) -> StructType:
    from pyspark.sql.types import StructField, StructType

    known = StructType.fromJson(json.loads(there.described))
    added = [] if evolution != ADD else [each for each in schema.fields if each.name not in known.names]
    # Nullable, since existing rows have no value.
    return StructType([*known.fields, *(StructField(each.name, each.dataType, True) for each in added)])


def _refused(each: Difference, there: TableSchema, evolution: str) -> bool:
    """Return whether a difference cannot be accepted. Names that differ only in case are equal in Spark."""
    if each.there is None:
        return each.name.lower() in {name.lower() for name, _ in there.columns}
    return each.name in there.partition_by or (evolution == ADD and each.here is not None and not each.fits)


def _other_partitions(there: TableSchema, new: TableSchema) -> list[str]:
    if there.partition_by == new.partition_by:
        return []
    found, asked = (", ".join(each.partition_by) or "nothing" for each in (there, new))
    return [f"it is partitioned by {found}, not by {asked}"]


def _differences(there: dict[str, str], new: dict[str, str], schema: StructType) -> Iterator[Difference]:
    for name, kind in new.items():
        if name not in there:
            yield Difference(name, None, kind)
        elif UNKNOWN not in (there[name], kind) and there[name] != kind:
            yield Difference(name, there[name], kind, _holds(there[name], kind))
    for name, kind in there.items():
        if name not in new:
            yield Difference(name, kind, None, fits=True)


_DIGITS = {"tinyint": 3, "smallint": 5, "int": 10, "bigint": 19}
"""Maximum number of decimal digits of Spark's integer types."""
_EXACT = {"float": ("tinyint", "smallint"), "double": ("tinyint", "smallint", "int", "float")}
"""For each type, the types whose values it represents exactly."""


def _holds(there: str, here: str) -> bool:
    """Return whether Spark type ``there`` can represent every value of type ``here``."""
    if here in _EXACT.get(there, ()):
        return True
    if here not in _DIGITS:
        return False
    if there in _DIGITS:
        return _DIGITS[here] <= _DIGITS[there]
    whole = _whole_digits(there)
    return whole is not None and _DIGITS[here] <= whole


def _whole_digits(kind: str) -> int | None:
    """Return the number of digits before the point of a type such as ``decimal(20,0)``; ``None`` for other types."""
    if not kind.startswith("decimal("):
        return None
    digits, _, after = kind.removeprefix("decimal(").rstrip(")").partition(",")
    return int(digits) - int(after)
