"""The cookbook: each page's spec is read, and its examples print what they show."""

import gzip
from pathlib import Path

import pytest
import wireloom

from .blocks import Page, blocks

FOLDER = Path(__file__).parents[2] / "docs" / "cookbook"
PAGES = sorted(each for each in FOLDER.glob("*.md") if each.name != "README.md")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_the_page(page: Path, tmp_path: Path) -> None:
    assert Page(page.read_text(), tmp_path).run() >= 2


def test_every_page_is_in_the_index() -> None:
    index = (FOLDER / "README.md").read_text()
    assert all(f"({each.name})" in index for each in PAGES)


def test_the_spec_of_warc_reads_what_warcio_wrote_and_writes_the_same(tmp_path: Path) -> None:
    """warcio 1.8 wrote the file, with one gzip member for each record."""
    archive = Path(__file__).with_name("warcio.warc.gz")
    [spec] = [each.text for each in blocks((FOLDER / "warc.md").read_text()) if each.kind == "yaml"]
    (tmp_path / "warc.ksy").write_text(spec)
    format = wireloom.load_spec(tmp_path / "warc.ksy")
    table, report = wireloom.read_with_report(format, archive)
    assert report.clean
    headers = [dict(each) for each in table["headers"].to_pylist()]
    assert [each["WARC-Type"] for each in headers] == ["warcinfo", *["response"] * 5, "metadata"]
    assert [int(each["Content-Length"]) for each in headers] == [len(each) for each in table["block"].to_pylist()]
    assert headers[-1]["WARC-Target-URI"] == "http://example.org/empty"
    wireloom.write(format, table, tmp_path / "again.warc")
    assert (tmp_path / "again.warc").read_bytes() == gzip.decompress(archive.read_bytes())
