"""Warnings of Kaitai's style guide: the size of ``x`` is called ``len_x`` and its count ``num_x``."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable, Iterator

from ..expression.nodes import Name, Node
from ..expression.types import StringType
from ..expression.walk import expressions_in
from ..spec.diagnostics import Diagnostics
from ..wire import ExpressionSize, RepeatCount
from .model import Attribute, Struct
from .references import Reference, references

GUIDE = "https://doc.kaitai.io/ksy_style_guide.html#attr-id"


def check_style(structs: Iterable[Struct], specs: Container[str], diagnostics: Diagnostics) -> None:
    """Warn about members of ``specs`` that are used once, as the size or the count of a member of the same type, and
    have another name. As in Kaitai's compiler, sizes of text are excluded."""
    known = list(structs)
    uses: Counter[Reference] = Counter()
    for struct in known:
        for node in expressions_in((struct.attributes, struct.instances, struct.to_string, struct.endian)):
            uses.update(references(node, struct.path))
    for struct in (each for each in known if each.path[0] in specs):
        places = {each.id: each.position for each in struct.parameters}
        places.update((each.id, each.position) for each in struct.attributes)
        places.update((each.id, each.position) for each in struct.instances)
        for attribute, node, prefix, role in _roles(struct):
            name = node.id if isinstance(node, Name) else ""
            position = places.get(name)
            good = f"{prefix}_{attribute.id}"
            if position is None or attribute.anonymous or uses[struct.path, name] != 1 or name == good:
                continue
            why = f"given that it's only used as {role} of `{attribute.id}` (see {GUIDE})"
            diagnostics.warning(position, f"use `{good}` instead of `{name}`, {why}")


def _roles(struct: Struct) -> Iterator[tuple[Attribute, Node, str, str]]:
    """Yield all sizes and counts: the member, its expression, and the name by the style guide."""
    for each in (*struct.attributes, *(one.attribute for one in struct.instances if one.attribute is not None)):
        if isinstance(each.size, ExpressionSize) and not isinstance(each.type, StringType):
            yield each, each.size.expression, "len", "a byte size"
        if isinstance(each.repeat, RepeatCount):
            yield each, each.repeat.expression, "num", "repeat count"
