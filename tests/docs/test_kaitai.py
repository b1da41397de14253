"""The page for users of Kaitai Struct: its blocks run in order."""

import sys
from pathlib import Path

import pytest

from .blocks import Page

PAGE = Path(__file__).parents[2] / "docs" / "kaitai.md"


def test_the_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", list(sys.path))
    assert Page(PAGE.read_text(), tmp_path).run() >= 8
    for name in ("shelf", "note"):
        del sys.modules[name]
