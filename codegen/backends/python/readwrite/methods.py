"""The methods and class fields of a class with the API of Kaitai's read-write mode, and the facts about all objects of
a type on which these depend."""

from __future__ import annotations

from collections.abc import Callable

from ....expression.nodes import Node
from ....expression.types import AnyStructType, Path, StreamType, Type, UnionType, UserType
from ....expression.walk import expressions_in, names_in, walk
from ....passes.solving import solutions
from ....tree import Spec, Struct
from ....tree.leaves import ExpressionSize
from ...base import refuse
from ..buffered import head_constant, is_buffered, rest_method
from ..checksums import kaitai_checksums
from ..endian import endian_lines, inherited_parameter
from ..names import field_name
from ..scope import ClassScope
from ..sequence import debug_initializer, parameter_list, parameter_names, reader, sequence
from ..statements import when
from ..view import MethodView
from .assembling import assemble_method, assembling_constants
from .checking import check_method
from .instances import instance_methods
from .solved import solved_names
from .writing import write_method


def read_write_methods(scope: ClassScope) -> list[MethodView]:
    """Return all methods and properties of a class that reads and writes."""
    struct = scope.struct
    if struct.message is not None:
        refuse(struct.position, f"'{struct.path[-1]}' is a protobuf message, which Kaitai's API does not support")
    own = struct.parameters or scope.module.debug or inherited_parameter(scope)
    methods = [_constructor(scope)] if own else []
    read = rest_method(scope) if is_buffered(scope) else _reader(scope)
    methods += [read, check_method(scope), write_method(scope)]
    assemble = assemble_method(scope)
    methods += [assemble] if assemble is not None else []
    if struct.to_string is not None:
        text = scope.translator(struct.position).text(struct.to_string)
        methods.append(MethodView("__str__(self) -> str", (f"return {text}",)))
    for each in struct.instances:
        methods.extend(instance_methods(scope, each))
    return methods


def class_constants(scope: ClassScope) -> tuple[str, ...]:
    """Return the assignments that describe a class to its base class, and the defaults of switches for instances."""
    struct = scope.struct
    placed = tuple(field_name(each.id) for each in struct.instances if each.attribute is not None)
    children = tuple(field_name(each.id) for each in struct.attributes if _is_object(each.type))
    tables = {"_m_children": children, "_m_placed": placed, "_m_solved": solved_names(scope)}
    tables["_m_parameters"] = tuple(field_name(each.id) for each in struct.parameters)
    lines = [f"{name} = {names!r}" for name, names in tables.items() if names]
    facts = Facts(scope.spec)
    if not facts.has_instances(struct):
        lines.append("_m_has_instances = False")
    if not facts.has_layout(struct):
        lines.append("_m_has_layout = False")
    if is_plain(struct):
        lines.append("_m_is_plain = True")
    lines += assembling_constants(scope)
    for each in struct.attributes:
        if any(form.has_stream for form in each.forms):
            lines.append(f"_raw_{each.id} = {scope.use('RawContent')}({field_name(each.id)!r})")
    boolean = scope.annotations.builtin("bool")
    for name in placed:
        lines += [f"{name}__enabled: {boolean} = True", f"_should_write_{name}: {boolean} = False"]
    return (*lines, *head_constant(scope))


def _constructor(scope: ClassScope) -> MethodView:
    any_ = scope.use("Any")
    family = (f"_io: {scope.use('KaitaiStream')} | None = None", f"_parent: {any_} = None", f"_root: {any_} = None")
    parameters = [f"{each} = {scope.use('UNSET')}" for each in parameter_list(scope)]
    arguments = ", ".join(("self", *parameters, *family, *inherited_parameter(scope)))
    lines = ["super().__init__(_io, _parent, _root)"]
    lines += [when(f"{each} is not {scope.use('UNSET')}", [f"self.{each} = {each}"]) for each in parameter_names(scope)]
    lines += [when("_is_le is not None", ["self._is_le = _is_le"])] if inherited_parameter(scope) else []
    lines += [debug_initializer(scope)] if scope.module.debug else []
    return MethodView(f"__init__({arguments}) -> None", tuple(lines))


def _reader(scope: ClassScope) -> MethodView:
    covers = (*kaitai_checksums(scope), *scope.struct.inner_checksums)
    body = (*endian_lines(scope), *sequence(scope, scope.struct.steps, covers))
    return reader(scope, "_read", (*body, "super()._read()"))


def _is_object(kind: Type) -> bool:
    if isinstance(kind, UnionType):
        return not kind.members or any(_is_object(each) for each in kind.members)
    return isinstance(kind, UserType | AnyStructType)


class Facts:
    """Facts about a type and the types of the objects inside it."""

    def __init__(self, spec: Spec) -> None:
        self.spec = spec

    def has_instances(self, struct: Struct) -> bool:
        """Return whether there are instances at explicit positions."""
        return self._anywhere(struct, lambda each: any(one.attribute is not None for one in each.instances))

    def has_layout(self, struct: Struct) -> bool:
        """Return whether any value is derived from the positions of others."""
        return self._anywhere(struct, self._has_own_layout)

    def _has_own_layout(self, struct: Struct) -> bool:
        for position in (each.pos for each in struct.instances if each.pos is not None):
            if _leaves(position) or solutions(self.spec, struct, position):
                return True
        if any(each.value is None for each in struct.checksums):
            return True
        for field in struct.all_attributes:
            if names_in(field.only):
                return True
            if field.object_types and any(isinstance(each.size, ExpressionSize) for each in (field, *field.forms)):
                return True
        return False

    def _anywhere(self, struct: Struct, test: Callable[[Struct], bool]) -> bool:
        """Return whether a test is true for a type or for one inside it; it counts as true for unknown types."""
        waiting, seen = [struct], {struct.path}
        while waiting:
            current = waiting.pop()
            if test(current):
                return True
            for field in current.all_attributes:
                for kind in field.object_types:
                    found = self._struct(kind)
                    if found is None:
                        return True
                    if found.path not in seen:
                        seen.add(found.path)
                        waiting.append(found)
        return False

    def _struct(self, kind: UserType) -> Struct | None:
        path: Path = kind.path
        if kind.opaque:
            return None
        try:
            return self.spec.struct(path)
        except KeyError:
            return None


def is_plain(struct: Struct) -> bool:
    """Return whether the checks of an object depend on its own values alone, none of which can change unnoticed."""
    if struct.instances or struct.parameters or struct.checksums or struct.endian is not None:
        return False
    for field in struct.attributes:
        if field.repeat is not None or field.switch is not None:
            return False
        if isinstance(field.type, UserType | AnyStructType | UnionType):
            return False
        if any(_leaves(each) for each in expressions_in(field)):
            return False
    return not _share_a_size(struct)


def _share_a_size(struct: Struct) -> bool:
    """Return whether the sizes of two fields depend on the same field, which may then have to change twice."""
    names: set[str] = set()
    for field in struct.attributes:
        if isinstance(field.size, ExpressionSize):
            own = names_in(field.size.expression)
            if own & names:
                return True
            names |= own
    return False


def _leaves(node: Node) -> bool:
    """Return whether an expression refers to something outside the object."""
    outside = not names_in(node).isdisjoint(("_parent", "_root", "_io"))
    return outside or any(isinstance(each.type, StreamType) for each in walk(node))
