"""Additional methods of the root class of a format with rows: a prologue, and rows of a given size one by one."""

from __future__ import annotations

from ...tree import Attribute, Step
from .constructing import Store
from .names import field_name
from .reading import item_lines
from .scope import ClassScope
from .sequence import reader, sequence
from .view import Lines, MethodView


def has_rows(scope: ClassScope) -> bool:
    """Return whether the class is that of an input, or of a stream in one, whose rows can be read one by one."""
    return scope.spec.streamed(scope.struct.path) is not None


def instance_steps(scope: ClassScope) -> Lines:
    """Return the statements that, after all fields, read at the positions of instances that lead to rows."""
    found = scope.instance_steps.items()
    return tuple(scope.call("go_on", "self", repr(field_name(id)), *steps) for id, steps in found)


def row_methods(scope: ClassScope, first: Lines) -> list[MethodView]:
    """Return the methods that read everything before the rows, the whole object, and one row."""
    before, rest = split(scope)
    prologue = sequence(scope, before, scope.struct.verified)
    own = (*first, *prologue)
    methods = [reader(scope, "_read_prologue", own)] if own else []
    body = sequence(scope, rest, ())
    if any(not each.streaming for each in scope.spec.tables):
        # For a table of data before the rows of other tables, everything that follows is after its rows.
        body = (*first, *sequence(scope, (*before, *rest), scope.struct.verified))
    elif own:
        body = ("self._read_prologue()", *body)
    methods.append(reader(scope, "_read", body))
    rows = scope.spec.streamed(scope.struct.path)
    if rows is not None and rows.sized:
        methods.append(_row_method(scope, rest[0]))
    return methods


def split(scope: ClassScope) -> tuple[tuple[Step, ...], tuple[Step, ...]]:
    """Return the steps before the rows, and the remaining steps."""
    rows = scope.spec.streamed(scope.struct.path)
    number = next(
        n
        for n, each in enumerate(scope.struct.steps)
        if isinstance(each, Attribute) and rows is not None and each.id == rows.attribute
    )
    return scope.struct.steps[:number], scope.struct.steps[number:]


def _row_method(scope: ClassScope, step: Step) -> MethodView:
    """Return ``_read_row``, which reads the next row of a format whose rows have a known size."""
    assert isinstance(step, Attribute)
    assert step.repeat is not None
    lines = item_lines(scope, step, step.repeat, Store("return ", item=True))
    signature = f"_read_row(self) -> {scope.annotations.of_item(step)}"
    if scope.row_step(step) is not None:
        # If the damage extends to the end of the unit, there is no row.
        signature, lines = f"{signature} | None", (*lines, "return None")
    return MethodView(signature, ("io = self._io", *lines))
