"""Messages that are compressed one by one, beside others that are not."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
import wireloom
import zstandard
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st
from wireloom.command import main
from wireloom.rows.messages import stored_units

from ...examples import examples
from ..reading.running import ROW_READERS, read

COLUMNS = ["time_unix_nano", "body", "_offset"]


def messages(count: int) -> list[bytes]:
    """Messages of one to three records, which the format writes."""
    found = []
    for number in range(count):
        rows = [
            {"time_unix_nano": number, "body": f'{{"stringValue":"{each} of {number}"}}'}
            for each in range(number % 3 + 1)
        ]
        [blob] = wireloom.to_wire(pa.array([rows]), "otlp_logs").to_pylist()
        found.append(blob)
    return found


def compressed(message: bytes, level: int = 3, **options: Any) -> bytes:
    return zstandard.ZstdCompressor(level=level, **options).compress(message)


def framed(units: list[bytes], varints: bool = False) -> bytes:
    if varints:
        return b"".join(bytes([len(each) & 0x7F | 0x80, len(each) >> 7]) + each for each in units)
    return b"".join(len(each).to_bytes(4, "big") + each for each in units)


PLAIN = messages(40)


@pytest.mark.parametrize("row_reader", ROW_READERS)
@settings(max_examples=examples(60), deadline=None)
@given(data=st.data())
def test_compressed_or_not(row_reader: str, data: st.DataObject) -> None:
    """The rows are those of messages that are not compressed, whichever are, and however much is read at once."""
    is_compressed = data.draw(st.lists(st.booleans(), min_size=len(PLAIN), max_size=len(PLAIN)))
    units = [compressed(each) if packed else each for each, packed in zip(PLAIN, is_compressed, strict=True)]
    options = {"recover": data.draw(st.booleans()), "batch_rows": data.draw(st.sampled_from([1, 7, 1000]))}
    varints, chunk = data.draw(st.booleans()), data.draw(st.sampled_from([None, 1000]))
    expected, _ = read(row_reader, "otlp_logs", framed(PLAIN, varints), columns=COLUMNS[:2])
    table, report = read(
        row_reader, "otlp_logs", framed(units, varints), columns=COLUMNS, chunk=chunk, streamed=True, **options
    )
    assert table.select(COLUMNS[:2]).equals(expected)
    assert (report["damaged"], report["tail"]) == ([], "clean")
    assert set(table["_offset"].to_pylist()) <= set(range(len(framed(units, varints))))


@pytest.mark.parametrize("row_reader", ROW_READERS)
def test_after_many_that_are_not(row_reader: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """However many units are examined at once."""
    for at_once in (1, 2, 3, 7):
        monkeypatch.setattr(stored_units, "AT_ONCE", at_once)
        for plain in (1, 2, 6, 7, 8, 30):
            units = [*PLAIN[:plain], *map(compressed, PLAIN[plain:])]
            table, report = read(row_reader, "otlp_logs", framed(units), columns=COLUMNS[:2])
            assert table.equals(read(row_reader, "otlp_logs", framed(PLAIN), columns=COLUMNS[:2])[0])
            assert report["damaged"] == []


@pytest.mark.parametrize("row_reader", ROW_READERS)
@pytest.mark.parametrize("recover", [False, True])
def test_damage_costs_its_message(row_reader: str, recover: bool) -> None:
    units = [compressed(each, write_checksum=True) for each in PLAIN]
    begins = [sum(len(each) + 4 for each in units[:number]) for number in range(len(units))]
    expected = read(row_reader, "otlp_logs", framed(units), columns=COLUMNS)[0].to_pylist()
    for number in (0, 17, 39):
        damaged = bytearray(framed(units))
        damaged[begins[number] + 4 + len(units[number]) // 2] ^= 0x10
        table, report = read(row_reader, "otlp_logs", bytes(damaged), columns=COLUMNS, recover=recover)
        assert table.to_pylist() == [each for each in expected if each["_offset"] != begins[number]]
        assert report["damaged"] == [[begins[number], len(units[number]) + 4, "codec"]]
        rows, _ = read(row_reader, "otlp_logs", bytes(damaged), columns=["_error", "_corrupt_record", "body"])
        [row] = [each for each in rows.to_pylist() if each["_error"]]
        assert row["_corrupt_record"] == bytes(damaged)[begins[number] :][: len(units[number]) + 4]
        assert "codec" in row["_error"]


@pytest.mark.parametrize("row_reader", ROW_READERS)
def test_a_bomb_is_a_limit(row_reader: str) -> None:
    """Neither what a frame states nor what it has is allocated beyond ``max_record``."""
    bomb = compressed(bytes(50_000_000), 1)
    for unit in (bomb, zstandard.ZstdCompressor(write_content_size=False).compress(bytes(50_000_000))):
        data = framed([compressed(PLAIN[0]), unit, compressed(PLAIN[1])])
        table, report = read(row_reader, "otlp_logs", data, max_record=1_000_000)
        assert table.num_rows == 3
        assert [each[2] for each in report["damaged"]] == ["limit"]


def test_other_surfaces(tmp_path: Path) -> None:
    """A column of blobs, ``identify`` and ``inspect`` read them as well."""
    blobs = pa.array([compressed(PLAIN[2]), PLAIN[2], None, compressed(PLAIN[3])])
    found = wireloom.from_wire(blobs, "otlp_logs").to_pylist()
    assert found[0] == found[1]
    assert [each if each is None else len(each) for each in found] == [3, 3, None, 1]
    path = tmp_path / "logs.bin"
    path.write_bytes(framed([compressed(each) for each in PLAIN]))
    assert "otlp_logs" in CliRunner().invoke(main, ["identify", str(path)]).output
    shown = CliRunner().invoke(main, ["inspect", "otlp_logs", str(path), "--json", "--record", "1"])
    assert shown.exit_code == 0, shown.output
    text = json.dumps(json.loads(shown.output))
    assert "0 of 0" in text
    assert "not a valid field" not in text
