"""Candidates for the rows of a spec: its repeated types, and whether the engine could read them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from wireloom.base.errors import SpecError

from ...expression.types import UserType
from ...plan import Field, Plan, Rows, TypePlan
from ...spec.diagnostics import InvalidSpecError
from ...wire import OwnSize, RepeatEos
from .lower import compile_program
from .table import table_columns


@dataclass(frozen=True)
class Candidate:
    """A repeated field, and the type that it belongs to. ``refusal``: why the engine would not run it; empty if it
    would."""

    holder: TypePlan
    field: Field
    refusal: str


def candidates(plan: Plan) -> Iterator[Candidate]:
    """Yield the repeated fields of a spec whose items have one of its types, each as if its items were a file of their
    own.

    The attributes before the field in the root remain before the rows. A type that is repeated in several places is
    yielded once for each.
    """
    for holder in plan.types:
        for number, field in enumerate(holder.fields):
            kind = field.type
            if field.repeat is None or field.switch is not None:
                continue
            if isinstance(kind, UserType) and not kind.opaque:
                before = holder.fields[:number] if holder is plan.root else ()
                yield Candidate(holder, field, _refusal(plan, kind, field, before))


def _refusal(plan: Plan, kind: UserType, field: Field, before: tuple[Field, ...]) -> str:
    row = plan.type(kind.path)
    if row is plan.root:
        return f'the items of "{field.id}" have the type that contains them'
    if field.arguments:
        return f'the type of the items of "{field.id}" has arguments'
    if row.message is not None:
        return f'the items of "{field.id}" are messages'
    items = Field(field.id, field.place, kind, OwnSize(), RepeatEos())
    rows = Rows(field.id, (kind.path,), tuple(each.id for each in before), False, True, row.columns)
    trial = replace(plan, root=replace(plan.root, fields=(*before, items)), rows=rows)
    try:
        refusal = compile_program(trial, rows, table_columns(trial, rows)).refusal
    except SpecError as error:
        return str(error.diagnostics[0].message if isinstance(error, InvalidSpecError) else error.message)
    return refusal or ""
