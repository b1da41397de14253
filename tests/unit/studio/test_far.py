"""Places far into a file: what is shown there is what a reader of the whole file returns, and little is read for it."""

import gzip
import struct
from pathlib import Path
from typing import Any

import pytest
import wireloom
from wireloom.input import inputs
from wireloom.studio import survey
from wireloom.studio.workshop import Workshop

from .samples import SPEC, written

SPECS = Path(__file__).parents[3] / "specs"
LARGE = 1024 * 1024
FRAGMENTS = """\
meta:
  id: pieces
  endian: le
  -wireloom:
    rows: pieces
    fragments: {kind: kind, data: data, full: 0, first: 1, middle: 2, last: 3}
seq: [{id: pieces, type: piece, repeat: eos}]
types:
  piece:
    seq:
      - {id: kind, type: u1, valid: {max: 3}}
      - {id: len, type: u4}
      - {id: data, size: len}
"""


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Return a list of the number of bytes that each read of a file returns."""
    sizes: list[int] = []
    plain = inputs.LocalStream.readinto

    def counted(self: Any, buffer: Any, /) -> int:
        sizes.append(plain(self, buffer))
        return sizes[-1]

    monkeypatch.setattr(inputs.LocalStream, "readinto", counted)
    monkeypatch.setattr(survey, "SPACING", 64 * 1024)
    return sizes


def surveyed(spec: Path, file: Path) -> Workshop:
    made = Workshop(spec, str(file))
    assert made.compile(spec.read_text())["name"]
    while not made.survey(seconds=0)["done"]:
        pass
    return made


def rows_of(spec: Path, file: Path) -> list[tuple[int, str | None]]:
    """Return offset and error of each row that a reader of the whole file returns."""
    found = wireloom.read(wireloom.load_spec(spec), file, columns=["_offset", "_error"])
    return list(zip(found["_offset"].to_pylist(), found["_error"].to_pylist(), strict=True))


def readings(folder: Path) -> tuple[Path, Path]:
    return written(folder, rows=LARGE // 6, wrong=LARGE // 6 - 20)


def compressed(folder: Path) -> tuple[Path, Path]:
    spec, file = readings(folder)
    file.write_bytes(gzip.compress(file.read_bytes(), 1))
    return spec, file


def delimited(folder: Path) -> tuple[Path, Path]:
    file = folder / "a.log"
    wireloom.write("word_stuffed_log", [{"generation": n, "payload": b"x" * 500} for n in range(LARGE // 500)], file)
    return SPECS / "word_stuffed_log.ksy", file


def units(folder: Path) -> tuple[Path, Path]:
    spec, file = folder / "batches.ksy", folder / "batches.bin"
    spec.write_text(
        "meta: {id: batches, endian: be, -wireloom: {rows: batches.items}}\n"
        "seq: [{id: batches, type: batch, repeat: eos}]\n"
        "types:\n"
        "  batch: {seq: [{id: count, type: u2, valid: {max: 100}}, "
        "{id: items, type: item, repeat: expr, repeat-expr: count}]}\n"
        "  item: {seq: [{id: number, type: u4}]}\n"
    )
    batch = struct.pack(">H", 100) + struct.pack(">100I", *range(100))
    file.write_bytes(batch * (LARGE // len(batch)))
    return spec, file


def pieces(folder: Path) -> tuple[Path, Path]:
    spec, file = folder / "pieces.ksy", folder / "pieces.bin"
    spec.write_text(FRAGMENTS)
    record = b"".join(struct.pack("<BI", kind, 3000) + bytes(3000) for kind in (1, 2, 3))
    file.write_bytes(record * (LARGE // len(record)))
    return spec, file


@pytest.mark.slow
@pytest.mark.parametrize("sample", [readings, compressed, delimited, units, pieces])
def test_little_is_read_far_into_a_file(tmp_path: Path, read: list[int], sample: Any) -> None:
    spec, file = sample(tmp_path)
    made, all_rows = surveyed(spec, file), rows_of(spec, file)
    made.unpack(str(tmp_path / "content"), 2 * LARGE)
    for offset in (all_rows[-1][0] - 4000, LARGE // 2 + 1, all_rows[-1][0], 1):
        first = next((n for n, (at, _) in enumerate(all_rows) if at >= offset), len(all_rows))
        read.clear()
        shown = made.rows(offset, 10)["rows"]
        records = made.records(offset, 3)["records"]
        assert sum(read) < LARGE * 3 // 4
        assert [each["at"] for each in shown] == [at for at, _ in all_rows[first : first + 10]]
        assert [each["error"] is None for each in shown] == [error is None for _, error in all_rows[first:][:10]]
        assert records[0]["begin"] <= offset < records[0]["end"]
        assert [each["end"] for each in records[:-1]] == [each["begin"] for each in records[1:]]


def test_what_is_before_a_place_is_read_once(tmp_path: Path, read: list[int]) -> None:
    spec, file = readings(tmp_path)
    made = Workshop(spec, str(file))
    made.compile(SPEC)
    made.rows(LARGE - 4000, 10)
    first = sum(read)
    assert first > LARGE // 2
    made.records(LARGE - 8000, 10)
    assert sum(read) - first < LARGE // 2


@pytest.mark.slow
def test_the_index_is_that_of_the_file(tmp_path: Path) -> None:
    spec, file = readings(tmp_path)
    made = surveyed(spec, file)
    # The head is larger in the new file, so that rows begin elsewhere.
    content = file.read_bytes()[2:]
    spec.write_text(SPEC.replace('"RD"', '"RDS"'))
    file.write_bytes(b"RDS" + content)
    made.compile(spec.read_text())
    assert made.rows(LARGE // 2, 1)["rows"][0]["at"] == next(at for at, _ in rows_of(spec, file) if at >= LARGE // 2)
    file.write_bytes(b"RDS" + content[: LARGE // 4])
    assert made.rows(LARGE // 2, 1)["rows"] == []
    assert made.survey(seconds=60)["rows"] == len(content[: LARGE // 4]) // 6


@pytest.mark.slow
@pytest.mark.parametrize("file", ["bitcoin_blocks/regtest.dat", "mysql_binlog/row.bin", "tfrecord/raw.tfrecord"])
def test_every_unit_is_a_place_to_begin_at(file: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(survey, "SPACING", 1)
    made = surveyed(SPECS / f"{file.partition('/')[0]}.ksy", Path(__file__).parents[2] / "vectors" / file)
    rows = made.rows(0, 500)["rows"]
    for first in range(0, len(rows), max(1, len(rows) // 8)):
        at = rows[first]["at"]
        assert made.rows(at, 500)["rows"] == [each for each in rows if each["at"] >= at]


@pytest.mark.slow
def test_rows_in_blocks_are_found_without_an_index(tmp_path: Path, read: list[int]) -> None:
    file = tmp_path / "a.log"
    wireloom.write("leveldb_log", [{"data": b"x" * 900} for _ in range(LARGE // 900)], file)
    spec = SPECS / "leveldb_log.ksy"
    made = Workshop(spec, str(file))
    made.compile(spec.read_text())
    all_rows = [at for at, _ in rows_of(spec, file)]
    read.clear()
    rows = made.rows(LARGE - 20_000, 10)["rows"]
    assert [each["at"] for each in rows] == [at for at in all_rows if at >= LARGE - 20_000][:10]
    assert len(rows) == 10
    assert sum(read) < LARGE // 2
