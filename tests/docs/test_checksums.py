"""The page about checksums: the engine reads its specs, and its examples print what it shows."""

from pathlib import Path

import wireloom

from .blocks import Page

PAGE = Path(__file__).parents[2] / "docs" / "checksums.md"


def test_the_page(tmp_path: Path) -> None:
    assert Page(PAGE.read_text(), tmp_path).run() == 14
    for name in ("tfrecord", "chain", "frame_log"):
        assert wireloom.load_spec(tmp_path / f"{name}.ksy").program is not None
