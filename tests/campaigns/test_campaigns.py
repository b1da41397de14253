"""A thousand damaged inputs of each format; ``make campaign`` runs a hundred times as many."""

from pathlib import Path

import pytest
from wireloom import engine

from .running import run
from .subjects import SUBJECTS

DAMAGES = 1000 if engine.available else 150
"""The object parser alone is slow."""


@pytest.mark.parametrize("name", SUBJECTS)
def test_what_is_intact_comes_out_and_nothing_false(name: str, tmp_path: Path) -> None:
    result = run(SUBJECTS[name], range(DAMAGES), 20, tmp_path)
    assert result.counts["violations"] == 0, result.broken[0]
    assert result.counts["cases"] == DAMAGES
    assert engine.available == bool(result.counts["both"])
