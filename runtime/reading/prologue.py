"""The root's attributes that are before the rows, and formats that are read as a whole."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..format.description import Format
from ..input.window import Window
from ..objects.errors import FAILURES, deciding, reason_of
from ..objects.kaitai import KaitaiStructError
from ..objects.streams import MemoryStream
from ..objects.structs import Struct
from ..rows.object_rows import NESTED
from .error_field import field_of


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


def read_prologue(format: Format, window: Window, max_record: int, verify: bool) -> Root:
    """Read what is before the rows from the window's beginning, extending it as needed."""
    return _read(format, window, max_record, verify, "_read_prologue")


def load_whole(window: Window, max_record: int) -> bool:
    """Extend the window to the end of the input; return whether that is not larger than ``max_record``."""
    while len(window.view) - window.begin <= max_record and window.extend():
        pass
    return len(window.view) - window.begin <= max_record


def read_whole(format: Format, window: Window, max_record: int, verify: bool) -> tuple[Root, list[Any]]:
    """Read the root object with its rows from all of the input, which is in the window."""
    root = _read(format, window, max_record, verify, "_read")
    # Where the root could not be read to its end, the rows before that place are there.
    rows = list(getattr(root.struct, format.rows_attribute, None) or [])
    for name in format.rows_path:
        rows = [row for each in rows for row in _values(each, name)]
    return root, rows


def _values(holder: Any, name: str) -> list[Any]:
    """Return what a step of the path to the rows leads to: items, one object, or nothing."""
    found = getattr(holder, name, None)
    return found if isinstance(found, list) else [] if found is None else [found]


FIRST = 64 * 1024
"""Bytes of the window that are taken for a prologue; more if it needs them."""


def _read(format: Format, window: Window, max_record: int, verify: bool, method: str) -> Root:
    taken = FIRST if method == "_read_prologue" else max_record + 1
    while True:
        left = len(window.view) - window.begin
        stream = MemoryStream(bytes(window.view[window.begin :][:taken]), window.base + window.begin)
        struct = format.root_class()
        struct._io = stream
        refusals: list[KaitaiStructError] = []
        struct._refusals = refusals
        root = Root(struct)
        try:
            getattr(struct, method)()
        except FAILURES as error:
            root.lost = reason_of(error)
            root.error = NESTED if isinstance(error, RecursionError) else None
        if taken < left and (root.lost == "truncated" or stream.saw_end):
            taken *= 8
            continue
        if root.lost is not None:
            if root.lost == "truncated" and left <= max_record and window.extend():
                continue
            if root.lost == "truncated" and not window.at_end:
                root.lost = "limit"
        root.size = stream.pos() - (window.base + window.begin)
        refusal = deciding(refusals, verify=verify)
        if refusal is not None:
            root.refused, root.field = reason_of(refusal), field_of(format, refusal)
        return root
