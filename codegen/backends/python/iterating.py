"""Iterators beside the lists: the items of the root's repeated attributes one by one, in constant memory."""

from __future__ import annotations

from collections.abc import Iterator

from ...expression.nodes import Attribute as Member
from ...expression.nodes import Name, Node
from ...expression.types import UserType
from ...expression.walk import walk
from ...model.model import Attribute, Instance, RepeatUntil
from ...plan.covers import checksums, covered
from ...plan.sizes import nodes, structs
from .annotations import member_names
from .api import Api
from .buffered_types import has_series
from .endian import endian_lines
from .names import field_name
from .reading import loop_lines, series_text
from .rows import rows_attribute
from .scope import ClassScope
from .sequence import parameter_list, sequence
from .view import Line, Lines, MethodView, block


def iterator_methods(scope: ClassScope) -> list[MethodView]:
    """``iter_NAME()`` for each repeated attribute of the root that can be read item by item."""
    struct = scope.struct
    if struct is not scope.spec.root or struct.message is not None or scope.module.debug:
        return []
    repeated = [each for each in struct.attributes if each.repeat is not None]
    return [_method(scope, each) for each in repeated if _is_free(scope, each)]


def _is_free(scope: ClassScope, attribute: Attribute) -> bool:
    """Whether no size, count or check asks for the list, which is not there; and the method's name is not taken."""
    if f"iter_{field_name(attribute.id)}" in member_names(scope.struct):
        return False
    own = any(isinstance(each, Name) and each.id == attribute.id for node in nodes(attribute) for each in walk(node))
    return not own and not any(_asks_for(scope, node, attribute.id) for node in _everywhere(scope))


def _everywhere(scope: ClassScope) -> Iterator[Node]:
    for struct in structs(scope.spec.root):
        parts: tuple[Attribute | Instance, ...] = (*struct.attributes, *struct.instances)
        for part in parts:
            yield from nodes(part)


def _asks_for(scope: ClassScope, node: Node, name: str) -> bool:
    """Whether an expression of an item, or of what is inside it, asks for the root's list."""
    for each in walk(node):
        if isinstance(each, Member) and each.name == name:
            kind = each.value.type
            if not isinstance(kind, UserType) or kind.path == scope.struct.path:
                return True
    return False


def _method(scope: ClassScope, attribute: Attribute) -> MethodView:
    name, annotations = field_name(attribute.id), scope.annotations
    source = f"source: {scope.use('KaitaiStream')} | {scope.use('BinaryIO')}"
    arguments = ", ".join(("cls", *parameter_list(scope), source))
    before = _before(scope, attribute)
    # Where nothing is read first, the iterator of the items is the iterator.
    items = _items(scope, attribute, "yield from" if before or attribute.condition else "return")
    if attribute.condition is not None:
        items = (block(f"if {scope.text(attribute.condition, attribute)}:", items),)
    return MethodView(
        signature=f"iter_{name}({arguments}) -> {scope.use('Iterator')}[{annotations.of_item(attribute)}]",
        lines=(*_begin(scope), *before, *items),
        doc=f"Reads ``{attribute.id}`` one by one, without keeping them, from a stream or an open binary file.",
        decorators=("classmethod",),
    )


def _begin(scope: ClassScope) -> Lines:
    """An object that has not been read, and its stream."""
    stream = Line(f"self._io = io = {scope.use('stream_of')}(source)")
    names = [field_name(each.id) for each in scope.struct.parameters]
    if scope.module.api is not Api.KAITAI:
        return Line(f"self = cls({', '.join(names)})"), stream
    return (
        Line("self = cls.__new__(cls)"),
        *(Line(f"self.{each} = {each}") for each in names),
        Line("self._parent = None"),
        Line("self._root = self"),
        stream,
    )


def _before(scope: ClassScope, attribute: Attribute) -> Lines:
    """Reads what stands before the items."""
    before = scope.struct.attributes[: scope.struct.attributes.index(attribute)]
    if before and attribute is rows_attribute(scope) and scope.module.api is Api.WIRELOOM:
        return (Line("self._read_prologue()"),)
    ids = {each.id for each in before}
    known = {
        each.id
        for each, checksum in checksums(scope.struct)
        if each.id in ids and {one.id for one in covered(scope.struct, checksum)} <= ids
    }
    lines = (*endian_lines(scope), *sequence(scope, before, frozenset(known)))
    return tuple(each for each in lines if each.text != "io = self._io")


def _items(scope: ClassScope, attribute: Attribute, give: str) -> Lines:
    if has_series(scope.module, attribute) and not isinstance(attribute.repeat, RepeatUntil):
        return (Line(f"{give} {series_text(scope, attribute)}"),)
    return loop_lines(scope, attribute, lambda text: Line(f"yield {text}"), scope.source_of(attribute))
