"""The code that decodes values with ``process``."""

from __future__ import annotations

from wireloom.format.routines import process_place

from ...expression.nodes import Comparison, Conditional
from ...tree import Attribute
from ...wire import Process
from .api import Api
from .scope import ClassScope


def defers(scope: ClassScope, field: Attribute) -> bool:
    """Return whether a process that fails is refused and reading continues after the field's bytes, so that a checksum
    over them is still verified. Instances, and Kaitai's API, raise instead.
    """
    return field.defers and scope.own and not scope.lazy


def undone(scope: ClassScope, field: Attribute, process: Process, data: str) -> str:
    """Return the text that decodes the bytes ``data``, and raises if that fails."""
    if process.is_routine and not scope.own:
        arguments = [scope.module.routine(process), *(scope.text(each, field) for each in process.arguments)]
        return scope.call("decoded", data, *arguments)
    function, *arguments = undoing(scope, field, process)
    return f"{function}({', '.join((data, *arguments))})"


def undoing(scope: ClassScope, field: Attribute, process: Process) -> list[str]:
    """Return the function that decodes ``process``, and its arguments after the bytes."""
    arguments = [scope.text(each, field) for each in process.arguments]
    if process.codecs:
        chosen, *more = arguments
        case = process.arguments[0]
        if isinstance(case, Conditional) and isinstance(case.condition, Comparison):
            # Errors name the value for which there is no case.
            more = [more[0] if more else "None", scope.text(case.condition.left, field)]
        return [scope.use("expanded"), repr(process.codecs), chosen, str(process.most), *more]
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
