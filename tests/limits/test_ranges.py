"""A byte range costs its own bytes and one block after it: nothing else of the file is read."""

from __future__ import annotations

from pathlib import Path

import pytest
import wireloom
from wireloom.input.window import FIRST

from ..unit.reading.samples import word_log
from .counting import count_reads


@pytest.mark.parametrize("prefetch", [False, True])
@pytest.mark.parametrize(("begin", "end"), [(0, 300_000), (1_000_000, 1_300_000), (3_000_000, 3_000_001)])
def test_what_is_read_for_a_byte_range(
    begin: int, end: int, prefetch: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.log"
    path.write_bytes(word_log([bytes((number % 250,)) * 1000 for number in range(6000)]))
    sizes = count_reads(monkeypatch)
    table = wireloom.read("word_stuffed_log", path, byte_range=(begin, end), codec="none", prefetch=prefetch)
    assert abs(table.num_rows - (end - begin) / 1011) < 2
    # A reader that prefetches has filled all of its blocks before the first one is examined.
    blocks = 7 if prefetch else 2
    assert sum(sizes) <= end - begin + blocks * FIRST
