"""The section of the dialect's page about messages as JSON: its spec is read, and its example prints what it shows."""

from pathlib import Path

from .blocks import Page

PAGE = Path(__file__).parents[2] / "docs" / "dialect.md"


def test_messages_as_json(tmp_path: Path) -> None:
    part = PAGE.read_text().split("### Messages as JSON")[1].split("\n### ")[0]
    assert Page(part, tmp_path).run() == 2
