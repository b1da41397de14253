"""Objects whose reading an error ended, found by the calls in its traceback, so that the parts that were read can be
shown.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

from ..base.dataclass import dataclass
from ..objects.kaitai import KaitaiStream
from ..objects.streams import wire_bytes
from ..objects.structs import Struct
from .field import instance_names, named_by, next_field


@dataclass(frozen=True)
class Unfinished:
    """An incompletely read object. ``name``: the attribute or instance of the enclosing object for which it was read;
    ``items``: the list of that name to which it would have been added.
    """

    struct: Struct
    name: str = ""
    items: list[Any] | None = None


def unfinished(error: BaseException, outermost: Struct) -> list[Unfinished]:
    """Return the objects whose reading ended with an error, from ``outermost`` inwards, each inside the previous."""
    found = [Unfinished(outermost)]
    for (holder, method), (struct, _) in pairwise(_calls(error)):
        if holder is not found[-1].struct:
            continue
        if getattr(struct, "_parent", None) is not holder:
            break
        kind: type[Struct] = type(holder)
        if method in instance_names(kind):
            name, items = method, getattr(holder, f"_m_{method}", None)
        else:
            name, is_item = place_of(struct, holder)
            items = getattr(holder, name) if is_item else None
        found.append(Unfinished(struct, name, items if isinstance(items, list) else None))
    return found


def place_of(struct: Struct, holder: Struct) -> tuple[str, bool]:
    """Return the attribute of ``holder`` for which the incomplete object ``struct`` was read, and whether it was an
    item of a list.
    """
    read = [name for name in holder._fields if hasattr(holder, name)]
    following = next_field(holder, read)
    if not read or not isinstance(getattr(holder, read[-1]), list):
        return following, False
    pattern = re.compile(rf"(?<![\w.]){re.escape(type(struct).__qualname__)}(?![\w.])")
    types: dict[str, Any] = {name: kind for each in type(holder).__mro__ for name, kind in _annotations(each).items()}
    is_item = pattern.search(str(types.get(read[-1], ""))) or not pattern.search(str(types.get(following, "")))
    return (read[-1], True) if is_item else (following, False)


def offset_of(objects: list[Unfinished]) -> int | None:
    """Return the byte offset in the input at which the reading of the innermost object ended; ``None`` if its bytes are
    not contained in the input unchanged.
    """
    streams: list[KaitaiStream] = []
    for each in objects:
        if not streams or each.struct._io is not streams[-1]:
            streams.append(each.struct._io)
    offset = streams[-1].pos()
    for outer, inner in zip(reversed(streams[:-1]), reversed(streams), strict=False):
        begin, data = outer.pos() - inner.size(), inner.to_byte_array()
        if begin < 0 or wire_bytes(outer, begin, outer.pos()) != data:
            return None
        offset += begin
    return offset


def path_of(objects: list[Unfinished], error: BaseException, instance: str = "") -> str:
    """Return the path from the outermost object, or from that of an ``instance``, to the value at which the reading
    ended, such as ``chunks[2].body.crc``.
    """
    path = "".join(
        f".{each.name}" if each.items is None else f".{each.name}[{len(each.items)}]" for each in objects[1:]
    )
    last = objects[-1].struct
    name = instance if instance and len(objects) == 1 else named_by(last, error) or _missing(last, error)
    return f"{path}.{name}".strip(".")


def _missing(struct: Struct, error: BaseException) -> str:
    """Return the first attribute that is not set; empty if all are."""
    left, sizes = struct._io.size() - struct._io.pos(), dict(struct._sizes)
    for name in struct._fields:
        if not hasattr(struct, name):
            # Attributes of fixed sizes are read together, so some of them may have been available.
            if not isinstance(error, EOFError) or sizes.get(name, left + 1) > left:
                return name
            left -= sizes[name]
    return ""


def _calls(error: BaseException) -> list[tuple[Struct, str]]:
    """Return the objects of the calls through which an error was raised, each with its last method."""
    found: list[tuple[Struct, str]] = []
    for frame in _frames(error):
        struct = frame.f_locals.get("self")
        if isinstance(struct, Struct):
            if found and found[-1][0] is struct:
                found.pop()
            found.append((struct, frame.f_code.co_name))
    return found


def _frames(error: BaseException) -> Iterator[Any]:
    seen: set[int] = set()
    current: BaseException | None = error
    while current is not None and id(current) not in seen:
        seen.add(id(current))
        trace = current.__traceback__
        while trace is not None:
            yield trace.tb_frame
            trace = trace.tb_next
        current = current.__cause__


def _annotations(kind: type) -> dict[str, Any]:
    found: dict[str, Any] = vars(kind).get("__annotations__", {})
    return found
