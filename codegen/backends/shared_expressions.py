"""Expressions that a generated module contains several times: each is assigned to a name once."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

LEAST = 160
"""Number of characters of an expression from which a name is shorter to read."""


def shared_expressions(
    texts: Sequence[str], functions: Sequence[str], taken: Sequence[str] = ()
) -> tuple[tuple[tuple[str, str], ...], tuple[str, ...]]:
    """Give names to calls that occur more than once.

    Args:
        texts: Expressions of one module, all of them generated.
        functions: The functions whose calls get a name: ``pa.struct``.
        taken: Names that the module already has.

    Returns:
        Names and their expressions, each after those that it uses, and ``texts`` with names in place of these calls. A
        name is that of the field whose type it is.

    >>> point = "pa.struct([" + ", ".join(f'pa.field("x{number}", pa.int64())' for number in range(6)) + "])"
    >>> fields = f'pa.field("at", {point})', f'pa.field("to", pa.list_({point}))'
    >>> names, texts = shared_expressions(fields, ["pa.struct"])
    >>> [name for name, _ in names], texts
    (['AT'], ('pa.field("at", AT)', 'pa.field("to", pa.list_(AT))'))
    """
    remaining, found = list(texts), list[tuple[str, str]]()
    counts = Counter(call for text in texts for call in _calls(text, functions))
    for call in sorted((each for each, count in counts.items() if count > 1), key=lambda each: (-len(each), each)):
        places = [*remaining, *(text for _, text in found)]
        if sum(text.count(call) for text in places) < 2:
            continue
        name = _name(call, next(text for text in places if call in text), {*taken, *(name for name, _ in found)})
        remaining = [text.replace(call, name) for text in remaining]
        found = [(other, text.replace(call, name)) for other, text in found]
        found.append((name, call))
    return tuple(reversed(found)), tuple(remaining)


def _calls(text: str, functions: Sequence[str]) -> Iterator[str]:
    """Yield the long calls of functions in an expression, including those inside of others."""
    for begin in re.finditer("|".join(rf"(?<![\w.]){re.escape(each)}\(" for each in functions), text):
        depth, end = 1, begin.end()
        for bracket in re.compile(r"""[()]|"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'""").finditer(text, end):
            depth += {"(": 1, ")": -1}.get(bracket[0], 0)
            if not depth:
                end = bracket.end()
                break
        if end - begin.start() >= LEAST:
            yield text[begin.start() : end]


def _name(call: str, text: str, taken: set[str]) -> str:
    """Return a name for a call, after the last field or argument that begins before it."""
    before = re.findall(r"""["'](\w+)["'],|(\w+)=""", text[: text.index(call)])
    stem = "".join(before[-1]).upper() if before else "SHARED"
    numbered = (f"{stem}_{number}" for number in range(2, len(taken) + 3))
    return next(each for each in (stem, *numbered) if each not in taken)
