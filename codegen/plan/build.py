"""The model of a spec → its plan."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import accumulate

from ..expression.nodes import Attribute as Access
from ..expression.nodes import BooleanLiteral, Name, Node
from ..expression.types import EnumType, FloatType, IntegerType, UserType
from ..expression.walk import walk
from ..model.model import Attribute, Spec, Struct, SwitchCase
from ..model.model import Instance as ModelInstance
from ..model.read_only import read_only
from ..model.walking import structs
from ..wire import RepeatCount, RepeatEos, RepeatUntil
from .buffered import BufferedTypes
from .checks import checks_of, has_checks
from .covers import checksums, covered, covers_own, plain_cover
from .filling import fills_of
from .lengths import length_fields
from .nesting import recursive_types
from .nodes import Cover, Field, Instance, Member, Piece, Plan, Read, Repeat, Run, Step, Switch, TypePlan
from .presence import may_be_unmatched
from .rows import rows_of
from .sizes import Minimums, fixed_size, has_fixed_size, nodes, runs

SIZE_PRESERVING = ("xor", "rol", "ror")
"""Processes that give as many bytes as they take, whatever these are."""

KEPT = 8
"""Plans of so many specs are kept for who asks again."""

_kept: dict[int, tuple[Spec, Plan]] = {}


def plan_of(spec: Spec) -> Plan:
    """The plan of a spec; derived once for an object that is one."""
    known = _kept.get(id(spec))
    if known is not None and known[0] is spec:
        return known[1]
    while len(_kept) >= KEPT:
        _kept.pop(next(iter(_kept)), None)
    plan = _Builder(spec).plan()
    _kept[id(spec)] = spec, plan
    return plan


class _Builder:
    """Derives the plan of one spec."""

    def __init__(self, spec: Spec) -> None:
        self.spec = spec
        self.minimums = Minimums(spec)
        self.buffered = BufferedTypes(spec, self.minimums)
        self.lengths = length_fields(spec)
        self.recursive = recursive_types(spec)
        self.rows = rows_of(spec)

    def plan(self) -> Plan:
        """The whole plan."""
        spec = self.spec
        types = tuple(self._types(spec.root, ""))
        imported = tuple(each for one in spec.imports for each in self._types(one.root, ""))
        return Plan(spec.name, spec.title or spec.name, spec.root.path, types, self.rows, imported, spec)

    def _types(self, struct: Struct, place: str) -> Iterator[TypePlan]:
        yield self._type(struct, place)
        for each in struct.structs:
            yield from self._types(each, f"{place}/types/{each.path[-1]}")

    def _type(self, struct: Struct, place: str) -> TypePlan:
        places = {each.id: f"{place}/seq/{number}" for number, each in enumerate(struct.attributes)}
        if struct.message is not None:
            members = tuple(_members(struct))
            return TypePlan(struct.path, (), (), (), (), struct.parameters, is_message=True, members=members)
        fields = {each.id: self._field(struct, each, places[each.id]) for each in struct.attributes}
        covers = tuple(self._cover(struct, fields[each.id], each) for each, _ in checksums(struct))
        unwritable = read_only(struct)
        return TypePlan(
            path=struct.path,
            steps=tuple(self._steps(struct, fields)),
            covers=covers,
            instances=tuple(self._instance(struct, each, place) for each in struct.instances),
            fills=tuple(fills_of(struct, covers)),
            parameters=struct.parameters,
            endian=struct.endian,
            buffered=self.buffered.of(struct),
            recursive=struct.path in self.recursive,
            fixed_size=has_fixed_size(self.spec, struct),
            least=sum(self.minimums.of(each) for each in struct.attributes if each.repeat is None),
            only_read=unwritable.instance if unwritable is not None else "",
        )

    # Steps -----------------------------------------------------------------------------------------------------------

    def _steps(self, struct: Struct, fields: dict[str, Field]) -> Iterator[Step]:
        for group in runs(struct.attributes):
            if group[0].id in fields and fixed_size(group[0]) is not None:
                yield run_of(tuple(fields[each.id] for each in group))
            else:
                yield self._read(struct, group[0], fields[group[0].id])

    def _read(self, struct: Struct, attribute: Attribute, field: Field) -> Read:
        return Read(field, self._repeat(struct, attribute), attribute.condition)

    def _field(self, struct: Struct, attribute: Attribute, place: str) -> Field:
        return Field(
            id=attribute.id,
            place=place,
            type=attribute.type,
            size=attribute.size,
            checks=checks_of(attribute),
            loses_layout=attribute.frames_layout,
            reason="length" if (struct.path, attribute.id) in self.lengths else "value",
            fixed_size=fixed_size(attribute),
            least=self.minimums.of(replace(attribute, repeat=None)),
            terminator=attribute.terminator,
            stripped=attribute.stripped,
            process=attribute.process,
            defers=_defers(attribute),
            arguments=attribute.arguments,
            parent=attribute.parent,
            switch=self._switch(struct, attribute, place),
            logical=attribute.logical,
            position=attribute.position,
        )

    def _switch(self, struct: Struct, attribute: Attribute, place: str) -> Switch | None:
        switch = attribute.switch
        if switch is None:
            return None
        branches: list[tuple[tuple[Node, ...], Field]] = []
        otherwise: Field | None = None
        for case in switch.cases:
            field = self._field(struct, case_attribute(attribute, case), place)
            if case.match is None:
                otherwise = field
            elif branches and branches[-1][1] == field:
                branches[-1] = ((*branches[-1][0], case.match), field)
            else:
                branches.append(((case.match,), field))
        truth = all(isinstance(each, BooleanLiteral) for matches, _ in branches for each in matches)
        return Switch(switch.on, tuple(branches), otherwise, truth and bool(branches), not may_be_unmatched(attribute))

    def _repeat(self, struct: Struct, attribute: Attribute) -> Repeat | None:
        if attribute.repeat is None:
            return None
        expressions = [each for node in nodes(attribute) for each in walk(node)]
        repeat = Repeat(
            how="end",
            indexed=any(isinstance(each, Name) and each.id == "_index" for each in expressions),
            buffered=self.buffered.items(attribute),
            iterable=struct is self.spec.root and self._is_iterable(struct, attribute),
            framing=attribute.framing,
        )
        match attribute.repeat:
            case RepeatCount(expression):
                number = isinstance(attribute.type, IntegerType | FloatType) and attribute.type.endian != "computed"
                plain = number and attribute.switch is None and not has_checks(attribute)
                return replace(repeat, how="count", expression=expression, at_once=plain)
            case RepeatUntil(expression):
                return replace(repeat, how="until", expression=expression)
            case RepeatEos():
                return repeat

    def _is_iterable(self, struct: Struct, attribute: Attribute) -> bool:
        """Whether no size, count or check asks for the list, which is not there where its items are read one by one."""
        for node in nodes(attribute):
            if any(isinstance(each, Name) and each.id == attribute.id for each in walk(node)):
                return False
        members = (each for holder in structs(struct) for each in (*holder.attributes, *holder.instances))
        return not any(
            isinstance(each, Access) and each.name == attribute.id and _may_be(each.value, struct)
            for part in members
            for node in nodes(part)
            for each in walk(node)
        )

    # What is verified and computed -----------------------------------------------------------------------------------

    def _cover(self, struct: Struct, field: Field, attribute: Attribute) -> Cover:
        checksum = attribute.checksum
        assert checksum is not None
        plain = plain_cover(struct, checksum)
        early = False
        if struct is self.spec.root and self.rows is not None:
            needed = {attribute.id, *(each.id for each in covered(struct, checksum))}
            early = needed <= set(self.rows.prologue)
        return Cover(
            field=field,
            algorithm=checksum.algorithm,
            first=checksum.first,
            last=checksum.last,
            initial=checksum.initial,
            final_xor=checksum.final_xor,
            replace=checksum.replace,
            value=plain.id if plain is not None else None,
            blanks_own=covers_own(struct, attribute, checksum),
            condition=attribute.condition,
            before_rows=early,
        )

    def _instance(self, struct: Struct, instance: ModelInstance, place: str) -> Instance:
        read = None
        if instance.attribute is not None:
            attribute = replace(instance.attribute, condition=None)
            read = self._read(struct, attribute, self._field(struct, attribute, f"{place}/instances/{instance.id}"))
        return Instance(instance.id, instance.type, instance.value, read, instance.pos, instance.io, instance.condition)


def _members(struct: Struct) -> Iterator[Member]:
    for each in struct.attributes:
        if (field := each.message) is not None:
            yield Member(each.id, field.number, field.kind, field.label, field.key, each.type)


def _may_be(node: Node, struct: Struct) -> bool:
    """Whether an expression may stand for an object of the type."""
    return not isinstance(node.type, UserType) or node.type.path == struct.path


def _defers(attribute: Attribute) -> bool:
    """Not where something needs the value at once, nor where undoing never fails."""
    process = attribute.process
    if process is None or process.name in SIZE_PRESERVING:
        return False
    if attribute.frames_layout or isinstance(attribute.repeat, RepeatUntil):
        return False
    return not (isinstance(attribute.type, UserType) and has_checks(attribute))


def case_attribute(attribute: Attribute, case: SwitchCase) -> Attribute:
    """The attribute as it is in one case."""
    return replace(
        attribute, type=case.type, arguments=case.arguments, size=case.size, terminator=case.terminator, switch=None
    )


def run_of(fields: tuple[Field, ...]) -> Run:
    """Fields of fixed sizes as a run."""
    offsets = tuple(accumulate((each.fixed_size or 0 for each in fields), initial=0))
    return Run(fields, offsets, tuple(_pieces(fields, offsets)))


def _pieces(fields: tuple[Field, ...], offsets: tuple[int, ...]) -> Iterator[Piece]:
    """A run in parts of one byte order each; single bytes fit either."""
    begin, endian = 0, None
    for number, field in enumerate(fields):
        base = field.type.base if isinstance(field.type, EnumType) else field.type
        wanted = base.endian if isinstance(base, IntegerType | FloatType) and base.size > 1 else None
        if wanted and endian and wanted != endian:
            yield Piece(fields[begin:number], endian, offsets[begin], offsets[number] - offsets[begin])
            begin, endian = number, None
        endian = wanted or endian
    yield Piece(fields[begin:], endian, offsets[begin], offsets[-1] - offsets[begin])
