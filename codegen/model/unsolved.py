"""What a writer has to be given: integers that sizes, counts and positions depend on and that cannot be solved for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from ..expression.nodes import Attribute as Member
from ..expression.nodes import Name, Node
from ..expression.types import Path, UserType
from ..expression.walk import walk
from ..spec.diagnostic import Diagnostic
from ..spec.diagnostics import ERROR, InvalidSpecError
from ..spec.position import Position
from .following import Argument, Followers, arguments, followers, measures
from .model import Attribute, Spec, Struct
from .solving import is_derivable
from .walking import family

WHAT_TO_DO = (
    "give it, or make it the only unknown of a size or count that adds, subtracts or multiplies by a constant; "
    "'-wireloom: {given: true}' beside it says that it is given"
)


@dataclass(frozen=True)
class Unsolved:
    """An attribute that has to be given, and why: ``measured`` is what its value decides about."""

    attribute: str
    measured: str
    position: Position | None

    @property
    def reason(self) -> str:
        """A sentence for who writes the spec."""
        return f"a writer has to be given '{self.attribute}', which does not follow from {self.measured}"

    @property
    def message(self) -> str:
        """The same, and what to do."""
        return f"{self.reason}: {WHAT_TO_DO}"


def refuse(found: Sequence[Unsolved], spec: Spec) -> None:
    """Raise ``InvalidSpecError`` where a writer has to be given something."""
    if found:
        places = [(each.position or Position(spec.file, 1, 1), each.reason) for each in found]
        said = [Diagnostic.at(place, ERROR, reason) for place, reason in places]
        raise InvalidSpecError(replace(each, help=WHAT_TO_DO) for each in said)


def unsolved(spec: Spec, *, in_place: bool = False) -> tuple[Unsolved, ...]:
    """All of a spec that is no protobuf message, in the order of the spec.

    None of one whose table is one of messages: what frames those is written by the runtime. Nor columns of a table,
    which give their values. ``in_place``: for classes that read and write, which also solve for what other objects
    hold, as far as the numbers beside it are given, and write what stands at a position of its own.
    """
    if spec.units is not None:
        return ()
    elsewhere: Followers = followers(spec) if in_place else {}
    given = [each for struct in family(spec) for each in arguments(spec, struct)]
    columns = set() if in_place else _columns(spec)
    found: dict[tuple[Path, str], Unsolved] = {}
    for struct in (each for each in family(spec) if each.path[0] == spec.root.path[0] and each.message is None):
        for measure in measures(struct):
            if measure.is_position and not in_place:
                continue
            for holder, attribute in _integers(spec, given, struct, measure.expression):
                key = (holder.path, attribute.id)
                own = holder.path == struct.path and any(each.attribute == attribute.id for each in holder.derivations)
                solved = own or attribute.id in elsewhere.get(holder.path, ()) or key in columns
                if not solved and not _is_constant(attribute) and key not in found:
                    found[key] = Unsolved(attribute.id, measure.what, attribute.position)
    return tuple(found.values())


def _columns(spec: Spec) -> set[tuple[Path, str]]:
    """What the columns of a table give."""
    rows = spec.rows
    if rows is None:
        return set()
    return {
        *((rows.row, each) for each in (*rows.columns, *rows.selectable)),
        *((spec.root.path, each) for each in rows.parent_columns),
    }


def _integers(
    spec: Spec, given: list[Argument], struct: Struct, expression: Node
) -> Iterator[tuple[Struct, Attribute]]:
    """The integers that an expression depends on, through value instances and arguments too."""
    waiting: list[tuple[Struct, Node]] = [(struct, expression)]
    seen: set[tuple[Path, str]] = set()
    while waiting:
        holder, whole = waiting.pop()
        for each in walk(whole):
            owner, name = _member(spec, holder, each)
            if owner is None or (owner.path, name) in seen:
                continue
            seen.add((owner.path, name))
            attribute, instance = owner.attribute(name), owner.instance(name)
            if attribute is not None and is_derivable(attribute):
                yield owner, attribute
            if instance is not None and instance.value is not None:
                waiting.append((owner, instance.value))
            if owner.parameter(name) is not None:
                uses = (one for one in given if (one.kind, one.parameter) == (owner.path, name))
                waiting.extend((one.user, one.expression) for one in uses)


def _member(spec: Spec, holder: Struct, node: Node) -> tuple[Struct | None, str]:
    match node:
        case Name(id):
            return holder, id
        case Member(value, name) if isinstance(value.type, UserType) and not value.type.opaque:
            return spec.struct(value.type.path), name
    return None, ""


def _is_constant(attribute: Attribute) -> bool:
    return attribute.valid is not None and attribute.valid.equal is not None
