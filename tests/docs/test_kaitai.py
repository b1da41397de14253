"""The page for users of Kaitai Struct: its blocks run in order."""

import sys
from pathlib import Path

import pytest

from .blocks import Page

PAGE = Path(__file__).parents[2] / "docs" / "kaitai.md"


def test_the_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.delitem(sys.modules, "shelf", raising=False)
    assert Page(PAGE.read_text(), tmp_path).run() >= 5
    sys.modules.pop("shelf", None)
