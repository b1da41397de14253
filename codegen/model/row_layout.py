"""The layout of the root's attribute with the rows."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping

from ..expression.fold import constant_integer
from ..expression.nodes import (
    Binary,
    Comparison,
    Conditional,
    CoveredChecksum,
    IntegerLiteral,
    MemberAccess,
    Name,
    Node,
)
from ..expression.types import Path, UserType
from ..expression.walk import expressions_in, names_in, walk
from ..tree import Attribute, Struct
from ..tree.leaves import ExpressionSize, OwnSize, RepeatEos

LARGEST_BLOCK = 64 * 1024 * 1024
"""Maximum size in bytes of a block that is read by itself: it is in memory as a whole."""


def has_sized_rows(root: Struct, rows: Attribute) -> bool:
    """Return whether each item has its own stream, whose size is known from the attributes before the rows: its end
    does not depend on its content, and items can be read one by one."""
    if rows not in root.attributes:
        return False
    if not isinstance(rows.repeat, RepeatEos) or not isinstance(rows.size, ExpressionSize):
        return False
    if rows.condition is not None or rows.switch is not None or rows.framing is not None:
        return False
    before = {each.id for each in root.attributes} - {rows.id}
    names = {name for node in expressions_in(rows) for name in names_in(node)}
    return names <= before and not _reads_on(root, rows)


def block_size(root: Struct, rows: Attribute, structs: Iterable[Struct]) -> int:
    """Return the size of the blocks that make up the whole input, of which only the last one may be shorter.

    Nothing in a block may depend on the file around it, so that any number of blocks can be read as a separate file.
    The size is the expression ``_io.size - _io.pos < N ? _io.size - _io.pos : N``.

    Args:
        root: The root of the spec.
        rows: The attribute of the root with the blocks.
        structs: All types of the spec and its imports, by path.

    Returns:
        The size in bytes; 0 if there are no blocks.
    """
    if root.attributes != (rows,) or root.instances or rows.arguments or root.inner_sums:
        return 0
    if not isinstance(rows.repeat, RepeatEos) or not isinstance(rows.size, ExpressionSize):
        return 0
    if rows.condition or rows.switch or rows.process or rows.terminator or rows.framing:
        return 0
    node = rows.size.expression
    left = Binary("-", MemberAccess(Name("_io"), "size"), MemberAccess(Name("_io"), "pos"))
    size = node.otherwise if isinstance(node, Conditional) else None
    if not isinstance(size, IntegerLiteral) or not 0 < size.value <= LARGEST_BLOCK:
        return 0
    if node != Conditional(Comparison("<", left, size), left, size):
        return 0
    below = (node for struct in structs if struct is not root for node in expressions_in(struct))
    used = (each.type for node in below for each in walk(node))
    return 0 if any(isinstance(each, UserType) and each.path == root.path for each in used) else size.value


def has_no_bytes(attribute: Attribute, type: Struct) -> bool:
    """Return whether items of a ``type`` never have any bytes."""
    if not isinstance(attribute.size, OwnSize):
        return _is_nothing(attribute)
    return attribute.switch is None and all(_is_nothing(each) for each in type.attributes)


def _is_nothing(attribute: Attribute) -> bool:
    size = attribute.size
    return isinstance(size, ExpressionSize) and constant_integer(size.expression) == 0


def is_streaming(types: list[Struct], ids: list[str], structs: Mapping[Path, Struct]) -> bool:
    """Return whether items are read one by one, rather than the input as a whole: they repeat to the end of the input,
    depend only on what precedes them, and do not extend to the end of the input themselves.

    Args:
        types: The types on the path to the rows, from the root on.
        ids: The attributes of the path.
        structs: All types of the spec and its imports, by path.
    """
    root = types[0]
    rows = root.attribute(ids[0])
    if rows is not None and rows.framing is None and _depends_on_end(root, structs):
        return False
    if rows is None or any(holder.attribute(id) is None for holder, id in zip(types, ids, strict=False)):
        # A position may be anywhere in the input.
        return False
    return has_sized_rows(root, rows) or (
        isinstance(rows.repeat, RepeatEos)
        and isinstance(rows.size, OwnSize)
        and rows.terminator is None
        and not (rows.arguments or rows.condition or rows.switch or rows.process)
        and not _reads_on(root, rows)
        and (rows.framing is not None or not _reaches_end(types[1], structs, set()))
    )


def _depends_on_end(root: Struct, structs: Mapping[Path, Struct]) -> bool:
    """Return whether a computed value uses the size of the input, or whether the input has ended. A row reader has only
    a part of the input when it computes the values of a row."""
    found, waiting = {root.path}, [root]
    while waiting:
        for each in waiting.pop().attributes:
            inner = structs.get(each.type.path) if isinstance(each.type, UserType) else None
            if inner is not None and isinstance(each.size, OwnSize) and inner.path not in found:
                found.add(inner.path)
                waiting.append(inner)
    return any(
        _is_end(node, struct, found)
        for struct in structs.values()
        for each in struct.instances
        if each.value is not None
        for node in walk(each.value)
    )


def _is_end(node: Node, struct: Struct, in_place: Container[Path]) -> bool:
    """Return whether an expression is the size or the end of the stream of an object that is in the input itself.
    ``in_place``: the types of such objects."""
    if not isinstance(node, MemberAccess) or node.name not in ("size", "eof"):
        return False
    stream = node.value
    if isinstance(stream, Name):
        return stream.id == "_io" and struct.path in in_place
    holder = stream.value.type if isinstance(stream, MemberAccess) and stream.name == "_io" else None
    return isinstance(holder, UserType) and holder.path in in_place


def _reaches_end(type: Struct, structs: Mapping[Path, Struct], seen: set[Path]) -> bool:
    """Return whether an attribute in objects of a type may extend to the end of their stream."""
    if type.path in seen or type.message is not None:
        return False
    seen.add(type.path)
    for each in type.attributes:
        if each.takes_rest:
            return True
        for inner in each.inline_types:
            if inner.path in structs and _reaches_end(structs[inner.path], structs, seen):
                return True
    return False


def _reads_on(root: Struct, rows: Attribute) -> bool:
    """Return whether the root has attributes to read, or checksums or sizes to verify, after its rows."""
    names = [each.id for each in root.attributes]
    last = names.index(rows.id)
    own = (each.checksum for each in root.attributes if each.checksum is not None)
    ends = [names.index(each.last) for each in (*own, *(each.checksum for each in root.inner_sums))]
    computed = (each.value.runs for each in root.instances if isinstance(each.value, CoveredChecksum))
    ends += (names.index(runs[-1][1]) for runs in computed)
    ends += (names.index(each.size_of[1]) for each in root.attributes if each.size_of is not None)
    return last < len(names) - 1 or any(end >= last for end in ends)
