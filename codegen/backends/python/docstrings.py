"""Docstrings: the documentation and references of the spec, wrapped to the line length of a module."""

from __future__ import annotations

import textwrap

from ..base import LINE_LENGTH
from .module import Module
from .names import Api


def described(doc: str, references: tuple[str, ...]) -> str:
    """Return the documentation from a spec, followed by its references.

    >>> print(described("A frame.", ("https://example.com/frames",)))
    A frame.
    <BLANKLINE>
    See also: https://example.com/frames
    """
    more = "\n".join(f"See also: {each.strip()}" for each in references)
    return "\n\n".join(each for each in (doc.strip(), more) if each)


def named(module: Module, kind: str, name: str) -> str:
    """Return the documentation of something that the spec does not document.

    Modules with Kaitai's API are read as code, so a docstring that says no more than the name is omitted there.
    """
    return f"The {kind} ``{name}``." if module.api is Api.WIRELOOM else ""


def wrapped(text: str, depth: int) -> str:
    """Return the text of a docstring at the given indentation. Paragraphs that are too wide are rewrapped; lists and
    tables are kept.
    """
    width = LINE_LENGTH - 4 * depth - len('"""')
    text = "\n".join(line.rstrip() for line in text.strip().split("\n"))
    if "\n" not in text and width - len('"""') < len(text) <= width:
        # The closing quotes have to fit after a single line as well.
        return textwrap.fill(text, width - len('"""'), break_long_words=False)
    paragraphs = text.split("\n\n")
    return "\n\n".join(_paragraph(each.rstrip(), width) for each in paragraphs)


def _paragraph(text: str, width: int) -> str:
    lines = text.split("\n")
    if all(len(line) <= width for line in lines):
        return text
    if any(line.lstrip() != line or line[:1] in "|-*>" for line in lines):
        return "\n".join(textwrap.fill(line, width, break_long_words=False) for line in lines)
    return textwrap.fill(" ".join(lines), width, break_long_words=False)
