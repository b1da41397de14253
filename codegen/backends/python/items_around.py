"""The items that a writer writes before and after those with rows, and what the latter say of all items."""

from __future__ import annotations

from dataclasses import replace

from ...expression.fold import fold
from ...expression.nodes import ForEach, Node
from ...expression.walk import walk
from .expressions import Translator
from .names import field_name
from .scope import ClassScope
from .statements import when
from .view import MethodView


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


def for_each(items: Node | None) -> tuple[ForEach, ...]:
    """Return the parts of a list of objects that are created for each item written before."""
    return () if items is None else tuple(each for each in walk(items) if isinstance(each, ForEach))


def _noted(of_item: Translator, each: ForEach, number: int) -> str:
    return when(of_item.text(each.condition), [f"notes.made[{number}].append({of_item.text(each.value)})"])
