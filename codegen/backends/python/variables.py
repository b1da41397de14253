"""Variables as statements: their initial values, and the assignments at the end of an object."""

from __future__ import annotations

from ...expression.nodes import MemberAccess, Node, Subscript
from ...expression.types import ListType, TableType, is_float
from ...passes.variables import follows_variables, variables_of
from ...tree import Instance
from .names import field_name
from .scope import ClassScope
from .view import Lines


def begin_lines(scope: ClassScope) -> Lines:
    """Return the statements that set the variables of an object to their initial values before reading or writing."""
    return tuple(_begin(scope, each) for each in variables_of(scope.struct)) if scope.own else ()


def begin_text(scope: ClassScope, variable: Instance) -> str:
    """Return the text of the initial value of a variable."""
    assert variable.value is not None
    if isinstance(variable.type, TableType):
        return f"{scope.annotations.of(variable.type)}()"
    text = scope.translator(variable.position).text(variable.value)
    by_option = any(each.variable == variable.id for each in scope.spec.choices)
    if by_option and scope.own and scope.struct is scope.spec.root:
        return f"self._first.get({field_name(variable.id)!r}, {text})"
    return f"{scope.use('Items')}({text})" if isinstance(variable.type, ListType) else text


def _begin(scope: ClassScope, variable: Instance) -> str:
    return f"self._m_{field_name(variable.id)} = {begin_text(scope, variable)}"


def end_lines(scope: ClassScope, *, reads: bool = True) -> Lines:
    """Return the statements at the end of an object, which set variables and cache values computed from them."""
    if not scope.own:
        return ()
    struct = scope.struct
    lines: list[str] = []
    for each in struct.instances:
        if each.sets is not None:
            if follows_variables(scope.spec, struct, each):
                # Its own value must not be computed with what it sets.
                lines.append(f"self._m_{field_name(each.id)} = self.{field_name(each.id)}")
            lines.append(_set(scope, each, each.sets))
    names = [
        field_name(each.id)
        for each in struct.instances
        if each.sets is None and not each.variable and follows_variables(scope.spec, struct, each)
    ]
    if names and reads and struct is not scope.spec.root:
        lines.append(scope.call("hold", "self", *map(repr, names)))
    return tuple(lines)


def _set(scope: ClassScope, instance: Instance, target: Node) -> str:
    if isinstance(target, Subscript):
        translator = scope.translator(instance.position)
        key = translator.nullable_text(target.index)
        return f"{translator.text(target.value)}.put({key}, self.{field_name(instance.id)})"
    assert isinstance(target, MemberAccess)
    holder = scope.translator(instance.position).text(target.value)
    name, value = field_name(target.name), f"self.{field_name(instance.id)}"
    is_floating = target.type is not None and is_float(target.type)
    value = f"{scope.annotations.builtin('float')}({value})" if is_floating else scope.call("variable", value)
    return f"{holder}.{name}.append({value})" if isinstance(target.type, ListType) else f"{holder}._m_{name} = {value}"
