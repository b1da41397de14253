"""What ``process`` says, as the text that undoes it."""

from __future__ import annotations

from wireloom.routines import process_place

from ...model.model import Attribute, Process, RepeatUntil
from ...model.routines import BUILT_IN_PROCESSES
from ...model.types import UserType
from .api import Api
from .scope import ClassScope
from .validation import has_checks

SIZE_PRESERVING = ("xor", "rol", "ror")
"""Processes that give as many bytes as they take, whatever these are."""


def deferred(scope: ClassScope, attribute: Attribute) -> Process | None:
    """A ``process`` that is refused where it cannot be undone, and reading goes on behind the field's bytes, so that a
    checksum over them is looked at. ``None`` where something needs the value at once, and where undoing never fails."""
    process = attribute.process
    if process is None or process.name in SIZE_PRESERVING or scope.module.api is not Api.WIRELOOM or scope.lazy:
        return None
    if attribute.frames_layout or isinstance(attribute.repeat, RepeatUntil):
        return None
    is_checked_item = isinstance(attribute.type, UserType) and attribute.repeat is not None and has_checks(attribute)
    return None if is_checked_item else process


def undone_text(scope: ClassScope, attribute: Attribute, process: Process, text: str, source: str) -> str:
    """The text that undoes a ``deferred`` process of the bytes ``text``, or gives ``None``."""
    function, *arguments = _undoing(scope, attribute, process)
    return f"self._undone({', '.join((repr(source), function, text, *arguments))})"


def processed(scope: ClassScope, attribute: Attribute, process: Process, text: str) -> str:
    """The text that undoes a process of the bytes ``text``, and raises where that cannot be done."""
    if process.name not in BUILT_IN_PROCESSES and scope.module.api is not Api.WIRELOOM:
        arguments = [scope.text(each, attribute) for each in process.arguments]
        return f"{scope.module.routine(process.name)}({', '.join(arguments)}).decode({text})"
    function, *arguments = _undoing(scope, attribute, process)
    return f"{function}({', '.join((text, *arguments))})"


def _undoing(scope: ClassScope, attribute: Attribute, process: Process) -> list[str]:
    """The function that undoes ``process``, and its arguments behind the bytes."""
    arguments = [scope.text(each, attribute) for each in process.arguments]
    match process.name:
        case "zlib" if scope.module.api is Api.KAITAI_READ_WRITE:
            return [scope.use("inflated"), "self"]
        case "zlib":
            return [scope.use("decompress")]
        case "xor":
            return [scope.use("xor"), *arguments]
        case "rol" | "ror":
            return [scope.use("rotate_left" if process.name == "rol" else "rotate_right"), *arguments]
    return [scope.use("undone"), repr(process_place(process.name)), *arguments]
