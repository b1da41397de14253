"""The model of a spec → the view of its module ``parser``."""

from __future__ import annotations

import re
import textwrap

from ...model.model import Attribute, Enum, Spec, Struct
from ..base import LINE_LENGTH, refuse
from .annotations import member_names
from .checksums import checksums, covers_method, verify_lines
from .endian import endian_lines
from .fused import offsets, read_run
from .instances import instance_method, is_kept, slot
from .layout import fixed_size, runs
from .marks import Marks
from .messages import messages_constant, types_method
from .module import Module
from .names import class_name, field_name, label_name
from .reading import attribute_lines
from .rows import early_checksums, iterator_method, prologue, rows_attribute
from .scope import ClassScope, member
from .view import ClassView, EnumView, FieldView, LabelView, Line, Lines, MethodView, ModuleView, block
from .writing import append_method


def lower(spec: Spec) -> ModuleView:
    """The view of one spec. Raises ``SpecError`` where the spec needs what this backend cannot do."""
    module = Module(spec)
    root = _class(module, spec.root, "", 0)
    messages = messages_constant(module)
    return ModuleView(
        doc=_doc(spec.title or spec.name, 0),
        imports=module.imports,
        constants=(*module.constants, *([messages] if messages else [])),
        root=root,
        tables=module.tables,
    )


def _class(module: Module, struct: Struct, source: str, depth: int) -> ClassView:
    scope = ClassScope(module, struct, source)
    name = class_name(struct.path[-1])
    _refuse_twins(struct)
    inner = tuple(_class(module, each, f"{source}/types/{each.path[-1]}", depth + 1) for each in struct.structs)
    methods = _methods(scope)
    kept = [slot(each) for each in struct.instances if is_kept(each)]
    fields = [field_name(each.id) for each in struct.attributes]
    slots = [*fields, *(field_name(each.id) for each in struct.parameters), *kept]
    if struct.endian is not None:
        slots.append("_is_le")
    number = module.message_numbers.get(struct.path)
    return ClassView(
        name=name,
        base=module.use("Struct" if struct.message is None else "Message"),
        doc=_doc(struct.doc or f"The type ``{struct.path[-1]}``.", depth + 1),
        enums=tuple(_enum(module, each, depth + 1) for each in struct.enums),
        classes=inner,
        slots=repr(tuple(sorted(slots, key=_natural))),
        field_names=repr(tuple(fields)),
        sizes=_literal(_sizes(struct)) if struct.message is None else "",
        rule="" if number is None else f"MESSAGES.messages[{number}]",
        checksums=_literal(tuple(field_name(each.id) for each, _ in checksums(struct))),
        fields=_fields(scope, depth + 1),
        methods=tuple(_indented(each, depth + 2) for each in methods),
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


def _refuse_twins(struct: Struct) -> None:
    paths = [each.path for each in struct.structs] + [each.path for each in struct.enums]
    names = [class_name(path[-1]) for path in paths]
    twin = next((name for name in names if names.count(name) > 1), None)
    if twin is not None:
        refuse(struct.position, f"two types or enums of '{struct.path[-1]}' would both be the class {twin}")
    members = member_names(struct)
    twin = next((name for name in members if members.count(name) > 1), None)
    if twin is not None:
        refuse(struct.position, f"two members of '{struct.path[-1]}' would both be named {twin}")


# Declarations --------------------------------------------------------------------------------------------------------


def _fields(scope: ClassScope, depth: int) -> tuple[FieldView, ...]:
    struct, annotations = scope.struct, scope.annotations
    found = [FieldView("_root", scope.module.root_class, "")]
    if len(struct.parents) == 1:
        found.append(FieldView("_parent", scope.module.class_of(struct.parents[0]), ""))
    found.extend(
        FieldView(field_name(each.id), annotations.of(each.type), _doc(each.doc, depth)) for each in struct.parameters
    )
    found.extend(
        FieldView(field_name(each.id), annotations.of_field(each), _doc(each.doc, depth)) for each in struct.attributes
    )
    if struct.endian is not None:
        found.append(FieldView("_is_le", annotations.builtin("bool"), ""))
    for instance in struct.instances:
        if is_kept(instance):
            found.append(FieldView(slot(instance), annotations.of_instance(instance), ""))
    return tuple(found)


def _enum(module: Module, enum: Enum, depth: int) -> EnumView:
    return EnumView(
        name=class_name(enum.path[-1]),
        base=module.use("IntEnum"),
        doc=_doc(enum.doc or f"The enum ``{enum.path[-1]}``.", depth),
        labels=tuple(LabelView(label_name(each.label), str(each.value), _doc(each.doc, depth)) for each in enum.labels),
    )


# Methods -------------------------------------------------------------------------------------------------------------


def _methods(scope: ClassScope) -> list[MethodView]:
    struct = scope.struct
    methods = [_constructor(scope)]
    rows = rows_attribute(scope)
    if struct.message is not None:
        types = types_method(scope)
        methods += [types] if types is not None else []
        return methods + _shared_methods(scope)
    if rows is None:
        lines = (*endian_lines(scope), *_sequence(scope, struct.attributes, None))
        methods.append(_reader("_read", lines))
    else:
        before = prologue(scope, rows)
        early = early_checksums(scope, rows)
        methods.append(_reader("_read_prologue", (*endian_lines(scope), *_sequence(scope, before, early))))
        rest = _sequence(scope, struct.attributes[len(before) :], frozenset())
        methods.append(_reader("_read", (Line("self._read_prologue()"), *rest)))
        if not struct.parameters:
            methods.append(iterator_method(scope, rows))
    methods.append(append_method(scope))
    covers = covers_method(scope)
    if covers is not None and rows is None:
        methods.append(covers)
    return methods + _shared_methods(scope)


def _shared_methods(scope: ClassScope) -> list[MethodView]:
    """What messages have as all types have it."""
    struct = scope.struct
    methods = []
    if struct.to_string is not None:
        text = scope.translator(struct.position).text(struct.to_string)
        methods.append(MethodView("__str__(self) -> str", (Line(f"return {text}"),)))
    methods.extend(instance_method(scope, each) for each in struct.instances)
    return methods


def _constructor(scope: ClassScope) -> MethodView:
    struct, annotations = scope.struct, scope.annotations
    any_ = scope.use("Any")
    parameters = [f"{field_name(each.id)}: {annotations.of(each.type)}" for each in struct.parameters]
    stream = f"_io: {scope.use('KaitaiStream')} | None = None"
    fields = [
        f"{field_name(each.id)}: {annotations.of_field(each)} = {scope.use('UNSET')}" for each in struct.attributes
    ]
    family = (f"_parent: {any_} = None", f"_root: {any_} = None")
    arguments = ", ".join(("self", *parameters, stream, *family, *fields))
    given = ", ".join(f"{field_name(each.id)}={field_name(each.id)}" for each in struct.attributes)
    lines = [Line(f"{member(each.id)} = {field_name(each.id)}") for each in struct.parameters]
    lines += [
        Line("self._parent = _parent"),
        # Assigned in two steps: a type checker lets only ``Any`` stand for the root's class.
        block("if _root is None:", [Line("_root = self")]),
        Line("self._root = _root"),
        block("if _io is not None:", [Line("self._io = _io"), Line("self._read()")]),
    ]
    if given:
        lines.append(block("else:", [Line(f"self._assign({given})")]))
    return MethodView(f"__init__({arguments}) -> None", tuple(lines))


def _reader(name: str, lines: Lines) -> MethodView:
    return MethodView(f"{name}(self) -> None", lines or (Line("pass"),))


def _sequence(scope: ClassScope, attributes: tuple[Attribute, ...], only: frozenset[str] | None) -> Lines:
    """Reads attributes in order and verifies the checksums: all of them, or those of ``only``."""
    marks = Marks(scope.struct)
    lines: list[Line] = []
    for run in runs(attributes):
        fixed = fixed_size(run[0]) is not None
        lines.extend(marks.before(run, offsets(run) if fixed else (0,)))
        if len(run) > 1:
            lines.extend(read_run(scope, run))
        else:
            lines.extend(attribute_lines(scope, run[0], member(run[0].id), scope.source_of(run[0])))
        lines.extend(marks.behind(run))
    lines.extend(verify_lines(scope, marks, only))
    # Every statement that reads names the stream; an object without attributes has none.
    return (Line("io = self._io"), *lines) if lines else ()


# Docstrings ----------------------------------------------------------------------------------------------------------


def _indented(method: MethodView, depth: int) -> MethodView:
    return MethodView(method.signature, method.lines, _doc(method.doc, depth), method.decorators)


def _doc(text: str, depth: int) -> str:
    """The text of a docstring at that depth. A paragraph that is too wide is filled anew, a list or table kept."""
    width = LINE_LENGTH - 4 * depth - len('"""')
    if "\n" not in text.strip() and width - len('"""') < len(text.strip()) <= width:
        # Behind the only line the end of the docstring has to fit as well.
        return textwrap.fill(text.strip(), width - len('"""'), break_long_words=False)
    paragraphs = text.strip().split("\n\n")
    return "\n\n".join(_paragraph(each.rstrip(), width) for each in paragraphs)


def _paragraph(text: str, width: int) -> str:
    lines = text.split("\n")
    if all(len(line) <= width for line in lines):
        return text
    if any(line.lstrip() != line or line[:1] in "|-*>" for line in lines):
        return "\n".join(textwrap.fill(line, width, break_long_words=False) for line in lines)
    return textwrap.fill(" ".join(lines), width, break_long_words=False)
