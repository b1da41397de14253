"""What could be the rows of a spec: its repeated types, and whether the engine would run them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from wireloom.base.errors import SpecError

from ...expression.types import UserType
from ...model.model import Attribute, Rows, Spec, Struct
from ...model.table import own_columns
from ...model.walking import structs
from ...plan import plan_of
from ...spec.diagnostics import InvalidSpecError
from ...wire import OwnSize, RepeatEos
from .lower import compile_program
from .table import table_columns


@dataclass(frozen=True)
class Candidate:
    """A repeated attribute, and the type that it is in; ``refusal``: why the engine would not run it, empty where it
    would."""

    holder: Struct
    attribute: Attribute
    refusal: str


def candidates(spec: Spec) -> Iterator[Candidate]:
    """The repeated attributes of a spec that are of one type of it, each as if its items stood in a file by themselves.

    After those of the root stands what the root has before them. A type that is repeated in several places comes once
    for each.
    """
    for holder in structs(spec.root):
        for number, attribute in enumerate(holder.attributes):
            kind = attribute.type
            if attribute.repeat is None or attribute.switch is not None:
                continue
            if not isinstance(kind, UserType) or kind.opaque:
                continue
            before = holder.attributes[:number] if holder is spec.root else ()
            yield Candidate(holder, attribute, _refusal(spec, kind, attribute, before))


def _refusal(spec: Spec, kind: UserType, attribute: Attribute, before: tuple[Attribute, ...]) -> str:
    row = spec.struct(kind.path)
    if row is spec.root:
        return f'the items of "{attribute.id}" are of the type that they are in'
    if attribute.arguments:
        return f'the items of "{attribute.id}" are given arguments'
    if row.message is not None:
        return f'the items of "{attribute.id}" are messages'
    items = Attribute(attribute.id, kind, OwnSize(), repeat=RepeatEos())
    rows = Rows(attribute.id, kind.path, own_columns(row), ())
    trial = replace(spec, root=replace(spec.root, attributes=(*before, items)), rows=rows)
    try:
        _, refusal = compile_program(trial, rows, table_columns(trial, rows), plan_of(spec))
    except SpecError as error:
        return str(error.diagnostics[0].message if isinstance(error, InvalidSpecError) else error.message)
    return refusal or ""
