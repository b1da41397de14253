"""The page on guarantees: its examples."""

from pathlib import Path

from .blocks import Page

PAGE = Path(__file__).parents[2] / "docs" / "trust.md"


def test_the_page(tmp_path: Path) -> None:
    assert Page(PAGE.read_text(), tmp_path).run() == 2
