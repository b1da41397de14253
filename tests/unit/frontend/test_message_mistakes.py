"""Mistakes that authors make in messages and in tables of them: the diagnostics and their places."""

from __future__ import annotations

from textwrap import indent

import pytest

from tests.unit.frontend.specs import HEAD, said
from tests.unit.frontend.test_mistakes import cases

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


@pytest.mark.parametrize(("body", "messages"), cases("messages"), ids=range(len(cases("messages"))))
def test_messages(body: str, messages: list[str]) -> None:
    assert in_message(body) == messages


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


@pytest.mark.parametrize(("body", "messages"), cases("units"), ids=range(len(cases("units"))))
def test_units(body: str, messages: list[str]) -> None:
    assert in_units(body) == messages
