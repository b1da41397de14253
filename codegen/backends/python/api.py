"""The APIs that the classes of a module can have."""

from __future__ import annotations

from enum import Enum


class Api(Enum):
    """The API of generated classes.

    ``WIRELOOM``: classes that read and write, with the additions that formats of wireloom need (rows, messages).
    ``KAITAI``: the classes of Kaitai's own compiler, whose constructor reads and which cannot write.
    ``KAITAI_READ_WRITE``: the classes of its read-write mode, on which the user calls ``_read``, ``_check`` and
    ``_write``.
    """

    WIRELOOM = "wireloom"
    KAITAI = "kaitai"
    KAITAI_READ_WRITE = "kaitai-read-write"
