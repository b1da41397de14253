"""Values and descriptions of the runtime as the Python source that creates them."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Mapping
from enum import IntEnum
from types import MappingProxyType
from typing import Any

from wireloom.base.dataclass import MISSING, fields, is_dataclass
from wireloom.format.columns import PlainRow, RowChecksum
from wireloom.format.description import Format
from wireloom.format.fragments import Fragments
from wireloom.format.message_program import MessageProgram
from wireloom.format.program import ColumnProgram, Expansion, KnownBytes, MessageTable
from wireloom.format.stuffings import Stuffing

WIDTH = 90
"""Maximum number of characters in one piece of text; the formatter indents it and cannot break it."""
POSITIONAL: dict[type, int] = {
    ColumnProgram: 0,
    Expansion: 1,
    Format: 0,
    Fragments: 0,
    KnownBytes: 1,
    MessageProgram: 0,
    MessageTable: 1,
    PlainRow: 0,
    RowChecksum: 1,
}
"""The number of arguments that are passed by position, for classes of which that is not all arguments without a
default."""
NO_NAMES: Mapping[str, str] = MappingProxyType({})


def literal(value: object) -> str:
    """Return the source of a value; long text is split into one piece per line.

    >>> print(literal("a\\nb"))
    ('a\\n'
    'b')
    """
    if not isinstance(value, str) or (len(value) <= WIDTH and "\n" not in value):
        return repr(value)
    pieces = [piece for line in value.splitlines(keepends=True) for piece in _pieces(line)]
    return f"({chr(10).join(map(repr, pieces))})"


def _pieces(line: str) -> list[str]:
    ending = "\n" if line.endswith("\n") else ""
    content = line.removesuffix("\n")
    wrapped = textwrap.wrap(
        content, WIDTH, break_on_hyphens=False, drop_whitespace=False, replace_whitespace=False, expand_tabs=False
    )
    return [*wrapped[:-1], (wrapped[-1] if wrapped else "") + ending]


def source(value: object, names: Mapping[str, str] = NO_NAMES) -> str:
    """Return the source of a value, which may be a description of the runtime or a tuple of several, in lines of their
    own. Arguments equal to their defaults are omitted. ``names``: local names of classes.

    >>> source(Expansion(("zstd",), most=8))
    "Expansion(('zstd',), most=8)"
    """
    if isinstance(value, IntEnum):
        return f"{names.get(type(value).__name__, type(value).__name__)}.{value.name}"
    if isinstance(value, tuple) and any(isinstance(each, IntEnum) or is_dataclass(each) for each in value):
        return f"({''.join(f'{source(each, names)}, ' for each in value)})"
    if isinstance(value, float) and not math.isfinite(value):
        return f'float("{value}")'
    if not is_dataclass(value) or isinstance(value, type | Stuffing):
        return literal(value)
    values = {each.name: getattr(value, each.name) for each in fields(value)}
    return made(type(value), values, names)


def made(kind: Any, values: Mapping[str, object], names: Mapping[str, str] = NO_NAMES) -> str:
    """Return the source that creates an instance of a dataclass of the runtime.

    Args:
        kind: The class.
        values: The values of its fields by name; those equal to their defaults are omitted.
        names: The local names of classes that are imported under another name.
    """
    return f"{names.get(kind.__name__, kind.__name__)}({', '.join(arguments(kind, values, names))})"


def arguments(kind: Any, values: Mapping[str, object], names: Mapping[str, str] = NO_NAMES) -> list[str]:
    """Return the source of the arguments that create an instance of a dataclass of the runtime.

    Args:
        kind: The class.
        values: The values of its fields by name; those equal to their defaults are omitted.
        names: The local names of classes that are imported under another name.
    """
    defaults = {each.name: each.default for each in fields(kind)}
    positional = POSITIONAL.get(kind, len(defaults))
    found: list[str] = []
    for name, value in values.items():
        default = defaults[name]
        if value != default or type(value) is not type(default):
            text = hex(value) if name == "mask" and isinstance(value, int) else source(value, names)
            found.append(text if default is MISSING and len(found) < positional else f"{name}={text}")
    return found
