"""The root's attributes before the rows."""

from __future__ import annotations

import dataclasses

from ..base.dataclass import dataclass
from ..base.report import NESTED
from ..format.description import Format
from ..input.window import Window, extend_twice
from ..objects.errors import FAILURES, deciding, reason_of
from ..objects.kaitai import KaitaiStructError
from ..objects.streams import MemoryStream
from ..objects.structs import Struct
from .error_field import field_of

FIRST = 64 * 1024
"""Number of bytes of the window that are copied for a prologue; more if it needs them, except for instances at
positions."""


@dataclass
class Root:
    """The root object as far as it was read. ``size``: the number of bytes that it took.

    ``refused``: the reason why a value is invalid although its end is known.
    ``lost``: the reason why nothing after it can be read, and ``error`` details of it.
    ``field``: the name of the value that is refused or at which the rest was lost, if known.
    ``problems``: the refusals, and the error at which the rest was lost.
    """

    struct: Struct
    size: int = 0
    refused: str | None = None
    lost: str | None = None
    field: str | None = None
    error: str | None = None
    problems: list[Exception] = dataclasses.field(default_factory=list)


def _lacks_bytes(format: Format, struct: Struct) -> bool:
    """Return whether instances of the root at positions, in units or before them, are not available yet."""
    for each in format.ahead:
        try:
            getattr(struct, each)
        except FAILURES as error:
            if reason_of(error) == "truncated":
                return True
    return False


def read_prologue(format: Format, window: Window, max_record: int, verify: bool) -> Root:
    """Read the attributes before the rows from the beginning of the window, and extend the window as needed. They may
    have ``FIRST`` bytes, and more if a row may."""
    taken, most = FIRST, max(FIRST, max_record)
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
            root.lost, root.field = reason_of(error), field_of(format, error)
            root.error = NESTED if isinstance(error, RecursionError) else None
            root.problems.append(error)
        root.size = stream.pos() - (window.base + window.begin)
        if taken < left and (root.lost == "truncated" or stream.saw_end):
            taken *= 8
            continue
        if left < FIRST and root.lost is None and _lacks_bytes(format, struct) and window.extend():
            continue
        if root.lost == "truncated" and left <= most and extend_twice(window, most + 1):
            continue
        if (root.lost == "truncated" and left > most) or (root.lost is None and root.size > most):
            root.lost = "limit"
        root.problems += refusals
        refusal = deciding(refusals, verify=verify)
        if refusal is not None:
            root.refused, root.field = reason_of(refusal), field_of(format, refusal)
        return root
