"""Checks that the rows to write fit an existing table."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from ...base.errors import WireloomError
from .ledger import Shape

if TYPE_CHECKING:
    from pyspark.sql.types import StructType

ADVICE = "name another table, choose columns that fit, or replace the table with overwrite"
UNKNOWN = "unknown"
"""Type of a column that only the names of folders have."""


def shape_of(schema: StructType, partition_by: Iterable[str], to: str) -> Shape:
    """The shape of a table with these columns."""
    columns = tuple((each.name, each.dataType.simpleString()) for each in schema.fields)
    return Shape(columns, tuple(partition_by), to, schema.json())


def check_drift(table: str, there: Shape, new: Shape) -> None:
    """Raise ``WireloomError`` where columns, types, partitions or the kind of table differ; order does not matter."""
    differences = []
    if there.to != new.to:
        differences.append(f"it is {there.to}, not {new.to}")
    if there.partition_by != new.partition_by:
        found, asked = (", ".join(each.partition_by) or "nothing" for each in (there, new))
        differences.append(f"it is partitioned by {found}, not by {asked}")
    differences += _columns(dict(there.columns), dict(new.columns))
    if differences:
        raise WireloomError(f"the table is of another shape: {'; '.join(differences)}", path=table, advice=ADVICE)


def _columns(there: dict[str, str], new: dict[str, str]) -> Iterable[str]:
    for name, kind in new.items():
        if name not in there:
            yield f"it has no column {name} ({kind})"
        elif UNKNOWN not in (there[name], kind) and there[name] != kind:
            yield f"column {name} is {there[name]} there and {kind} here"
    for name, kind in there.items():
        if name not in new:
            yield f"column {name} ({kind}) is not among those that are read"
