"""Refusals of what the classes of a spec cannot express. They are found without lowering the classes, since the engine
may read a loaded spec without these."""

from __future__ import annotations

import keyword
from collections import Counter
from collections.abc import Iterable, Iterator

from wireloom.format.routines import kaitai_place

from ...encodings import python_codec
from ...expression.nodes import Call, StringLiteral
from ...expression.types import BytesType, ListType, StringType, Type, UnionType, UserType
from ...expression.walk import expressions_in, walk
from ...passes.running_checksums import running_checksum_holder
from ...tree import Attribute, Instance, Spec, StoredChecksum, Struct
from ...tree.leaves import Parameter
from ..base import refuse
from .names import Api, class_name, enum_classes, member_names, naming


def check_supported(spec: Spec) -> bool:
    """Raise ``SpecError`` for what the classes of a spec cannot express; otherwise return true, since every spec has
    classes."""
    refuse_unsupported(spec, Api.WIRELOOM)
    return True


def refuse_unsupported(spec: Spec, api: Api) -> None:
    """Raise ``SpecError`` if the classes of a spec cannot have this API.

    Args:
        spec: The spec, with the facts that ``codegen.passes`` derives.
        api: The API of the classes.
    """
    with naming(api):
        _refuse(spec, spec.root, api)


def _refuse(spec: Spec, struct: Struct, api: Api) -> None:
    _refuse_twins(struct)
    for each in struct.structs:
        _refuse(spec, each, api)
    for attribute in struct.all_attributes:
        _refuse_keywords(attribute)
    if api is Api.WIRELOOM:
        _refuse_undefined(struct)
        _refuse_encodings(struct)
        for checksum in struct.verified:
            _refuse_interrupted(spec, struct, checksum)
    else:
        _refuse_running(struct)
    _refuse_circles(struct)


# Names ----------------------------------------------------------------------------------------------------------------


def _refuse_twins(struct: Struct) -> None:
    twin = _first_twin((*(class_name(each.path[-1]) for each in struct.structs), *enum_classes(struct).values()))
    if twin is not None:
        refuse(struct.position, f"two types or enums of '{struct.path[-1]}' would both become the class {twin}")
    twin = _first_twin(member_names(struct))
    if twin is not None:
        refuse(struct.position, f"two members of '{struct.path[-1]}' would both be named {twin}")


def _first_twin(names: Iterable[str]) -> str | None:
    return next((name for name, count in Counter(names).items() if count > 1), None)


def _refuse_keywords(attribute: Attribute) -> None:
    process = attribute.process
    if process is None or not process.is_routine:
        return
    module, _, kind = kaitai_place(process.name).partition(":")
    if any(keyword.iskeyword(each) for each in (*module.split("."), kind)):
        refuse(
            process.position,
            f"'{process.name}' is not a class that Python can import: a part of the name is a Python keyword",
        )


# Types ----------------------------------------------------------------------------------------------------------------


def _refuse_undefined(struct: Struct) -> None:
    members: tuple[Parameter | Attribute | Instance, ...] = (*struct.parameters, *struct.attributes, *struct.instances)
    for kind in (kind for each in members for kind in _inside(each.type)):
        if isinstance(kind, UserType) and kind.opaque:
            refuse(struct.position, f"the type '{'::'.join(kind.path)}' is not defined")


def _inside(kind: Type) -> Iterator[Type]:
    """Yield a type, or those of the items or members of it."""
    match kind:
        case ListType(item):
            yield from _inside(item)
        case UnionType(members):
            for each in members:
                yield from _inside(each)
        case _:
            yield kind


def _refuse_encodings(struct: Struct) -> None:
    for attribute in struct.all_attributes:
        cases = attribute.switch.cases if attribute.switch is not None else ()
        for kind in (attribute.type, *(each.type for each in cases)):
            if isinstance(kind, StringType) and python_codec(kind.encoding or "UTF-8") is None:
                refuse(attribute.position, f"Python does not support the encoding '{kind.encoding}'")
    members: tuple[Attribute | Instance, ...] = (*struct.attributes, *struct.instances)
    expressions_of = ((each.position, expressions_in(each)) for each in members)
    others = struct.position, expressions_in((struct.conditions, struct.to_string))
    for position, expressions in (*expressions_of, others):
        for node in (node for each in expressions for node in walk(each) if isinstance(node, Call)):
            encoding = _encoding(node)
            if encoding is not None and python_codec(encoding) is None:
                refuse(position, "the encoding must be supported by Python")


def _encoding(node: Call) -> str | None:
    """Return the encoding in which a call converts bytes to text or text to bytes; ``None`` for other calls."""
    converted = {"to_s": BytesType, "to_b": StringType}.get(node.name)
    if converted is None or not isinstance(node.value.type, converted):
        return None
    [encoding] = node.arguments
    return encoding.value if isinstance(encoding, StringLiteral) else ""


# Checksums ------------------------------------------------------------------------------------------------------------


def _refuse_interrupted(spec: Spec, struct: Struct, checksum: StoredChecksum) -> None:
    if checksum.is_running and running_checksum_holder(spec, struct) is None:
        refuse(
            checksum.attribute.position,
            f"'{checksum.attribute.id}' continues the checksum of the previous item, but objects of "
            f"'{struct.path[-1]}' are not always in items of one list without 'framing'",
        )


def _refuse_running(struct: Struct) -> None:
    running = next((each.attribute for each in struct.verified if each.is_running), None)
    if running is not None:
        refuse(
            running.position,
            "a checksum that continues that of the previous item is only supported by wireloom's own classes",
        )


def _refuse_circles(struct: Struct) -> None:
    done: set[str] = set()
    for cover in (each.checksum for each in struct.fills if each.how == "checksum after"):
        if cover is not None:
            if backpatched_inside(struct, cover) - done - {cover.attribute.id}:
                refuse(cover.attribute.position, "these checksums cover each other")
            done.add(cover.attribute.id)


def backpatched_inside(struct: Struct, cover: StoredChecksum) -> set[str]:
    """Return the ids of the checksums of bytes already written that are inside the range of ``cover``."""
    backpatched = (each for each in struct.checksums if each.value is None and not each.of_object)
    return {each.attribute.id for each in backpatched if each.attribute.id in cover.covered}
