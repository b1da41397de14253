"""Specs with mistakes, from Kaitai's own suite: severity and place of each are right, and no text is worse."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.conformance.errors import judged, score, specs

SUITE = os.environ.get("KAITAI_TESTS", "")

pytestmark = pytest.mark.skipif(
    not SUITE, reason="KAITAI_TESTS does not name a checkout of kaitai-io/kaitai_struct_tests"
)

EXACT = 90
"""Files whose texts are Kaitai's to the letter, at the least."""


@pytest.mark.parametrize("path", specs(Path(SUITE)) if SUITE else [], ids=lambda path: path.stem)
def test_severity_and_place(path: Path) -> None:
    found = judged(path)
    assert found.missing == ()
    assert "other" not in found.texts


def test_texts() -> None:
    counted = score(Path(SUITE))
    exact = counted["text_exact"]
    assert isinstance(exact, int)
    assert exact >= EXACT
