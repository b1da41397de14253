"""Errors of reading and writing messages."""

from __future__ import annotations

from ...base.errors import WireloomError
from ..kaitai import KaitaiStructError


class MessageError(KaitaiStructError, WireloomError):
    """Bytes that are no such message, or an object that cannot be written as one.

    ``field``: the dotted path from the outermost message, with indices (``records[3].data``); that of the message where
    no known field of it is to blame. ``offset``: in the outermost message's stream, where the field begins with its
    tag, or where a message ends that lacks a field; ``None`` when writing. ``reason``: ``message``, or ``limit`` for
    messages too deep nested.
    """

    def __init__(self, sentence: str, *, field: str = "", offset: int | None = None, reason: str = "message") -> None:
        # Through KaitaiStructError the first of the bases calls the second, which sets all that is not known to None.
        super().__init__(sentence, None)
        self.field = field or None
        self.offset = offset
        self.reason = reason


class WireError(Exception):
    """Inside this package: a step of the wire format failed; the reader adds the field, and the place where it is not
    ``begin``."""

    def __init__(self, sentence: str, reason: str = "message", begin: int | None = None) -> None:
        super().__init__(sentence)
        self.sentence = sentence
        self.begin = begin
        self.reason = reason
