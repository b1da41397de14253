"""``verify`` through click's runner."""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from wireloom.command import main

from ...vectors.cases import HERE
from .test_decode import CASES, DAMAGED, GOOD, run


@pytest.mark.parametrize("case", CASES.values(), ids=lambda case: case["case"])
def test_verify(case: dict[str, Any]) -> None:
    path = str(HERE / "edgemq" / case["file"])
    result = CliRunner().invoke(main, ["verify", "edgemq_segment", path, "--json"])
    report = json.loads(result.stdout)
    clean = not case["damaged"] and case["tail"] == "clean" and "error" not in case
    if case["tail"] == "any":
        clean = report["clean"]
    assert (result.exit_code == 0) is clean
    if "error" in case and not case["records"]:
        assert result.exit_code == 2
    if result.exit_code == 1:
        assert not report["clean"]
    assert report["rows"] == len(case["records"])
    text = CliRunner().invoke(main, ["verify", "edgemq_segment", path])
    assert text.exit_code == result.exit_code
    assert text.stdout.startswith(f"{path}: ")
    assert (f"{path}: clean; " in text.stdout) is clean


def test_verify_several() -> None:
    result = run("verify", "edgemq_segment", GOOD, DAMAGED, code=1)
    assert result.stdout.splitlines()[-1].startswith("2 inputs, 1 damaged; ")


def test_what_could_not_be_read_is_counted_apart(tmp_path: Path) -> None:
    missing, empty = str(tmp_path / "missing.wal"), tmp_path / "empty.wal"
    empty.touch()
    lines = run("verify", "edgemq_segment", GOOD, DAMAGED, str(empty), missing, code=2).stdout.splitlines()
    assert lines[2] == f"{empty}: clean; 0 rows, 0 bytes"
    assert lines[3] == f"{missing}: no such file or folder: check the path and the folder it is relative to"
    assert lines[4].startswith("4 inputs, 1 damaged, 1 could not be read; ")


@pytest.mark.parametrize(("place", "is_said"), [(12, True), (180, False)])
def test_what_is_not_read_but_could_be_searched(place: int, is_said: bool, tmp_path: Path) -> None:
    spec, log = tmp_path / "log.ksy", tmp_path / "a.log"
    spec.write_text(
        """
meta: {id: log, endian: be, -wireloom: {rows: rows, columns: [data]}}
seq: [{id: rows, type: row, repeat: eos}]
types: {row: {seq: [{id: len, type: u4}, {id: data, size: len}]}}
"""
    )
    rows = bytearray(b"\0\0\0\x08" + b"x" * 8) * 16
    rows[place] = 1
    log.write_bytes(rows)
    lines = run("verify", str(spec), str(log), code=1).stdout.splitlines()
    assert lines[0].startswith(f"{log}: ends inside a row from byte {place} on (truncated)")
    assert lines[1:] == (["  180 bytes are not read: --recover searches them for records"] if is_said else [])
    assert "--recover" not in run("verify", str(spec), str(log), "--recover", code=1).stdout


@pytest.mark.parametrize("format", ["pcap", "pcapng"])
def test_an_empty_file_of_a_format_with_a_header_lacks_it(format: str, tmp_path: Path) -> None:
    empty = tmp_path / "empty"
    empty.touch()
    said = f"{empty}: the input is empty: its header is missing (truncated)"
    assert run("verify", format, str(empty), code=1).stdout == f"{said}; 0 rows, 0 bytes\n"
    growing = run("verify", format, str(empty), "--tail", "growing").stdout
    assert growing.startswith(f"{empty}: clean up to byte 0, where a row begins that is not complete yet")


def test_rows_that_are_read_as_a_whole_are_not_searched_for(tmp_path: Path) -> None:
    spec, log = tmp_path / "log.ksy", tmp_path / "a.log"
    spec.write_text(
        """
meta: {id: log, endian: be, -wireloom: {rows: part.rows, columns: [data]}}
seq: [{id: part, type: part_type}, {id: sum, type: u1}]
types:
  part_type: {seq: [{id: rows, type: row, repeat: expr, repeat-expr: 9}]}
  row: {seq: [{id: len, type: u4, valid: {max: 9}}, {id: data, size: len}]}
"""
    )
    rows = bytearray(b"\0\0\0\x08" + b"x" * 8) * 9
    rows[24] = 1
    log.write_bytes(rows)
    lines = run("verify", str(spec), str(log), code=1).stdout.splitlines()
    assert "not read further from byte 24 on" in lines[0]
    assert len(lines) == 1


def test_zeros_of_a_preallocated_tail_are_counted(tmp_path: Path) -> None:
    blocks = Path(__file__).parents[2] / "vectors/bitcoin_blocks/regtest.dat"
    log = tmp_path / "blk00000.dat"
    log.write_bytes(blocks.read_bytes() + bytes(1000))
    said = run("verify", "bitcoin_blocks", str(log)).stdout
    assert said.startswith(f"{log}: clean, and 1,000 zero bytes at the end, as preallocated files have; ")


@pytest.mark.parametrize(("zeros", "rest", "said"), [
    (0, b"no stream", "no gzip member at compressed byte {}, where a member or the end of the input was expected"),
    (9, b"\0\0no stream", "no gzip member at compressed byte {}, where a member or the end of the input was expected"),
    (0, b"\x1f\x8b\x08\xff and more", "the gzip stream is damaged (unknown header flags set)"),
    (0, b"\x1f\x8b\x08\0", "compressed stream ends early, inside a gzip member"),
])  # fmt: skip
def test_what_follows_a_gzip_stream(zeros: int, rest: bytes, said: str, tmp_path: Path) -> None:
    log, stream = tmp_path / "log.cobs.gz", gzip.compress(b"\2a\0\2b\0" * 30_000)
    log.write_bytes(stream + bytes(zeros) + rest)
    at = len(stream) + zeros + len(rest) - len(rest.lstrip(b"\0"))
    lines = run("verify", "cobs_log", str(log), code=1).stdout
    assert f"ends early, at byte 180000 (truncated); {said.format(at)}; 60,000 rows" in lines
