"""The page about what writers fill in around rows: its specs are read, and its examples print what it shows."""

from pathlib import Path

from .blocks import Page

PAGE = Path(__file__).parents[2] / "docs" / "writing.md"


def test_the_page(tmp_path: Path) -> None:
    assert Page(PAGE.read_text(), tmp_path).run() == 9
