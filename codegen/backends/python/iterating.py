"""Methods about the items of repeated fields: iterators that read them one by one, in constant memory, and the items
that a writer adds before and after those with rows."""

from __future__ import annotations

from wireloom.base.dataclass import replace

from ...expression.fold import fold
from ...expression.nodes import ForEach, Node
from ...passes.filling import for_each, row_ends
from ...tree import Attribute
from ...tree.leaves import Repeat, RepeatUntil
from .constructing import Store
from .endian import endian_lines
from .expressions import Translator
from .names import Api, field_name, member_names
from .reading import loop_lines, series_text
from .rows import has_rows, split
from .scope import ClassScope
from .sequence import parameter_list, parameter_names, sequence_body
from .statements import when
from .view import Lines, MethodView


def iterator_methods(scope: ClassScope) -> list[MethodView]:
    """Return the method ``iter_NAME()`` for each repeated field of the root that can be read item by item."""
    if scope.struct.path != scope.spec.root.path or scope.module.debug:
        return []
    taken = member_names(scope.struct)
    return [
        _method(scope, step, step.repeat)
        for step in scope.struct.steps
        if isinstance(step, Attribute) and step.repeat is not None and step.iterable
        if f"iter_{field_name(step.id)}" not in taken
    ]


def ending_methods(scope: ClassScope) -> list[MethodView]:
    """Return the method ``_ends_NAME(item, index)``, which says whether an item is the last one, for each field that
    leads to rows and is ended by an item."""
    names = dict.fromkeys(each[1] for each in scope.spec.steps if each[0] == scope.struct.path)
    fields = [field for name in names if (field := scope.struct.attribute(name)) is not None and row_ends(field)]
    methods = []
    for field in fields:
        assert isinstance(field.repeat, RepeatUntil)
        name, kind = field_name(field.id), scope.annotations.of_item(field)
        text = scope.text(field.repeat.expression, field, _=f"item_{name}")
        signature = f"_ends_{name}(self, item_{name}: {kind}, index: int) -> bool"
        methods.append(MethodView(signature, (f"return {text}",)))
    return methods


def _method(scope: ClassScope, field: Attribute, repeat: Repeat) -> MethodView:
    condition = field.condition
    name = field_name(field.id)
    source = f"source: {scope.use('KaitaiStream')} | {scope.use('BinaryIO')}"
    arguments = ", ".join(("cls", *parameter_list(scope), source))
    before = _before(scope, field)
    # If nothing is read first, the iterator over the items is returned directly.
    items = _items(scope, field, repeat, "yield from" if before or condition else "return")
    if condition is not None:
        items = (when(scope.text(condition, field), items),)
    return MethodView(
        signature=f"iter_{name}({arguments}) -> {scope.use('Iterator')}[{scope.annotations.of_item(field)}]",
        lines=(*_construction(scope), *before, *items),
        doc=f"Read ``{field.id}`` one by one, without keeping them, from a stream or an open binary file.",
        decorators=("classmethod",),
    )


def _construction(scope: ClassScope) -> Lines:
    """Return the statements that make an object without reading it."""
    names, stream = parameter_names(scope), f"self._io = io = {scope.call('stream_of', 'source')}"
    if scope.module.api is not Api.KAITAI:
        return f"self = cls({', '.join(names)})", stream
    # The constructor would read.
    parameters = (f"self.{each} = {each}" for each in names)
    return ("self = cls.__new__(cls)", *parameters, "self._parent = None", "self._root = self", stream)


def _before(scope: ClassScope, step: Attribute) -> Lines:
    """Return the statements that read everything before the items."""
    before = scope.struct.steps[: scope.struct.steps.index(step)]
    if has_rows(scope) and scope.own and step is split(scope)[1][0]:
        return ("self._read_prologue()",) if before or scope.struct.endian is not None else ()
    names = [each.id for each in scope.struct.attributes]
    known = set(names[: names.index(step.id)])
    covers = [each for each in scope.struct.verified if {each.path[0], each.last} <= known]
    return (*endian_lines(scope), *sequence_body(scope, before, covers))


def _items(scope: ClassScope, field: Attribute, repeat: Repeat, give: str) -> Lines:
    if scope.module.has_series(field) and not isinstance(repeat, RepeatUntil):
        return (f"{give} {series_text(scope, field, repeat)}",)
    return loop_lines(scope, field, repeat, Store("yield ", item=True))


def framing_item_methods(scope: ClassScope) -> list[MethodView]:
    """Return the methods ``_begins_NAME()`` and ``_after_NAME(notes)``: the items that a writer writes before and after
    those with rows; and ``_note_NAME(item_NAME, size, notes)``, which creates the parts of the latter for each item.
    """
    methods = []
    for field in scope.struct.attributes:
        name, kind = field_name(field.id), scope.annotations.of_item(field)
        translator = replace(scope.translator(field.position), as_given=True)
        if field.begins_with is not None:
            text = translator.text(field.begins_with)
            methods.append(MethodView(f"_begins_{name}(self) -> list[{kind}]", (f"return {text}",)))
        if field.ends_with is None:
            continue
        notes = scope.use("Notes")
        ends = fold(field.ends_with)
        repeated: dict[Node, int] = {each: number for number, each in enumerate(for_each(ends))}
        written = {"_offset": "notes.position", "_count": "notes.count"}
        text = replace(translator, places={**translator.places, **written}, repeated=repeated).text(ends)
        methods.append(MethodView(f"_after_{name}(self, notes: {notes}) -> list[{kind}]", (f"return {text}",)))
        if repeated:
            of_item = scope.translator(field.position, **written, _=f"item_{name}", _size="size")
            lines = (_noted(of_item, each, repeated[each]) for each in dict.fromkeys(for_each(ends)))
            signature = f"_note_{name}(self, item_{name}: {kind}, size: int, notes: {notes}) -> None"
            methods.append(MethodView(signature, tuple(lines)))
    return methods


def _noted(of_item: Translator, each: ForEach, number: int) -> str:
    return when(of_item.text(each.condition), [f"notes.made[{number}].append({of_item.text(each.value)})"])
