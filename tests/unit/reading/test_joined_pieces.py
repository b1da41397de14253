"""Files that are read in pieces, several of which fill one batch: any size of the pieces gives the same rows, damage
and end, and damage costs no row before it."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
import wireloom
from wireloom.reading import opening

from ...examples import strided

ROWS = 300
PAYLOADS = [bytes([number % 251]) * (number * 37 % 90) for number in range(ROWS)]
TABLES = {
    "tfrecord": {"data": pa.array(PAYLOADS, pa.binary())},
    "cobs_log": {"payload": pa.array(PAYLOADS, pa.binary())},
    "word_stuffed_log": {"generation": pa.array(range(ROWS), pa.uint32()), "payload": pa.array(PAYLOADS, pa.binary())},
    "edgemq_segment": {
        "fmt": pa.array([0] * ROWS, pa.uint8()),
        "tenant": pa.array(range(ROWS), pa.uint32()),
        "ts": pa.array(range(ROWS), pa.timestamp("ms", "UTC")),
        "payload": pa.array(PAYLOADS, pa.binary()),
    },
}
PIECES = [60, 1000]


def read(name: str, source: Any, **options: Any) -> tuple[list[Any], Any]:
    columns = [*TABLES[name], "_offset", "_error", "_corrupt_record"]
    table, report = wireloom.read_with_report(
        name, source, columns=columns, mode="permissive", codec="none", check_format=False, **options
    )
    file = report.to_dict()["files"][0]
    return table.to_pylist(), {key: value for key, value in file.items() if key != "path"}


@pytest.fixture(params=TABLES)
def written(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[str, Path]:
    path = tmp_path / "pieces"
    wireloom.write(request.param, pa.table(TABLES[request.param]), path, codec="none")
    return request.param, path


@pytest.mark.parametrize("piece", PIECES)
def test_any_pieces_give_the_same(written: tuple[str, Path], monkeypatch: pytest.MonkeyPatch, piece: int) -> None:
    name, path = written
    good, chance = path.read_bytes(), random.Random(piece)
    monkeypatch.setattr(opening, "CHUNK", piece)
    for damages in (0, 3):
        data = bytearray(good)
        for _ in range(damages):
            data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
        for content in (bytes(data), bytes(data[: -len(data) // 3])):
            path.write_bytes(content)
            assert read(name, path) == read(name, content)


@pytest.mark.parametrize("piece", PIECES)
def test_byte_ranges_in_pieces(written: tuple[str, Path], monkeypatch: pytest.MonkeyPatch, piece: int) -> None:
    name, path = written
    content = path.read_bytes()
    whole, _ = read(name, content)
    monkeypatch.setattr(opening, "CHUNK", piece)
    for middle in strided(range(1, len(content)), len(content) // 3):
        parts = [read(name, path, byte_range=each)[0] for each in ((0, middle), (middle, len(content)))]
        assert parts[0] + parts[1] == whole


def test_pieces_fill_one_batch(written: tuple[str, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    name, path = written
    monkeypatch.setattr(opening, "CHUNK", 1000)
    with wireloom.scan(name, path, codec="none", batch_rows=150, columns=[*TABLES[name]][-1:]) as scanner:
        counts = [batch.num_rows for batch in scanner]
    assert sum(counts) == ROWS
    if scanner.report.engine == "columns":
        assert max(counts) == 150
