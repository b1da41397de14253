"""Lengths and counts that a writer derives from the sizes and counts in which they are used."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import reduce

from wireloom.base.dataclass import dataclass

from ..expression.fold import constant_integer
from ..expression.nodes import (
    Binary,
    Comparison,
    Conditional,
    IntegerLiteral,
    Logical,
    MemberAccess,
    Name,
    Node,
    Unary,
)
from ..expression.types import BytesType, ListType, StringType, Type, UserType, is_integer
from ..expression.walk import mapped, names_in, walk
from ..tree import Attribute, Instance, Spec, Struct, is_single_value, literal_size
from ..tree.leaves import ExpressionSize, RepeatCount
from .solving import INTEGER, inlined, solutions


def derivations(spec: Spec, struct: Struct) -> dict[str, Node]:
    """Return the lengths, counts and equal values of a type that a writer fills in.

    Each length or count comes after those that it is computed from. It is derived from one size or count in which
    everything else is known: constants, values that the caller sets because they cannot be solved for, or attributes
    solved for before. In a product of two lengths neither is known.

    Args:
        spec: The spec.
        struct: The type.

    Returns:
        The values by the names of the attributes. An attribute of a single object among these, such as a header, has
        a name with a dot; an object that is made from a value instance, such as a varint, one with a colon. In an
        expression, ``NAME.size`` of a bytes or string attribute is its size on the wire, ``NAME.content`` its
        decompressed size, and ``NAME.length`` the count of a repeated one.
    """
    made = _made_from_values(spec, struct)
    everything = _uses(spec, struct, made)
    uses = [each for each in everything if not each.refused] + list(_forms_of_value(spec, struct, made))
    own = [(each.id, each) for each in struct.attributes]
    places = [pair for pair in own + _inside(spec, struct, uses) if _may_be_derived(pair[1])] + list(made.items())
    open_names = {
        name
        for name, each in places
        if (
            any(use.solved(name) is not None for use in uses if _is_there(each, use))
            or _by_cases(name, each, everything, {name}) is not None
        )
    }
    found: dict[str, Node] = {}
    progress = True
    while progress:
        progress = False
        for name, attribute in places:
            if name not in open_names:
                continue
            for use in uses:
                alone = _is_there(attribute, use) and use.names & open_names == {name}
                expression = use.solved(name) if alone else None
                if expression is not None:
                    break
            else:
                expression = _by_cases(name, attribute, everything, open_names)
            if expression is not None:
                found[name] = expression
                open_names.discard(name)
                progress = True
    return found | _equals(spec, struct, found)


def value_source(struct: Struct) -> Instance | None:
    """Return the value instance from which defaults of a type are computed, such as the value of a varint that
    consists of attributes; ``None`` if there is none."""
    used = {name for each in struct.attributes if each.default is not None for name in names_in(each.default)}
    return next((each for each in struct.instances if each.id in used and each.value is not None), None)


def _made_from_values(spec: Spec, struct: Struct) -> dict[str, Attribute]:
    """Return the objects of a type that a writer can make from the value of an instance, by ``NAME:INSTANCE``."""
    found: dict[str, Attribute] = {}
    for each in struct.attributes:
        if not isinstance(each.type, UserType) or each.repeat is not None or each.switch is not None or each.arguments:
            continue
        kind = spec.struct(each.type.path) if spec.owns(each.type) and not each.type.opaque else None
        source = None if kind is None or kind.path == struct.path else value_source(kind)
        if kind is not None and source is not None and is_integer(source.type):
            solved = derivations(spec, kind)
            if all(one.default is not None or one.contents is not None or one.id in solved for one in kind.attributes):
                found[f"{each.id}:{source.id}"] = each
    return found


def _inside(spec: Spec, struct: Struct, uses: list[_Use]) -> list[tuple[str, Attribute]]:
    """Return the attributes of single objects among those of a type that determine sizes or counts of others."""
    found: dict[str, Attribute] = {}
    for name in dict.fromkeys(name for use in uses for name in use.values if "." in name):
        holder, _, inner = name.partition(".")
        outer = struct.attribute(holder)
        if (
            outer is None
            or not isinstance(outer.type, UserType)
            or not is_single_value(outer)
            or not spec.owns(outer.type)
        ):
            continue
        kind = spec.struct(outer.type.path)
        attribute = kind.attribute(inner)
        if attribute is not None and attribute.condition is None and inner not in derivations(spec, kind):
            found[name] = attribute
    return list(found.items())


def _by_cases(name: str, attribute: Attribute, uses: list[_Use], open_names: set[str]) -> Node | None:
    """Return the expression of an integer that is always present and measures something else in each of several cases:
    that of the first case whose condition is true, otherwise that of the last one. ``None`` if it cannot be solved."""
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

    ``conditions``: those under which it applies; the first one is that of the field, if ``is_optional``. ``refused``:
    whether the value cannot be derived from the field alone, since it may be longer than its content."""

    values: dict[str, Node]
    names: frozenset[str]
    conditions: tuple[Node, ...]
    is_optional: bool
    refused: bool

    @property
    def condition(self) -> Node | None:
        """Return all conditions as one; ``None`` if there are none."""
        return reduce(_both, self.conditions) if self.conditions else None

    def solved(self, name: str) -> Node | None:
        """Return the value of an attribute; ``None`` if it cannot be solved for."""
        return self.values.get(name)


def _uses(spec: Spec, struct: Struct, made: Mapping[str, Attribute]) -> list[_Use]:
    found: list[_Use] = []

    def add(attribute: Attribute, expression: Node, value: str, refused: bool) -> None:
        measured = MemberAccess(Name(attribute.id, type=_type(attribute)), value, type=INTEGER)
        present = () if attribute.condition is None else (attribute.condition,)
        for chosen, part in _branches(_chosen(struct, expression)):
            found.append(_use(spec, struct, made, present, chosen, part, measured, refused))

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


def _forms_of_value(spec: Spec, struct: Struct, made: Mapping[str, Attribute]) -> Iterator[_Use]:
    """Yield the forms of the value from which defaults of a type are computed: it is one of several attributes."""
    source = value_source(struct)
    if source is not None and isinstance(source.value, Conditional):
        for chosen, part in _branches(source.value):
            yield _use(spec, struct, made, (), chosen, part, Name(source.id, type=source.type), False)


def _chosen(struct: Struct, expression: Node) -> Node:
    """Return an expression; for the name of a value instance with ``? :``, its value."""
    instance = struct.instance(expression.id) if isinstance(expression, Name) else None
    return instance.value if instance is not None and isinstance(instance.value, Conditional) else expression


def _branches(expression: Node) -> Iterator[tuple[tuple[Node, ...], Node]]:
    """Yield the expressions among which ``? :`` chooses, each with the conditions that hold for it."""
    if not isinstance(expression, Conditional):
        yield (), expression
        return
    denied = Unary("not", expression.condition, type=expression.condition.type)
    for condition, part in ((expression.condition, expression.then), (denied, expression.otherwise)):
        yield from (((condition, *others), each) for others, each in _branches(part))


def _both(left: Node, right: Node) -> Node:
    return Logical("and", left, right, type=left.type)


def _use(
    spec: Spec,
    struct: Struct,
    made: Mapping[str, Attribute],
    present: tuple[Node, ...],
    chosen: tuple[Node, ...],
    expression: Node,
    value: Node,
    refused: bool,
) -> _Use:
    conditions = (*present, *chosen)
    used = frozenset[str]().union(*(_all_names(struct, each) for each in conditions))
    expression = _with_places(expression, made)
    values = (
        (each.name if each.owner is None else f"{each.owner.id}.{each.name}", _value(each.factor, each.addend, value))
        for each in solutions(spec, struct, expression)
        if each.owner is None or (isinstance(each.owner, Name) and struct.attribute(each.owner.id) is not None)
    )
    inner = (each for each in walk(inlined(spec, struct, expression) or expression) if isinstance(each, MemberAccess))
    dotted = {f"{each.value.id}.{each.name}" for each in inner if isinstance(each.value, Name)}
    names = _all_names(struct, expression) | dotted
    # Whether more input follows is not known before it is written.
    known = {name: _without_places(each, made) for name, each in values if each is not None}
    return _Use(known, names, conditions, bool(present), refused or "_io" in used)


def _with_places(node: Node, made: Mapping[str, Attribute]) -> Node:
    """Return an expression with names that contain a colon for the values of objects that are made from them."""
    if isinstance(node, MemberAccess) and isinstance(node.value, Name) and f"{node.value.id}:{node.name}" in made:
        return Name(f"{node.value.id}:{node.name}", type=node.type)
    return mapped(node, lambda child: _with_places(child, made)) if made else node


def _without_places(node: Node, made: Mapping[str, Attribute]) -> Node:
    """Return an expression without such names."""
    if isinstance(node, Name) and node.id in made:
        holder, _, name = node.id.partition(":")
        return MemberAccess(Name(holder, type=made[node.id].type), name, type=node.type)
    return mapped(node, lambda child: _without_places(child, made)) if made else node


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


def _is_there(attribute: Attribute, use: _Use) -> bool:
    """Return whether the attribute is present exactly when the use applies, or has a default and is the only name in
    the condition of the use."""
    condition = attribute.condition
    if attribute.default is not None and condition is None and use.is_optional:
        return len(use.conditions) == 1 and names_in(use.conditions[0]) == {attribute.id}
    if condition is None:
        return not use.conditions
    return condition in use.conditions and all(_implies(condition, each) for each in use.conditions)


def _implies(condition: Node, other: Node) -> bool:
    """Return whether a condition is another one, or excludes what that denies: ``kind == 2`` implies
    ``not (kind == 1)``."""
    match condition, other:
        case Comparison("==", value, number), Unary("not", Comparison("==", denied, excluded)):
            constants = constant_integer(number), constant_integer(excluded)
            return value == denied and None not in constants and constants[0] != constants[1]
    return condition == other


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
