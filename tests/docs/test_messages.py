"""The page about columns of messages: its blocks run in order; those after "Spark" only if there is a session."""

from pathlib import Path

from .blocks import Page

PAGE = Path(__file__).parents[2] / "docs" / "messages.md"


def test_the_page_without_spark(tmp_path: Path) -> None:
    before, _, _ = PAGE.read_text().partition("## Spark")
    assert Page(before, tmp_path).run() == 10
