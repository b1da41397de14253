"""The model of a spec → the view of its ``parser`` module: classes, their base classes and methods."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping

from ...tree import Run, Spec, Struct
from ...tree.leaves import Enum, Pairs, Timestamp
from ...tree.spec import CONDITIONS
from .annotations import DECORATORS
from .buffered import BASES, head_constant, head_of, is_buffered, rest_method
from .checksum_proofs import covers_method
from .docstrings import described, named, wrapped
from .endian import endian_lines
from .instances import condition_method, is_cached, slot
from .iterating import ending_methods, framing_item_methods, iterator_methods
from .kaitai import debug_field, read_constants, read_methods
from .messages import messages_constant, sum_methods, types_method
from .module import Module
from .names import DEFAULT_CASE, Api, class_name, condition_name, covered_slot, field_name, label_name, naming
from .readwrite import cached_annotation, class_constants, read_write_methods
from .rows import has_rows, instance_steps, row_methods
from .runs import parts
from .scope import ClassScope
from .sequence import common_methods, parameter_list, parameter_names, reader, sequence
from .unsupported import refuse_unsupported
from .variables import begin_lines, end_lines
from .view import ClassView, EnumView, FieldView, LabelView, MethodView, ModuleView
from .writing import append_method


def lower(spec: Spec) -> ModuleView:
    """Return the view of the module of a format."""
    return lower_module(spec, Api.WIRELOOM, "")


def lower_module(spec: Spec, api: Api, package: str) -> ModuleView:
    """Return the view of a module.

    Args:
        spec: The spec, with the facts that ``codegen.passes`` derives.
        api: The API of the classes.
        package: The package from which modules of imported specs are imported, see ``Module``.

    Raises:
        SpecError: The spec requires something that this backend does not support.
    """
    refuse_unsupported(spec, api)
    module = Module(spec, api, package)
    with naming(api):
        root = _class(module, spec.root, 0)
        messages = messages_constant(module)
        return ModuleView(
            doc=wrapped(spec.title, 0),
            imports=module.imports,
            constants=(*module.constants, *([messages] if messages else [])),
            root=root,
            tables=module.tables,
        )


def _class(module: Module, struct: Struct, depth: int) -> ClassView:
    scope = ClassScope(module, struct)
    inner = tuple(_class(module, each, depth + 1) for each in struct.structs)
    return ClassView(
        name=class_name(struct.path[-1]),
        base=module.use(base_class(scope)),
        doc=wrapped(described(struct.doc, struct.doc_ref) or named(module, "type", struct.path[-1]), depth + 1),
        enums=tuple(_enum(module, struct, each, depth + 1) for each in struct.enums),
        classes=inner,
        constants=_own_constants(scope) if scope.own else _constants(scope),
        fields=_fields(scope, depth + 1),
        methods=tuple(_finished(scope, each, depth + 2) for each in class_methods(scope)),
    )


def _own_constants(scope: ClassScope) -> tuple[str, ...]:
    """Return the assignments of a class with wireloom's own API. Its base class takes names and slots from the
    declarations of fields.
    """
    number = scope.module.message_numbers.get(scope.struct.path)
    tables = {
        "_sizes": _sizes(scope) if number is None else (),
        "_checksums": tuple(field_name(each.attribute.id) for each in scope.struct.checksums),
        "_json": tuple(_json(scope.struct)) if scope.struct.path in scope.spec.in_json else (),
    }
    found = tuple(f"{name} = {items!r}" for name, items in tables.items() if items)
    if number is not None:
        return (f"_rule = MESSAGES.messages[{number}]", *found)
    return (*found, *head_constant(scope))


def _json(struct: Struct) -> Iterator[tuple[str, ...]]:
    """Yield the members of the JSON text of objects, as ``Struct._json`` of the runtime has them."""
    for each in struct.shown_members(struct.json or struct.shown):
        how: tuple[str, ...] = ()
        if isinstance(each.logical, Pairs):
            how = tuple(".".join(map(field_name, path)) for path in (each.logical.key, each.logical.value))
        elif isinstance(each.logical, Timestamp):
            how = each.logical.unit, "Z" if each.logical.zone else "", str(each.logical.absent)
        yield ("" if struct.json else each.id, field_name(each.id), *how)


def _constants(scope: ClassScope) -> tuple[str, ...]:
    """Return the assignments of a class with Kaitai's API."""
    struct = scope.struct
    fields = [field_name(each.id) for each in struct.attributes]
    kept = [slot(each) for each in struct.instances if is_cached(scope, each)]
    covered = [covered_slot(each.id) for each in struct.computed_checksums]
    slots = [*fields, *(field_name(each.id) for each in struct.parameters), *kept, *covered]
    if struct.endian is not None:
        slots.append("_is_le")
    if scope.module.debug:
        slots.append("_debug")
    names = f"__slots__ = {tuple(sorted(slots, key=_natural))!r}", f"_fields = {tuple(fields)!r}"
    writes = scope.module.api is Api.KAITAI_READ_WRITE
    return (*names, *(class_constants(scope) if writes else read_constants(scope)))


def _sizes(scope: ClassScope) -> tuple[tuple[str, int], ...]:
    """Return the fields that are read together, each with its size in bytes: the end of each cannot be determined
    otherwise."""
    runs = [each for each in scope.struct.steps if isinstance(each, Run)]
    together = [part for run in runs for part in ([run.attributes] if is_buffered(scope) else parts(scope, run))]
    head = head_of(scope) if is_buffered(scope) else None
    # A buffered class knows the sizes of its head.
    known = head.attributes if head is not None else ()
    return tuple(
        (field_name(each.id), each.fixed_size or 0)
        for part in together
        if len(part) > 1
        for each in part
        if each not in known
    )


def _natural(name: str) -> list[tuple[int, str]]:
    """Return a sort key that orders ``a2`` before ``a10``, as the linter requires."""
    return [(int(part), "") if part.isdigit() else (0, part) for part in re.split(r"(\d+)", name)]


# Declarations --------------------------------------------------------------------------------------------------------


def _fields(scope: ClassScope, depth: int) -> tuple[FieldView, ...]:
    struct, annotations = scope.struct, scope.annotations
    unset = scope.use("UNSET") if scope.own else ""
    found = [FieldView("_root", scope.module.root_class, "", unset)]
    if len(struct.parents) == 1:
        found.append(FieldView("_parent", scope.module.class_of(struct.parents[0]), "", unset))
    for parameter in struct.parameters:
        found.append(
            _kept(scope, field_name(parameter.id), annotations.of(parameter.type), wrapped(parameter.doc, depth))
        )
    for each in struct.attributes:
        doc = wrapped(described(each.doc, each.doc_ref), depth)
        found.append(FieldView(field_name(each.id), annotations.of_field(each), doc, unset))
    if struct.endian is not None:
        found.append(_kept(scope, "_is_le", annotations.builtin("bool")))
    if scope.own and any(each.has_default_case for each in struct.attributes):
        found.append(_kept(scope, DEFAULT_CASE, annotations.builtin("bool")))
    if scope.module.debug:
        found.append(debug_field(scope))
    for checksum in struct.computed_checksums:
        integer, items = annotations.builtin("int"), annotations.builtin("tuple")
        found.append(_kept(scope, covered_slot(checksum.id), f"{items}[{items}[{integer}, {integer}], ...]"))
    for instance in struct.instances:
        if is_cached(scope, instance):
            writes = scope.module.api is Api.KAITAI_READ_WRITE
            annotation = cached_annotation(scope, instance) if writes else annotations.of_instance(instance)
            found.append(_kept(scope, slot(instance), annotation))
    return tuple(found)


def _kept(scope: ClassScope, name: str, annotation: str, doc: str = "") -> FieldView:
    """Return the declarations of the attributes that an object has in addition to its fields."""
    return FieldView(name, annotation, doc, f"{scope.use('kept')}(init=False)" if scope.own else "")


def _enum(module: Module, holder: Struct, enum: Enum, depth: int) -> EnumView:
    return EnumView(
        name=module.enum_classes(holder)[enum.path[-1]],
        base=module.use("IntEnum"),
        doc=wrapped(enum.doc or named(module, "enum", enum.path[-1]), depth),
        labels=tuple(
            LabelView(label_name(each.label), str(each.value), wrapped(described(each.doc, each.doc_ref), depth))
            for each in enum.labels
        ),
    )


# Docstrings ----------------------------------------------------------------------------------------------------------


def _finished(scope: ClassScope, method: MethodView, depth: int) -> MethodView:
    decorators = tuple(scope.annotations.builtin(each) if each in DECORATORS else each for each in method.decorators)
    return MethodView(method.signature, method.lines, wrapped(method.doc, depth), decorators)


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
    passed = ", ".join(("_io", "_parent", "_root", *(f"{each}={each}" for each in names)))
    return MethodView(f"__init__({arguments}) -> None", (*lines, f"super().__init__({passed})"))


METHODS: Mapping[Api, Callable[[ClassScope], list[MethodView]]] = {
    Api.WIRELOOM: _methods,
    Api.KAITAI: read_methods,
    Api.KAITAI_READ_WRITE: read_write_methods,
}
"""By API: the function that returns the methods of a class."""
