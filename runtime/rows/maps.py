"""Maps: readers fill lists of structs, with the keys and values where an item of the format has them."""

from __future__ import annotations

from collections.abc import Mapping
from functools import reduce
from typing import Any

import pyarrow as pa

from ..format.columns import Column

Ways = Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]]
"""The ways from the item of each map to its key and value, by the way that leads to the map."""


def ways_of(column: Column) -> Ways:
    """Return the maps in a column."""
    return {path: (tuple(key.split(".")), tuple(value.split("."))) for path, key, value in column.maps}


def stored_type(kind: Any, maps: Ways, path: str = "") -> Any:
    """Return a type with lists of structs in place of the maps."""
    if path in maps:
        key, value = maps[path]
        inner = stored_type(kind.item_type, maps, f"{path}.item.{'.'.join(value)}")
        return pa.list_(_pair({key: kind.key_type, value: inner}))
    if pa.types.is_list(kind):
        return pa.list_(stored_type(kind.value_type, maps, f"{path}.item"))
    if pa.types.is_struct(kind):
        return pa.struct([each.with_type(stored_type(each.type, maps, f"{path}.{each.name}")) for each in kind])
    return kind


def _pair(leaves: Mapping[tuple[str, ...], Any]) -> Any:
    """Return the struct with fields of these types, in structs where their ways have several names."""
    fields = []
    for name in dict.fromkeys(way[0] for way in leaves):
        inside = {way[1:]: kind for way, kind in leaves.items() if way[0] == name}
        fields.append((name, inside[()] if () in inside else _pair(inside)))
    return pa.struct(fields)


def with_maps(array: pa.Array, kind: Any, maps: Ways, path: str = "") -> pa.Array:
    """Return an array of ``stored_type(kind)`` as one of ``kind``, which shares its memory."""
    if array.type == kind:
        return array
    if path in maps:
        key, value = (reduce(lambda holder, name: holder.field(name), way, array.values) for way in maps[path])
        values = with_maps(value, kind.item_type, maps, f"{path}.item.{'.'.join(maps[path][1])}")
        inside = pa.StructArray.from_arrays([key, values], fields=[kind.key_field, kind.item_field])
    elif pa.types.is_list(kind):
        inside = with_maps(array.values, kind.value_type, maps, f"{path}.item")
    else:
        fields = [with_maps(array.field(each.name), each.type, maps, f"{path}.{each.name}") for each in kind]
        return pa.StructArray.from_arrays(fields, fields=list(kind), mask=array.is_null() if array.null_count else None)
    # The offsets are those of the list.
    return pa.Array.from_buffers(
        kind, len(array), array.buffers()[:2], array.null_count, array.offset, children=[inside]
    )


def entry_of(maps: Ways, path: str, key: Any, value: Any) -> dict[str, Any]:
    """Return the item of a map with that key and value, as mappings."""
    entry: dict[str, Any] = {}
    for way, each in zip(maps[path], (key, value), strict=True):
        holder = entry
        for name in way[:-1]:
            holder = holder.setdefault(name, {})
        holder[way[-1]] = each
    return entry
