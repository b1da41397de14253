"""Fifty damaged inputs of each format, fewer of those that cost more; ``make campaign`` runs a hundred thousand."""

from pathlib import Path

import pytest
from wireloom import engine

from ..examples import PROFILE, examples
from .running import run
from .subjects import SUBJECTS

DAMAGES = examples((1000 if PROFILE == "thorough" else 500) if engine.available else 300)
"""The object parser alone is slow."""
FEWEST = 30
"""Of these, both engines read a few."""


@pytest.mark.parametrize("name", SUBJECTS)
def test_what_is_intact_comes_out_and_nothing_false(name: str, tmp_path: Path) -> None:
    damages = max(DAMAGES // getattr(SUBJECTS[name], "cost", 1), FEWEST)
    result = run(SUBJECTS[name], range(damages), 20, tmp_path)
    assert result.counts["violations"] == 0, result.broken[0]
    assert result.counts["cases"] == damages
    assert engine.available == bool(result.counts["both"])
