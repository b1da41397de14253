"""The pages whose blocks need nothing else: the specs are read, and the examples print what the pages show."""

from pathlib import Path

import pytest

from .blocks import Page

DOCS = Path(__file__).parents[2] / "docs"
BLOCKS = {
    "appending": 1,
    "compressed_blocks": 3,
    "fragments": 11,
    "markers": 7,
    "messages": 10,
    "nested_rows": 24,
    "otlp": 4,
    "s2": 8,
    "searching": 5,
    "tables": 14,
    "tfrecord": 1,
    "trust": 2,
    "variables": 2,
    "writing": 9,
}
"""Pages, and how many blocks they have at least."""
SPARK = ("messages", "tfrecord")
"""Pages that end with blocks for a session of Spark: see ``tests/spark/live``."""


@pytest.mark.parametrize("name", BLOCKS)
def test_the_page(name: str, tmp_path: Path) -> None:
    text = (DOCS / f"{name}.md").read_text()
    assert Page(text.partition("## Spark")[0] if name in SPARK else text, tmp_path).run() >= BLOCKS[name]
