"""Which API the classes of a module have."""

from __future__ import annotations

from enum import Enum


class Api(Enum):
    """The API that generated classes have.

    ``WIRELOOM``: classes that read and write, with what formats of wireloom need besides (rows, messages).
    ``KAITAI``: the classes of Kaitai's own compiler: the constructor reads, and nothing writes.
    ``KAITAI_READ_WRITE``: those of its read-write mode: ``_read``, ``_check`` and ``_write`` are called by the user.
    """

    WIRELOOM = "wireloom"
    KAITAI = "kaitai"
    KAITAI_READ_WRITE = "kaitai-read-write"
