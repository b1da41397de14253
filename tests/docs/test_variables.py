"""The page about variables: its example prints what it shows."""

from pathlib import Path

from .blocks import Page

PAGE = Path(__file__).parents[2] / "docs" / "variables.md"


def test_the_page(tmp_path: Path) -> None:
    assert Page(PAGE.read_text(), tmp_path).run() == 2
