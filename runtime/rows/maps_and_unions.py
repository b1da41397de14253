"""Maps and unions. Readers fill maps as lists of structs, with the keys and values where an item of the format has
them, and unions as structs of which one field is present."""

from __future__ import annotations

from collections.abc import Mapping
from functools import reduce
from typing import Any

import pyarrow as pa

from ..format.columns import Column
from .numbers import constant

MapPaths = Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]]
"""For each map, by the path that leads to it: the paths from an item to its key and its value."""


def map_paths_of(column: Column) -> MapPaths:
    """Return the paths of the maps in a column."""
    return {path: (tuple(key.split(".")), tuple(value.split("."))) for path, key, value in column.maps}


def has_maps_or_unions(kind: Any) -> bool:
    """Return whether there are maps or unions in a type."""
    inside = (kind.field(number).type for number in range(kind.num_fields))
    return pa.types.is_map(kind) or pa.types.is_union(kind) or any(map(has_maps_or_unions, inside))


def stored_type(kind: Any, maps: MapPaths, path: str = "") -> Any:
    """Return a type with maps replaced by lists of structs, and unions by structs."""
    if path in maps:
        key, value = maps[path]
        inner = stored_type(kind.item_type, maps, f"{path}.item.{'.'.join(value)}")
        return pa.list_(_pair({key: kind.key_type, value: inner}))
    if pa.types.is_list(kind):
        return pa.list_(stored_type(kind.value_type, maps, f"{path}.item"))
    if pa.types.is_struct(kind) or pa.types.is_union(kind):
        return pa.struct([each.with_type(stored_type(each.type, maps, f"{path}.{each.name}")) for each in kind])
    return kind


def _pair(leaves: Mapping[tuple[str, ...], Any]) -> Any:
    """Return the struct with fields of these types, nested in structs if their paths have several names."""
    fields = []
    for name in dict.fromkeys(path[0] for path in leaves):
        inside = {path[1:]: kind for path, kind in leaves.items() if path[0] == name}
        fields.append((name, inside[()] if () in inside else _pair(inside)))
    return pa.struct(fields)


def to_schema_type(array: pa.Array, kind: Any, maps: MapPaths, path: str = "") -> pa.Array:
    """Return an array of ``stored_type(kind)`` as an array of ``kind``, which shares its memory."""
    if array.type == kind:
        return array
    if path in maps:
        key, value = (reduce(_field, leaf, array.values) for leaf in maps[path])
        values = to_schema_type(value, kind.item_type, maps, f"{path}.item.{'.'.join(maps[path][1])}")
        inside = pa.StructArray.from_arrays([key, values], fields=[kind.key_field, kind.item_field])
    elif pa.types.is_list(kind):
        inside = to_schema_type(array.values, kind.value_type, maps, f"{path}.item")
    else:
        fields = [to_schema_type(_field(array, each.name), each.type, maps, f"{path}.{each.name}") for each in kind]
        if pa.types.is_union(kind):
            return _union(fields, kind)
        return pa.StructArray.from_arrays(fields, fields=list(kind), mask=array.is_null() if array.null_count else None)
    # The offsets are those of the list.
    return pa.Array.from_buffers(
        kind, len(array), array.buffers()[:2], array.null_count, array.offset, children=[inside]
    )


def _field(array: pa.Array, name: str) -> pa.Array:
    """Return a field of structs, null where the struct is null."""
    return array.field(name) if not array.null_count else array.flatten()[array.type.get_field_index(name)]


def _union(fields: list[pa.Array], kind: Any) -> pa.Array:
    """Return the dense union of the fields of structs, of which at most one is present; null where none is."""
    # Imported here: few tables have unions.
    import pyarrow.compute as pc

    present = pc.make_struct(*map(pc.is_valid, fields))
    codes = pc.case_when(present, *(constant(code, pa.int8()) for code in kind.type_codes))
    ones = pa.repeat(constant(1, pa.int32()), len(fields[0]))
    offsets = pc.subtract(pc.cumulative_sum(ones), constant(1, pa.int32()))
    codes = pc.fill_null(codes, constant(kind.type_codes[0], pa.int8()))
    return pa.UnionArray.from_dense(codes, offsets, fields, [each.name for each in kind], list(kind.type_codes))


def without_unions(array: pa.Array) -> pa.Array:
    """Return an array in which each dense union is replaced by a struct; only the field of the chosen type is
    present."""
    kind = array.type
    if not has_maps_or_unions(kind) or pa.types.is_map(kind):
        return array
    if pa.types.is_list(kind):
        inside = without_unions(array.values)
        made = pa.list_(kind.value_field.with_type(inside.type))
        return pa.Array.from_buffers(
            made, len(array), array.buffers()[:2], array.null_count, array.offset, children=[inside]
        )
    if pa.types.is_struct(kind):
        fields = [without_unions(each) for each in array.flatten()]
        return pa.StructArray.from_arrays(fields, names=[each.name for each in kind], mask=array.is_null())
    import pyarrow.compute as pc

    _, codes, offsets = array.buffers()[:3]
    chosen = pa.Array.from_buffers(pa.int8(), len(array), [None, codes], 0, array.offset)
    indices = pa.Array.from_buffers(pa.int32(), len(array), [None, offsets], 0, array.offset)
    nothing = constant(None, pa.int32())
    fields = []
    for number, code in enumerate(kind.type_codes):
        present = pc.if_else(pc.equal(chosen, constant(code, pa.int8())), indices, nothing)
        fields.append(without_unions(array.field(number).take(present)))
    absent = pc.invert(reduce(pc.or_, map(pc.is_valid, fields)))
    return pa.StructArray.from_arrays(fields, names=[each.name for each in kind], mask=absent)


def without_union_types(kind: Any) -> Any:
    """Return the type of the result of ``without_unions``."""
    return without_unions(pa.nulls(0, kind)).type


def entry_of(maps: MapPaths, path: str, key: Any, value: Any) -> dict[str, Any]:
    """Return the item of a map with that key and value, as nested mappings."""
    entry: dict[str, Any] = {}
    for way, each in zip(maps[path], (key, value), strict=True):
        holder = entry
        for name in way[:-1]:
            holder = holder.setdefault(name, {})
        holder[way[-1]] = each
    return entry
