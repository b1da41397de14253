"""The table and the types of a spec that can be read but not written."""

from __future__ import annotations

from collections.abc import Iterator

from wireloom.format.only_read import only_read, written_as_objects

from ...passes import read_only_types
from ...spec.position import Position
from ...tree import Rows, Spec
from ..python.names import class_name
from .given import Givens
from .levels import unfilled
from .table import table_columns


def read_only(plan: Spec) -> tuple[tuple[Position | None, str], ...]:
    """Return the tables that cannot be written, then the types whose objects cannot be written: each as a position and
    a sentence.

    Raises ``SpecError`` if a column has no Arrow type.
    """
    return (*_table(plan), *read_only_types(plan))


def is_written(plan: Spec) -> bool:
    """Return whether rows of the default table can be written."""
    if plan.rows is None:
        return True
    types = (plan.struct(each) for each in (plan.root.path, *plan.rows.types))
    readable = [each for each in types if each.read_only is not None]
    return not _sentence(plan, plan.rows, class_name(plan.name)) and not readable


def required_columns(plan: Spec) -> tuple[str, ...]:
    """Return the names of the default columns, and of further columns without which the default table cannot be
    written."""
    if plan.rows is None:
        return ()
    givens, columns = Givens(plan, plan.rows), table_columns(plan, plan.rows)
    asked = ((each, givens.asked(each)) for each in columns)
    return tuple(each.name for each, found in asked if each.default or (found is not None and not found.presumed))


def _table(plan: Spec) -> Iterator[tuple[Position | None, str]]:
    for rows in plan.tables:
        field = plan.top(rows).attribute(rows.attribute)
        sentence = _sentence(plan, rows, class_name(plan.name))
        if field is None:
            continue
        if sentence:
            yield rows.position or field.position, sentence
        elif optional := unfilled(plan, rows, table_columns(plan, rows), optional=True):
            what = ", ".join(optional)
            yield (
                rows.position or field.position,
                f"rows of {rows.name or plan.name} with {what} cannot be written, since no column contains what is "
                "there under a condition",
            )


def within_of(plan: Spec, rows: Rows) -> str:
    """Return the name of the enclosing attribute that makes the rows read-only, or ''."""
    reasons = (plan.struct(path).read_only for path in (plan.root.path, *rows.types))
    return next((why.within for why in reasons if why is not None and why.within), "")


def _sentence(plan: Spec, rows: Rows, root: str) -> str:
    positions = any(plan.is_at_position(each) for way in rows.ways for each in way)
    pieces = rows.fragments is not None and not rows.fragments.block
    said = written_as_objects(
        plan.name,
        root,
        pieces=pieces,
        positions=positions,
        inside=rows.inside,
        within=within_of(plan, rows),
    )
    if said:
        return said
    found = unfilled(plan, rows, table_columns(plan, rows))
    return only_read(plan.name, root, found) if found else ""
