"""The base class and the methods of a class, by the API that it has."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from ...plan.rows import has_sized_rows
from .api import Api
from .checksums import covers_method
from .endian import endian_lines
from .iterating import iterator_methods
from .kaitai import read_methods
from .messages import types_method
from .names import field_name
from .readwrite import read_write_methods
from .recursion import guarded
from .rows import early_checksums, prologue, row_method, rows_attribute
from .scope import ClassScope
from .sequence import common_methods, keep_family, keep_parameters, parameter_list, reader, sequence
from .series import series_methods
from .view import Line, MethodView, block
from .writing import append_method


def base_class(scope: ClassScope) -> str:
    """The class of the runtime that a class stands on."""
    if scope.module.api is Api.KAITAI_READ_WRITE:
        return "ReadWriteStruct"
    if scope.module.api is Api.KAITAI:
        return "ReadStruct"
    return "Struct" if scope.struct.message is None else "Message"


def class_methods(scope: ClassScope) -> list[MethodView]:
    """All methods and properties, in order."""
    return METHODS[scope.module.api](scope)


def _methods(scope: ClassScope) -> list[MethodView]:
    struct = scope.struct
    methods = [_constructor(scope)]
    rows = rows_attribute(scope)
    if struct.message is not None:
        types = types_method(scope)
        methods += [types] if types is not None else []
        return methods + common_methods(scope)
    if rows is None:
        lines = (*endian_lines(scope), *sequence(scope, struct.attributes, None))
        methods.append(reader("_read", guarded(scope, lines)))
    else:
        before = prologue(scope, rows)
        early = early_checksums(scope, rows)
        methods.append(reader("_read_prologue", (*endian_lines(scope), *sequence(scope, before, early))))
        rest = sequence(scope, struct.attributes[len(before) :], frozenset())
        methods.append(reader("_read", (Line("self._read_prologue()"), *rest)))
        if has_sized_rows(scope.spec, rows):
            methods.append(row_method(scope, rows))
    methods += (*series_methods(scope), *iterator_methods(scope))
    methods.append(append_method(scope))
    covers = covers_method(scope)
    if covers is not None and rows is None:
        methods.append(covers)
    return methods + common_methods(scope)


def _constructor(scope: ClassScope) -> MethodView:
    struct, annotations = scope.struct, scope.annotations
    any_ = scope.use("Any")
    stream = f"_io: {scope.use('KaitaiStream')} | None = None"
    fields = [
        f"{field_name(each.id)}: {annotations.of_field(each)} = {scope.use('UNSET')}" for each in struct.attributes
    ]
    family = (f"_parent: {any_} = None", f"_root: {any_} = None")
    arguments = ", ".join(("self", *parameter_list(scope), stream, *family, *fields))
    given = ", ".join(f"{field_name(each.id)}={field_name(each.id)}" for each in struct.attributes)
    lines = [
        *keep_parameters(scope),
        *keep_family(scope),
        block("if _io is not None:", [Line("self._io = _io"), Line("self._read()")]),
    ]
    if given:
        lines.append(block("else:", [Line(f"self._assign({given})")]))
    return MethodView(f"__init__({arguments}) -> None", tuple(lines))


METHODS: Mapping[Api, Callable[[ClassScope], list[MethodView]]] = {
    Api.WIRELOOM: _methods,
    Api.KAITAI: read_methods,
    Api.KAITAI_READ_WRITE: read_write_methods,
}
"""What makes the methods of a class of each API."""
