"""Python source of values, in lines of limited length."""

from __future__ import annotations

import textwrap

WIDTH = 90
"""Maximum number of characters in one piece of text; the formatter indents it and cannot break it."""
SENTENCE = 112
"""Maximum number of characters in a line of a docstring, without the quotes."""


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


def refusal_text(refusal: str | None) -> str:
    """Return the sentence of a generated module about columns that the engine does not read; empty if it reads all."""
    if refusal is None:
        return ""
    return textwrap.fill(f"The engine cannot run these rows: {refusal}. The object parser reads them.", SENTENCE)


def _pieces(line: str) -> list[str]:
    ending = "\n" if line.endswith("\n") else ""
    content = line.removesuffix("\n")
    wrapped = textwrap.wrap(
        content, WIDTH, break_on_hyphens=False, drop_whitespace=False, replace_whitespace=False, expand_tabs=False
    )
    return [*wrapped[:-1], (wrapped[-1] if wrapped else "") + ending]
