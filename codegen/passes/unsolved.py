"""The types whose objects are read-only, and why: an instance at an explicit position, or integers that sizes, counts
and positions depend on and that cannot be solved for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from wireloom.base.dataclass import dataclass, replace
from wireloom.format.columns import objects_only_read

from ..expression.nodes import CoveredChecksum, Node
from ..expression.types import BitsType, Path, VarintType
from ..expression.walk import all_names, walk
from ..spec.diagnostic import Diagnostic
from ..spec.diagnostics import ERROR, InvalidSpecError
from ..spec.position import Position
from ..tree import Attribute, ReadOnly, Spec, Struct
from .dependencies import Argument, DerivedValues, arguments, derived_values, measures

WHAT_TO_DO = (
    "pass it, or make it the only unknown of a size or count that adds, subtracts or multiplies by a constant; declare "
    "that callers pass it with '-wireloom: {given: true}'"
)


@dataclass(frozen=True)
class Unsolved:
    """A field that must be given to a writer; ``measured`` is what its value determines."""

    field: str
    measured: str
    position: Position | None

    @property
    def reason(self) -> str:
        """Return a sentence for the author of the spec."""
        return f"a writer requires a value of '{self.field}', which cannot be derived from {self.measured}"

    @property
    def message(self) -> str:
        """Return the sentence, followed by advice."""
        return f"{self.reason}: {WHAT_TO_DO}"


def refuse(found: Sequence[Unsolved], spec: Spec) -> None:
    """Refuse a spec of which a writer must be given a field.

    Args:
        found: These fields, from ``unsolved``.
        spec: The spec, whose file is named for fields without a position.

    Raises:
        InvalidSpecError: There are such fields; each is a diagnostic.
    """
    if found:
        places = [(each.position or Position(spec.file, 1, 1), each.reason) for each in found]
        diagnostics = [Diagnostic.at(place, ERROR, reason) for place, reason in places]
        raise InvalidSpecError(replace(each, help=WHAT_TO_DO) for each in diagnostics)


def unsolved(spec: Spec, *, in_place: bool = False) -> tuple[Unsolved, ...]:
    """Return the fields of a spec that a writer must be given, since they cannot be derived, in the order of the spec.

    A spec whose table consists of messages has none: the runtime writes their framing. Columns of tables do not count
    either, since they provide the values.

    Args:
        spec: The spec.
        in_place: Whether the classes read and write in place, as those with Kaitai's API do: these also solve for
            values in other objects if the other numbers are given, and write values at explicit positions.
    """
    found: dict[tuple[Path, str], Unsolved] = {}
    for each in _unsolved_integers(spec, in_place):
        found.setdefault((each.holder.path, each.field.id), Unsolved(each.field.id, each.measured, each.field.position))
    return tuple(found.values())


def with_read_only(spec: Spec) -> Spec:
    """Return a copy of a spec in which ``read_only`` is set for types whose objects cannot be written."""
    found: dict[Path, list[_UnsolvedInteger]] = {}
    for each in _unsolved_integers(spec, in_place=False):
        found.setdefault(each.struct.path, []).append(each)
    running = {
        each.path: sum.attribute.id
        for each in spec.family
        for sum in each.checksums
        if each.message is not None and sum.continues is not None
    }
    return replace(spec, root=_marked(spec.root, found, _sums(spec), running))


def read_only_types(spec: Spec) -> tuple[tuple[Position | None, str], ...]:
    """Return the types of a spec whose objects can be read but not written: each as a position and the message of the
    error that writing one raises."""
    pairs = ((each.path[-1], each.read_only) for each in spec.structs)
    return tuple(
        (why.position, objects_only_read(name, *why.unsolved, **why.words)) for name, why in pairs if why is not None
    )


def _sums(spec: Spec) -> set[str]:
    """Return the names of value instances that are checksums of bytes that were read, or depend on one."""
    instances = [each for struct in spec.family for each in struct.instances]
    names = {each.id for each in instances if isinstance(each.value, CoveredChecksum)}
    # Few specs have such instances: in all others nothing is searched.
    uses = [(each.id, all_names(each)) for each in instances] if names else []
    while found := {id for id, used in uses if id not in names and used & names}:
        names |= found
    return names


def _marked(
    struct: Struct, found: dict[Path, list[_UnsolvedInteger]], sums: set[str], running: dict[Path, str]
) -> Struct:
    """Return a type with the reason why its objects are read-only. ``running``: the messages with a checksum that
    continues others, with its name."""
    why = None
    holders = ((each, kind.path) for each in struct.attributes for kind in each.object_types if kind.path in running)
    continued = next(((f"{each.id}.{running[path]}", each.position) for each, path in holders), None)
    placed = next((each for each in struct.instances if each.attribute is not None), None)
    bits = next(
        (
            each
            for each in struct.checksums
            if each.value is None and isinstance(each.attribute.type, BitsType | VarintType)
        ),
        None,
    )
    if placed is not None:
        why = ReadOnly(placed.id, position=placed.position)
    elif bits is not None:
        why = ReadOnly(checksum=bits.attribute.id, position=bits.attribute.position)
    elif struct.inner_checksums:
        cover = struct.inner_checksums[0]
        why = ReadOnly(inner_checksum=".".join(cover.path), position=cover.attribute.position)
    elif continued is not None:
        why = ReadOnly(inner_checksum=continued[0], position=continued[1])
    elif sums and (summed := next((each for each in struct.attributes if all_names(each) & sums), None)) is not None:
        why = ReadOnly(computed=summed.id, position=summed.position)
    elif struct.path in found:
        clauses = tuple(_clauses(found[struct.path]))
        why = ReadOnly(unsolved=clauses, position=found[struct.path][0].field.position)
    return replace(struct, read_only=why, structs=tuple(_marked(each, found, sums, running) for each in struct.structs))


def _clauses(found: Sequence[_UnsolvedInteger]) -> Iterator[str]:
    """Yield clauses that name integers and what they cannot be derived from."""
    first: dict[str, str] = {}
    for each in found:
        first.setdefault(each.name, each.measured)
    for measured, group in groupby(first, key=first.__getitem__):
        names = list(group)
        yield f"{' and '.join(names)} cannot be derived from {measured}"


@dataclass(frozen=True)
class _UnsolvedInteger:
    """An integer of ``holder`` that a size, count or position of ``struct`` depends on, and that is not solved for."""

    struct: Struct
    holder: Struct
    field: Attribute
    measured: str

    @property
    def name(self) -> str:
        """Return its name in the spec, with its type if that is not ``struct``."""
        elsewhere = f" of '{self.holder.path[-1]}'" if self.holder.path != self.struct.path else ""
        return f"'{self.field.id}'{elsewhere}"


def _unsolved_integers(spec: Spec, in_place: bool) -> Iterator[_UnsolvedInteger]:
    """Yield all such integers in the order of the spec, once for each size, count and position that depends on them."""
    if spec.units is not None:
        return
    elsewhere: DerivedValues = derived_values(spec) if in_place else {}
    passed = [each for struct in spec.family for each in arguments(spec, struct)]
    for struct in (each for each in spec.structs if each.message is None):
        for measure in measures(struct):
            if measure.is_position and not in_place:
                continue
            for holder, field in _integers(spec, passed, struct, measure.expression):
                own = _is_solved(struct, holder, field)
                solved = own or field.id in elsewhere.get(holder.path, ())
                written = field.default is not None or field.size_of is not None or field.only is not None
                if not solved and not written and (in_place or not _is_column(spec, holder, field.id)):
                    yield _UnsolvedInteger(struct, holder, field, measure.what)


def _is_solved(struct: Struct, holder: Struct, field: Attribute) -> bool:
    """Return whether a field of ``holder`` is solved for in a type: in its own, or in one that contains an object of
    it, which may be made from a value."""
    if holder.path == struct.path:
        return struct.solved(field.id) is not None
    outer = (each for each in struct.attributes if any(kind.path == holder.path for kind in each.object_types))
    names = {each.id for each in struct.fills if each.how == "solved"}
    return any(names & {each.id, f"{each.id}.{field.id}"} for each in outer)


def _is_column(spec: Spec, holder: Struct, name: str) -> bool:
    """Return whether a column of a table provides the value of a field."""
    for rows in spec.tables:
        of_rows = name in rows.columns or name in rows.selectable
        if of_rows and spec.holder(rows, name)[1].path == holder.path:
            return True
        if name in rows.parent_columns and holder.path == spec.root.path:
            return True
    return False


def _integers(
    spec: Spec, passed: list[Argument], struct: Struct, expression: Node
) -> Iterator[tuple[Struct, Attribute]]:
    """Yield the integers that an expression depends on, including through value instances and arguments."""
    waiting: list[tuple[Struct, Node]] = [(struct, expression)]
    seen: set[tuple[Path, str]] = set()
    while waiting:
        holder, whole = waiting.pop()
        for each in walk(whole):
            member = spec.member(holder, each)
            if member is None or (member[0].path, member[1]) in seen:
                continue
            owner, name = member
            seen.add((owner.path, name))
            field, instance = owner.attribute(name), owner.instance(name)
            if field is not None and field.solvable:
                yield owner, field
            if instance is not None and instance.value is not None:
                waiting.append((owner, instance.value))
            if owner.parameter(name) is not None:
                uses = (one for one in passed if (one.kind, one.parameter) == (owner.path, name))
                waiting.extend((one.user, one.expression) for one in uses)
