"""What ``process`` says, as the text that undoes it."""

from __future__ import annotations

from wireloom.format.routines import process_place

from ...expression.types import UserType
from ...model.model import Attribute, Process, RepeatUntil
from ...model.routines import BUILT_IN_PROCESSES
from ...plan.checks import has_checks
from .api import Api
from .scope import ClassScope

SIZE_PRESERVING = ("xor", "rol", "ror")
"""Processes that give as many bytes as they take, whatever these are."""


def is_deferred(scope: ClassScope, attribute: Attribute, process: Process) -> bool:
    """Whether a process that cannot be undone is refused, and reading goes on behind the field's bytes, so that a
    checksum over them is looked at. Not where something needs the value at once, nor where undoing never fails."""
    if process.name in SIZE_PRESERVING or scope.module.api is not Api.WIRELOOM or scope.lazy:
        return False
    if attribute.frames_layout or isinstance(attribute.repeat, RepeatUntil):
        return False
    return not (isinstance(attribute.type, UserType) and has_checks(attribute))


def undoing(scope: ClassScope, attribute: Attribute, process: Process, text: str) -> str:
    """The arguments of what undoes a process: the function, the bytes ``text`` and what else the function takes."""
    function, *arguments = _undoing(scope, attribute, process)
    return ", ".join((function, text, *arguments))


def processed(scope: ClassScope, attribute: Attribute, process: Process, text: str) -> str:
    """The text that undoes a process of the bytes ``text``, and raises where that cannot be done."""
    if process.name not in BUILT_IN_PROCESSES and scope.module.api is not Api.WIRELOOM:
        arguments = [scope.text(each, attribute) for each in process.arguments]
        return f"{scope.use('decoded')}({', '.join((text, scope.module.routine(process), *arguments))})"
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
