"""How the columns that are read may differ from those of an existing table, and which columns the table then has."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ...base.errors import WireloomError
from .ledger import Shape

if TYPE_CHECKING:
    from pyspark.sql.types import StructType

REFUSE, ADD, QUARANTINE = "refuse", "add", "quarantine"
EVOLUTIONS = (REFUSE, ADD, QUARANTINE)
"""What becomes of a read whose columns are not the table's; see ``ingest``."""
ADVICE = "name another table, choose columns that fit, or replace the table with overwrite"
CHANGES = "or have schema_evolution add columns, or quarantine the records that do not fit"
UNKNOWN = "unknown"
"""Type of a column that only the names of folders have."""


@dataclass(frozen=True)
class Difference:
    """A column that differs: its types in the table and in the read, ``None`` if it is not there; ``fits``: whether
    the table can hold it without a loss, whatever its values."""

    name: str
    there: str | None
    here: str | None
    fits: bool = False

    def __str__(self) -> str:
        if self.there is None:
            return f"it has no column {self.name} ({self.here})"
        if self.here is None:
            return f"column {self.name} ({self.there}) is not among those that are read"
        return f"column {self.name} is {self.there} there and {self.here} here"


def shape_of(schema: StructType, partition_by: Iterable[str], to: str) -> Shape:
    """Return the shape of a table with these columns."""
    columns = tuple((each.name, each.dataType.simpleString()) for each in schema.fields)
    return Shape(columns, tuple(partition_by), to, schema.json())


def evolved(table: str, there: Shape, schema: StructType, new: Shape, evolution: str) -> StructType:
    """Return the columns that the table has from now on. ``schema``: what is read, of shape ``new``; ``there``: the
    shape that the table has.

    Raises ``WireloomError`` if columns, types, partitions or the kind of table differ in a way that is not wanted;
    the order of columns does not matter.
    """
    other = [*_other_differences(there, new)]
    differences = [*_differences(dict(there.columns), dict(new.columns), schema)]
    # What something else has made has no schema that we could change.
    fixed = evolution == REFUSE or not there.described
    refused: list[str] = [*other, *(str(each) for each in differences if fixed or _refused(each, there, evolution))]
    if refused:
        advice = f"{ADVICE}, {CHANGES}" if evolution == REFUSE and there.described and not other else ADVICE
        raise WireloomError(f"the table is of another shape: {'; '.join(refused)}", path=table, advice=advice)
    return schema if fixed else _with_added(there, schema, evolution)


def _with_added(there: Shape, schema: StructType, evolution: str) -> StructType:
    from pyspark.sql.types import StructField, StructType

    known = StructType.fromJson(json.loads(there.described))
    added = [] if evolution != ADD else [each for each in schema.fields if each.name not in known.names]
    # Rows that are there already have none of it.
    return StructType([*known.fields, *(StructField(each.name, each.dataType, True) for each in added)])


def _refused(each: Difference, there: Shape, evolution: str) -> bool:
    """Return whether a difference cannot be carried. Names that differ in the case of letters are the same to Spark."""
    if each.there is None:
        return each.name.lower() in {name.lower() for name, _ in there.columns}
    return each.name in there.partition_by or (evolution == ADD and each.here is not None and not each.fits)


def _other_differences(there: Shape, new: Shape) -> Iterator[str]:
    if there.to != new.to:
        yield f"it is {there.to}, not {new.to}"
    if there.partition_by != new.partition_by:
        found, asked = (", ".join(each.partition_by) or "nothing" for each in (there, new))
        yield f"it is partitioned by {found}, not by {asked}"


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
"""Decimal digits that values of Spark's integers have at most."""
_EXACT = {"float": ("tinyint", "smallint"), "double": ("tinyint", "smallint", "int", "float")}
"""Types all of whose values are exact in another one."""


def _holds(there: str, here: str) -> bool:
    """Return whether every value of one of Spark's types is one of another."""
    if here in _EXACT.get(there, ()):
        return True
    if here not in _DIGITS:
        return False
    if there in _DIGITS:
        return _DIGITS[here] <= _DIGITS[there]
    whole = _whole_digits(there)
    return whole is not None and _DIGITS[here] <= whole


def _whole_digits(kind: str) -> int | None:
    """Return the digits before the point of ``decimal(20,0)``; ``None`` for other types."""
    if not kind.startswith("decimal("):
        return None
    digits, _, after = kind.removeprefix("decimal(").rstrip(")").partition(",")
    return int(digits) - int(after)
