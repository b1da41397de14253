"""Characters → tokens, one at a time, since only the parser knows where the text of an f-string ends."""

from __future__ import annotations

import re

from wireloom.base.dataclass import dataclass

MAX_CHARACTERS = 10_000
"""Maximum number of characters in one expression."""

MAX_DIGITS = 1000

OPERATORS = ("<<", ">>", "<=", ">=", "==", "!=", "::", *"+-*/%&|^~<>()[]{}?:,.")

_SPACE = re.compile(r"(?:[ \t\r\n]|\\\n)+")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_INTEGER = re.compile(r"0[xX][0-9a-fA-F_]+|0[oO][0-7_]+|0[bB][01_]+|[1-9][0-9_]*|0")
_FLOAT = re.compile(r"[0-9]+[eE][-+]?[0-9]+|(?:[0-9]*\.[0-9]+|[0-9]+\.(?![0-9]|\s*[A-Za-z_]))(?:[eE][-+]?[0-9]+)?")
_OPERATOR = re.compile("|".join(re.escape(each) for each in OPERATORS))
_NUMBER_START = re.compile(r"[0-9]|\.[0-9]")
_NUMBER_REST = re.compile(r"[A-Za-z0-9_]+")

_HINTS = {
    "&&": "; did you mean 'and'?",
    "||": "; did you mean 'or'?",
    "!": "; did you mean 'not'?",
    "=": "; did you mean '=='?",
    "**": "; there is no power operator",
}

_ESCAPES = {
    "a": "\a",
    "b": "\b",
    "t": "\t",
    "n": "\n",
    "v": "\v",
    "f": "\f",
    "r": "\r",
    "e": "\x1b",
    "'": "'",
    '"': '"',
    "\\": "\\",
}
_OCTAL = re.compile(r"[0-7]+")
_HEXADECIMAL = re.compile(r"u[0-9a-fA-F]{4}")


class ExpressionError(Exception):
    """An expression that cannot be parsed or typed; ``start`` and ``end`` are offsets into its text. ``others`` are
    errors in other parts of the same expression."""

    def __init__(self, message: str, start: int, end: int | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.start = start
        self.end = start + 1 if end is None else end
        self.others: tuple[ExpressionError, ...] = ()


@dataclass(frozen=True)
class Token:
    """A token. ``kind``: ``integer``, ``float``, ``string``, ``f-string`` (only its opening), ``name``, ``operator`` or
    ``end``; ``text``: the source; ``value``: what it denotes."""

    kind: str
    text: str
    start: int
    end: int
    value: int | float | str = ""

    def __str__(self) -> str:
        return "the end of the expression" if self.kind == "end" else f"'{self.text[:40]}'"


class Lexer:
    """Reads tokens at any offset of one expression."""

    def __init__(self, text: str) -> None:
        if len(text) > MAX_CHARACTERS:
            raise ExpressionError(f"an expression has at most {MAX_CHARACTERS} characters", 0)
        self.text = text

    def token(self, offset: int) -> Token:
        """Return the token at ``offset``, after skipping white space."""
        space = _SPACE.match(self.text, offset)
        start = space.end() if space else offset
        if start >= len(self.text):
            return Token("end", "", start, start)
        if self.text.startswith('f"', start):
            return Token("f-string", 'f"', start, start + 2)
        if found := _NAME.match(self.text, start):
            return Token("name", found.group(), start, found.end(), found.group())
        if _NUMBER_START.match(self.text, start):
            return self._number(start)
        character = self.text[start]
        if character == "'":
            return self._raw_string(start)
        if character == '"':
            value, end = self.escaped_text(start + 1, '"')
            if not self.text.startswith('"', end):
                raise ExpressionError('the string has no closing "', start, len(self.text))
            return Token("string", self.text[start : end + 1], start, end + 1, value)
        for wrong in ("&&", "||", "**"):
            if self.text.startswith(wrong, start):
                raise ExpressionError(f"unexpected '{wrong}'{_HINTS[wrong]}", start, start + 2)
        if found := _OPERATOR.match(self.text, start):
            return Token("operator", found.group(), start, found.end(), found.group())
        raise ExpressionError(f"unexpected '{character}'{_HINTS.get(character, '')}", start)

    def _number(self, start: int) -> Token:
        value: int | float
        found = _FLOAT.match(self.text, start)
        if found:
            kind, value = "float", float(found.group())
        else:
            found = _INTEGER.match(self.text, start)
            if found is None:
                raise ExpressionError("expected a number", start)
            kind, value = "integer", _integer(found.group(), start)
        rest = _NUMBER_REST.match(self.text, found.end())
        if rest:
            text = self.text[start : rest.end()]
            hint = f"; octal numbers are written 0o{text.lstrip('0')}" if re.fullmatch("0+[1-7][0-7]*", text) else ""
            raise ExpressionError(f"'{text[:40]}' is not a number{hint}", start, rest.end())
        return Token(kind, found.group(), start, found.end(), value)

    def _raw_string(self, start: int) -> Token:
        end = self.text.find("'", start + 1)
        if end < 0:
            raise ExpressionError("the string has no closing '", start, len(self.text))
        return Token("string", self.text[start : end + 1], start, end + 1, self.text[start + 1 : end])

    def escaped_text(self, start: int, stops: str) -> tuple[str, int]:
        """Return text with escapes from ``start`` up to one of ``stops`` or the end: its value and the offset at which
        it stopped."""
        parts: list[str] = []
        at = start
        while at < len(self.text) and self.text[at] not in stops:
            if self.text[at] != "\\":
                parts.append(self.text[at])
                at += 1
            else:
                value, at = self._escape(at)
                parts.append(value)
        try:
            # Characters beyond U+FFFF are written as two escapes, as in Java.
            return "".join(parts).encode("utf-16-le", "surrogatepass").decode("utf-16-le"), at
        except UnicodeDecodeError:
            raise ExpressionError("an unpaired surrogate is not a valid character", start, at) from None

    def _escape(self, start: int) -> tuple[str, int]:
        at = start + 1
        following = self.text[at : at + 1]
        if following in _ESCAPES:
            return _ESCAPES[following], at + 1
        if found := _HEXADECIMAL.match(self.text, at):
            return chr(int(found.group()[1:], 16)), found.end()
        if found := _OCTAL.match(self.text, at):
            code = int(found.group()[:10], 8)
            if code > 0xFFFF:
                raise ExpressionError(f"the escape \\{found.group()[:40]} is not a character", start, found.end())
            return chr(code), found.end()
        allowed = (
            "\\a \\b \\t \\n \\v \\f \\r \\e \\' \\\" \\\\, \\ with octal digits, \\u with four hexadecimal digits"
        )
        raise ExpressionError(f"unknown escape '\\{following}'; expected {allowed}", start, at + 1)


def _integer(text: str, start: int) -> int:
    base = {"0x": 16, "0o": 8, "0b": 2}.get(text[:2].lower(), 10)
    digits = (text if base == 10 else text[2:]).replace("_", "")
    if not digits:
        raise ExpressionError(f"'{text[:40]}' has no digits", start, start + len(text))
    if len(digits) > MAX_DIGITS:
        raise ExpressionError(f"a number has at most {MAX_DIGITS} digits", start, start + len(text))
    return int(digits, base)
