"""Values that a writer fills in: lengths and counts, solved from the expressions that a reader uses, and attributes
that must equal an expression of these by ``valid``."""

from __future__ import annotations

from dataclasses import dataclass

from ..expression.fold import constant_integer
from ..expression.fold import fold as folded
from ..expression.nodes import Binary, Conditional, IntegerLiteral, MemberAccess, Name, Node, Unary
from ..expression.typerules import is_integer
from ..expression.types import (
    BytesType,
    ComputedIntegerType,
    ListType,
    StringType,
    Type,
    UserType,
)
from ..expression.walk import depth, mapped, names_in, updated, walk
from ..tree import Attribute, Derivation, Instance, Struct
from ..wire import ExpressionSize, RepeatCount

INTEGER = ComputedIntegerType()

MAX_DEPTH = 150
MAX_NODES = 1000
"""Maximum levels and nodes of an expression after value instances have been inlined."""


def derive(struct: Struct) -> Struct:
    """Return a copy of the struct with its derivations, and those of nested structs."""
    found = _found(struct)
    found.update(_equals(struct, found))
    derivations = tuple(Derivation(name, expression) for name, expression in found.items())
    return updated(struct, derivations=derivations, structs=tuple(derive(each) for each in struct.structs))


def _found(struct: Struct) -> dict[str, Node]:
    """Return the attributes that are solved for, each after those that it is computed from.

    Each is derived from one size or count in which everything else is known: constants, values that the caller sets
    because they cannot be solved for, or attributes solved for before. In a product of two lengths neither is known.
    """
    everything = _uses(struct)
    uses = [each for each in everything if not each.refused]
    open_names = {
        each.id
        for each in struct.attributes
        if _may_be_derived(each)
        and (
            any(_solved(each.id, use) is not None for use in uses if _may_solve(each, use))
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
                expression = _solved(name, use) if alone else None
                if expression is not None:
                    break
            else:
                expression = _by_cases(attribute, everything, open_names)
            if expression is not None:
                found[name] = expression
                open_names.discard(name)
                progress = True
    return found


def _by_cases(attribute: Attribute, uses: list[_Use], open_names: set[str]) -> Node | None:
    """Return the expression of an integer that is always present and measures something else in each of several cases:
    that of the first case whose condition is true, otherwise that of the last one. ``None`` if it cannot be solved."""
    name = attribute.id
    cases = [each for each in uses if name in each.names]
    if attribute.condition is not None or len(cases) < 2:
        return None
    found: list[tuple[Node, Node]] = []
    for each in cases:
        solved = _solved(name, each) if each.names & open_names == {name} else None
        if each.refused or each.condition is None or solved is None or name in names_in(each.condition):
            return None
        found.append((each.condition, solved))
    result = found[-1][1]
    for condition, solved in reversed(found[:-1]):
        result = Conditional(condition, solved, result, type=INTEGER)
    return result


def _equals(struct: Struct, solved: dict[str, Node]) -> dict[str, Node]:
    """Return the attributes that must equal an expression of solved values by ``valid``, such as the copy of a length
    after a record. The expression refers to earlier attributes, so each is after those that it depends on."""
    instances = {each.id: each for each in struct.instances if each.value is not None}
    known, found = set(solved), dict[str, Node]()
    for each in struct.attributes:
        equal = each.valid.equal if each.valid is not None else None
        if equal is None or each.id in solved or each.given or each.repeat is not None or each.condition is not None:
            continue
        names = _all_names(equal, instances)
        if names & known and "_io" not in names:
            found[each.id] = _inlined(equal, instances) or equal
            known.add(each.id)
    return found


@dataclass(frozen=True)
class _Use:
    """A size or count: its expression with value instances inlined, and the expression of its value on the wire.

    ``condition``: the condition under which it applies. ``refused``: whether the value cannot be derived from the field
    alone, since it may be longer than its content."""

    expression: Node
    value: Node
    names: frozenset[str]
    condition: Node | None
    refused: bool


def _uses(struct: Struct) -> list[_Use]:
    instances = {each.id: each for each in struct.instances if each.value is not None}
    found: list[_Use] = []
    for attribute in struct.attributes:
        name = Name(attribute.id, type=_type(attribute))
        if isinstance(attribute.size, ExpressionSize):
            padded = attribute.terminator is not None or attribute.pad_right is not None
            sized = isinstance(attribute.type, (BytesType, StringType, UserType))
            size = MemberAccess(name, "size", type=INTEGER)
            if attribute.switch is not None:
                padded = padded or any(each.terminator is not None for each in attribute.switch.cases)
                asked = _all_names(attribute.switch.on, instances) & _all_names(attribute.size.expression, instances)
                sized = not asked and all(each.size == attribute.size for each in attribute.switch.cases)
            refused = padded or not sized or attribute.repeat is not None
            found.append(_use(attribute, attribute.size.expression, size, refused, instances))
        if attribute.process is not None and attribute.process.codecs and len(attribute.process.arguments) > 1:
            content = MemberAccess(name, "content", type=INTEGER)
            often = attribute.repeat is not None or attribute.condition is not None or attribute.switch is not None
            found.append(_use(attribute, attribute.process.arguments[1], content, often, instances))
        if isinstance(attribute.repeat, RepeatCount):
            count = MemberAccess(name, "length", type=INTEGER)
            found.append(_use(attribute, attribute.repeat.expression, count, False, instances))
    return found


def _use(attribute: Attribute, expression: Node, value: Node, refused: bool, instances: dict[str, Instance]) -> _Use:
    whole = _inlined(expression, instances)
    names, condition = _all_names(expression, instances), attribute.condition
    # Whether more input follows is not known before it is written.
    asks_input = condition is not None and "_io" in _all_names(condition, instances)
    return _Use(whole or expression, value, names, condition, refused or asks_input or whole is None)


def _may_solve(attribute: Attribute, use: _Use) -> bool:
    return attribute.id in use.names and _is_there(attribute, use)


def _is_there(attribute: Attribute, use: _Use) -> bool:
    """Return whether the attribute is present exactly when the use applies, or has a default and is the only name in
    the condition of the use."""
    if attribute.default is not None and attribute.condition is None and use.condition is not None:
        return names_in(use.condition) == {attribute.id}
    return attribute.condition == use.condition


def _all_names(expression: Node, instances: dict[str, Instance]) -> frozenset[str]:
    """Return the names in an expression and in the value instances that it depends on."""
    found: set[str] = set()
    waiting = [expression]
    while waiting:
        for each in walk(waiting.pop()):
            if isinstance(each, Name) and each.id not in found:
                found.add(each.id)
                value = instances[each.id].value if each.id in instances else None
                if value is not None:
                    waiting.append(value)
    return frozenset(found)


def _type(attribute: Attribute) -> Type:
    return ListType(attribute.type) if attribute.repeat is not None else attribute.type


def _may_be_derived(attribute: Attribute) -> bool:
    """Return whether an attribute is an integer whose value is not determined otherwise."""
    type = attribute.type
    number = is_integer(type)
    plain = attribute.repeat is None and attribute.checksum is None
    return number and plain and not attribute.given and attribute.size_of is None


def _inlined(node: Node, instances: dict[str, Instance]) -> Node | None:
    """Return the tree with value instances inlined; ``None`` if it would grow too large."""
    while not names_in(node).isdisjoint(instances):
        node = _replaced(node, instances)
        if depth(node) > MAX_DEPTH or sum(1 for _ in walk(node)) > MAX_NODES:
            return None
    return node


def _replaced(node: Node, instances: dict[str, Instance]) -> Node:
    if isinstance(node, Name) and node.id in instances:
        value = instances[node.id].value
        return value if value is not None else node
    return mapped(node, lambda child: _replaced(child, instances))


def _solved(name: str, use: _Use) -> Node | None:
    """Return the expression of ``name`` for which the tree has the given value; ``None`` if it cannot be solved."""
    node, value = use.expression, use.value
    if sum(1 for each in walk(node) if isinstance(each, Name) and each.id == name) != 1:
        return None
    while not isinstance(node, Name):
        step = _unwrapped(node, value, name)
        if step is None:
            return None
        node, value = step
    return folded(value)


def _unwrapped(node: Node, value: Node, name: str) -> tuple[Node, Node] | None:
    """Move one operator from the side of the name to the side of the value, inverted."""
    if isinstance(node, Unary) and node.operator in "+-" and name in names_in(node.operand):
        return node.operand, value if node.operator == "+" else Unary("-", value, type=INTEGER)
    if not isinstance(node, Binary):
        return None
    left, right = name in names_in(node.left), name in names_in(node.right)
    inner, other = (node.left, node.right) if left else (node.right, node.left)
    number = constant_integer(other)
    if left == right or _asks_reader(other):
        return None
    if node.operator == "+":
        return inner, _plus(value, -number) if number is not None else Binary("-", value, other, type=INTEGER)
    if node.operator == "-" and number is not None:
        return inner, _plus(value, number) if left else _plus(Unary("-", value, type=INTEGER), number)
    if node.operator == "-":
        sides = (value, other) if left else (other, value)
        return inner, Binary("+" if left else "-", *sides, type=INTEGER)
    if number is None:
        return None
    if node.operator == "*" and number != 0:
        return inner, _binary("/", value, number)
    return None


def _asks_reader(node: Node) -> bool:
    """Return whether an expression uses something that is only available while reading: the stream, the index of the
    item, the item."""
    return not names_in(node).isdisjoint(("_io", "_index", "_"))


def _plus(value: Node, number: int) -> Node:
    """Return ``value + number``, folded into ``value`` if that is a sum already."""
    if isinstance(value, Binary) and value.operator in ("+", "-") and isinstance(value.right, IntegerLiteral):
        before = value.right.value if value.operator == "+" else -value.right.value
        return _plus(value.left, before + number)
    if number == 0:
        return value
    return _binary("+" if number > 0 else "-", value, abs(number))


def _binary(operator: str, left: Node, right: int) -> Node:
    return Binary(operator, left, IntegerLiteral(right, type=INTEGER), type=INTEGER)
