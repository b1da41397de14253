"""Reads JSON into known shapes, with the same errors as Rust's serde.

A document is read once from its beginning, so that the first error counts: a violation of JSON's grammar is a
``syntax`` error, a value of an unexpected type a ``data`` error.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator
from json import decoder
from typing import Any, Literal, NoReturn

from ..base.errors import WireloomError

Verdict = Literal["syntax", "data", "eof"]

# The standard library's stubs do not contain it.
_scan_string: Callable[[str, int, bool], tuple[str, int]] = decoder.scanstring  # type: ignore[attr-defined]
"""The C function with which the json module reads strings. Arguments: the text, the index after the first quote, and
whether control characters are refused; returns the string and the index after it. It accepts lone surrogates."""
_SPACE = re.compile(r"[ \t\n\r]*")
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?P<fraction>\.[0-9]+)?(?P<exponent>[eE][+-]?[0-9]+)?")
_UNFINISHED_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)?(?:\.|(?:\.[0-9]+)?[eE][+-]?)?\Z")
_NUMBER_BEGINS = "-0123456789"
_NEXT_IN_NUMBER = frozenset("0123456789.eE")
_WORDS = {"n": "null", "t": "true", "f": "false"}
_LARGEST = 2**64 - 1
_LONGEST = 20
"""Number of digits of the largest 64-bit number."""

Fields = dict[str, Callable[["JsonReader"], Any]]
"""The known keys of an object, in the order of the shape, with functions that read their values."""


class JsonError(WireloomError):
    """Invalid JSON. ``verdict``: ``syntax`` (not JSON), ``eof`` (truncated) or ``data`` (values of unexpected types);
    ``offset``: in bytes of its UTF-8."""

    def __init__(self, message: str, *, offset: int, verdict: Verdict) -> None:
        super().__init__(message, offset=offset, reason="value")
        self.verdict = verdict


class JsonReader:
    """A cursor over one document."""

    def __init__(self, document: str | bytes | bytearray | memoryview) -> None:
        if isinstance(document, str):
            self._text = document
        else:
            try:
                self._text = str(document, "utf-8")
            except UnicodeDecodeError as error:
                raise JsonError("the JSON is not UTF-8", offset=error.start, verdict="syntax") from error
        self._at = 0

    def fail(self, message: str, verdict: Verdict = "data") -> NoReturn:
        """Raise a ``JsonError`` for the value at the cursor."""
        before = self._text[: self._at].encode("utf-8", "surrogatepass")
        raise JsonError(message, offset=len(before), verdict=verdict)

    def _peek(self) -> str:
        """Return the next character that is not white space; empty at the end."""
        found = _SPACE.match(self._text, self._at)
        self._at = found.end() if found else self._at
        return self._text[self._at : self._at + 1]

    def _unexpected(self, expected: str) -> NoReturn:
        if self._at >= len(self._text):
            self.fail(f"the JSON ends where {expected} was expected", "eof")
        self.fail(f"{expected} expected here", "syntax")

    def _other_type(self, expected: str) -> NoReturn:
        """Raise the error for a value of another type: a data error if it is a valid value."""
        first = self._peek()
        if first == '"':
            self._string()
        elif first and first in _NUMBER_BEGINS:
            self._number_in_range()
        elif first not in ("[", "{"):
            self._scalar()
        self.fail(f"the value must be {expected}")

    def end(self) -> None:
        """Check that only white space is left. Raises ``JsonError``."""
        if self._peek():
            self.fail("something follows the document", "syntax")

    def text(self) -> str:
        """Return a string. Raises ``JsonError``, also for a lone surrogate."""
        if self._peek() != '"':
            self._other_type("a string")
        return self._string()

    def _string(self) -> str:
        found = self._raw_string()
        if not found.isascii():
            try:
                found.encode()
            except UnicodeEncodeError:
                self.fail("the string holds a surrogate without its other half", "syntax")
        return found

    def _raw_string(self) -> str:
        try:
            found, self._at = _scan_string(self._text, self._at + 1, True)
        except decoder.JSONDecodeError as error:
            self._at = error.pos
            self.fail("the string is not well-formed", "eof" if error.msg.startswith("Unterminated") else "syntax")
        return found

    def _number(self) -> str:
        found = _NUMBER.match(self._text, self._at)
        end = found.end() if found else self._at
        if found is None or self._text[end : end + 1] in _NEXT_IN_NUMBER:
            unfinished = _UNFINISHED_NUMBER.match(self._text, self._at)
            self._at = len(self._text) if unfinished else end
            self.fail("the number is not well-formed", "eof" if unfinished else "syntax")
        self._at = end
        return found[0]

    def _number_in_range(self) -> str:
        """Return the text of a number, which has to fit a double even if another type is expected."""
        word = self._number()
        if math.isinf(float(word)):
            self.fail("the number is out of range", "syntax")
        return word

    def _word(self, word: str) -> None:
        for character in word:
            if self._text[self._at : self._at + 1] != character:
                self._unexpected(word)
            self._at += 1

    def _scalar(self) -> None:
        """Skip a value that is neither a list nor an object."""
        first = self._peek()
        if first == '"':
            self._raw_string()
        elif first in _WORDS:
            self._word(_WORDS[first])
        elif first and first in _NUMBER_BEGINS:
            self._number()
        else:
            self._unexpected("a value")

    def unsigned(self) -> int:
        """Return an unsigned 64-bit number without fraction and exponent. Raises ``JsonError``."""
        first = self._peek()
        if not first or first not in _NUMBER_BEGINS:
            self._other_type("an unsigned 64-bit integer")
        word = self._number_in_range()
        if not word.isdigit() or len(word) > _LONGEST or int(word) > _LARGEST:
            self.fail("the number must be an integer from 0 to 2^64 - 1")
        return int(word)

    def optional(self, read: Callable[[JsonReader], Any]) -> Any:
        """Return ``None`` for null, otherwise the result of ``read``."""
        if self._peek() == "n":
            self._word("null")
            return None
        return read(self)

    def items(self, read: Callable[[JsonReader], Any]) -> list[Any]:
        """Return a list of the results of ``read``."""
        if self._peek() != "[":
            self._other_type("a list")
        return [read(self) for _ in self._elements()]

    def pair(self, read: Callable[[JsonReader], Any]) -> tuple[Any, Any]:
        """Return a list of exactly two results of ``read``."""
        if self._peek() != "[":
            self._other_type("a list of two")
        found: list[Any] = []
        for _ in self._elements():
            if len(found) == 2:
                self.fail("the list has more than two items", "syntax")
            found.append(read(self))
        if len(found) < 2:
            self.fail("the list must have two items")
        return found[0], found[1]

    def _elements(self) -> Iterator[None]:
        """Yield at each item of the list at the cursor; the cursor is after the list at the end."""
        self._at += 1
        first = True
        while (character := self._peek()) != "]":
            if not first:
                if character != ",":
                    self._unexpected("',' or ']'")
                self._at += 1
                if self._peek() == "]":
                    self.fail("a ',' before the end of the list", "syntax")
            first = False
            yield
        self._at += 1

    def _keys(self) -> Iterator[str]:
        """Yield each key of the object at the cursor, which is moved to the key's value; it is after the
        object at the end."""
        self._at += 1
        first = True
        while (character := self._peek()) != "}":
            if not first:
                if character != ",":
                    self._unexpected("',' or '}'")
                self._at += 1
                character = self._peek()
            if character != '"':
                self._unexpected("a key")
            first = False
            key = self._string()
            if self._peek() != ":":
                self._unexpected("':'")
            self._at += 1
            yield key
        self._at += 1

    def fields(self, known: Fields, required: tuple[str, ...], defaults: tuple[str, ...] = ()) -> dict[str, Any]:
        """Return an object, which may also be a list of the values in the order of the shape, as in serde.

        Unknown keys are skipped; a duplicate known key is an error, and so is a missing ``required`` key. ``defaults``:
        keys that a list may omit at its end.
        """
        first = self._peek()
        if first == "[":
            return self._listed(known, defaults)
        if first != "{":
            self._other_type("an object")
        found: dict[str, Any] = {}
        for key in self._keys():
            if key not in known:
                self.skip()
                continue
            if key in found:
                self.fail(f"the key {key!r} comes twice")
            found[key] = known[key](self)
        for key in required:
            if key not in found:
                self.fail(f"the key {key!r} is missing")
        return found

    def _listed(self, known: Fields, defaults: tuple[str, ...]) -> dict[str, Any]:
        found: dict[str, Any] = {}
        names = iter(known)
        for _ in self._elements():
            name = next(names, None)
            if name is None:
                self.fail("the list has more items than the shape", "syntax")
            found[name] = known[name](self)
        for name in names:
            if name not in defaults:
                self.fail(f"the list has no {name!r}")
        return found

    def skip(self) -> None:
        """Skip a value of any type and depth."""
        open_ones: list[Iterator[Any]] = []
        while True:
            first = self._peek()
            if first == "[":
                open_ones.append(self._elements())
            elif first == "{":
                open_ones.append(self._keys())
            else:
                self._scalar()
            # Continue with the next nested value.
            while open_ones and next(open_ones[-1], self) is self:
                open_ones.pop()
            if not open_ones:
                return
