"""Values and expressions that determine the place of a statement: what is known only when an object is written."""

from __future__ import annotations

from collections.abc import Iterator

from wireloom.base.dataclass import replace

from ....expression.nodes import Name, Node
from ....expression.types import IntegerType, Path, StreamType, UserType
from ....expression.walk import names_in, walk
from ....tree import Attribute, Struct
from ..names import field_name
from ..scope import ClassScope
from ..statements import when_all
from ..validation import check_lines
from ..view import Lines


def depends_on_stream(scope: ClassScope, node: Node | None) -> bool:
    """Return whether an expression depends on a stream, which ``_check`` must not use."""
    return node is not None and any(
        isinstance(each.type, StreamType) or (isinstance(each, Name) and each.id == "_io")
        for _, each in _reached(scope, node)
    )


def depends_on_position(scope: ClassScope, node: Node) -> bool:
    """Return whether an expression depends on an instance at a position, so that it must be evaluated where a reader
    evaluates it.
    """
    instances = (scope.spec.instance(struct, each) for struct, each in _reached(scope, node))
    return any(each is not None and each[1].attribute is not None for each in instances)


def _reached(scope: ClassScope, node: Node) -> Iterator[tuple[Struct, Node]]:
    """Yield the nodes of an expression and of the value instances on which it depends, each with the type that contains
    it.
    """
    waiting: list[tuple[Struct, Node]] = [(scope.struct, node)]
    seen: set[tuple[Path, str]] = set()
    while waiting:
        struct, whole = waiting.pop()
        for each in walk(whole):
            yield struct, each
            found = scope.spec.instance(struct, each)
            if found is not None and found[1].value is not None and (found[0].path, found[1].id) not in seen:
                seen.add((found[0].path, found[1].id))
                waiting.append((found[0], found[1].value))


def item_name(field: Attribute) -> str:
    """Return the local variable for an item of a repeated field."""
    return f"item_{field.id}"


def arguments_depend_on_stream(scope: ClassScope, field: Attribute) -> bool:
    """Return whether the arguments of ``process`` depend on a stream."""
    process = field.process
    return process is not None and any(depends_on_stream(scope, each) for each in process.arguments)


def arguments_of(scope: ClassScope, field: Attribute, kind: UserType) -> tuple[tuple[str, Node], ...]:
    """Return the parameters of the type of a field, each with its argument."""
    if kind.opaque:
        return ()
    names = (each.id for each in scope.spec.struct(kind.path).parameters)
    return tuple(zip(names, field.arguments, strict=False))


def computed_value(field: Attribute) -> Node | None:
    """Return the single value that ``valid`` allows, unless it is a constant."""
    equal = field.only
    if equal is None or field.repeat is not None or field.switch is not None:
        return None
    return equal if names_in(equal) else None


def is_deferred(scope: ClassScope, field: Attribute) -> bool:
    """Return whether such a value may be known only once sizes and positions are; until then it counts as 0."""
    return computed_value(field) is not None and field.solvable


def without_deferred_checks(scope: ClassScope, field: Attribute) -> Attribute:
    """Return the field without the checks that ``_check`` cannot make at the field's place."""
    deferred = computed_value(field) is not None or _checks_depend_on_stream(scope, field)
    return replace(field, valid=None) if deferred else field


def _check_valid(scope: ClassScope, field: Attribute, value: str) -> Lines:
    """Return the checks except that of fixed contents."""
    return check_lines(scope, replace(field, contents=None), value)


def check_computed(scope: ClassScope, field: Attribute, value: str) -> Lines:
    """Return the statements that fill in a computed value and check it, unless it depends on a stream."""
    expected = computed_value(field)
    if expected is None or depends_on_stream(scope, expected):
        return ()
    name = field_name(field.id)
    checks = _check_valid(scope, field, value)
    follow = f"self._follow_computed({name!r}, lambda: {scope.text(expected, field)})"
    return (follow, when_all([f"hasattr(self, {name!r})"], checks))


def write_computed(scope: ClassScope, field: Attribute, value: str) -> Lines:
    """Return the statements that fill in a computed value when it is written, and make the checks that depend on a
    stream.
    """
    lines: list[str] = []
    expected = computed_value(field)
    if expected is not None and not scope.lazy:
        text = scope.text(expected, field)
        if not (isinstance(field.type, IntegerType) and field.type.signed):
            # Before sizes are known, a difference may be negative.
            text = f"max(0, {text})" if field.solvable else text
        lines.append(scope.call("follow_now", "io", "self", repr(field_name(field.id)), text))
    if _checks_depend_on_stream(scope, field):
        checks = _check_valid(scope, field, value)
        lines.append(when_all([f"not {scope.call('is_open', 'io')}"], checks))
    return tuple(lines)


def _checks_depend_on_stream(scope: ClassScope, field: Attribute) -> bool:
    """Return whether the checks of a value depend on a stream."""
    return any(depends_on_stream(scope, operand) for each in field.checks for operand in each.operands)
