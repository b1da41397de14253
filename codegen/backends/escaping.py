"""Escaping of a spec's text in generated files: one function per target language; no text can break out of its context.

Every text chosen by the author of a spec (titles, documentation, names of files, encodings, string literals) passes
through the function of its target. Names that the front end has checked (letters, digits and underscores) need no
escaping.
"""

from __future__ import annotations

import re

from wireloom.base.text import is_legible, legible, printable

# Python --------------------------------------------------------------------------------------------------------------


def python_text(text: str) -> str:
    """Return a Python literal; the formatter normalises its quotes.

    >>> print(python_text("it's"))
    "it's"
    """
    return repr(text)


def python_comment(text: str) -> str:
    """Return the text as a single line for a ``#`` comment.

    >>> python_comment("a\\nimport os")
    'a\\\\x0aimport os'
    """
    return printable(text)


def python_docstring(text: str) -> str:
    """Return a docstring of ``text``, on one line if it fits; the caller indents continuation lines.

    >>> print(python_docstring("A frame."))
    \"\"\"A frame.\"\"\"
    """
    stripped = text.replace("\r\n", "\n").strip()
    body = stripped.rstrip('"')
    escaped = body.replace("\\", "\\\\").replace('"""', '\\"\\"\\"') + '\\"' * (len(stripped) - len(body))
    spelled = "".join(each if is_legible(each) else each.encode("unicode_escape").decode() for each in escaped)
    return f'"""{spelled}\n"""' if "\n" in spelled else f'"""{spelled}"""'


# XML; for its text, and that of HTML, see "wireloom.base.text.markup" -------------------------------------------------


def xml_comment(text: str) -> str:
    """Return a comment of XML or Markdown, in which two consecutive dashes are not allowed.

    >>> xml_comment("Generated from a-->b.ksy.")
    '<!-- Generated from a- ->b.ksy. -->'
    """
    return f"<!-- {re.sub('-(?=-)', '- ', legible(text))} -->"


# Markdown ------------------------------------------------------------------------------------------------------------

_REFUSED = (
    r"(?P<tag><)(?=[A-Za-z/!?])"  # the beginning of HTML, or of an address in angle brackets
    r"|(?P<picture>!)(?=\[)"
    r"|(?P<link>\])(?=[(:])(?![(:]\s*https?://)"
)
_TEXT = re.compile(rf"\\[!-/:;=-@\[-`{{-~]|{_REFUSED}")
"""Constructs that are refused, preceded by those that a backslash escapes, except the character that begins HTML."""
_TEXT_AND_CODE = re.compile(rf"{_TEXT.pattern}|(?<!`)(?P<fence>`+)(?!`)(?P<code>.*?[^`])(?P=fence)(?!`)|(?P<open>`+)")
_ENTITIES = {"tag": "&lt;", "picture": "&#33;", "link": "&#93;"}


def markdown(text: str) -> str:
    """Return documentation, which is Markdown itself, without HTML, pictures and links other than to the web.

    >>> markdown("A `Vec<u8>`, *not* <b>.")
    'A `Vec<u8>`, *not* &lt;b>.'
    """
    lines = legible(text).split("\n")
    # Cells of a table are split before code is recognised. A backtick without a partner in its line may have one in
    # another.
    has_code = all(_has_whole_code(line) for line in lines)
    return "\n".join((_TEXT_AND_CODE if has_code else _TEXT).sub(_harmless, line) for line in lines)


def _has_whole_code(line: str) -> bool:
    """Return whether the code in a line can be recognised without the lines around it."""
    if "`" not in line:
        return True
    return "|" not in line and all(found.lastgroup != "open" for found in _TEXT_AND_CODE.finditer(line))


def _harmless(found: re.Match[str]) -> str:
    return _ENTITIES.get(found.lastgroup or "", found.group())


def markdown_code(text: str) -> str:
    """Return ``text`` as code on one line, valid in a cell of a table too.

    >>> markdown_code("list<u8>"), markdown_code("`|")
    ('`list<u8>`', '<code>&#96;&#124;</code>')
    """
    line = printable(text)
    if line.strip() == line and line and not set(line) & set("`|\\"):
        return f"`{line}`"
    return f"<code>{''.join(each if each.isalnum() else f'&#{ord(each)};' for each in line)}</code>"
