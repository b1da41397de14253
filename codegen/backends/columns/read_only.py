"""The table and the types of a spec that can be read and not written."""

from __future__ import annotations

from collections.abc import Iterator

from wireloom.format.description import only_read

from ...plan import Plan, Rows, read_only_types
from ...spec.position import Position
from ..python.names import class_name
from .levels import unfilled
from .table import table_columns


def read_only(plan: Plan) -> tuple[tuple[Position | None, str], ...]:
    """The table that cannot be written, then the types whose objects cannot: each a place and a sentence.

    Raises ``SpecError`` where a column has no Arrow type.
    """
    return (*_table(plan), *read_only_types(plan))


def _table(plan: Plan) -> Iterator[tuple[Position | None, str]]:
    rows = plan.rows
    field = plan.root.field(rows.field) if rows is not None else None
    if rows is None or field is None:
        return
    sentence = _sentence(plan, rows, class_name(plan.name))
    if sentence:
        yield field.position, sentence


def _sentence(plan: Plan, rows: Rows, root: str) -> str:
    found = unfilled(plan, rows, table_columns(plan, rows))
    return only_read(plan.name, root, found) if found else ""
