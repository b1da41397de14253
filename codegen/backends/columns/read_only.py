"""The table and the types of a spec that can be read and not written."""

from __future__ import annotations

from collections.abc import Iterator

from wireloom.format.description import rows_inside, switch_column

from ...plan import Plan, Rows, read_only_types
from ...spec.position import Position
from ..python.names import class_name, field_name
from .arrow import ArrowType
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
    if rows.path:
        return rows_inside(plan.name, root, tuple(map(field_name, (rows.field, *rows.path))))
    chosen = next((each.name for each in table_columns(plan, rows) if _has_variants(each.type)), "")
    return switch_column(plan.name, root, chosen) if chosen else ""


def _has_variants(type: ArrowType) -> bool:
    inside = (*(each for _, each in type.fields), *([type.item] if type.item is not None else []))
    return bool(type.variants) or any(map(_has_variants, inside))
