"""The methods of a class with the API of Kaitai's own compiler, whose constructor reads and which cannot write."""

from __future__ import annotations

from ..base import refuse
from .buffered import head_constant, is_buffered, rest_method
from .checksums import kaitai_checksums
from .endian import endian_lines, inherited_parameter, undecided_order
from .iterating import iterator_methods
from .names import field_name
from .scope import ClassScope
from .sequence import common_methods, debug_initializer, parameter_list, parameter_names, reader, sequence
from .statements import when
from .view import FieldView, MethodView


def read_methods(scope: ClassScope) -> list[MethodView]:
    """Return all methods and properties of a class that only reads."""
    struct = scope.struct
    if struct.message is not None:
        refuse(struct.position, f"'{struct.path[-1]}' is a protobuf message, which Kaitai's API does not support")
    methods = [_constructor(scope)] if _has_own_constructor(scope) else []
    if is_buffered(scope):
        methods.append(rest_method(scope))
    else:
        lines = (*endian_lines(scope), *sequence(scope, scope.struct.steps, kaitai_checksums(scope)))
        methods += [reader(scope, "_read", lines)] if lines else []
    return [*methods, *iterator_methods(scope), *common_methods(scope)]


def _has_own_constructor(scope: ClassScope) -> bool:
    """Return whether the constructor does more than that of the base class; the outermost object is its own root."""
    struct = scope.struct
    more = struct.parameters or inherited_parameter(scope) or scope.module.debug
    return bool(more) or struct.path == scope.spec.root.path


def _constructor(scope: ClassScope) -> MethodView:
    any_ = scope.use("Any")
    family = (f"_io: {scope.use('KaitaiStream')}", f"_parent: {any_} = None", f"_root: {any_} = None")
    arguments = ", ".join(("self", *parameter_list(scope), *family, *inherited_parameter(scope)))
    lines = [f"self.{each} = {each}" for each in (*parameter_names(scope), "_io", "_parent")]
    if scope.struct.path == scope.spec.root.path:
        lines.append(when("_root is None", ["_root = self"]))
    lines.append("self._root = _root")
    if inherited_parameter(scope):
        lines += [when("_is_le is None", [undecided_order(scope)]), "self._is_le = _is_le"]
    lines.append(debug_initializer(scope) if scope.module.debug else "self._read()")
    return MethodView(f"__init__({arguments}) -> None", tuple(lines))


def read_constants(scope: ClassScope) -> tuple[str, ...]:
    """Return the class attributes that Kaitai's API has in addition to methods."""
    struct = scope.struct
    placed = tuple(field_name(each.id) for each in struct.instances if each.attribute is not None)
    found = [f"_instances = {placed!r}"] if placed else []
    if scope.module.debug:
        annotation = f"{scope.use('ClassVar')}[{scope.annotations.builtin('list')}[{scope.annotations.builtin('str')}]]"
        found.append(f"SEQ_FIELDS: {annotation} = {[each.id for each in struct.attributes]!r}")
    return (*found, *head_constant(scope))


def debug_field(scope: ClassScope) -> FieldView:
    """Return the declaration of the attribute in which an object records the positions of its fields."""
    text, dictionary = scope.annotations.builtin("str"), scope.annotations.builtin("dict")
    annotation = f"{scope.use('defaultdict')}[{text}, {dictionary}[{text}, {scope.use('Any')}]]"
    return FieldView("_debug", annotation, "The start and the end of each attribute that has been read.")
