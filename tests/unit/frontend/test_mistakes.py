"""Mistakes that authors make, as files of cases: a spec, and its exact diagnostics with their places.

A file begins with a line about its cases. They are between lines of ``----`` (or ``==== title``); the lines that begin
with ``>`` are the diagnostics. ``python -m tests.unit.frontend.test_mistakes`` writes the present ones, and a reviewer
of the change reads them.
"""

from __future__ import annotations

import re
from pathlib import Path
from textwrap import indent

import pytest
from wireloom.codegen.checking import check
from wireloom.codegen.spec.diagnostic import Diagnostic

from tests.unit.frontend.specs import HEAD, said

FOLDER = Path(__file__).parent / "mistakes"
BETWEEN = re.compile(r"^((?:----|====.*)\n)", re.MULTILINE)
AGAIN = "run python -m tests.unit.frontend.test_mistakes, and look at what it changes"

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

HEAD_OF_TYPES = (
    HEAD
    + """\
enums:
  colour: {0: none, 1: red, 2: green}
  shade: {1: light, 2: dark}
  huge: {0: none, 0x80000000: all}
types:
  layout: {seq: [{id: a, type: u1}]}
  other: {-wireloom: {message: {fields: []}}}
  m:
    -wireloom:
      message:
        fields:
"""
)


def in_message(body: str) -> list[str]:
    """Return the diagnostics of fields and, after them, other keys of a message."""
    lines = [f"{' ' * (10 if line.startswith(('-', ' ')) else 8)}{line}\n" for line in body.splitlines()]
    # The last line is at the margin, so that the others keep their indentation.
    return said("".join([*lines, "doc: A spec.\n"]), HEAD_OF_TYPES)


HEAD_OF_UNITS = HEAD + "  -wireloom:\n    message:\n"
BODY_OF_UNITS = """
seq:
  - {id: magic, contents: abc}
  - {id: message, type: batch, size: _io.size - 19}
  - {id: digest, size: 16, -wireloom: {checksum: {algorithm: md5, over: message}}}
types:
  batch:
    -wireloom:
      message:
        fields:
          - {id: rows, number: 1, type: row, label: repeated}
          - {id: only, number: 2, type: row}
          - {id: room, number: 3, type: string}
          - {id: tree, number: 4, type: tree}
          - {id: named, number: 5, type: row, map-key: string}
  row:
    -wireloom:
      message:
        fields:
          - {id: data, number: 1, type: bytes}
          - {id: at, number: 2, type: uint64}
          - {id: parts, number: 3, type: bytes, label: repeated}
  tree:
    -wireloom: {message: {fields: [{id: inner, number: 1, type: node}]}}
  node:
    -wireloom: {message: {fields: [{id: inner, number: 1, type: tree}]}}
  layout:
    seq: [{id: a, type: u1}]
"""


def in_units(body: str) -> list[str]:
    return said(indent(body, " " * 6) + BODY_OF_UNITS, HEAD_OF_UNITS)


HEAD_OF_ROWS = """\
meta: {id: demo, endian: le, -wireloom: {rows: rows%s}}
seq: [{id: rows, type: row, repeat: eos}]
types:
"""


def for_engine(body: str) -> list[str]:
    """Return what a check prints about the rows, with the help after each diagnostic. A column that is named like
    ``quotient`` is selectable."""
    return checked(body, HEAD_OF_ROWS % (", columns: [n], selectable: [quotient]" if "quotient" in body else ""))


def checked(body: str, head: str = "") -> list[str]:
    """Return what a check prints about a spec: diagnostics with their help, what reads the rows, and notes."""
    result = check(Path("demo.ksy"), text=head + body)
    found = []
    for each in [*result.diagnostics, *result.lines]:
        if isinstance(each, Diagnostic):
            place = f"{each.line - head.count(chr(10))}:{each.column}-{each.end_column}"
            severity = "" if head else f"{each.severity}: "
            found += [f"{place}: {severity}{each.message}", *([f"  {each.help}"] if each.help or head else [])]
        else:
            found.append(each)
    return found


MISTAKES = {
    "language": said,
    "extensions": said,
    "meta": lambda body: said(body, ""),
    "table": lambda body: said(body + TABLE_BODY, TABLE_HEAD),
    "messages": in_message,
    "units": in_units,
    "engine": for_engine,
    "newcomer": checked,
}
"""The files, and how the diagnostics of their cases are found."""


def parts(name: str) -> tuple[str, list[str]]:
    """Return the first line of a file, and its cases with the lines between them."""
    head, text = (FOLDER / f"{name}.txt").read_text("utf-8").split("\n", 1)
    return head, BETWEEN.split(text)


def specs(name: str) -> list[str]:
    """Return the specs of the cases in a file."""
    return [_spec(each) for each in parts(name)[1] if _is_case(each)]


def renewed(name: str) -> str:
    """Return the text of a file with the present diagnostics."""
    head, listed = parts(name)
    return f"{head}\n" + "".join(_renewed(name, each) if _is_case(each) else each for each in listed)


def _is_case(part: str) -> bool:
    return bool(part.strip()) and not BETWEEN.match(part)


def _spec(case: str) -> str:
    return "".join(f"{line}\n" for line in case.strip("\n").split("\n") if not line.startswith("> "))


def _renewed(name: str, case: str) -> str:
    spec, end = _spec(case), len(case.rstrip("\n")) + 1
    return spec + "".join(f"> {each}\n" for each in MISTAKES[name](spec)) + case[end:]


@pytest.mark.parametrize("name", MISTAKES)
def test_mistakes(name: str) -> None:
    assert renewed(name) == (FOLDER / f"{name}.txt").read_text("utf-8"), AGAIN


if __name__ == "__main__":
    for name in MISTAKES:
        (FOLDER / f"{name}.txt").write_text(renewed(name), "utf-8")
