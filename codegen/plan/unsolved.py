"""The values that cannot be written, and those that a writer has to be given: integers that sizes, counts and positions
depend on and that cannot be solved for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from wireloom.objects import only_read

from ..expression.nodes import Attribute as Member
from ..expression.nodes import Name, Node
from ..expression.types import Path, UserType
from ..expression.walk import walk
from ..spec.diagnostic import Diagnostic
from ..spec.diagnostics import ERROR, InvalidSpecError
from ..spec.position import Position
from .following import Argument, Followers, arguments, followers, measures
from .nodes import Field
from .types import Plan, TypePlan

WHAT_TO_DO = (
    "give it, or make it the only unknown of a size or count that adds, subtracts or multiplies by a constant; "
    "'-wireloom: {given: true}' beside it says that it is given"
)


@dataclass(frozen=True)
class Unsolved:
    """A field that has to be given, and why: ``measured`` is what its value decides about."""

    field: str
    measured: str
    position: Position | None

    @property
    def reason(self) -> str:
        """A sentence for who writes the spec."""
        return f"a writer has to be given '{self.field}', which does not follow from {self.measured}"

    @property
    def message(self) -> str:
        """The same, and what to do."""
        return f"{self.reason}: {WHAT_TO_DO}"


@dataclass(frozen=True)
class ReadOnly:
    """A type whose objects are only read, and the first ``instance`` at a position of its own, which is why."""

    type: str
    instance: str
    position: Position | None

    @property
    def message(self) -> str:
        """A sentence for who writes the spec; who tries to write an object is told the same."""
        return only_read(self.type, self.instance).message


def read_only_types(plan: Plan) -> tuple[ReadOnly, ...]:
    """The types of a spec that can be read and not written."""
    pairs = ((type, type.instance(type.only_read)) for type in plan.types)
    return tuple(ReadOnly(type.path[-1], each.id, each.position) for type, each in pairs if each is not None)


def refuse(found: Sequence[Unsolved], plan: Plan) -> None:
    """Raise ``InvalidSpecError`` where a writer has to be given something."""
    if found:
        places = [(each.position or Position(plan.file, 1, 1), each.reason) for each in found]
        said = [Diagnostic.at(place, ERROR, reason) for place, reason in places]
        raise InvalidSpecError(replace(each, help=WHAT_TO_DO) for each in said)


def unsolved(plan: Plan, *, in_place: bool = False) -> tuple[Unsolved, ...]:
    """All of a spec that is not a protobuf message, in the order of the spec.

    None of one whose table is one of messages: what frames those is written by the runtime. Nor columns of a table,
    which give their values. ``in_place``: for classes that read and write, which also solve for what other objects
    hold, as far as the numbers beside it are given, and write what is at a position of its own.
    """
    if plan.units is not None:
        return ()
    elsewhere: Followers = followers(plan) if in_place else {}
    given = [each for struct in plan.family for each in arguments(plan, struct)]
    columns = set() if in_place else _columns(plan)
    found: dict[tuple[Path, str], Unsolved] = {}
    for struct in (each for each in plan.family if each.path[0] == plan.root.path[0] and each.message is None):
        for measure in measures(struct):
            if measure.is_position and not in_place:
                continue
            for holder, field in _integers(plan, given, struct, measure.expression):
                key = (holder.path, field.id)
                own = holder.path == struct.path and holder.solved(field.id) is not None
                solved = own or field.id in elsewhere.get(holder.path, ()) or key in columns
                if not solved and field.only is None and key not in found:
                    found[key] = Unsolved(field.id, measure.what, field.position)
    return tuple(found.values())


def _columns(plan: Plan) -> set[tuple[Path, str]]:
    """Return the values that the columns of a table provide."""
    rows = plan.rows
    if rows is None:
        return set()
    return {
        *((rows.holder(plan, each)[1].path, each) for each in (*rows.columns, *rows.selectable)),
        *((plan.root.path, each) for each in rows.parent_columns),
    }


def _integers(
    plan: Plan, given: list[Argument], struct: TypePlan, expression: Node
) -> Iterator[tuple[TypePlan, Field]]:
    """The integers that an expression depends on, through value instances and arguments too."""
    waiting: list[tuple[TypePlan, Node]] = [(struct, expression)]
    seen: set[tuple[Path, str]] = set()
    while waiting:
        holder, whole = waiting.pop()
        for each in walk(whole):
            owner, name = _member(plan, holder, each)
            if owner is None or (owner.path, name) in seen:
                continue
            seen.add((owner.path, name))
            field, instance = owner.field(name), owner.instance(name)
            if field is not None and field.solvable:
                yield owner, field
            if instance is not None and instance.value is not None:
                waiting.append((owner, instance.value))
            if owner.parameter(name) is not None:
                uses = (one for one in given if (one.kind, one.parameter) == (owner.path, name))
                waiting.extend((one.user, one.expression) for one in uses)


def _member(plan: Plan, holder: TypePlan, node: Node) -> tuple[TypePlan | None, str]:
    match node:
        case Name(id):
            return holder, id
        case Member(value, name) if isinstance(value.type, UserType) and not value.type.opaque:
            return plan.type(value.type.path), name
    return None, ""
