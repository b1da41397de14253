"""The root's attributes before the rows, and the field that makes a record invalid, for error messages."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

from ..base.dataclass import dataclass
from ..base.report import NESTED
from ..format.description import Format
from ..input.window import Window, extend_twice
from ..objects.errors import FAILURES, StuffingError, deciding, reason_of
from ..objects.kaitai import KaitaiStructError
from ..objects.streams import MemoryStream
from ..objects.structs import Struct
from ..objects.stuffing import unstuff
from ..rows.reader import Settings


def errors_of_record(
    format: Format, root: Struct | None, content: bytes, reason: str, verify: bool
) -> Iterator[Exception]:
    """Yield the errors for which a record or unit is refused with ``reason``.

    ``content``: the bytes of the record in the input; for delimited rows, including the delimiter before it.
    """
    from ..rows.object_reader import ObjectRowReader
    from ..rows.object_rows import IncompleteError, LostError

    if format.delimiter:
        try:
            content = unstuff(content.removeprefix(format.delimiter), format.stuffing)
        except StuffingError:
            return
    row_reader = ObjectRowReader(format, root, Settings(verify=verify))
    errors: list[BaseException | None] = []
    try:
        row_reader.parse(MemoryStream(content), verify)
    except (IncompleteError, LostError) as error:
        errors.append(error.__cause__)
    errors += row_reader.refusals
    yield from (each for each in errors if isinstance(each, Exception) and reason_of(each) == reason)


def field_of(format: Format, error: Exception) -> str | None:
    """Return the name of the field at the path of an error of generated code (``/types/frame/seq/1``)."""
    parts = str(getattr(error, "src_path", None) or "").strip("/").split("/")
    found: object = format.root_class
    while len(parts) > 2 and parts[0] == "types":
        found = getattr(found, "".join(word.capitalize() for word in parts[1].split("_")), None)
        parts = parts[2:]
    match parts:
        case ["instances", name]:
            return name
        case ["seq", number]:
            names = getattr(found, "_fields", ())
            return str(names[int(number)]) if number.isdigit() and int(number) < len(names) else None
    return None


FIRST = 64 * 1024
"""Number of bytes of the window that are copied for a prologue; more if it needs them, except for instances at
positions."""


@dataclass
class Prologue:
    """The attributes before the rows, as far as they were read.

    ``struct``: the root object. ``size``: the number of bytes that the attributes took.
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


def read_prologue(format: Format, window: Window, max_record: int, verify: bool) -> Prologue:
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
        prologue = Prologue(struct)
        try:
            struct._read_prologue()
        except FAILURES as error:
            prologue.lost, prologue.field = reason_of(error), field_of(format, error)
            prologue.error = NESTED if isinstance(error, RecursionError) else None
            prologue.problems.append(error)
        prologue.size = stream.pos() - (window.base + window.begin)
        if taken < left and (prologue.lost == "truncated" or stream.saw_end):
            taken *= 8
            continue
        if left < FIRST and prologue.lost is None and _lacks_bytes(format, struct) and window.extend():
            continue
        if prologue.lost == "truncated" and left <= most and extend_twice(window, most + 1):
            continue
        if (prologue.lost == "truncated" and left > most) or (prologue.lost is None and prologue.size > most):
            prologue.lost = "limit"
        prologue.problems += refusals
        refusal = deciding(refusals, verify=verify)
        if refusal is not None:
            prologue.refused, prologue.field = reason_of(refusal), field_of(format, refusal)
        return prologue
