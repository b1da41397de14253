"""``_check``: what follows is filled in, and everything is held against the spec."""

from __future__ import annotations

from dataclasses import replace

from ....expression.fold import constant, fold
from ....expression.types import BitsType, BytesType, EnumType, StringType, UserType
from ....model.following import is_steady
from ....model.model import Attribute, Instance, Switch
from ....wire import RepeatCount, RepeatEos, RepeatUntil
from ..expressions import AND
from ..instances import is_kept, slot
from ..names import field_name
from ..reading import parent_text
from ..scope import ClassScope, member
from ..switches import cases_of, switch_branches
from ..validation import check_lines
from ..view import Lines, MethodView
from .blocks import loop, when
from .cases import as_case
from .checksums import check_checksum
from .computed import check_computed, computed_value, without_late_checks
from .content import check_content
from .questions import arguments_of, asks_stream, is_foreign, item_name
from .solved import solution_texts, solve_line, solved_names
from .tags import case_line, tag_lines


def check_method(scope: ClassScope) -> MethodView:
    """The method that checks an object."""
    lines: list[str] = []
    kept = [each for each in scope.struct.instances if each.value is not None and is_kept(scope, each)]
    stale = [slot(each) for each in kept if not asks_stream(scope, each.value)]
    if stale:
        lines.append(scope.code("readwrite/forget", slots=stale))
    for attribute in scope.struct.attributes:
        lines.extend(_constant(scope, attribute))
    for attribute in scope.struct.attributes:
        lines.extend(tag_lines(scope, attribute, field_name(attribute.id)))
    for instance in scope.struct.instances:
        if instance.attribute is not None:
            lines.extend(tag_lines(scope, instance.attribute, slot(instance)))
    solved = solved_names(scope)
    for attribute in sorted(scope.struct.attributes, key=lambda each: field_name(each.id) in solved):
        found = _check_attribute(scope, attribute, member(attribute.id), scope.source_of(attribute))
        if found and field_name(attribute.id) in solved:
            # What follows does so before it is checked; from how things lie only when they are written.
            found = (when(scope, [f"hasattr(self, {field_name(attribute.id)!r})"], found),)
        lines.extend(found)
    for attribute in scope.struct.attributes:
        # After those that such a value stands on.
        found = check_computed(scope, attribute, member(attribute.id), scope.source_of(attribute))
        lines.extend(when_present(scope, attribute, found))
    for instance in scope.struct.instances:
        if instance.attribute is not None:
            lines.extend(_check_instance(scope, instance, instance.attribute))
    for attribute in scope.struct.attributes:
        lines.extend(when_present(scope, attribute, check_checksum(scope, attribute)))
    lines.append(scope.code("readwrite/check_super"))
    return MethodView("_check(self) -> None", tuple(lines))


def _constant(scope: ClassScope, attribute: Attribute) -> Lines:
    """Fixed contents, and attributes that ``valid`` allows one value only."""
    if attribute.repeat is not None or attribute.switch is not None:
        return ()
    text = ""
    if attribute.contents is not None:
        text = repr(attribute.contents)
    elif attribute.valid is not None and attribute.valid.equal is not None and computed_value(attribute) is None:
        text = scope.text(attribute.valid.equal, attribute)
    if not text:
        return ()
    name = field_name(attribute.id)
    lines: Lines = (scope.code("readwrite/follow_unless_set", name=name, value=text),)
    if attribute.condition is None:
        return lines
    if asks_stream(scope, attribute.condition):
        return ()
    return (when(scope, [scope.text(attribute.condition, attribute)], lines),)


def _check_attribute(scope: ClassScope, attribute: Attribute, value: str, source: str) -> Lines:
    lines = _repeated(scope, attribute, value, source) if attribute.repeat else _item(scope, attribute, value, source)
    return when_present(scope, attribute, lines)


def when_present(scope: ClassScope, attribute: Attribute, lines: Lines) -> Lines:
    """``lines`` for an attribute that may be absent; where the stream decides that, what is there counts."""
    if attribute.condition is None or not lines:
        return lines
    if asks_stream(scope, attribute.condition):
        return (when(scope, [f"hasattr(self, {field_name(attribute.id)!r})"], lines),)
    return (when(scope, [scope.text(attribute.condition, attribute)], lines),)


def _repeated(scope: ClassScope, attribute: Attribute, values: str, source: str) -> Lines:
    item, known = item_name(attribute), {"id": attribute.id, "values": values}
    lines: list[str] = []
    body = list(_item(scope, attribute, item, source))
    match attribute.repeat:
        case RepeatCount(expression):
            if not asks_stream(scope, expression):
                lines.extend(solve_line(scope, expression, attribute, f"len({values})"))
                count = scope.text(expression, attribute)
                lines.append(scope.code("readwrite/check_count", count=count, **known))
        case RepeatUntil(expression):
            lines.append(scope.code("readwrite/check_some", **known))
            if not asks_stream(scope, expression):
                ends = scope.text(expression, attribute, _=item)
                body.append(scope.code("readwrite/check_last", ends=ends, **known))
        case RepeatEos():
            pass
    if body:
        lines.append(loop(scope, item, values, body))
    return tuple(lines)


def _item(scope: ClassScope, attribute: Attribute, value: str, source: str) -> Lines:
    if attribute.switch is None:
        lines = _value(scope, attribute, value)
    elif asks_stream(scope, attribute.switch.on):
        lines = _adopted(scope, attribute, attribute.switch, value)
    else:
        bodies = [_case(scope, attribute, case, value) for case in cases_of(attribute)]
        lines = ()
        if any(each != "pass" for body in bodies for each in body):
            lines = switch_branches(
                scope, attribute, attribute.switch, lambda case: _case(scope, attribute, case, value)
            )
    checked = without_late_checks(scope, attribute)
    return (*lines, *check_lines(scope, checked, value, source))


def _adopted(scope: ClassScope, attribute: Attribute, switch: Switch, value: str) -> Lines:
    """Which case a stream decides for is known when it is written; an object stands below this one in any case."""
    kinds = [each.type for each in switch.cases if isinstance(each.type, UserType)]
    if all(is_foreign(scope, kind) for kind in kinds):
        return ()
    parent = parent_text(scope, attribute)
    return (scope.code("readwrite/adopt_objects", id=attribute.id, value=value, parent=parent),)


def _case(scope: ClassScope, attribute: Attribute, case: Attribute, value: str) -> Lines:
    held = as_case(scope, attribute, case, value)
    return (*case_line(scope, attribute, case, value), *_value(scope, case, held)) or ("pass",)


def _value(scope: ClassScope, attribute: Attribute, value: str) -> Lines:
    kind = attribute.type.base if isinstance(attribute.type, EnumType) else attribute.type
    match kind:
        case BytesType() | StringType():
            return check_content(scope, attribute, value)
        case UserType():
            return _object(scope, attribute, kind, value)
        case BitsType(width):
            line = scope.code("readwrite/check_bits", id=attribute.id, value=value, width=width) if width > 1 else None
            return () if line is None else (line,)
    return ()


def _object(scope: ClassScope, attribute: Attribute, kind: UserType, value: str) -> Lines:
    lines: list[str] = []
    if not is_foreign(scope, kind):
        parent = parent_text(scope, attribute)
        lines.append(scope.code("readwrite/adopt", id=attribute.id, value=value, parent=parent))
    for name, argument in arguments_of(scope, attribute, kind):
        late = asks_stream(scope, argument)
        found = () if late or not is_steady(argument) else solution_texts(scope, argument, attribute)
        if not found and name in scope.module.followers.get(kind.path, ()):
            lines.append(scope.code("readwrite/bind_argument", value=value, name=field_name(name)))
        if late:
            continue
        template = "readwrite/follow_argument" if found else "readwrite/check_argument"
        given = {"id": attribute.id, "value": value, "name": field_name(name), "solutions": found}
        lines.append(scope.code(template, expected=scope.text(argument, attribute), **given))
    return tuple(lines)


def _check_instance(scope: ClassScope, instance: Instance, attribute: Attribute) -> Lines:
    if instance.condition is not None and constant(fold(instance.condition)) is False:
        return ()
    name = field_name(instance.id)
    source = f"{scope.source}/instances/{instance.id}"
    plain = replace(attribute, condition=None)
    lines = _check_attribute(scope, plain, f"self.{slot(instance)}", source)
    conditions = [f"self.{name}__enabled"]
    if instance.condition is not None:
        asks = asks_stream(scope, instance.condition)
        text = scope.translator(instance.position).text(instance.condition, AND)
        conditions.append(f"hasattr(self, {slot(instance)!r})" if asks else text)
    there = f"self._is_there({name!r})"
    return (when(scope, [*conditions, there], lines) if lines else when(scope, conditions, (there,)),)
