"""The page about live streams: the blocks of a section run in order, on a server of this machine."""

from pathlib import Path

import wireloom.s2 as s2

from ..s2_server import Server
from .blocks import Page

PAGE = Path(__file__).parents[2] / "docs" / "live.md"


def section(title: str) -> str:
    """A section of the page, with those below it."""
    return PAGE.read_text().partition(f"\n## {title}\n")[2].partition("\n## ")[0]


def test_s2(tmp_path: Path, s2_server: Server) -> None:
    s2_server.basin = "my-basin"
    stream = s2_server.fill("orders", 0)
    stream.append([s2.AppendRecord(timestamp=1790000000000 + n, body=b"order %d" % n) for n in range(10)])
    stream.first = 2
    assert Page(section("S2"), tmp_path).run() >= 4
