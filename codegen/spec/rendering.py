"""Renders a problem as text: a first line for tools, then the line of the spec with the range underlined, and help."""

from __future__ import annotations

import unicodedata

from wireloom.base.printable import printable

from .diagnostic import Diagnostic

MAX_WIDTH = 110
"""Maximum width of a spec's line in columns of a terminal; of longer lines the part around the position is shown."""
BEFORE = 40
"""The number of these columns before the position."""
TAB = "    "

_STYLES = {"error": "1;31", "warning": "1;33", "note": "1;36", "place": "1", "gutter": "34"}


def rendered(found: Diagnostic, colour: bool = False) -> str:
    """Return the problem as one line (``file:line:column: severity: text``), followed by an indented explanation.

    >>> from wireloom.codegen.spec.diagnostic import Diagnostic
    >>> see = "wireloom reference attribute"
    >>> print(rendered(Diagnostic("a.ksy", 3, 4, "error", "no such type", 6, "a: u9", "'type' takes …", see)))
    a.ksy:3:4: error: no such type
      3 | a: u9
        |    ^^
        = 'type' takes …
        = see: wireloom reference attribute
    """

    def styled(text: str, style: str) -> str:
        return f"\x1b[{_STYLES[style]}m{text}\x1b[0m" if colour else text

    place = styled(f"{printable(found.file)}:{found.line}:{found.column}:", "place")
    message = styled(found.message, "place")
    lines = [f"{place} {styled(f'{found.severity}:', found.severity)} {message}"]
    number = str(found.line)
    gutter = " " * (len(number) + 2)
    if found.source.strip():
        shown, indent, width = excerpt(found.source, found.column, found.end_column)
        lines.append(f"{styled(f'  {number} |', 'gutter')} {shown}".rstrip())
        carets = styled("^" * width, found.severity)
        lines.append(f"{styled(f'{gutter} |', 'gutter')} {' ' * indent}{carets}")
    if found.path:
        lines.append(f"{gutter} {styled('=', 'gutter')} at {found.path}")
    if found.help:
        lines.append(f"{gutter} {styled('=', 'gutter')} {found.help}")
    if found.reference:
        lines.append(f"{gutter} {styled('=', 'gutter')} see: {found.reference}")
    return "\n".join(lines)


def excerpt(source: str, column: int, end_column: int) -> tuple[str, int, int]:
    """Return an excerpt of a line, the number of terminal columns before the range, and the width of the range.

    >>> excerpt("\\tsize: 名前", 8, 10)
    ('    size: 名前', 10, 4)
    """
    begin = min(column - 1, len(source))
    end = min(max(end_column - 1, begin + 1), len(source))
    first, cut = 0, ""
    if len(source) > MAX_WIDTH and begin > BEFORE:
        first, cut = begin - BEFORE, "…"
    pieces = [_shown(each) for each in source[first : first + MAX_WIDTH]]
    last = "…" if first + MAX_WIDTH < len(source) else ""
    indent = sum(map(_columns, pieces[: begin - first])) + len(cut)
    width = sum(map(_columns, pieces[begin - first : end - first]))
    return f"{cut}{''.join(pieces)}{last}", indent, max(width, 1)


def _shown(character: str) -> str:
    if character == "\t":
        return TAB
    return printable(character)


def _columns(text: str) -> int:
    """Return the width of text in columns of a terminal."""
    return sum(
        0 if unicodedata.combining(each) else 2 if unicodedata.east_asian_width(each) in "WF" else 1 for each in text
    )
