"""The output in notebooks: escaped, bounded, and well-formed."""

from html.parser import HTMLParser
from pathlib import Path

import pytest
import wireloom
from wireloom import Damage, FileReport, ReadReport
from wireloom.base.html_tables import plain
from wireloom.format.registry import get
from wireloom.formats.cobs_log.parser import CobsLog
from wireloom.formats.edgemq_segment.parser import EdgemqSegment
from wireloom.objects import MOST_VALUES, html_of_struct

HOSTILE = '<script>alert("x")</script>&amp;\'' * 50


class Checker(HTMLParser):
    """Checks that every element is closed in order; records the elements and their text."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.kinds: set[str] = set()
        self.text = ""
        self.feed(page)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.open.append(tag)
        self.kinds.add(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


ALLOWED = {"div", "b", "i", "code", "table", "thead", "tbody", "tr", "th", "td", "details", "summary"}


def checked(thing: object) -> Checker:
    page = thing._repr_html_()  # type: ignore[attr-defined]
    assert len(page) < 200_000
    found = Checker(page)
    assert found.kinds <= ALLOWED
    return found


def test_an_object() -> None:
    frame = EdgemqSegment.Frame(tenant=7, payload=b"<b>" * 1000)
    segment = EdgemqSegment(frames=[frame] * 5)
    text = checked(segment).text
    assert "EdgemqSegment" in text
    assert "5 items" in text
    assert "3c 62 3e" in text
    assert "3,000 bytes" in text
    assert "not set" in text, "a length that writing will fill in"


def test_a_large_object_is_cut() -> None:
    log = CobsLog(records=[CobsLog.Record(payload=b"x" * 10_000)] * 100_000)
    shown = checked(log)
    assert "100,000 items" in shown.text
    assert "and 99,980 more items" in shown.text
    assert html_of_struct(log).count("<tr>") < 2 * MOST_VALUES


@pytest.mark.parametrize(
    "value", [HOSTILE, 1 << 100_000, 1.5, None, True, b"", [1, 2]], ids=lambda each: type(each).__name__
)
def test_values(value: object) -> None:
    page = plain(value)
    assert "<script" not in page
    assert len(page) < 1200


def test_reports() -> None:
    bad = FileReport(HOSTILE, 5, 100, [Damage(n, 10, "checksum") for n in range(1000)], unlisted=3, error=HOSTILE)
    good = FileReport("good.log", 1, 10, tail="clean", options={"stride": "layout"})
    assert repr(good) == "<FileReport of good.log: 1 row, 10 bytes, clean>"
    assert "1,003 damaged ranges" in repr(bad)
    assert len(repr(bad)) < len(HOSTILE) + 100
    text = checked(bad).text
    assert "<script>" in text
    assert "and 983 more damaged ranges" in text
    assert "stride=layout" in checked(good).text
    text = checked(ReadReport("cobs_log", [good] * 50 + [bad])).text
    assert text.index("<script>") < text.index("good.log"), "what is bad comes first"
    assert "and 31 more inputs" in text
    assert "1 row," in checked(ReadReport("cobs_log", [good])).text


def test_a_scanner_is_not_read_by_looking_at_it(tmp_path: Path) -> None:
    path = tmp_path / "a.log"
    wireloom.write("cobs_log", [{"payload": b"a"}], path)
    with wireloom.scan("cobs_log", path) as scanner:
        assert "payload" in checked(scanner).text
        assert scanner.report.rows == 0
        assert scanner.read_all().num_rows == 1
        assert str(path)[-100:] in checked(scanner).text


def test_formats() -> None:
    for name in wireloom.formats():
        format = get(name)
        text = checked(format).text
        assert all(column.name in text for column in format.columns)
    assert "stride" in checked(get("edgemq_segment")).text
