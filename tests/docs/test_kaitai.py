"""The pages for users of Kaitai Struct: their blocks run in order."""

import sys
from pathlib import Path

import pytest

from .blocks import Page

DOCS = Path(__file__).parents[2] / "docs"


@pytest.mark.parametrize(
    ("name", "count", "modules"), [("kaitai", 8, ("shelf", "note")), ("kaitai_writing", 6, ("album",))]
)
def test_the_page(
    name: str, count: int, modules: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "path", list(sys.path))
    assert Page((DOCS / f"{name}.md").read_text(), tmp_path).run() >= count
    for each in modules:
        del sys.modules[each]
