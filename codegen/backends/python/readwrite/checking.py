"""``_check``: fills in derived values, and checks everything against the spec."""

from __future__ import annotations

from wireloom.base.dataclass import replace

from ....expression.fold import constant, fold
from ....expression.types import BitsType, BytesType, StringType, UserType
from ....passes.dependencies import ignores_index
from ....tree import Attribute, Instance
from ....tree.leaves import RepeatCount, RepeatEos, RepeatUntil
from ..constructing import parent_text, switch_branches
from ..expressions import AND
from ..instances import is_cached, slot
from ..names import field_name
from ..scope import ClassScope, member
from ..statements import loop, when, when_all
from ..validation import check_lines
from ..view import Lines, MethodView
from .checksums import check_checksum, follow_unless_set
from .content import check_content
from .deferral import (
    arguments_of,
    check_computed,
    computed_value,
    depends_on_stream,
    item_name,
    without_deferred_checks,
)
from .solved import solution_texts, solve_line, solved_names
from .tags import as_case, case_line, tag_lines


def check_method(scope: ClassScope) -> MethodView:
    """Return the method that checks an object."""
    lines: list[str] = []
    kept = [each for each in scope.struct.instances if each.value is not None and is_cached(scope, each)]
    stale = [slot(each) for each in kept if not depends_on_stream(scope, each.value)]
    if stale:
        lines.append(f"self._forget({', '.join(map(repr, stale))})")
    for field in scope.struct.attributes:
        lines.extend(_constant(scope, field))
    for field in scope.struct.attributes:
        lines.extend(tag_lines(scope, field, field_name(field.id)))
    for instance in scope.struct.instances:
        if instance.attribute is not None:
            lines.extend(tag_lines(scope, instance.attribute, slot(instance)))
    solved = solved_names(scope)
    for field in sorted(scope.struct.attributes, key=lambda each: field_name(each.id) in solved):
        found = _check_attribute(scope, field, member(field.id))
        if found and field_name(field.id) in solved:
            # Derived values are filled in before they are checked; those derived from the layout only when the object
            # is written.
            found = (when_all([f"hasattr(self, {field_name(field.id)!r})"], found),)
        lines.extend(found)
    for field in scope.struct.attributes:
        # After the fields on which such a value depends.
        found = check_computed(scope, field, member(field.id))
        lines.extend(when_present(scope, field, found))
    for instance in scope.struct.instances:
        if instance.attribute is not None:
            lines.extend(_check_instance(scope, instance, instance.attribute))
    for field in scope.struct.attributes:
        lines.extend(when_present(scope, field, check_checksum(scope, field)))
    lines.append("super()._check()")
    return MethodView("_check(self) -> None", tuple(lines))


def _constant(scope: ClassScope, field: Attribute) -> Lines:
    """Return the assignments of fixed contents, and of fields with a single valid value."""
    if field.repeat is not None or field.switch is not None:
        return ()
    text = ""
    if field.contents is not None:
        text = repr(field.contents)
    elif field.only is not None and computed_value(field) is None:
        text = scope.text(field.only, field)
    if not text:
        return ()
    lines: Lines = (follow_unless_set(field, text),)
    if field.condition is None:
        return lines
    if depends_on_stream(scope, field.condition):
        return ()
    return (when_all([scope.text(field.condition, field)], lines),)


def _check_attribute(scope: ClassScope, field: Attribute, value: str) -> Lines:
    lines = _repeated(scope, field, value) if field.repeat else _item(scope, field, value)
    return when_present(scope, field, lines)


def when_present(scope: ClassScope, field: Attribute, lines: Lines) -> Lines:
    """Return ``lines`` under the condition of an optional field; if the condition depends on the stream, they apply if
    the field is set.
    """
    if field.condition is None or not lines:
        return lines
    if depends_on_stream(scope, field.condition):
        return (when_all([f"hasattr(self, {field_name(field.id)!r})"], lines),)
    return (when_all([scope.text(field.condition, field)], lines),)


def _repeated(scope: ClassScope, field: Attribute, values: str) -> Lines:
    item, id = item_name(field), repr(field.id)
    lines: list[str] = []
    body = list(_item(scope, field, item))
    match field.repeat:
        case RepeatCount(expression):
            if not depends_on_stream(scope, expression):
                lines.extend(solve_line(scope, expression, field, f"len({values})"))
                lines.append(scope.call("check_count", id, values, scope.text(expression, field)))
        case RepeatUntil(expression):
            lines.append(scope.call("check_some", id, values))
            if not depends_on_stream(scope, expression):
                ends = scope.text(expression, field, _=item)
                body.append(scope.call("check_last", id, ends, "index", values))
        case RepeatEos():
            pass
    if body:
        lines.append(loop(item, values, tuple(body)))
    return tuple(lines)


def _item(scope: ClassScope, field: Attribute, value: str) -> Lines:
    if field.switch is None:
        lines = _value(scope, field, value)
    elif depends_on_stream(scope, field.switch.on):
        lines = _parents_set(scope, field, value)
    else:
        bodies = [_case(scope, field, case, value) for case in field.forms]
        lines = ()
        if any(each != "pass" for body in bodies for each in body):
            lines = switch_branches(scope, field, field.switch, lambda case: _case(scope, field, case, value))
    checked = without_deferred_checks(scope, field)
    return (*lines, *check_lines(scope, checked, value))


def _parents_set(scope: ClassScope, field: Attribute, value: str) -> Lines:
    """Return the statements that set the parents of objects in a switch whose case depends on the stream. The case is
    known only when the object is written.
    """
    if not any(map(scope.spec.owns, field.object_types)):
        return ()
    return (when(f"isinstance({value}, {scope.use('KaitaiStruct')})", [_adopt(scope, field, value)]),)


def _adopt(scope: ClassScope, field: Attribute, value: str) -> str:
    return f"self._adopt({field.id!r}, {value}, {parent_text(scope, field)})"


def _case(scope: ClassScope, field: Attribute, case: Attribute, value: str) -> Lines:
    of_case = as_case(scope, field, case, value)
    return (*case_line(scope, field, case, value), *_value(scope, case, of_case)) or ("pass",)


def _value(scope: ClassScope, field: Attribute, value: str) -> Lines:
    kind = field.type.on_wire
    match kind:
        case BytesType() | StringType():
            return check_content(scope, field, value)
        case UserType():
            return _object(scope, field, kind, value)
        case BitsType(width):
            return (scope.call("check_bits", repr(field.id), value, width),) if width > 1 else ()
    return ()


def _object(scope: ClassScope, field: Attribute, kind: UserType, value: str) -> Lines:
    lines: list[str] = []
    if scope.spec.owns(kind):
        lines.append(_adopt(scope, field, value))
    for name, argument in arguments_of(scope, field, kind):
        deferred = depends_on_stream(scope, argument)
        found = () if deferred or not ignores_index(argument) else solution_texts(scope, argument, field)
        if not found and name in scope.module.derived_values.get(kind.path, ()):
            lines.append(scope.call("bind_argument", value, repr(field_name(name))))
        if deferred:
            continue
        parts, expected = (repr(field.id), value, repr(field_name(name))), scope.text(argument, field)
        if found:
            lines.append(scope.call("follow_argument", *parts, f"lambda: {expected}", *found))
        else:
            lines.append(scope.call("check_argument", *parts, expected))
    return tuple(lines)


def _check_instance(scope: ClassScope, instance: Instance, field: Attribute) -> Lines:
    if instance.condition is not None and constant(fold(instance.condition)) is False:
        return ()
    name = field_name(instance.id)
    plain = replace(field, condition=None)
    lines = _check_attribute(scope, plain, f"self.{slot(instance)}")
    conditions = [f"self.{name}__enabled"]
    if instance.condition is not None:
        depends = depends_on_stream(scope, instance.condition)
        text = scope.translator(instance.position).text(instance.condition, AND)
        conditions.append(f"hasattr(self, {slot(instance)!r})" if depends else text)
    there = f"self._is_there({name!r})"
    return (when_all([*conditions, there], lines) if lines else when_all(conditions, (there,)),)
