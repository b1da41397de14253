"""Positions of texts with characters of several units, and with line breaks that only YAML knows."""

from __future__ import annotations

import pytest
from lsprotocol.types import Position
from wireloom.codegen.spec.reader import lines_of
from wireloom.lsp.places import Places, utf_16

TEXT = "a: é\r\nname: 🙂x # \u2028second: \ud800\rthird\n"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-32"])
def test_positions_and_offsets_are_inverse(encoding: str) -> None:
    places = Places(TEXT, encoding)
    for offset, character in enumerate(TEXT):
        if character != "\n":
            assert places.offset(places.position(offset)) == offset
    assert places.position(len(TEXT)) == Position(3, 0)


@pytest.mark.parametrize(("encoding", "units"), [("utf-8", 4), ("utf-16", 2), ("utf-32", 1)])
def test_the_units_of_a_client(encoding: str, units: int) -> None:
    places = Places(TEXT, encoding)
    assert places.position(TEXT.index("x")) == Position(1, 6 + units)
    # Inside of a character, and far after everything.
    assert places.offset(Position(1, 6 + units - 1)) == TEXT.index("🙂") + (units == 1) * 0
    assert places.offset(Position(1, 1000)) == TEXT.index("\r", 7)
    assert places.offset(Position(9, 9)) == len(TEXT)


def test_lines_of_yaml() -> None:
    places = Places(TEXT, "utf-16")
    lines = lines_of(TEXT)
    assert lines[2].startswith("second")
    found = places.range(3, 1, 7)
    begin = TEXT.index("second")
    assert found.start == places.position(begin)
    assert found.end == places.position(begin + 6)
    assert places.line_and_column(found.start) == (3, 1)
    # Beyond the text, as positions of an error at its end are.
    assert places.range(99, 99, 0).start == places.position(len(TEXT))


def test_utf_16() -> None:
    assert [utf_16(each) for each in ("", "ab", "é", "🙂", "\ud800")] == [0, 2, 1, 2, 1]
