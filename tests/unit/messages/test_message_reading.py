"""Files of messages through the scanner: rows, damage, tails, modes, options, memory."""

from __future__ import annotations

import gzip
import tracemalloc
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
import wireloom
import zstandard
from wireloom import DamagedInputError, UnknownNameError, UnsupportedError, WireloomError
from wireloom.objects.messages.wire import write_varint
from wireloom.rows.reader import RowDamage
from wireloom.units.units import Units

from ..reading.running import read as read_in_chunks
from .notes import FORMAT, framed
from .notes.wire import field, note, page

FIRST = page(note("a", b"x", (("k", 1),)), note("b"), book=7)
BAD = page(field(2, b"no title"))
LAST = page(note("c", b"", (("k", 0), ("l", 2**64 - 1))))
VARINT = framed("varint")
ROWS = [
    {"title": "a", "text": b"x", "marks": [{"key": "k", "value": 1}]},
    {"title": "b", "text": None, "marks": []},
    {"title": "c", "text": b"", "marks": [{"key": "k", "value": 0}, {"key": "l", "value": 2**64 - 1}]},
]
pytestmark = pytest.mark.usefixtures("decoder")


def stream(*units: bytes) -> bytes:
    return b"".join(write_varint(len(each)) + each for each in units)


def report_of(report: wireloom.ReadReport) -> dict[str, Any]:
    [found] = report.to_dict()["files"]
    return found


def test_a_file_that_is_one_message() -> None:
    table, report = wireloom.read_with_report(FORMAT, FIRST)
    assert table.to_pylist() == ROWS[:2]
    assert report_of(report) == {
        "path": None, "rows": 2, "bytes": len(FIRST), "damaged": [], "tail": "clean", "tail_offset": len(FIRST),
        "tail_size": 0, "messages": 1,
    }  # fmt: skip
    assert report.clean


def test_columns_of_the_messages_above_and_of_the_reader(tmp_path: Path) -> None:
    path = tmp_path / "a.notes"
    path.write_bytes(stream(FIRST, b"", LAST))
    table = wireloom.read(VARINT, path, columns=["number", "book", "_offset", "_path", "title"])
    second = len(stream(FIRST, b""))
    assert table.to_pylist() == [
        {"number": 0, "book": 7, "_offset": 0, "_path": str(path), "title": "a"},
        {"number": 1, "book": 7, "_offset": 0, "_path": str(path), "title": "b"},
        {"number": 0, "book": None, "_offset": second, "_path": str(path), "title": "c"},
    ]


@pytest.mark.parametrize("wrapped", [zstandard.compress, gzip.compress])
def test_codecs_are_known_by_content(wrapped: Any) -> None:
    assert wireloom.read(VARINT, wrapped(stream(FIRST, LAST) * 50)).num_rows == 150
    assert wireloom.read(FORMAT, wrapped(FIRST * 100)).num_rows == 200


def test_damaged_messages_in_every_mode() -> None:
    source = stream(FIRST, BAD, LAST)
    begin, size = len(stream(FIRST)), len(stream(BAD))
    table, report = wireloom.read_with_report(VARINT, source)
    assert table.to_pylist() == ROWS
    found = report_of(report)
    assert found["damaged"] == [[begin, size, "message"]]
    assert found["error"].startswith("message 2: ")
    assert "title" in found["error"]
    assert not report.clean
    columns = ["title", "_offset", "_error", "_corrupt_record"]
    seen = wireloom.read(VARINT, source, columns=columns)
    assert seen["title"].to_pylist() == ["a", "b", None, "c"]
    assert seen["_offset"].to_pylist() == [0, 0, begin, begin + size]
    assert seen["_corrupt_record"].to_pylist() == [None, None, stream(BAD), None]
    assert seen["_error"][2].as_py().startswith("message: ")
    dropped = wireloom.read(VARINT, source, columns=columns, mode="dropmalformed")
    assert dropped["title"].to_pylist() == ["a", "b", "c"]
    with pytest.raises(DamagedInputError, match="message 2: ") as raised:
        wireloom.read(VARINT, source, mode="failfast")
    assert (raised.value.offset, raised.value.reason) == (begin, "message")


@pytest.mark.parametrize(
    ("source", "tail", "rows"),
    [
        (stream(FIRST) + b"\x05ab", "truncated", 2),
        (stream(FIRST) + b"\x85", "truncated", 2),
        (stream(FIRST) + b"\xff" * 10, "invalid_length", 2),
        (stream(FIRST) + write_varint(1 << 40) + LAST, "limit", 2),
        (b"", "clean", 0),
    ],
)
def test_tails(source: bytes, tail: str, rows: int) -> None:
    table, report = wireloom.read_with_report(VARINT, source)
    found = report_of(report)
    place = len(stream(FIRST)) if source else 0
    assert (table.num_rows, found["tail"], found["tail_offset"]) == (rows, tail, place)
    assert found["tail_size"] == len(source) - place
    if tail != "clean":
        with pytest.raises(DamagedInputError) as raised:
            wireloom.read(VARINT, source, mode="failfast")
        assert raised.value.reason == tail.removeprefix("invalid_")
    for mode in ("failfast", "permissive"):
        if tail in ("clean", "truncated"):
            table, report = wireloom.read_with_report(VARINT, source, mode=mode, tail="growing")
            assert (table.num_rows, report.clean) == (rows, True)
            assert report_of(report)["tail"] == tail.replace("truncated", "growing")


def test_a_whole_file_has_a_limit() -> None:
    with pytest.raises(wireloom.DamagedInputError, match="raise max_record to read it") as caught:
        wireloom.read(FORMAT, FIRST, max_record=10)
    assert caught.value.reason == "limit"
    table, report = wireloom.read_with_report(FORMAT, FIRST, max_record=10, check_format=False)
    assert (table.num_rows, report.files[0].tail) == (0, "limit")
    assert "max_record" in (report.files[0].error or "")
    assert wireloom.read(FORMAT, FIRST, max_record=len(FIRST)).num_rows == 2


@pytest.mark.slow
def test_a_codec_that_fails_leaves_what_was_complete() -> None:
    stored = zstandard.compress(stream(FIRST, LAST) * 30_000)
    table, report = wireloom.read_with_report(VARINT, stored[: len(stored) // 2], codec="zstd")
    found = report.files[0]
    assert found.tail == "truncated"
    assert found.damaged[-1].reason == "codec"
    assert table.num_rows % 3 in (0, 2)
    # An input that is one message must not be accepted if its end is missing.
    table, report = wireloom.read_with_report(
        FORMAT, zstandard.compress(FIRST * 1000)[:-5], codec="zstd", check_format=False
    )
    assert (table.num_rows, report.files[0].facts["messages"]) == (0, 0)


def test_batches_are_bounded_and_messages_stay_in_order() -> None:
    source = stream(*(page(*(note(f"{n}-{m}") for m in range(n % 7))) for n in range(500)))
    with wireloom.scan(VARINT, source, batch_rows=16) as scanner:
        batches = list(scanner)
    assert max(each.num_rows for each in batches) <= 16
    titles = pa.Table.from_batches(batches)["title"].to_pylist()
    assert titles == [f"{n}-{m}" for n in range(500) for m in range(n % 7)]


@pytest.mark.slow
def test_memory_is_bounded_by_messages_and_not_by_files(tmp_path: Path) -> None:
    path = tmp_path / "large"
    unit = stream(page(*(note("t", bytes(10_000)) for _ in range(10))))
    with path.open("wb") as file:
        for _ in range(600):
            file.write(unit)
    tracemalloc.start()
    with wireloom.scan(VARINT, path) as scanner:
        rows = sum(batch.num_rows for batch in scanner)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert rows == 6000
    assert peak < 24 << 20


def test_byte_ranges_are_refused() -> None:
    with pytest.raises(UnsupportedError, match="byte ranges"):
        wireloom.read(FORMAT, FIRST, byte_range=(0, 10))


def test_unknown_options_name_the_nearest() -> None:
    with pytest.raises(UnknownNameError, match="'max_record'"):
        wireloom.read(FORMAT, FIRST, max_recrod=10)
    with pytest.raises(UnknownNameError, match="'title'"):
        wireloom.read(FORMAT, FIRST, columns=["titel"])


class Counting:
    """Hooks that drop the units with an odd number."""

    OPTIONS = ("drop",)
    needs = ("number",)

    def __init__(self, *, drop: str = "yes") -> None:
        if drop not in ("yes", "no"):
            raise WireloomError(f"drop is yes or no, not {drop!r}")
        self._drop, self._seen = drop == "yes", 0

    def decoded(self, units: Any, decoded: Any) -> Any:
        assert decoded.units == len(units.begins) == len(decoded.counts)
        assert 4 in decoded.arrays
        counts, keep = [], []
        for count in decoded.counts.to_pylist():
            here = not self._drop or self._seen % 2 == 0
            keep += [here] * count
            counts.append(count if here else 0)
            self._seen += 1
        decoded.arrays = {number: array.filter(pa.array(keep, pa.bool_())) for number, array in decoded.arrays.items()}
        decoded.counts, decoded.rows = pa.array(counts, pa.int32()), sum(counts)
        return decoded

    def facts(self) -> dict[str, Any]:
        return {"seen": self._seen}


def test_hooks_see_units_and_add_facts() -> None:
    hooked = framed("varint", hooks=f"{__name__}:Counting")
    source = stream(*[LAST, FIRST] * 3)
    table, report = wireloom.read_with_report(hooked, source, columns=["title"])
    assert table["title"].to_pylist() == ["c"] * 3
    assert report_of(report)["seen"] == 6
    assert wireloom.read(hooked, source, drop="no").num_rows == 9
    with pytest.raises(WireloomError, match="yes or no"):
        wireloom.scan(hooked, source, drop="perhaps")
    with pytest.raises(UnknownNameError, match="'drop'"):
        wireloom.scan(hooked, source, dorp="no")


def test_a_report_in_a_notebook_shows_the_facts() -> None:
    _, report = wireloom.read_with_report(VARINT, stream(FIRST, LAST))
    assert "messages=2" in report._repr_html_()


class Flagged:
    """A custom framing: a byte that is 1 or not a unit, a byte with the size, the unit."""

    OPTIONS = ()

    def __init__(self, format: Any, *, max_record: int) -> None:
        self._bad = 0

    def take(self, view: memoryview, base: int, at_end: bool) -> Units:
        units, position = Units(view), 0
        while position + 2 <= len(view) and position + 2 + view[position + 1] <= len(view):
            size = view[position + 1]
            if view[position] == 1:
                units.add(position + 2, size, base + position, size + 2)
            else:
                units.damages.append(RowDamage(base + position, base + position + size + 2, -1, "value"))
                units.details[base + position] = f"{view[position]} is not 1"
                self._bad += 1
            position += size + 2
        units.consumed = position
        return units

    def decoded(self, units: Units, decoded: Any) -> None:
        assert len(units.begins) == decoded.units

    def facts(self) -> dict[str, Any]:
        return {"bad": self._bad}

    def framed(self, unit: bytes) -> bytes:
        return bytes((1, len(unit))) + unit

    def finish(self) -> bytes:
        return b"\x00\x00"


def test_damage_between_units_keeps_its_place() -> None:
    flagged = framed(f"{__name__}:Flagged")
    units = [(1, LAST), (2, b"x"), (1, BAD), (1, FIRST), (3, b""), (3, b"yz"), (1, LAST), (0, b"")]
    source = b"".join(bytes((flag, len(unit))) + unit for flag, unit in units)
    columns = ["title", "_error", "_offset", "_corrupt_record"]
    for streamed in (False, True):
        table, report = read_in_chunks("objects", flagged, source, columns=columns, streamed=streamed)
        assert table["title"].to_pylist() == ["c", None, None, "a", "b", None, None, "c", None]
        places = [
            each for each, count in zip(_places(units), (1, 1, 1, 2, 1, 1, 1, 1), strict=True) for _ in range(count)
        ]
        assert table["_offset"].to_pylist() == places
        assert [each and each.split(":")[0] for each in table["_error"].to_pylist()] == [
            None, "value", "message", None, None, "value", "value", None, "value",
        ]  # fmt: skip
        assert table["_error"][1].as_py() == "value: 2 is not 1"
        assert table["_corrupt_record"][6].as_py() == b"\x03\x02yz"
        assert [each[0] for each in report["damaged"]] == sorted(each[0] for each in report["damaged"])
        assert (report["rows"], report["bad"], report["messages"], len(report["damaged"])) == (4, 4, 4, 5)
    with pytest.raises(DamagedInputError, match="2 is not 1") as raised:
        wireloom.read(flagged, source, mode="failfast")
    assert raised.value.offset == len(LAST) + 2
    assert wireloom.read(flagged, source, mode="dropmalformed", columns=columns).num_rows == 4


def _places(units: list[tuple[int, bytes]]) -> list[int]:
    ends = [0]
    for _, unit in units:
        ends.append(ends[-1] + len(unit) + 2)
    return ends[:-1]
