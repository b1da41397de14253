"""Classes that index the items of a file while it is written."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import wireloom
from wireloom import SpecError

from .test_for_each import SPEC

BODY = "{begin: _offset, count: 0, total: 0, largest: 0, smallest: 0, entries: []}"
ROWS = [{"author": number, "n": 10 + number, "name": "ab"[number]} for number in range(2)]


class Indexer:
    """Writes an unknown record with the kind, the offset and the size of each record after it."""

    def __init__(self, format: wireloom.Format) -> None:
        self.count = 0

    def after(self, item: Any, offset: int, size: int) -> Any:
        self.count += 1
        return [type(item)(kind=7, body=bytes([item.kind, offset, size]))]

    def end(self, items: list[Any]) -> None:
        items[0].body.count = self.count


def format_of(folder: Path, name: str = "Indexer", **how: Any) -> wireloom.Format:
    spec = folder / "indexed.ksy"
    text = SPEC.replace("BODY", BODY)
    spec.write_text(text.replace("      ends-with:", f"      indexer: {__name__}:{name}\n      ends-with:"))
    return wireloom.load_spec(spec, **{"allow_modules": [__name__]} | how)


def test_items_follow_those_of_all_tables(tmp_path: Path) -> None:
    format = format_of(tmp_path)
    ours = tmp_path / "a.log"
    for _ in range(2):
        # Each file has an indexer of its own.
        wireloom.write(format, ROWS, ours, unit_rows=1)
        items = [b"\3\2\0a", b"\2\2\0\x0a", b"\3\2\1b", b"\2\2\1\x0b"]
        places = [6 + number * (4 + 5) for number in range(4)]
        indexed = [each + bytes([7, 3, each[0], place, 4]) for each, place in zip(items, places, strict=True)]
        end = bytes([9, 5, 6 + 4 * 9, 4, 0, 0, 0])
        assert ours.read_bytes() == b"LOG\1\1\3" + b"".join(indexed) + end
    assert wireloom.read(format, ours, columns=["author", "n", "name"], mode="failfast").to_pylist() == ROWS
    wireloom.write(format, [], ours)
    assert ours.read_bytes() == b"LOG\1\1\3" + bytes([9, 5, 6, 0, 0, 0, 0])


def test_it_needs_permission_and_an_end(tmp_path: Path) -> None:
    with pytest.raises(SpecError, match=r"'indexer: .*neither registered nor allowed"):
        format_of(tmp_path, allow_modules=[])
    spec = tmp_path / "indexed.ksy"
    spec.write_text(re.sub(r"      ends-with:\n.*\n.*\n", "", spec.read_text()))
    with pytest.raises(SpecError, match="'indexer' requires 'ends-with'"):
        wireloom.load_spec(spec, allow_modules=[__name__])
