"""Values that a writer fills in, in the order of their dependencies, and objects that it creates because everything in
them is filled in.

Lengths and counts are solved from the expressions that a reader uses; so are attributes that must equal an expression
of these by ``valid``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from wireloom.base.dataclass import dataclass, replace

from ..expression.fold import constant_integer
from ..expression.nodes import Binary, Conditional, ForEach, IntegerLiteral, MemberAccess, Name, Node
from ..expression.types import BytesType, ListType, StreamType, StringType, Type, UserType, is_integer
from ..expression.walk import names_in, walk
from ..tree import Attribute, Fill, Spec, StoredChecksum, Struct, literal_size
from ..tree.leaves import ExpressionSize, OwnSize, RepeatCount, RepeatUntil
from .solving import INTEGER, inlined, solutions


def fills_of(
    fields: tuple[Attribute, ...], solved: Mapping[str, Node], covers: tuple[StoredChecksum, ...]
) -> Iterator[Fill]:
    """Yield the fields of a type that a writer fills in, in the order in which it can.

    Constants come first, then lengths, counts and values equal to them, then checksums of values that are known before
    anything is written, and finally those of bytes already written.

    Args:
        fields: The attributes of the type.
        solved: The values of ``derivations``, by attribute.
        covers: The checksums that are stored in the type.
    """
    for field in fields:
        if field.repeat is not None:
            if field.default is not None:
                yield Fill(field.id, "unless given", field.default)
            continue
        if field.size_of is not None:
            yield Fill(field.id, "measured")
        elif field.contents is not None:
            yield Fill(field.id, "constant", contents=field.contents)
        elif field.condition is None and field.only is not None and field.id not in solved:
            yield Fill(field.id, "unless given", field.only)
        elif field.default is not None and field.id not in solved:
            yield Fill(field.id, "unless given", field.default)
    yield from (Fill(name, "solved", value) for name, value in solved.items())
    late = [each for each in covers if each.value is None and not each.of_object]
    yield from (Fill(each.attribute.id, "checksum before", checksum=each) for each in covers if each not in late)
    yield from (Fill(each.attribute.id, "checksum after", checksum=each) for each in _inside_out(late))


def _inside_out(covers: list[StoredChecksum]) -> Iterator[StoredChecksum]:
    """Yield checksums, each after those within its range; those that cover each other come last."""
    waiting = list(covers)
    while waiting:
        others = {each.attribute.id for each in waiting}
        ready = [each for each in waiting if not (others & {*each.covered}) - {each.attribute.id}]
        yield from ready or waiting
        waiting = [each for each in waiting if ready and each not in ready]


def measured_size(value: Node | None) -> tuple[str, int] | None:
    """Return the field whose size or count a solved value is, and the number that is added; ``None`` for others."""
    match value:
        case Binary("+" | "-" as operator, MemberAccess(Name(id), "size" | "length"), IntegerLiteral(number)):
            return id, number if operator == "+" else -number
        case MemberAccess(Name(id), "size" | "length"):
            return id, 0
    return None


def with_made(spec: Spec) -> Spec:
    """Return a copy of a spec in which objects that need no value from the caller are filled in, innermost ones
    first."""
    while True:
        root = _filled(spec, spec.root)
        if root == spec.root:
            return spec
        spec = replace(spec, root=root)


def _filled(spec: Spec, struct: Struct) -> Struct:
    filled = {each.id for each in struct.fills}
    made = tuple(Fill(each.id, "made") for each in struct.attributes if each.id not in filled and _is_made(spec, each))
    structs = tuple(_filled(spec, each) for each in struct.structs)
    # Before lengths that are solved for, since they need the size of the object.
    return replace(struct, fills=(*made, *struct.fills), structs=structs)


def _is_made(spec: Spec, field: Attribute) -> bool:
    """Return whether the field is a single object of a type of this spec of which each field is filled in."""
    kind = field.type
    if (
        not isinstance(kind, UserType)
        or kind.opaque
        or not spec.owns(kind)
        or not isinstance(field.size, OwnSize | ExpressionSize)
    ):
        return False
    if field.repeat is not None or field.condition is not None or field.switch is not None or field.process is not None:
        return False
    if field.arguments or field.terminator is not None or field.pad_right is not None:
        return False
    struct = spec.struct(kind.path)
    filled = {each.id for each in struct.fills}
    plain = struct.message is None and struct.read_only is None and not struct.parameters
    return plain and bool(struct.attributes) and all(each.id in filled for each in struct.attributes)


# Lengths and counts ----------------------------------------------------------------------------------------------


def derivations(spec: Spec, struct: Struct) -> dict[str, Node]:
    """Return the lengths, counts and equal values of a type that a writer fills in.

    Each length or count comes after those that it is computed from. It is derived from one size or count in which
    everything else is known: constants, values that the caller sets because they cannot be solved for, or attributes
    solved for before. In a product of two lengths neither is known.

    Args:
        spec: The spec.
        struct: The type.

    Returns:
        The values by the names of the attributes. In an expression, ``NAME.size`` of a bytes or string attribute is its
        size on the wire, ``NAME.content`` its decompressed size, and ``NAME.length`` the count of a repeated one.
    """
    everything = _uses(spec, struct)
    uses = [each for each in everything if not each.refused]
    open_names = {
        each.id
        for each in struct.attributes
        if _may_be_derived(each)
        and (
            any(use.solved(each.id) is not None for use in uses if _may_solve(each, use))
            or _by_cases(each, everything, {each.id}) is not None
        )
    }
    found: dict[str, Node] = {}
    progress = True
    while progress:
        progress = False
        for attribute in struct.attributes:
            name = attribute.id
            if name not in open_names:
                continue
            for use in uses:
                alone = _is_there(attribute, use) and use.names & open_names == {name}
                expression = use.solved(name) if alone else None
                if expression is not None:
                    break
            else:
                expression = _by_cases(attribute, everything, open_names)
            if expression is not None:
                found[name] = expression
                open_names.discard(name)
                progress = True
    return found | _equals(spec, struct, found)


def _by_cases(attribute: Attribute, uses: list[_Use], open_names: set[str]) -> Node | None:
    """Return the expression of an integer that is always present and measures something else in each of several cases:
    that of the first case whose condition is true, otherwise that of the last one. ``None`` if it cannot be solved."""
    name = attribute.id
    cases = [each for each in uses if name in each.names]
    if attribute.condition is not None or len(cases) < 2:
        return None
    found: list[tuple[Node, Node]] = []
    for each in cases:
        solved = each.solved(name) if each.names & open_names == {name} else None
        if each.refused or each.condition is None or solved is None or name in names_in(each.condition):
            return None
        found.append((each.condition, solved))
    result = found[-1][1]
    for condition, solved in reversed(found[:-1]):
        result = Conditional(condition, solved, result, type=INTEGER)
    return result


def _equals(spec: Spec, struct: Struct, solved: dict[str, Node]) -> dict[str, Node]:
    """Return the attributes that must equal an expression of solved values by ``valid``, such as the copy of a length
    after a record. The expression refers to earlier attributes, so each is after those that it depends on."""
    known, found = set(solved), dict[str, Node]()
    for each in struct.attributes:
        if (
            each.only is None
            or each.id in solved
            or each.given
            or each.repeat is not None
            or each.condition is not None
        ):
            continue
        names = _all_names(struct, each.only)
        if names & known and "_io" not in names:
            found[each.id] = inlined(spec, struct, each.only) or each.only
            known.add(each.id)
    return found


@dataclass(frozen=True)
class _Use:
    """A size or count: the value on the wire that each attribute in it would have to have, and the names in it.

    ``condition``: the condition under which it applies. ``refused``: whether the value cannot be derived from the field
    alone, since it may be longer than its content."""

    values: dict[str, Node]
    names: frozenset[str]
    condition: Node | None
    refused: bool

    def solved(self, name: str) -> Node | None:
        """Return the value of an attribute; ``None`` if it cannot be solved for."""
        return self.values.get(name)


def _uses(spec: Spec, struct: Struct) -> list[_Use]:
    found: list[_Use] = []

    def add(attribute: Attribute, expression: Node, value: str, refused: bool) -> None:
        measured = MemberAccess(Name(attribute.id, type=_type(attribute)), value, type=INTEGER)
        found.append(_use(spec, struct, attribute.condition, expression, measured, refused))

    for attribute in struct.attributes:
        if isinstance(attribute.size, ExpressionSize) and literal_size(attribute.size) is None:
            padded = attribute.terminator is not None or attribute.pad_right is not None
            sized = isinstance(attribute.type, (BytesType, StringType, UserType))
            if attribute.switch is not None:
                padded = padded or any(each.terminator is not None for each in attribute.switch.cases)
                used = _all_names(struct, attribute.switch.on) & _all_names(struct, attribute.size.expression)
                sized = not used and all(each.size == attribute.size for each in attribute.switch.cases)
            add(attribute, attribute.size.expression, "size", padded or not sized or attribute.repeat is not None)
        if attribute.process is not None and attribute.process.codecs and len(attribute.process.arguments) > 1:
            often = attribute.repeat is not None or attribute.condition is not None or attribute.switch is not None
            add(attribute, attribute.process.arguments[1], "content", often)
        if isinstance(attribute.repeat, RepeatCount):
            add(attribute, attribute.repeat.expression, "length", False)
    return found


def _use(spec: Spec, struct: Struct, condition: Node | None, expression: Node, value: Node, refused: bool) -> _Use:
    # Whether more input follows is not known before it is written.
    asks_input = condition is not None and "_io" in _all_names(struct, condition)
    own = (each for each in solutions(spec, struct, expression) if each.owner is None)
    values = ((each.name, _value(each.factor, each.addend, value)) for each in own)
    names = _all_names(struct, expression)
    return _Use({name: each for name, each in values if each is not None}, names, condition, refused or asks_input)


def _value(factor: Node, addend: Node, value: Node) -> Node | None:
    """Return the number that ``value`` is the product of with ``factor``, plus ``addend``; ``None`` if it is
    unknown."""
    number, rest = constant_integer(factor), constant_integer(addend)
    # The stream, the index of the item and the item are only available while reading.
    if not number or not names_in(addend).isdisjoint(("_io", "_index", "_")):
        return None
    if number < 0:
        product: Node = Binary("-", addend, value, type=INTEGER)
    elif rest is None:
        product = Binary("-", value, addend, type=INTEGER)
    else:
        product = value if not rest else _binary("-" if rest > 0 else "+", value, abs(rest))
    return product if abs(number) == 1 else _binary("/", product, abs(number))


def _may_solve(attribute: Attribute, use: _Use) -> bool:
    return attribute.id in use.names and _is_there(attribute, use)


def _is_there(attribute: Attribute, use: _Use) -> bool:
    """Return whether the attribute is present exactly when the use applies, or has a default and is the only name in
    the condition of the use."""
    if attribute.default is not None and attribute.condition is None and use.condition is not None:
        return names_in(use.condition) == {attribute.id}
    return attribute.condition == use.condition


def _all_names(struct: Struct, expression: Node) -> frozenset[str]:
    """Return the names in an expression and in the value instances that it depends on."""
    found: set[str] = set()
    waiting = [expression]
    while waiting:
        for each in walk(waiting.pop()):
            if isinstance(each, Name) and each.id not in found:
                found.add(each.id)
                instance = struct.instance(each.id)
                if instance is not None and instance.value is not None:
                    waiting.append(instance.value)
    return frozenset(found)


def _type(attribute: Attribute) -> Type:
    return ListType(attribute.type) if attribute.repeat is not None else attribute.type


def _may_be_derived(attribute: Attribute) -> bool:
    """Return whether an attribute is an integer whose value is not determined otherwise."""
    type = attribute.type
    number = is_integer(type)
    plain = attribute.repeat is None and attribute.checksum is None
    return number and plain and not attribute.given and attribute.size_of is None


def _binary(operator: str, left: Node, right: int) -> Node:
    return Binary(operator, left, IntegerLiteral(right, type=INTEGER), type=INTEGER)


def always_holds(struct: Struct, field: Attribute) -> bool:
    """Return whether a filled-in value always passes its only check: it is a size plus a number, and the minimum does
    not exceed that number.
    """
    if len(field.checks) != 1 or field.checks[0].rule != "at least":
        return False
    least = constant_integer(field.checks[0].operands[0])
    measured = measured_size(struct.solved(field.id))
    return least is not None and measured is not None and least <= measured[1]


# Items that are written -----------------------------------------------------------------------------------------------


def depends_on_end(expression: Node) -> bool:
    """Return whether an expression depends on the end of the stream, which a writer does not know."""
    used = (each for each in walk(expression) if isinstance(each, MemberAccess) and each.name in ("size", "eof"))
    return any(isinstance(each.value.type, StreamType) for each in used)


def row_ends(field: Attribute) -> bool:
    """Return whether an item of a repeated field alone determines that it is the last one."""
    return isinstance(field.repeat, RepeatUntil) and not depends_on_end(field.repeat.expression)


def for_each(items: Node | None) -> tuple[ForEach, ...]:
    """Return the parts of a list of objects that are created for each item written before."""
    return () if items is None else tuple(each for each in walk(items) if isinstance(each, ForEach))
