"""The page about ``wireloom inspect``: its blocks run in order."""

from pathlib import Path

from .blocks import Page

PAGE = Path(__file__).parents[2] / "docs" / "inspect.md"


def test_the_page(tmp_path: Path) -> None:
    assert Page(PAGE.read_text(), tmp_path).run() >= 3
    assert (tmp_path / "hello.html").stat().st_size > 10_000
