"""Nested values as JSON or YAML, written piece by piece, and records as such values."""

from __future__ import annotations

import math
import re
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any

from ..base.errors import WireloomError
from ..base.limits import MAX_DECIMAL_BITS
from ..base.text import json_string
from ..format.description import Format
from .displayed_records import Record
from .field import Field
from .value_text import shown, timestamps

INDENT = 2
GATHERED = 64 * 1024
"""Number of characters that are written at once."""
PLAIN = re.compile(r"[A-Za-z_][\w./+=-]*(?: [\w./+=-]+)*", re.ASCII)
"""Text that YAML reads as text without quotes, except for ``WORDS``."""
WORDS = frozenset({"null", "true", "false", "yes", "no", "on", "off", "y", "n"})

Scalar = bool | int | float | str


class TreeText(ABC):
    """Writer of one tree. In a mapping, each value, or the beginning of a mapping or list, comes after its ``key``.

    ``write`` receives UTF-8; ``limit`` is the maximum number of characters of the whole text.
    """

    def __init__(self, write: Callable[[bytes], object], limit: int) -> None:
        self._write = write
        self._limit = limit
        self._size = 0
        self._pieces: list[str] = []
        self._gathered = 0
        self._open: list[bool] = []
        """For each open mapping or list, whether it is a list."""
        self._is_empty = True
        """Whether nothing has been written to the innermost one."""

    def begin(self, *, is_list: bool) -> None:
        """Begin a mapping or a list."""
        self._begin_value(is_list)
        self._open.append(is_list)
        self._is_empty = True

    def end(self) -> None:
        """End the innermost mapping or list."""
        is_list = self._open.pop()
        self._end(is_list)
        self._is_empty = False
        if not self._open:
            self._put("\n")
            self.flush()

    @abstractmethod
    def key(self, name: str) -> None:
        """Write the key of the next value of a mapping."""

    @abstractmethod
    def scalar(self, value: Scalar) -> None:
        """Write a single value."""

    @abstractmethod
    def _begin_value(self, is_list: bool) -> None:
        """Write the text before the first value of a mapping or list."""

    @abstractmethod
    def _end(self, is_list: bool) -> None:
        """Write the text after the last value of a mapping or list."""

    def stop(self) -> None:
        """Write the buffered text, and end its last line, which may be incomplete."""
        self._pieces.append("\n")
        self.flush()

    def flush(self) -> None:
        """Write the buffered text."""
        self._write("".join(self._pieces).encode())
        self._pieces, self._gathered = [], 0

    def _put(self, text: str) -> None:
        self._size += len(text)
        if self._size > self._limit:
            raise WireloomError(
                f"the values are more than {self._limit:,} characters of text: raise --max-output to print them",
                reason="limit",
            )
        self._pieces.append(text)
        self._gathered += len(text)
        if self._gathered > GATHERED:
            self.flush()

    def _line(self) -> str:
        return f"\n{' ' * (INDENT * len(self._open))}"


class JsonText(TreeText):
    """Indented JSON. Floats that JSON cannot represent are strings, as ``decode`` writes them."""

    def key(self, name: str) -> None:
        """Like ``TreeText.key``."""
        self._separate()
        self._put(f"{json_string(name)}: ")

    def scalar(self, value: Scalar) -> None:
        """Like ``TreeText.scalar``."""
        self._begin_item()
        if isinstance(value, float) and not math.isfinite(value):
            value = "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
        self._put(json_string(value) if isinstance(value, str) else _number(value))

    def _begin_value(self, is_list: bool) -> None:
        self._begin_item()
        self._put("[" if is_list else "{")

    def _end(self, is_list: bool) -> None:
        if not self._is_empty:
            self._put(self._line())
        self._put("]" if is_list else "}")

    def _begin_item(self) -> None:
        if self._open and self._open[-1]:
            self._separate()

    def _separate(self) -> None:
        self._put(self._line() if self._is_empty else f",{self._line()}")
        self._is_empty = False


class YamlText(TreeText):
    """YAML in block style. Text that YAML would read as another type is quoted, as in JSON."""

    _inline = True
    """Whether the next key or item begins on the same line, after ``- ``."""

    def key(self, name: str) -> None:
        """Like ``TreeText.key``."""
        self._separate()
        self._put(f"{_plain(name)}:")

    def scalar(self, value: Scalar) -> None:
        """Like ``TreeText.scalar``."""
        blank = self._begin_item()
        self._put(f"{blank}{_plain(value) if isinstance(value, str) else _yaml_number(value)}")

    def _begin_value(self, is_list: bool) -> None:
        self._inline = not self._open or not self._begin_item()

    def _end(self, is_list: bool) -> None:
        if self._is_empty:
            self._put(f"{'' if self._inline else ' '}{'[]' if is_list else '{}'}")
        self._inline = False

    def _begin_item(self) -> str:
        """Begin a value; return the text before a scalar."""
        if not self._open[-1]:
            return " "
        self._separate()
        self._put("- ")
        return ""

    def _separate(self) -> None:
        if not (self._is_empty and self._inline):
            self._put(f"\n{' ' * (INDENT * (len(self._open) - 1))}")
        self._is_empty = self._inline = False


FORMS: dict[str, type[TreeText]] = {"json": JsonText, "yaml": YamlText}


def _plain(text: str) -> str:
    return text if PLAIN.fullmatch(text) and text.lower() not in WORDS else json_string(text)


def _number(value: bool | int | float) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int) and value.bit_length() > MAX_DECIMAL_BITS:
        # Python refuses to convert longer integers to decimals.
        return f'"{value:#x}"'
    return repr(value)


def _yaml_number(value: bool | int | float) -> str:
    if isinstance(value, float) and not math.isfinite(value):
        return ".nan" if math.isnan(value) else ".inf" if value > 0 else "-.inf"
    text = _number(value)
    # YAML 1.1 reads 1e+20 as text.
    return text.replace("e", ".0e") if isinstance(value, float) and "." not in text else text


LONGEST = 4096
"""Maximum number of characters of a value."""


def record_data(format: Format, record: Record, limit: int) -> dict[str, Any]:
    """Return the position of a record in the decompressed input, its error, its bytes and fields.

    ``bytes`` and ``content`` are hexadecimal, at most ``limit`` bytes of each; 0 means all. Offsets of fields refer to
    ``content``, the bytes without delimiter and stuffing; ``at`` is -1 for computed fields and those inside
    decompressed bytes.
    """
    units = timestamps(format)
    fields: list[dict[str, Any]] = []

    def add(each: Field, before: str) -> None:
        path = f"{before}{each.name}" if each.name.startswith("[") or not before else f"{before}.{each.name}"
        begin, size = each.within(record.base)
        fields.append(
            {
                "field": path,
                "at": begin,
                "size": size,
                "value": shown(each, units, LONGEST),
                "checked": each.checked,
                "problem": each.problem,
            }
        )
        for child in each.children:
            add(child, path)

    for each in record.fields:
        add(each, "")
    return {
        "kind": record.kind,
        "record": record.number,
        "begin": record.begin,
        "end": record.end,
        "reason": record.reason,
        "message": record.message,
        "damaged": [[each.begin, each.end - each.begin, each.reason] for each in record.damages],
        "bytes": record.data[: limit or None].hex(),
        "content": record.content[: limit or None].hex(),
        "fields": fields,
    }
