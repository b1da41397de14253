"""Writing of messages in one pass from the end to the beginning: the length of a content is known when it has been
written, so no byte is copied twice, however deeply messages are nested."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import copysign
from typing import Any, NamedTuple, TypeAlias

from ...format.message_rules import FieldKind, FieldRule, Label, WireType
from .descriptors import CHOSEN, SCALAR, SEVERAL, Descriptor, FieldWriter, descriptor_of
from .encoding import Encode, encoder
from .errors import MessageError
from .kinds import LENGTH_DELIMITED, wire_type
from .wire import write_varint


class Inner(NamedTuple):
    """A nested message, or an entry of a map: its tag, its writer, and its part of an error's path."""

    tag: bytes
    parts: Parts
    name: str


Parts: TypeAlias = "Iterator[Inner]"
"""Writes a message, the last field first: appends bytes, and yields each inner message, to be written before them."""


def write_message(message: Any) -> bytes:
    """Return the canonical bytes of a message. It becomes the parent of the objects inside it.

    Raises ``MessageError``, which names the field, if a required field is missing, a value does not fit its field,
    several members of a oneof are set, or messages are nested too deeply.
    """
    descriptor = descriptor_of(type(message))
    depth = descriptor.rule.max_depth
    written: list[bytes] = []
    # ``total`` is the size of the first ``counted`` pieces.
    counted = total = 0
    stack: list[tuple[Inner, Parts, int]] = []
    parts = _parts(message, descriptor, written, depth)
    try:
        while True:
            inner = next(parts, None)
            total += sum(map(len, written[counted:]))
            counted = len(written)
            if inner is not None:
                stack.append((inner, parts, total))
                if len(stack) > depth:
                    raise MessageError(f"messages are nested more than {depth} deep", reason="limit")
                parts = inner.parts
            elif stack:
                inner, parts, before = stack.pop()
                written.append(inner.tag + write_varint(total - before))
            else:
                break
    except MessageError as error:
        path = [inner.name for inner, _, _ in stack]
        error.field = ".".join([*path, error.field] if error.field else path)
        raise
    written.reverse()
    return b"".join(written)


def _parts(message: Any, descriptor: Descriptor, written: list[bytes], depth: int) -> Parts:
    """Write the fields of a message. ``depth``: how deep messages in it may be nested."""
    for writer in descriptor.writers or make_writers(descriptor):
        name, shape, tag, encode, prefixed, rule, _, _ = writer
        value = getattr(message, name)
        if value is None:
            if rule.label is Label.REQUIRED:
                raise MessageError("the required field is missing", field=name)
            continue
        if shape != SCALAR:
            if rule.oneof:
                _check_oneof(message, descriptor, rule)
            if shape == SEVERAL:
                yield from _several(message, descriptor, writer, value, written, depth)
                continue
        elif not value and rule.label is Label.IMPLICIT and is_zero(value):
            continue
        try:
            data = encode(value)
        except (TypeError, ValueError) as error:
            raise _misfit(value, name, error) from error
        if prefixed:
            # Not concatenated with its length, since it may be large.
            written.append(data)
            written.append(tag + write_varint(len(data)))
        else:
            written.append(tag + data)


def _check_oneof(message: Any, descriptor: Descriptor, rule: FieldRule) -> None:
    others = (each.name for each in descriptor.rule.fields if each.oneof == rule.oneof and each is not rule)
    other = next((name for name in others if getattr(message, name) is not None), None)
    if other is not None:
        raise MessageError(f"{other} is set as well, but only one member of {rule.oneof} can be set", field=rule.name)


def _several(
    message: Any, descriptor: Descriptor, writer: FieldWriter, value: Any, written: list[bytes], depth: int
) -> Parts:
    """Write a field that is not a single scalar: a map, sub-messages or repeated scalars."""
    if writer.rule.label is Label.REPEATED:
        kind, what = (Mapping, "mapping") if writer.key is not None else (Sequence, "list")
        if not isinstance(value, kind) or isinstance(value, str | bytes | bytearray):
            raise MessageError(f"{_shown(value)} is not a {what}", field=writer.name)
    if writer.key is not None:
        return _map(message, descriptor, writer, writer.key, value, written, depth)
    if writer.descriptor is not None:
        return _messages(message, descriptor, writer, writer.descriptor, value, written, depth)
    _repeated(writer, value, written)
    return iter(())


def _messages(
    message: Any,
    descriptor: Descriptor,
    writer: FieldWriter,
    inner: Descriptor,
    value: Any,
    written: list[bytes],
    depth: int,
) -> Parts:
    if writer.rule.label is not Label.REPEATED:
        child = _adopted(message, descriptor, value, inner, writer.name)
        yield Inner(writer.tag, _parts(child, inner, written, depth - 1), writer.name)
        return
    for number in range(len(value) - 1, -1, -1):
        child = value[number]
        flat = _flat(child, inner) if depth > 0 and isinstance(child, inner.message_class) else None
        if flat is None:
            name = f"{writer.name}[{number}]"
            child = _adopted(message, descriptor, child, inner, name)
            yield Inner(writer.tag, _parts(child, inner, written, depth - 1), name)
        else:
            child._parent = message
            child._root = message._root if inner.module == descriptor.module else child
            written += flat
            written.append(writer.tag + write_varint(sum(map(len, flat))))


def _flat(message: Any, descriptor: Descriptor) -> list[bytes] | None:
    """Return the pieces of a message without inner and repeated values, the last one first, which takes half the time;
    ``None`` for any other message, and for one that is to be refused."""
    pieces: list[bytes] = []
    for name, shape, tag, encode, prefixed, rule, _, _ in descriptor.writers or make_writers(descriptor):
        value = getattr(message, name)
        if shape != SCALAR:
            if value or rule.label is Label.REQUIRED or (shape == CHOSEN and value is not None):
                return None
        elif value or (value is not None and not (rule.label is Label.IMPLICIT and is_zero(value))):
            try:
                data = encode(value)
            except (TypeError, ValueError):
                return None
            pieces += (data, tag + write_varint(len(data))) if prefixed else (tag + data,)
        elif value is None and rule.label is Label.REQUIRED:
            return None
    return pieces


def _adopted(message: Any, descriptor: Descriptor, value: Any, inner: Descriptor, name: str) -> Any:
    if not isinstance(value, inner.message_class):
        raise MessageError(f"{_shown(value)} is no {inner.message_class.__qualname__}", field=name)
    value._parent = message
    value._root = message._root if inner.module == descriptor.module else value
    return value


def _repeated(writer: FieldWriter, values: Sequence[Any], written: list[bytes]) -> None:
    name, tag = writer.name, writer.tag
    data = [_encoded(writer.encode, value, f"{name}[{number}]") for number, value in enumerate(values)]
    if writer.rule.packed and not writer.prefixed:
        if data:
            packed = b"".join(data)
            written.append(packed)
            written.append(tag + write_varint(len(packed)))
        return
    for each in reversed(data):
        written.append(each)
        written.append(tag + write_varint(len(each)) if writer.prefixed else tag)


def _map(
    message: Any,
    descriptor: Descriptor,
    writer: FieldWriter,
    encode: Encode,
    values: dict[Any, Any],
    written: list[bytes],
    depth: int,
) -> Parts:
    keys = {key: _encoded(encode, key, writer.name) for key in values}
    # Text is sorted by its bytes, numbers by value, as in deterministic serialization.
    text = writer.rule.key is FieldKind.STRING
    for key in sorted(keys, key=keys.__getitem__ if text else None, reverse=True):
        name = f"{writer.name}[{key!r}]"
        yield Inner(writer.tag, _entry(message, descriptor, writer, keys[key], values[key], written, depth - 1), name)


def _entry(
    message: Any, descriptor: Descriptor, writer: FieldWriter, key: bytes, value: Any, written: list[bytes], depth: int
) -> Parts:
    """Write an entry of a map: a message of a key and a value, which are written even if they are zero."""
    tag = write_varint(2 << 3 | wire_type(writer.rule.kind))
    if writer.descriptor is not None:
        child = _adopted(message, descriptor, value, writer.descriptor, "value")
        yield Inner(tag, _parts(child, writer.descriptor, written, depth - 1), "value")
    else:
        data = _encoded(writer.encode, value, "value")
        written.append(data)
        written.append(tag + write_varint(len(data)) if writer.prefixed else tag)
    assert writer.rule.key is not None
    key_tag = write_varint(1 << 3 | wire_type(writer.rule.key))
    written.append(key)
    written.append(key_tag + write_varint(len(key)) if writer.rule.key is FieldKind.STRING else key_tag)


def _encoded(encode: Encode, value: Any, name: str) -> bytes:
    try:
        return encode(value)
    except (TypeError, ValueError) as error:
        raise _misfit(value, name, error) from error


def _misfit(value: Any, name: str, error: Exception) -> MessageError:
    return MessageError(f"{_shown(value)} does not fit: {error}", field=name)


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:59]}…"


def is_zero(value: Any) -> bool:
    """Return whether a field of implicit presence counts as absent. Minus zero does not: its bits are not all zero."""
    return not value and not (isinstance(value, float) and copysign(1.0, value) < 0)


def make_writers(descriptor: Descriptor) -> tuple[FieldWriter, ...]:
    """Make the writers of a type's fields, highest number first; the descriptor keeps them."""
    fields = sorted(descriptor.rule.fields, key=lambda each: each.number, reverse=True)
    descriptor.writers = tuple(_writer(descriptor, each) for each in fields)
    return descriptor.writers


def _writer(descriptor: Descriptor, rule: FieldRule) -> FieldWriter:
    is_prefixed = rule.kind in LENGTH_DELIMITED
    several = rule.kind is FieldKind.MESSAGE or rule.label is Label.REPEATED
    in_one = rule.label is Label.REPEATED and (rule.packed or rule.key is not None)
    inner = next((each for field, each in descriptor.children if field is rule), None)
    if inner is not None and rule.key is not None:
        inner = next((each for _, each in inner.children), None)
    return FieldWriter(
        name=rule.name,
        shape=SEVERAL if several else CHOSEN if rule.oneof else SCALAR,
        tag=write_varint(rule.number << 3 | (WireType.LENGTH_DELIMITED if in_one else wire_type(rule.kind))),
        encode=encoder(rule, rule.kind, descriptor.rule.check_text),
        prefixed=is_prefixed,
        rule=rule,
        descriptor=inner,
        key=None if rule.key is None else encoder(rule, rule.key, descriptor.rule.check_text),
    )
