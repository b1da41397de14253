"""The model of a spec → the view of its module ``parser``."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

from ...model.model import Enum, Struct
from ...model.routines import refuse_routines
from ...plan import Plan
from ...plan.covers import checksums
from ...plan.sizes import fixed_size, runs
from ..base import refuse
from .annotations import DECORATORS, member_names
from .api import Api
from .docstrings import described, laid_out, named
from .instances import is_kept, slot
from .kaitai import debug_field, read_constants
from .messages import messages_constant
from .methods import base_class, class_methods
from .module import Module
from .names import class_name, field_name, label_name, naming
from .readwrite import class_constants, kept_annotation
from .scope import ClassScope
from .view import ClassView, EnumView, FieldView, LabelView, MethodView, ModuleView


def lower(plan: Plan) -> ModuleView:
    """The view of a format's module."""
    return lower_module(plan, Api.WIRELOOM, "")


def lower_module(plan: Plan, api: Api, package: str) -> ModuleView:
    """The view of the module with the classes of an API; ``package`` is that of ``Module``.

    Raises ``SpecError`` where the spec needs what this backend cannot do.
    """
    spec = plan.spec
    if api is Api.WIRELOOM:
        refuse_routines(spec)
    module = Module(plan, api, package)
    with naming(api):
        root = _class(module, spec.root, "", 0)
        messages = messages_constant(module)
        return ModuleView(
            doc=laid_out(spec.title or spec.name, 0),
            imports=module.imports,
            constants=(*module.constants, *([messages] if messages else [])),
            root=root,
            tables=module.tables,
        )


def _class(module: Module, struct: Struct, source: str, depth: int) -> ClassView:
    scope = ClassScope(module, struct, source)
    name = class_name(struct.path[-1])
    _refuse_twins(module, struct)
    inner = tuple(_class(module, each, f"{source}/types/{each.path[-1]}", depth + 1) for each in struct.structs)
    methods = class_methods(scope)
    kept = [slot(each) for each in struct.instances if is_kept(scope, each)]
    fields = [field_name(each.id) for each in struct.attributes]
    slots = [*fields, *(field_name(each.id) for each in struct.parameters), *kept]
    if struct.endian is not None:
        slots.append("_is_le")
    if module.debug:
        slots.append("_debug")
    writes = module.api is Api.KAITAI_READ_WRITE
    own = module.api is Api.WIRELOOM
    number = module.message_numbers.get(struct.path)
    return ClassView(
        name=name,
        base=module.use(base_class(scope)),
        doc=laid_out(described(struct.doc, struct.doc_ref) or named(module, "type", struct.path[-1]), depth + 1),
        enums=tuple(_enum(module, struct, each, depth + 1) for each in struct.enums),
        classes=inner,
        slots=repr(tuple(sorted(slots, key=_natural))),
        field_names=repr(tuple(fields)),
        sizes=_literal(_sizes(struct)) if own and struct.message is None else "",
        rule="" if number is None else f"MESSAGES.messages[{number}]",
        checksums=_literal(tuple(field_name(each.id) for each, _ in checksums(struct))) if own else "",
        constants=() if own else class_constants(scope) if writes else read_constants(scope),
        fields=_fields(scope, depth + 1),
        methods=tuple(_finished(scope, each, depth + 2) for each in methods),
    )


def _literal(items: tuple[object, ...]) -> str:
    return repr(items) if items else ""


def _sizes(struct: Struct) -> tuple[tuple[str, int], ...]:
    """The attributes that are read several at once, each with its bytes: nothing else tells where one of them ends."""
    return tuple(
        (field_name(each.id), fixed_size(each) or 0) for run in runs(struct.attributes) if len(run) > 1 for each in run
    )


def _natural(name: str) -> list[tuple[int, str]]:
    """Sorts ``a2`` before ``a10``, as the linter wants it."""
    return [(int(part), "") if part.isdigit() else (0, part) for part in re.split(r"(\d+)", name)]


def _refuse_twins(module: Module, struct: Struct) -> None:
    names = [class_name(each.path[-1]) for each in struct.structs]
    names += module.enum_classes(struct).values()
    twin = _first_twin(names)
    if twin is not None:
        refuse(struct.position, f"two types or enums of '{struct.path[-1]}' would both be the class {twin}")
    members = member_names(struct)
    twin = _first_twin(members)
    if twin is not None:
        refuse(struct.position, f"two members of '{struct.path[-1]}' would both be named {twin}")


def _first_twin(names: Iterable[str]) -> str | None:
    return next((name for name, count in Counter(names).items() if count > 1), None)


# Declarations --------------------------------------------------------------------------------------------------------


def _fields(scope: ClassScope, depth: int) -> tuple[FieldView, ...]:
    struct, annotations = scope.struct, scope.annotations
    found = [FieldView("_root", scope.module.root_class, "")]
    if len(struct.parents) == 1:
        found.append(FieldView("_parent", scope.module.class_of(struct.parents[0]), ""))
    found.extend(
        FieldView(field_name(each.id), annotations.of(each.type), laid_out(each.doc, depth))
        for each in struct.parameters
    )
    for each in struct.attributes:
        doc = laid_out(described(each.doc, each.doc_ref), depth)
        found.append(FieldView(field_name(each.id), annotations.of_field(each), doc))
    if struct.endian is not None:
        found.append(FieldView("_is_le", annotations.builtin("bool"), ""))
    if scope.module.debug:
        found.append(debug_field(scope))
    for instance in struct.instances:
        if is_kept(scope, instance):
            writes = scope.module.api is Api.KAITAI_READ_WRITE
            annotation = kept_annotation(scope, instance) if writes else annotations.of_instance(instance)
            found.append(FieldView(slot(instance), annotation, ""))
    return tuple(found)


def _enum(module: Module, holder: Struct, enum: Enum, depth: int) -> EnumView:
    return EnumView(
        name=module.enum_classes(holder)[enum.path[-1]],
        base=module.use("IntEnum"),
        doc=laid_out(enum.doc or named(module, "enum", enum.path[-1]), depth),
        labels=tuple(
            LabelView(label_name(each.label), str(each.value), laid_out(described(each.doc, each.doc_ref), depth))
            for each in enum.labels
        ),
    )


# Docstrings ----------------------------------------------------------------------------------------------------------


def _finished(scope: ClassScope, method: MethodView, depth: int) -> MethodView:
    decorators = tuple(scope.annotations.builtin(each) if each in DECORATORS else each for each in method.decorators)
    return MethodView(method.signature, method.lines, laid_out(method.doc, depth), decorators)
