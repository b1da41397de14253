"""Errors of reading and writing messages."""

from __future__ import annotations

from ...base.errors import WireloomError
from ..kaitai import KaitaiStructError


class MessageError(KaitaiStructError, WireloomError):
    """Bytes that are not a valid message, or an object that cannot be encoded as one.

    ``field``: the dotted path from the outermost message, with indices (``records[3].data``); that of the message
    if the error is not in a known field. ``offset``: position in the outermost message's stream of the field's tag, or
    of the end of a message that lacks a field; ``None`` when writing. ``reason``: ``message``, or ``limit`` for
    messages nested too deeply. ``is_truncated``: whether the bytes end too early: inside a field of the outermost
    message, or before one that it requires.
    """

    def __init__(
        self,
        sentence: str,
        *,
        field: str = "",
        offset: int | None = None,
        reason: str = "message",
        is_truncated: bool = False,
    ) -> None:
        # KaitaiStructError calls the constructor of the second base class, which sets unknown attributes to None.
        super().__init__(sentence, None)
        self.field = field or None
        self.offset = offset
        self.reason = reason
        self.is_truncated = is_truncated


class WireError(Exception):
    """Internal to this package: a step of the wire format failed. The reader adds the field and, if it is not
    ``begin``, the position."""

    def __init__(self, sentence: str, reason: str = "message", begin: int | None = None) -> None:
        super().__init__(sentence)
        self.sentence = sentence
        self.begin = begin
        self.reason = reason


class EndError(WireError):
    """The message ends inside the field."""
