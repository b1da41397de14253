"""Reading of messages: one loop over the bytes, with a stack of the messages that are open."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .descriptors import APPEND, BYTES, FIXED, MESSAGE, PACKED_VARINTS, SET, TEXT, VARINT, Descriptor, descriptor_of
from .errors import EndError, MessageError, WireError
from .wire import TOO_DEEP, TRUNCATED, check_tag, read_tag, read_varint, read_varints, skip_field, too_long

Lacking = dict[int, tuple[Any, int]]
"""The messages that lacked a required field at their end, and the offset of that end, by identity. Keeping a reference
to them ensures that identities are not reused."""


def check_required(message: Any, descriptor: Descriptor, lacking: Lacking) -> None:
    """Raise ``MessageError`` for the first message, outermost first, that lacks a required field. Messages that are no
    longer part of ``message``, since another member of their oneof or another value of their key replaced them, are
    ignored."""
    waiting = [(message, descriptor, "")]
    while waiting:
        each, its_descriptor, path = waiting.pop()
        name = missing_field(each, its_descriptor)
        if name is not None:
            known = lacking.get(id(each))
            raise MessageError(
                "the required field is missing",
                field=path + name,
                offset=None if known is None else known[1],
                is_truncated=not path,
            )
        waiting.extend(reversed(list(_children(each, its_descriptor, path))))


def missing_field(message: Any, descriptor: Descriptor) -> str | None:
    """Return the first required field that a message lacks."""
    return next((name for name in descriptor.required if getattr(message, name) is None), None)


def _children(message: Any, descriptor: Descriptor, path: str) -> Iterator[tuple[Any, Descriptor, str]]:
    for rule, inner in descriptor.children:
        held = getattr(message, rule.name)
        if isinstance(held, dict):
            for _, value_descriptor in inner.children:
                for key, value in held.items():
                    yield value, value_descriptor, f"{path}{rule.name}[{key!r}]."
        elif isinstance(held, list):
            for index, value in enumerate(held):
                yield value, inner, f"{path}{rule.name}[{index}]."
        elif held is not None:
            yield held, inner, f"{path}{rule.name}."


DROPPED: Any = object()
"""Marks an entry of a map whose value a closed enum does not have: it is dropped like an unknown field."""

Open = tuple[Any, Descriptor, int, str]
"""A message that is open: the object, its descriptor, its end, and the name of its field that is being read."""


def read_message(message: Any, data: bytes, base: int = 0) -> None:
    """Read all of ``data`` into ``message``, whose fields are cleared first.

    ``base``: position of ``data`` in its stream, for the offsets of errors. Raises ``MessageError``.
    """
    descriptor = descriptor_of(type(message))
    descriptor.blank(message)
    lacking: Lacking = {}
    _read(message, descriptor, data, base, lacking)
    if lacking:
        check_required(message, descriptor, lacking)


def _read(message: Any, descriptor: Descriptor, data: bytes, base: int, lacking: Lacking) -> None:
    """Run the loop. Its state is in local variables for speed."""
    stack: list[Open] = []
    depth = descriptor.rule.max_depth
    steps = descriptor.steps
    begin = position = 0
    end = len(data)
    name = ""
    try:
        while True:
            while position < end:
                begin = position
                tag = data[position]
                position += 1
                if tag > 0x7F:
                    name = ""
                    if (byte := data[position]) < 0x80:
                        tag = tag & 0x7F | byte << 7
                        position += 1
                    else:
                        tag, position = read_tag(data, begin, descriptor.strict)
                    if position > end:
                        raise WireError(TRUNCATED)
                step = steps.get(tag)
                if step is None:
                    name = descriptor.names.get(tag >> 3, "") if descriptor.strict else ""
                    position = _skip(descriptor, data, tag, begin, position, end, depth - len(stack))
                    continue
                action, name, store, more, others = step
                value: Any
                if action == VARINT:
                    value = data[position]
                    position += 1
                    if value > 0x7F:
                        if (byte := data[position]) < 0x80:
                            value = value & 0x7F | byte << 7
                            position += 1
                        else:
                            value, position = read_varint(data, position - 1, descriptor.strict)
                    if more is not None:
                        value = more(value)
                        if value is None:
                            if descriptor.entry is not None:
                                message.value = DROPPED
                            continue
                elif action == FIXED:
                    stop = position + more.size
                    if stop > end:
                        raise too_long(more.size, end - position)
                    (value,) = more.unpack_from(data, position)
                    position = stop
                else:
                    value = data[position]
                    position += 1
                    if value > 0x7F:
                        value, position = read_varint(data, position - 1, descriptor.strict)
                    stop = position + value
                    if stop > end:
                        raise too_long(value, end - position)
                    if action == BYTES:
                        value = data[position:stop]
                    elif action == TEXT:
                        value = str(data[position:stop], "utf-8", more)
                    elif action == MESSAGE:
                        if len(stack) >= depth:
                            raise WireError(TOO_DEEP, "limit")
                        stack.append((message, descriptor, end, name))
                        message, descriptor, end = _enter(message, descriptor, name, store, more, others), more, stop
                        steps = descriptor.steps
                        continue
                    else:
                        getattr(message, name).extend(_packed(action, more, data, position, stop, descriptor.strict))
                        position = stop
                        continue
                    position = stop
                if store == SET:
                    setattr(message, name, value)
                elif store == APPEND:
                    getattr(message, name).append(value)
                else:
                    setattr(message, name, value)
                    for other in others:
                        setattr(message, other, None)
            if position > end:
                raise WireError(TRUNCATED)
            for required in descriptor.required:
                if getattr(message, required) is None:
                    lacking[id(message)] = message, base + end
                    break
            if not stack:
                return
            if descriptor.entry is not None:
                _keep_entry(message, descriptor, lacking, base + end)
            message, descriptor, end, name = stack.pop()
            steps = descriptor.steps
    except IndexError:
        sentence, reason, is_end = TRUNCATED, "message", True
    except UnicodeDecodeError:
        sentence, reason, is_end = "the text is not UTF-8", "message", False
    except WireError as error:
        sentence, reason, is_end = error.sentence, error.reason, isinstance(error, EndError)
        begin = begin if error.begin is None else error.begin
    # A message in another one has an end of its own.
    is_truncated = is_end and not stack
    raise MessageError(
        sentence, field=_path(stack, message, name), offset=base + begin, reason=reason, is_truncated=is_truncated
    )


def _enter(
    message: Any, descriptor: Descriptor, name: str, store: int, inner: Descriptor, others: tuple[str, ...]
) -> Any:
    """Return the object that a sub-message is read into: a new one, or the existing one, to be merged."""
    if store != APPEND:
        known = getattr(message, name)
        if known is not None:
            return known
    child = _new_child(message if descriptor.entry is None else message._parent, descriptor, inner)
    if store != APPEND:
        setattr(message, name, child)
        for other in others:
            setattr(message, other, None)
    elif inner.entry is None:
        getattr(message, name).append(child)
    return child


def _new_child(parent: Any, descriptor: Descriptor, inner: Descriptor) -> Any:
    child: Any = object.__new__(inner.message_class)
    child._parent = parent
    # An object of a type of another spec is its own root.
    child._root = parent._root if inner.module == descriptor.module else child
    child._io = parent._io
    inner.blank(child)
    return child


def _keep_entry(entry: Any, descriptor: Descriptor, lacking: Lacking, offset: int) -> None:
    """Add an entry to a map. A missing key or value has its default; the last entry of a key wins."""
    key, value = descriptor.rule.fields
    assert descriptor.entry is not None
    if entry.value is DROPPED:
        return
    if entry.key is None:
        entry.key = descriptor.default(key)
    if entry.value is None:
        entry.value = descriptor.default(value)
        for _, inner in descriptor.children:
            entry.value = _new_child(entry._parent, descriptor, inner)
            if inner.required:
                lacking[id(entry.value)] = entry.value, offset
    getattr(entry._parent, descriptor.entry.name)[entry.key] = entry.value


def _packed(action: int, more: Any, data: bytes, position: int, end: int, strict: bool) -> list[Any]:
    if action == PACKED_VARINTS:
        values: list[Any] = read_varints(data, position, end, strict)
        # Only a closed enum returns None: such a value is dropped.
        return values if more is None else [value for each in values if (value := more(each)) is not None]
    if (end - position) % more.size:
        raise WireError(f"{end - position} bytes are not a whole number of values")
    return [value for (value,) in more.iter_unpack(memoryview(data)[position:end])]


def _skip(descriptor: Descriptor, data: bytes, tag: int, begin: int, position: int, end: int, depth: int) -> int:
    check_tag(tag)
    if descriptor.strict and tag >> 3 in descriptor.names:
        raise WireError(f"the field has the wire type {tag & 7}, which does not match its type")
    return skip_field(data, tag, begin, position, end, descriptor.strict, depth)


def _path(stack: list[Open], message: Any, name: str) -> str:
    """Return the dotted path of the field ``name`` of ``message``, with indices: ``records[3].data``."""
    parts = []
    for holder, _, _, inner in stack:
        held = getattr(holder, inner)
        parts.append(f"{inner}[{len(held) - 1}]" if isinstance(held, list) else inner)
    if name:
        held = getattr(message, name)
        parts.append(f"{name}[{len(held)}]" if isinstance(held, list) else name)
    return ".".join(parts)
