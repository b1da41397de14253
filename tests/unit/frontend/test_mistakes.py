"""Mistakes that authors make, as files of cases: a spec, and its exact diagnostics with their places.

A file begins with a line about its cases. They are between lines of ``----`` (or ``==== title``); the lines that begin
with ``>`` are the diagnostics.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.unit.frontend.specs import HEAD, said

FOLDER = Path(__file__).parent / "mistakes"

TABLE_HEAD = HEAD + "  -wireloom:\n"
TABLE_BODY = """
seq:
  - {id: magic, contents: abc}
  - {id: version, type: u1}
  - {id: rows, type: row, repeat: eos}
types:
  row:
    seq:
      - {id: len, type: u4}
      - {id: payload, size: len}
    instances:
      far: {pos: 0, type: u1}
"""


def cases(name: str) -> list[tuple[str, list[str]]]:
    _, text = (FOLDER / f"{name}.txt").read_text().split("\n", 1)
    found = []
    for block in re.split(r"^(?:----|====.*)\n", text, flags=re.MULTILINE):
        lines = block.strip("\n").split("\n")
        if lines != [""]:
            body = "".join(f"{line}\n" for line in lines if not line.startswith("> "))
            found.append((body, [line[2:] for line in lines if line.startswith("> ")]))
    return found


MISTAKES = {
    "language": said,
    "extensions": said,
    "meta": lambda body: said(body, ""),
    "table": lambda body: said(body + TABLE_BODY, TABLE_HEAD),
}
"""The files, and how the diagnostics of their cases are found."""


@pytest.mark.parametrize("name", MISTAKES)
def test_mistakes(name: str, subtests: pytest.Subtests) -> None:
    for number, (body, messages) in enumerate(cases(name)):
        with subtests.test(number):
            assert MISTAKES[name](body) == messages
