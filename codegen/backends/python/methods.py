"""The base class and the methods of a class, depending on its API."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from ...tree.spec import CONDITIONS
from .buffered import BASES, is_buffered, rest_method
from .checksum_proofs import covers_method
from .endian import endian_lines
from .instances import condition_method
from .iterating import ending_methods, framing_item_methods, iterator_methods
from .kaitai import read_methods
from .messages import sum_methods, types_method
from .names import Api, condition_name, field_name
from .readwrite import read_write_methods
from .rows import has_rows, instance_steps, row_methods
from .scope import ClassScope
from .sequence import common_methods, parameter_list, parameter_names, reader, sequence
from .variables import begin_lines, end_lines
from .view import MethodView
from .writing import append_method


def base_class(scope: ClassScope) -> str:
    """Return the name of the runtime class from which a class is derived."""
    if scope.struct.message is not None:
        return "Message"
    if is_buffered(scope):
        return BASES[scope.module.api]
    return {Api.WIRELOOM: "Struct", Api.KAITAI: "ReadStruct"}.get(scope.module.api, "ReadWriteStruct")


def class_methods(scope: ClassScope) -> list[MethodView]:
    """Return all methods and properties of a class, in order."""
    return METHODS[scope.module.api](scope)


def _methods(scope: ClassScope) -> list[MethodView]:
    methods = [_constructor(scope)] if scope.struct.parameters else []
    if scope.struct.message is not None:
        types = types_method(scope)
        methods += [types] if types is not None else []
        methods += sum_methods(scope)
        return methods + common_methods(scope)
    if has_rows(scope):
        methods += row_methods(scope, (*begin_lines(scope), *endian_lines(scope)))
    elif is_buffered(scope):
        methods.append(rest_method(scope))
    elif lines := (
        *begin_lines(scope),
        *endian_lines(scope),
        *sequence(scope, scope.struct.steps, scope.struct.verified),
        *end_lines(scope),
        *instance_steps(scope),
    ):
        methods.append(reader(scope, "_read", lines))
    methods += iterator_methods(scope)
    methods.append(append_method(scope))
    methods += ending_methods(scope)
    methods += framing_item_methods(scope)
    for rows in scope.spec.tables:
        for key in CONDITIONS:
            condition = getattr(rows, key)
            if condition is not None and rows.row == scope.struct.path:
                methods.append(condition_method(scope, condition_name(key, rows.name), condition))
    covers = covers_method(scope)
    if covers is not None and not has_rows(scope):
        methods.append(covers)
    return methods + common_methods(scope)


def _constructor(scope: ClassScope) -> MethodView:
    any_, names = scope.use("Any"), [field_name(each.id) for each in scope.struct.attributes]
    family = (f"_io: {scope.use('KaitaiStream')} | None = None", f"_parent: {any_} = None", f"_root: {any_} = None")
    types = (scope.annotations.of_field(each) for each in scope.struct.attributes)
    fields = (f"{name}: {type} = {scope.use('UNSET')}" for name, type in zip(names, types, strict=True))
    arguments = ", ".join(("self", *parameter_list(scope), *family, *fields))
    lines = [f"self.{each} = {each}" for each in parameter_names(scope)]
    given = ", ".join(("_io", "_parent", "_root", *(f"{each}={each}" for each in names)))
    return MethodView(f"__init__({arguments}) -> None", (*lines, f"super().__init__({given})"))


METHODS: Mapping[Api, Callable[[ClassScope], list[MethodView]]] = {
    Api.WIRELOOM: _methods,
    Api.KAITAI: read_methods,
    Api.KAITAI_READ_WRITE: read_write_methods,
}
"""By API: the function that returns the methods of a class."""
