"""The cookbook: each page's spec is read, and its examples print what they say."""

from pathlib import Path

import pytest

from .blocks import Page

FOLDER = Path(__file__).parents[2] / "docs" / "cookbook"
PAGES = sorted(each for each in FOLDER.glob("*.md") if each.name != "README.md")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_the_page(page: Path, tmp_path: Path) -> None:
    assert Page(page.read_text(), tmp_path).run() >= 2


def test_every_page_is_in_the_index() -> None:
    index = (FOLDER / "README.md").read_text()
    assert all(f"({each.name})" in index for each in PAGES)
