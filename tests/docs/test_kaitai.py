"""The page for users of Kaitai Struct: its blocks run in order."""

import sys
from pathlib import Path

import pytest

from .blocks import Page

PAGE = Path(__file__).parents[2] / "docs" / "kaitai.md"


def test_the_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", list(sys.path))
    assert Page(PAGE.read_text(), tmp_path).run() >= 14
    for each in ("shelf", "album"):
        del sys.modules[each]
