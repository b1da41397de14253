"""The field that contains the table's rows, and how they are laid out in the input."""

from __future__ import annotations

from ..model.model import Spec
from .types import Rows


def rows_of(spec: Spec) -> Rows | None:
    """Return the rows of a spec that declares a table."""
    rows = spec.rows
    if rows is None:
        return None
    before: list[str] = []
    for each in spec.root.attributes:
        if each.id == rows.attribute or not rows.streaming:
            break
        before.append(each.id)
    return Rows(
        field=rows.attribute,
        types=rows.types,
        prologue=tuple(before),
        sized=rows.sized,
        streaming=rows.streaming,
        columns=rows.columns,
        selectable=rows.selectable,
        parent_columns=rows.parent_columns,
        path=rows.path,
        text=rows.text,
    )
