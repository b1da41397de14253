"""Which field has the table's rows, and how these are in the input."""

from __future__ import annotations

from ..expression.walk import expressions_in, names_in
from ..model.model import Attribute, Spec
from ..wire import ExpressionSize, OwnSize, RepeatEos
from .types import Rows


def rows_of(spec: Spec) -> Rows | None:
    """The rows of a spec that declares some."""
    attribute = spec.root.attribute(spec.rows.attribute) if spec.rows is not None else None
    if spec.rows is None or attribute is None:
        return None
    before = spec.root.attributes[: spec.root.attributes.index(attribute)]
    return Rows(
        field=attribute.id,
        types=spec.rows.types,
        prologue=tuple(each.id for each in before),
        sized=has_sized_rows(spec, attribute),
        streaming=is_streaming(spec, attribute),
        columns=spec.rows.columns,
        selectable=spec.rows.selectable,
        parent_columns=spec.rows.parent_columns,
        path=spec.rows.path,
    )


def has_sized_rows(spec: Spec, rows: Attribute) -> bool:
    """Return whether each row has a stream of its own, whose size the attributes before the rows give: where it ends is
    known whatever is in it, and rows can be read one by one."""
    if not isinstance(rows.repeat, RepeatEos) or not isinstance(rows.size, ExpressionSize):
        return False
    if rows.condition is not None or rows.switch is not None or rows.framing is not None:
        return False
    before = {each.id for each in spec.root.attributes} - {rows.id}
    names = {name for node in expressions_in(rows) for name in names_in(node)}
    return names <= before


def is_streaming(spec: Spec, attribute: Attribute) -> bool:
    """Return whether the items of the rows attribute are in the input by themselves, to its end, and need nothing
    else but what is before them."""
    return has_sized_rows(spec, attribute) or (
        isinstance(attribute.repeat, RepeatEos)
        and isinstance(attribute.size, OwnSize)
        and attribute.terminator is None
        and not (attribute.arguments or attribute.condition or attribute.switch or attribute.process)
    )
