"""The page about OpenTelemetry: its blocks run in order."""

from pathlib import Path

from .blocks import Page

PAGE = Path(__file__).parents[2] / "docs" / "otlp.md"


def test_the_page(tmp_path: Path) -> None:
    assert Page(PAGE.read_text(), tmp_path).run() == 4
