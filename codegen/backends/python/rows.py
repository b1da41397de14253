"""What the root class of a format with rows has besides: a prologue of its own, and rows of a given size one by one."""

from __future__ import annotations

from ...model.model import Attribute
from ...plan.covers import checksums, covered
from ..base import refuse
from .reading import item_lines
from .scope import ClassScope
from .view import Line, MethodView


def rows_attribute(scope: ClassScope) -> Attribute | None:
    """The attribute whose items are the rows, in the root of a format that has such."""
    rows = scope.spec.rows
    if rows is None or scope.struct is not scope.spec.root:
        return None
    return scope.struct.attribute(rows.attribute)


def prologue(scope: ClassScope, rows: Attribute) -> tuple[Attribute, ...]:
    """The attributes before the rows."""
    return scope.struct.attributes[: scope.struct.attributes.index(rows)]


def early_checksums(scope: ClassScope, rows: Attribute) -> frozenset[str]:
    """The checksums that can be verified before the rows are read; others of the root are refused."""
    before = {each.id for each in prologue(scope, rows)}
    for attribute, checksum in checksums(scope.struct):
        if attribute.id not in before or not {each.id for each in covered(scope.struct, checksum)} <= before:
            refuse(
                attribute.position,
                f"the checksum '{attribute.id}' must stand, with all that it covers, before the rows",
            )
    return frozenset(before)


def row_method(scope: ClassScope, rows: Attribute) -> MethodView:
    """``_read_row``: the next row, of a format whose rows have a size."""
    lines = item_lines(scope, rows, lambda text: Line(f"return {text}"), scope.source_of(rows))
    return MethodView(f"_read_row(self) -> {scope.annotations.of_item(rows)}", (Line("io = self._io"), *lines))
