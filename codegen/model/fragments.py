"""``-wireloom: {fragments: …}`` in ``meta``: how fragmented records are reassembled; ``stream``: bytes that are one
stream."""

from __future__ import annotations

from collections.abc import Mapping

from wireloom.base.dataclass import replace
from wireloom.codecs import MAX_EXPANDED
from wireloom.format.fragments import Fragments

from ..expression.fold import constant_integer
from ..expression.types import (
    BitsType,
    BooleanType,
    BytesType,
    ComputedIntegerType,
    IntegerType,
    Path,
    StringType,
    UserType,
)
from ..spec.diagnostics import Diagnostics
from ..spec.syntax import Expression, Integer, Section
from ..tree import Attribute, Instance, Struct
from ..tree.leaves import Labels
from ..words import no_attribute, shown, suggestion
from .row_layout import has_no_bytes

PARTS = ("full", "first", "middle", "last", "skip")


def read_fragments(
    section: Section, row: Struct, structs: Mapping[Path, Struct], diagnostics: Diagnostics
) -> Fragments | None:
    """Return the fragments of a table whose rows are of the type ``row``; ``None`` if it has none, or on errors."""
    keys = section.section("fragments")
    if keys is None or keys.faulty:
        return None
    kind = _member(keys, "kind", row, diagnostics)
    data = _attribute(keys, "data", row, diagnostics)
    numbers = {part: tuple(each.value for each in keys.items(part) if isinstance(each, Integer)) for part in PARTS}
    empty = next((part for part in PARTS if part in keys and not numbers[part]), None)
    if empty is not None:
        diagnostics.error(keys.position_of(empty), f"{shown(empty)} requires at least one number")
        return None
    kinds = [number for each in numbers.values() for number in each]
    twice = next((each for each in kinds if kinds.count(each) > 1), None)
    if twice is not None:
        diagnostics.error(keys.position, f"the kind {twice} is used for more than one of {', '.join(PARTS)}")
        return None
    if kind is None or data is None:
        return None
    type = _integer_type(kind)
    if type is None or kind.condition or (isinstance(kind, Attribute) and kind.repeat):
        message = f"'kind' must be an integer that every row has, which {shown(kind.id)} is not"
        diagnostics.error(keys.position_of("kind"), message)
        return None
    if isinstance(type, IntegerType):
        bits = 8 * type.size - type.signed
        low, high = (-1 << bits) * type.signed, (1 << bits) - 1
        beyond = next((each for each in kinds if not low <= each <= high), None)
        if beyond is not None:
            message = f"{shown(kind.id)} is an integer from {low} to {high}, so no fragment can have the kind {beyond}"
            diagnostics.error(keys.position, message)
            return None
    if not _are_bytes(data, keys, "data", diagnostics):
        return None
    full, first, middle, last, skip = (numbers[part] for part in PARTS)
    made = Fragments(kind.id, data.id, full, first, middle, last, skip, block=keys.integer("block") or 0)
    log = _member(keys, "log", row, diagnostics)
    if log is not None:
        if _integer_type(log) is None or (isinstance(log, Attribute) and log.repeat):
            diagnostics.error(keys.position_of("log"), f"'log' must be an integer, which {shown(log.id)} is not")
            return None
        made = replace(made, log=log.id, log_field=_field_at(log, row, structs))
    codec = keys.section("codec")
    return made if codec is None else _with_codec(made, codec, row, diagnostics)


def read_stream(section: Section, row: Struct, diagnostics: Diagnostics) -> tuple[str, ...]:
    """Return the attribute whose bytes, those of all rows joined, are a stream, and the member that says whether a row
    begins with them, if there is one; empty without a stream, or on errors."""
    if "stream" not in section:
        return ()
    keys = section.section("stream")
    holder, key = (section, "stream") if keys is None else (keys, "data")
    data = _attribute(holder, key, row, diagnostics)
    if data is None or not _are_bytes(data, holder, key, diagnostics):
        return ()
    other = next((key for key in ("fragments", "distinct") if key in section), None)
    if other is not None:
        diagnostics.error(section.keys["stream"], f"'stream' and {shown(other)} cannot be used together")
        return ()
    if keys is None or "begins" not in keys:
        return (data.id,)
    begins = _member(keys, "begins", row, diagnostics)
    if begins is None:
        return ()
    is_truth = isinstance(begins.type.on_wire, BooleanType | BitsType) and not getattr(begins, "repeat", None)
    if not is_truth and _integer_type(begins) is None:
        message = f"'begins' must be true or false, or an integer, which {shown(begins.id)} is not"
        diagnostics.error(keys.position_of("begins"), message)
        return ()
    return data.id, begins.id


def read_decode(section: Section, row: Struct, root: Struct, diagnostics: Diagnostics) -> tuple[str, ...]:
    """Return ``Rows.decode`` of a table; empty if its bytes are not decoded, or on errors."""
    keys = section.section("decode") if "decode" in section else None
    if keys is None:
        return ()
    data, by = _attribute(keys, "data", row, diagnostics), keys.text("by")
    schema = _member(keys, "schema", root, diagnostics)
    count = _member(keys, "count", row, diagnostics) if "count" in keys else None
    if data is None or by is None or schema is None or not _are_bytes(data, keys, "data", diagnostics):
        return ()
    if not isinstance(schema.type, StringType):
        diagnostics.error(keys.position_of("schema"), f"'schema' must be text, which {shown(schema.id)} is not")
    if count is not None and (count.id not in row.columns or isinstance(count.type, BytesType | StringType)):
        diagnostics.error(keys.position_of("count"), f"'count' must be an integer, which {shown(count.id)} is not")
    if "stream" in section or "fragments" in section:
        diagnostics.error(section.keys["decode"], "'decode' requires rows that are not joined")
    return data.id, by.value, schema.id, "" if count is None else count.id


def _are_bytes(data: Attribute, keys: Section, key: str, diagnostics: Diagnostics) -> bool:
    """Return whether an attribute that a key names is bytes, and report it otherwise."""
    found = isinstance(data.type, BytesType) and not data.repeat and data.contents is None
    if not found:
        diagnostics.error(keys.position_of(key), f"{shown(key)} must be bytes, which {shown(data.id)} is not")
    return found


def _field_at(member: Attribute | Instance, row: Struct, structs: Mapping[Path, Struct]) -> tuple[int, int, str] | None:
    """Return the offset of an integer in a row, its size in bytes and its byte order, ``big`` or ``little``; ``None``
    if they are not the same in all rows that have it."""
    type = member.type.on_wire
    if not isinstance(type, IntegerType) or type.endian == "computed" or not isinstance(member, Attribute):
        return None
    offset = 0
    for each in row.attributes:
        if each.id == member.id:
            return offset, type.size, "big" if type.endian == "be" else "little"
        inner = structs.get(each.type.path) if isinstance(each.type, UserType) else None
        size = 0 if inner is not None and has_no_bytes(each, inner) else each.fixed_size
        if size is None:
            return None
        offset += size
    return None


def _with_codec(fragments: Fragments, keys: Section, row: Struct, diagnostics: Diagnostics) -> Fragments | None:
    """Return the fragments with their codec; ``None`` on errors."""
    name = keys.text("switch-on")
    entries = keys.entries("cases")
    if name is None or keys.faulty:
        return None
    member = _member(keys, "switch-on", row, diagnostics)
    if member is None:
        return None
    if _integer_type(member) is None:
        diagnostics.error(name.position, f"'switch-on' of 'codec' must be an integer, which {shown(name.value)} is not")
        return None
    if not entries:
        diagnostics.error(keys.position_of("cases"), "'codec' requires at least one case")
        return None
    codecs: list[tuple[int, str]] = []
    for each in entries:
        value = constant_integer(each.key.node) if isinstance(each.key, Expression) else None
        if value is None:
            diagnostics.error(
                each.key.position if isinstance(each.key, Expression) else keys.position,
                "a case of 'codec' must be an integer",
            )
            return None
        codecs.append((value, getattr(each.value, "value", "")))
    most = keys.integer("max-expanded")
    return replace(fragments, codec=name.value, codecs=tuple(codecs), most=MAX_EXPANDED if most is None else most)


def _attribute(keys: Section, key: str, row: Struct, diagnostics: Diagnostics) -> Attribute | None:
    name = keys.text(key)
    if name is None:
        return None
    found = row.attribute(name.value)
    if found is None:
        hint = no_attribute(name.value, [each.id for each in row.attributes], row.instance(name.value))
        diagnostics.error(name.position, f"{'::'.join(row.path)} has no attribute {shown(name.value)}{hint}")
    return found


def _member(keys: Section, key: str, row: Struct, diagnostics: Diagnostics) -> Attribute | Instance | None:
    """Return the attribute or instance of a row that a key names; ``None`` on errors."""
    name = keys.text(key)
    if name is None:
        return None
    found = row.attribute(name.value) or row.instance(name.value)
    if found is None:
        known = [*(each.id for each in row.attributes), *(each.id for each in row.instances)]
        hint = suggestion(name.value, known)
        message = f"{'::'.join(row.path)} has no attribute or instance {shown(name.value)}{hint}"
        diagnostics.error(name.position, message)
    return found


def _integer_type(member: Attribute | Instance) -> IntegerType | ComputedIntegerType | None:
    """Return the type of an integer that is read or computed with the row; ``None`` for others."""
    type = member.type.on_wire
    is_read = isinstance(member, Attribute) or member.pos is None
    if not isinstance(type, IntegerType | ComputedIntegerType) or isinstance(member.logical, Labels) or not is_read:
        return None
    return type
