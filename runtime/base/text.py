"""Text for people: untrusted text with invisible characters escaped, nouns with their number, and errors for unknown
names with a suggestion."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

from .errors import UnknownNameError

_KEPT = "\n\t\u200c\u200d"
"""Line breaks, tabs, and the invisible characters that words of some scripts are spelled with."""

_ESCAPED = re.compile("[\x7f-\x9f\u2028\u2029\ud800-\udfff\ufeff\ufffe\uffff]")
"""Characters that JSON allows in a string, but a terminal, YAML or UTF-8 does not."""


def printable(text: str) -> str:
    """Return the text on one line, with control characters escaped.

    >>> printable("day \\x1b[2J\\n.log")
    'day \\\\x1b[2J\\\\x0a.log'
    """
    if text.isprintable():
        return text
    return "".join(each if each.isprintable() else _spelled(ord(each)) for each in text)


def legible(text: str) -> str:
    """Return the text with control and other invisible characters escaped, except line breaks.

    >>> print(legible("a\\x1b[1m\\r\\nb"))
    a\\x1b[1m
    b
    """
    lines = text.replace("\r\n", "\n")
    return lines if lines.isprintable() else "".join(each if is_legible(each) else printable(each) for each in lines)


def is_legible(character: str) -> bool:
    """Return whether a character is allowed in multi-line text."""
    return character.isprintable() or character in _KEPT or unicodedata.category(character) == "Zs"


def markup(text: str) -> str:
    """Return text for an element or an attribute of HTML or XML; characters that are not allowed in XML are escaped.

    >>> markup("<b>\\x1b")
    '&lt;b&gt;\\\\x1b'
    """
    # Imported here: it loads a table of entities, and most programs show no page.
    from html import escape

    return escape(legible(text))


def json_string(value: str) -> str:
    """Return a JSON string in which control characters, and those that some tools treat as line breaks, are escaped.

    >>> json_string("caf\xe9 \x9b2J")
    '"café \\\\u009b2J"'
    """
    from json.encoder import encode_basestring

    text = encode_basestring(value)
    return text if text.isprintable() else _ESCAPED.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def _spelled(code: int) -> str:
    if 0xDC80 <= code <= 0xDCFF:
        # A byte of a name that is not UTF-8, as Python represents it.
        return f"\\x{code - 0xDC00:02x}"
    return f"\\x{code:02x}" if code < 0x100 else chr(code).encode("unicode_escape").decode()


def counted(number: int, noun: str) -> str:
    """Return the number with the noun, in plural unless the number is 1.

    >>> counted(1, "row"), counted(2_000, "row")
    ('1 row', '2,000 rows')
    """
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def unknown(what: str, name: object, known: Iterable[str]) -> UnknownNameError:
    """Return the error for a ``what`` (``"format"``, ``"column"``) with the unknown name ``name``; ``known`` are the
    valid names. A name that is not a string gets no suggestion.

    >>> unknown("format", "edgemq_segmnt", ["edgemq_segment", "cobs_log"]).message
    "unknown format 'edgemq_segmnt': did you mean 'edgemq_segment'?"
    >>> unknown("format", "otlp", ["otlp_logs", "otlp_spans"]).message
    "unknown format 'otlp': did you mean 'otlp_logs' or 'otlp_spans'?"
    """
    names = list(known)
    # The first word of a name of several is what people say: "kafka" for "kafka_log".
    alike = nearest(name, names)
    near = [each for each in names if each.partition("_")[0] == name] or ([alike] if alike is not None else [])
    if near:
        return UnknownNameError(f"unknown {what} {name!r}: did you mean {' or '.join(map(repr, near))}?")
    listed = f"there are {', '.join(names)}" if names else "there is none"
    return UnknownNameError(f"unknown {what} {name!r}: {listed}")


def nearest(name: object, known: Iterable[str]) -> str | None:
    """Return the most similar name in ``known``; ``None`` if none is similar enough.

    A name with another first letter has to be more similar, since the first letter is rarely wrong, or to have the same
    letters in another order.

    >>> nearest("shelfs", ["books", "shelves"]), nearest("grow", ["growing"]), nearest("di", ["id"])
    ('shelves', 'growing', 'id')
    """
    if not isinstance(name, str):
        return None
    # Imported here, like the other modules for errors.
    from difflib import get_close_matches

    word = name.casefold()
    folded = {each.casefold(): each for each in known}
    alike = [each for each in folded if each[:1] == word[:1]]
    swapped = [each for each in folded if sorted(each) == sorted(word)]
    close = get_close_matches(word, folded, n=1, cutoff=0.75) or get_close_matches(word, alike, n=1, cutoff=0.6)
    near = swapped or close
    return folded[near[0]] if near else None
