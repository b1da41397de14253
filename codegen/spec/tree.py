"""YAML nodes with their positions in the file, and the values of plain scalars."""

from __future__ import annotations

import re

from wireloom.base.dataclass import dataclass, field, replace

from .position import Position

ScalarValue = str | int | float | bool | None

_ESCAPES = {"x": 2, "u": 4, "U": 8}


@dataclass(frozen=True)
class Scalar:
    """A scalar. ``text`` is its content, ``value`` its value by YAML 1.2, ``source`` the characters in the file.

    ``style`` is ``""`` for plain scalars, else the character that opens them: ``'``, ``"``, ``|`` or ``>``.
    """

    position: Position
    text: str
    value: ScalarValue
    style: str = ""
    source: str = field(default="", repr=False, compare=False)

    def place(self, offset: int, end: int | None = None) -> Position:
        """Return the position in the file of the characters ``text[offset:end]``, or of one character without ``end``;
        the position of the scalar if they are not on one line."""
        if self.style in ("|", ">") or "\n" in self.source or "\r" in self.source:
            return self.position
        begin = self._index(offset)
        after = self._index(end if end is not None else offset + 1)
        here = self.position
        return replace(here, column=here.column + begin, width=max(after - begin, 1))

    def _index(self, offset: int) -> int:
        """Return the index of ``text[offset]`` in ``source``."""
        if self.style == "":
            return offset
        at = 1
        for _ in range(offset):
            if self.style == "'" and self.source.startswith("''", at):
                at += 2
            elif self.style == '"' and self.source.startswith("\\", at):
                at += 2 + _ESCAPES.get(self.source[at + 1 : at + 2], 0)
            else:
                at += 1
        return min(at, max(len(self.source) - 1, 0))


@dataclass(frozen=True)
class Sequence:
    """A list."""

    position: Position
    items: tuple[YamlNode, ...]


@dataclass(frozen=True)
class Mapping:
    """A mapping; its keys are scalars with distinct texts."""

    position: Position
    entries: tuple[tuple[Scalar, YamlNode], ...]


YamlNode = Scalar | Sequence | Mapping


def described(node: YamlNode) -> str:
    """Return a description of the node for messages: ``a list``, ``the text 'x'`` …"""
    if isinstance(node, Sequence):
        return "a list"
    if isinstance(node, Mapping):
        return "a mapping"
    if node.value is None:
        return "nothing"
    shown = node.text if len(node.text) <= 40 else node.text[:40] + "…"
    if isinstance(node.value, bool):
        return f"the boolean {shown}"
    if isinstance(node.value, (int, float)):
        return f"the number {shown}"
    return f"the text '{shown}'"


MAX_DIGITS = 1000
"""Maximum number of digits; longer numbers are text. Python itself refuses to parse decimal ones of more than 4300
digits."""

_INTEGER = re.compile(r"[-+]?(?:0x[0-9a-fA-F_]+|0o[0-7_]+|0b[01_]+|0|[1-9][0-9_]*)")
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|(?:0|[1-9][0-9]*)(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
_NUMBER_STARTS = frozenset("+-.0123456789")
_SPECIAL = {".inf": "inf", "+.inf": "inf", "-.inf": "-inf", ".nan": "nan"}


def plain_value(text: str) -> ScalarValue:
    """Return the value of a plain scalar.

    >>> plain_value("0x1_0"), plain_value("on"), plain_value("true"), plain_value("010"), plain_value("~")
    (16, 'on', True, '010', None)
    """
    if text in ("", "~", "null", "Null", "NULL"):
        return None
    if text in ("true", "True", "TRUE"):
        return True
    if text in ("false", "False", "FALSE"):
        return False
    if text[0] not in _NUMBER_STARTS or len(text) > MAX_DIGITS:
        return text
    if _INTEGER.fullmatch(text):
        return integer_value(text, text)
    if _FLOAT.fullmatch(text):
        return float(text)
    if text.lower() in _SPECIAL:
        return float(_SPECIAL[text.lower()])
    return text


def integer_value(text: str, otherwise: ScalarValue) -> ScalarValue:
    """Return the integer, or ``otherwise`` if there are no digits after the prefix (``0x_``)."""
    sign, digits = (-1, text[1:]) if text[:1] == "-" else (1, text.lstrip("+"))
    base = {"0x": 16, "0o": 8, "0b": 2}.get(digits[:2].lower(), 10)
    body = (digits if base == 10 else digits[2:]).replace("_", "")
    return sign * int(body, base) if body else otherwise
