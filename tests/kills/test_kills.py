"""A few kills of each format; ``make kills`` makes any number."""

from pathlib import Path

import pytest

from .running import run
from .subjects import SUBJECTS

KILLS = 8


@pytest.mark.parametrize("name", SUBJECTS)
def test_what_was_acknowledged_is_read_and_only_what_a_kill_tore_is_damaged(name: str, tmp_path: Path) -> None:
    result = run(name, KILLS, 1, tmp_path)
    assert result.faults == 0, result.broken[0]
    assert result.counts["kills"] >= KILLS
    assert result.counts["acknowledged"] > 0


@pytest.mark.parametrize(
    "name", [pytest.param(each, marks=[] if each == "cobs_log" else [pytest.mark.thorough]) for each in SUBJECTS]
)
def test_what_was_acknowledged_is_read_where_the_file_system_has_no_locks(name: str, tmp_path: Path) -> None:
    result = run(name, KILLS, 1, tmp_path, locks=False)
    assert result.faults == 0, result.broken[0]
    assert result.counts["acknowledged"] > 0
