"""Specs with mistakes, from Kaitai's own suite: severity and place of each are right, and no text is worse."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from .errors import judged, score, specs
from .scores import standing
from .suite import ABSENT, VARIABLE

SUITE = os.environ.get(VARIABLE, "")

pytestmark = pytest.mark.skipif(not SUITE, reason=ABSENT)


@pytest.mark.parametrize("path", specs(Path(SUITE)) if SUITE else [], ids=lambda path: path.stem)
def test_severity_and_place(path: Path) -> None:
    found = judged(path)
    assert found.missing == ()
    assert "other" not in found.texts


def test_no_text_is_lost() -> None:
    """At least as many texts are identical to Kaitai's as the file of the scores says."""
    exact, before = score(Path(SUITE))["text_exact"], standing()["parts"]["errors"]["texts"]["text_exact"]
    assert isinstance(exact, int)
    assert exact >= before
