"""Required fields, which are checked when the outermost message is complete, since merging may supply them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .descriptors import Descriptor
from .errors import MessageError

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
                is_cut=not path,
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
