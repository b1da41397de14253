"""``_raw_NAME``: the bytes of the stream of an object with its own stream."""

from __future__ import annotations

from typing import Any

from ..kaitai import KaitaiStruct


class RawContent:
    """The bytes that the object in an attribute was read from; a list if it is repeated.

    They are those of the object's stream, not a copy. Writing replaces them with the written bytes.
    """

    def __init__(self, name: str) -> None:
        self.name = name

    def __get__(self, owner: Any, kind: type) -> Any:
        value = None if owner is None else getattr(owner, self.name, None)
        if isinstance(value, list):
            return [_content(each) for each in value]
        return _content(value)


def _content(value: object) -> bytes | None:
    if not isinstance(value, KaitaiStruct) or value._io is None:
        return None
    return value._io.to_byte_array()
