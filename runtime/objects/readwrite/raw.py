"""``_raw_NAME``: the bytes of the stream that an object of its own has."""

from __future__ import annotations

from typing import Any

from ..kaitai import KaitaiStruct


class RawContent:
    """The bytes that the object in an attribute was read from, those of each item where it is repeated.

    They stand where the object reads them, and are not kept a second time. Writing replaces them by what is written.
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
