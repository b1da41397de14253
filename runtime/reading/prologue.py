"""The root's attributes that are before the rows."""

from __future__ import annotations

from dataclasses import dataclass

from ..format.description import Format
from ..input.window import Window
from ..objects.errors import FAILURES, deciding, reason_of
from ..objects.kaitai import KaitaiStructError
from ..objects.streams import MemoryStream
from ..objects.structs import Struct
from ..rows.object_rows import NESTED
from .error_field import field_of

FIRST = 64 * 1024
"""Bytes of the window that are taken for a prologue; more if it needs them, but not for what is at positions."""


@dataclass
class Root:
    """The root object as far as it was read. ``size``: bytes that it took.

    ``refused``: why one of its values is, though its end is known, and ``field`` its name. ``lost``: why nothing after
    it can be read, and ``error`` more about it.
    """

    struct: Struct
    size: int = 0
    refused: str | None = None
    lost: str | None = None
    field: str | None = None
    error: str | None = None


def _lacks_bytes(format: Format, struct: Struct) -> bool:
    """Return whether what the root has at positions, in units or before them, is not there yet."""
    for each in format.ahead:
        try:
            getattr(struct, each)
        except FAILURES as error:
            if reason_of(error) == "truncated":
                return True
    return False


def read_prologue(format: Format, window: Window, max_record: int, verify: bool) -> Root:
    """Read what is before the rows from the window's beginning, extending it as needed."""
    taken = FIRST
    while True:
        left = len(window.view) - window.begin
        stream = MemoryStream(bytes(window.view[window.begin :][:taken]), window.base + window.begin)
        struct = format.root_class()
        struct._io = stream
        refusals: list[KaitaiStructError] = []
        struct._refusals = refusals
        root = Root(struct)
        try:
            struct._read_prologue()
        except FAILURES as error:
            root.lost = reason_of(error)
            root.error = NESTED if isinstance(error, RecursionError) else None
        root.size = stream.pos() - (window.base + window.begin)
        if taken < left and (root.lost == "truncated" or stream.saw_end):
            taken *= 8
            continue
        if left < FIRST and root.lost is None and _lacks_bytes(format, struct) and window.extend():
            continue
        if root.lost is not None:
            if root.lost == "truncated" and left <= max_record and window.extend():
                continue
            if root.lost == "truncated" and not window.at_end:
                root.lost = "limit"
        refusal = deciding(refusals, verify=verify)
        if refusal is not None:
            root.refused, root.field = reason_of(refusal), field_of(format, refusal)
        return root
