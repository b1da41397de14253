"""Inputs that are one unit, read in pieces: any cut of the input gives the same rows, damage and end."""

from __future__ import annotations

import io
from typing import Any

import pytest
import wireloom
from wireloom.reading import opening

ARCHIVE = """
meta: {id: pieces, endian: le, -wireloom: {rows: entries, columns: [version, kind, name, number]}}
seq:
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
    instances: {number: {value: index + 1}}
"""
REPEATS = {"until": "repeat: until, repeat-until: _.kind == 9", "count": "repeat: expr, repeat-expr: count"}
ROWS = 60


def entry(kind: int, name: bytes) -> bytes:
    return bytes([kind]) + len(name).to_bytes(2, "little") + name


ENTRIES = b"".join(entry(number % 5, b"x" * number) for number in range(ROWS - 1)) + entry(9, b"last")
DATA = b"AR" + b"version 1\0" + ROWS.to_bytes(2, "little") + ENTRIES + b"END"
COLUMNS = ["version", "kind", "name", "number", "_offset", "_error"]


@pytest.fixture(scope="module", params=REPEATS)
def archive(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> wireloom.Format:
    spec = tmp_path_factory.mktemp("pieces") / "pieces.ksy"
    spec.write_text(ARCHIVE.replace("REPEAT", REPEATS[request.param]))
    return wireloom.load_spec(spec)


def read(format: wireloom.Format, data: bytes, **options: Any) -> Any:
    table, report = wireloom.read_with_report(format, io.BytesIO(data), columns=COLUMNS, check_format=False, **options)
    file = report.to_dict()["files"][0]
    return table.to_pylist(), file["damaged"], file["tail"], file["tail_offset"]


DAMAGED = {
    "good": DATA,
    "text": DATA.replace(b"x" * 18 + entry(4, b"x")[:1], b"\xff" * 18 + entry(4, b"x")[:1], 1),
    "end": DATA[:-1] + b"?",
    "cut": DATA[:-40],
    "more": DATA + b"more",
    "magic": b"?" + DATA[1:],
    "nothing": b"",
}


@pytest.mark.parametrize("name", DAMAGED)
@pytest.mark.parametrize("chunk", [1, 7, 64, 1000])
def test_any_window_gives_the_same(
    archive: wireloom.Format, monkeypatch: pytest.MonkeyPatch, name: str, chunk: int
) -> None:
    data = DAMAGED[name]
    at_once = read(archive, data)
    assert len(at_once[0]) == {"good": 60, "text": 60, "end": 60, "cut": 58, "more": 60}.get(name, 0)
    monkeypatch.setattr(opening, "CHUNK", chunk)
    assert read(archive, data) == at_once
    assert read(archive, data, batch_rows=3) == at_once


@pytest.mark.skipif(not wireloom.engine.available, reason="the object parser reads the input as a whole")
def test_the_largest_record_is_for_a_row(archive: wireloom.Format) -> None:
    rows, damaged, tail, _ = read(archive, DATA, max_record=100)
    assert (len(rows), damaged, tail) == (ROWS, [], "clean")
    rows, damaged, tail, offset = read(archive, DATA, max_record=50)
    assert (len(rows), damaged, tail) == (48, [], "limit")
    assert offset == DATA.index(entry(48 % 5, b"x" * 48))


def test_failfast_names_the_record(archive: wireloom.Format) -> None:
    for batch_rows in (1, 7, 1000):
        with pytest.raises(wireloom.DamagedInputError) as caught:
            wireloom.read(archive, DAMAGED["text"], mode="failfast", batch_rows=batch_rows)
        assert (caught.value.reason, caught.value.record) == ("encoding", 19)
