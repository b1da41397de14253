"""Units that arrive over several windows: any cut of the input gives the same rows, damage and end."""

from __future__ import annotations

import io
from typing import Any

import pytest
import wireloom
from wireloom.reading import opening, row_extractor

from ..specs import format_of
from . import running

ARCHIVE = """
meta: {id: archive, endian: le, -wireloom: {rows: ROWS, columns: [version, kind, name, number, share, rest]}}
SEQUENCE
  - {id: magic, contents: "AR"}
  - {id: version, type: strz, encoding: ASCII}
  - {id: count, type: u2}
  - {id: entries, type: entry(_index), REPEAT}
  - {id: end, contents: "END"}
types:
  entry:
    params: [{id: index, type: u4}]
    seq:
      - {id: kind, type: u1}
      - {id: len, type: u2}
      - {id: name, size: len, type: str, encoding: UTF-8}
    instances:
      number: {value: index + 1}
      per_kind: {value: 100 / kind + len}
      share: {value: "kind != 0 ? per_kind : 0"}
      rest: {value: "kind != 0 ? per_kind - kind : 1"}
"""
REPEATS = {"until": "repeat: until, repeat-until: _.kind == 9", "count": "repeat: expr, repeat-expr: count"}
ROWS = 60


def entry(kind: int, name: bytes) -> bytes:
    return bytes([kind]) + len(name).to_bytes(2, "little") + name


ENTRIES = b"".join(entry(number % 5, b"x" * number) for number in range(ROWS - 1)) + entry(9, b"last")
DATA = b"AR" + b"version 1\0" + ROWS.to_bytes(2, "little") + ENTRIES + b"END"
COLUMNS = ["version", "kind", "name", "number", "share", "rest", "_offset", "_error"]


@pytest.fixture(scope="module", params=REPEATS)
def archive(request: pytest.FixtureRequest) -> wireloom.Format:
    """Return a format whose inputs are one unit."""
    text = ARCHIVE.replace("ROWS", "entries").replace("SEQUENCE", "seq:")
    return format_of(text.replace("REPEAT", REPEATS[request.param]))


@pytest.fixture(scope="module", params=REPEATS)
def archives(request: pytest.FixtureRequest) -> wireloom.Format:
    """Return a format whose inputs are any number of such units."""
    head, body = ARCHIVE.replace("REPEAT", REPEATS[request.param]).split("SEQUENCE")
    units, types = body.split("types:")
    unit = "\n".join("    " + line for line in f"seq:{units}".splitlines())
    text = head.replace("ROWS", "archives.entries")
    text += f"seq:\n  - {{id: archives, type: one, repeat: eos}}\ntypes:\n  one:\n{unit}{types}"
    return format_of(text)


def read(format: wireloom.Format, data: bytes, **options: Any) -> Any:
    table, report = wireloom.read_with_report(format, io.BytesIO(data), columns=COLUMNS, check_format=False, **options)
    file = report.to_dict()["files"][0]
    return table.to_pylist(), file["damaged"], file["tail"], file["tail_offset"]


TEXT = DATA.replace(b"x" * 18 + entry(4, b"x")[:1], b"\xff" * 18 + entry(4, b"x")[:1], 1)
DAMAGED = {
    "good": DATA,
    "text": TEXT,
    "end": DATA[:-1] + b"?",
    "cut": DATA[:-40],
    "more": DATA + b"more",
    "magic": b"?" + DATA[1:],
    "nothing": b"",
}


@pytest.mark.parametrize("name", DAMAGED)
@pytest.mark.parametrize("chunk", [1, 7, 64, 1000])
def test_an_input_that_is_one_unit(
    archive: wireloom.Format, monkeypatch: pytest.MonkeyPatch, name: str, chunk: int
) -> None:
    data = DAMAGED[name]
    at_once = read(archive, data)
    assert len(at_once[0]) == {"good": 60, "text": 60, "end": 60, "cut": 58, "more": 60}.get(name, 0)
    monkeypatch.setattr(opening, "CHUNK", chunk)
    assert read(archive, data) == at_once
    assert read(archive, data, batch_rows=3) == at_once


@pytest.mark.parametrize("name", DAMAGED)
@pytest.mark.parametrize("chunk", [1, 7, 64, 1000])
def test_an_input_of_several_units(
    archives: wireloom.Format, monkeypatch: pytest.MonkeyPatch, name: str, chunk: int
) -> None:
    data = DATA + DAMAGED[name] + DATA
    at_once = read(archives, data)
    if name in ("good", "text", "nothing"):
        assert len(at_once[0]) == (120 if name == "nothing" else 180)
    monkeypatch.setattr(opening, "CHUNK", chunk)
    assert read(archives, data) == at_once
    assert read(archives, data, batch_rows=3) == at_once


def test_how_often_a_unit_is_read_from_its_beginning(
    archives: wireloom.Format, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The window is doubled, so that the work is in proportion to the unit."""
    takes = []
    take = row_extractor.RowExtractor.take

    def counted(extractor: Any, window: Any) -> Any:
        takes.append(len(window.view))
        return take(extractor, window)

    monkeypatch.setattr(row_extractor.RowExtractor, "take", counted)
    monkeypatch.setattr(opening, "CHUNK", 1)
    assert len(read(archives, DATA)[0]) == ROWS
    assert sum(takes) < 4 * len(DATA)


def test_failfast_names_the_record(archive: wireloom.Format) -> None:
    for batch_rows in (1, 7, 1000):
        with pytest.raises(wireloom.DamagedInputError) as caught:
            wireloom.read(archive, DAMAGED["text"], mode="failfast", batch_rows=batch_rows)
        assert (caught.value.reason, caught.value.record) == ("encoding", 19)


HEADED = """
meta: {id: headed, endian: le, -wireloom: {rows: rows, max-record: 9}}
seq:
  - {id: len, type: u4}
  - {id: head, size: len}
  - {id: rows, type: row, repeat: eos}
types:
  row: {seq: [{id: n, type: u1}]}
"""


@pytest.mark.parametrize(("size", "end", "rows"), [(100, "clean", 2), (1 << 16, "limit", 0)])
@pytest.mark.parametrize("lacks", [0, 3])
def test_attributes_before_the_rows_that_are_larger_than_a_row(size: int, end: str, rows: int, lacks: int) -> None:
    headed = format_of(HEADED)
    data = size.to_bytes(4, "little") + bytes(size) + b"\1\2"
    found = []
    for window in (None, 1, 50, 1000):
        table, report = running.read(None, headed, data[: len(data) - lacks], chunk=window, streamed=window is not None)
        found.append((table.num_rows, report["tail"]))
    expected = (0, "truncated") if lacks and end == "clean" else (rows, end)
    assert found == [expected] * 4
