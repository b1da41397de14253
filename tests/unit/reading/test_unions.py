"""Slices of a table with dense unions are written, and unions are structs in files that have none."""

from pathlib import Path

import pytest
import wireloom
from click.testing import CliRunner
from wireloom.command import main

from ...cases.case import HERE, loaded
from ...writing import bytes_of
from ..specs import format_of

SPEC = loaded(HERE / "reading/unions.yaml")["specs"]["log"]
EVENTS = [b"\1\3eve\1\5\0", b"\2\5\x09\1\0\xff\xff\2\7", b"\7\2??\3\0\0\x80\x3f", b"\2\1\3\x09"]
DATA = b"".join(EVENTS)


def test_slices_are_written() -> None:
    format = format_of(SPEC)
    table = wireloom.read(format, DATA)
    for rows, expected in ((table, DATA), (table.slice(1), b"".join(EVENTS[1:])), (table.slice(1, 2), DATA[8:26])):
        assert bytes_of(format, rows) == expected


@pytest.mark.parametrize("suffix", ["parquet", "csv", "jsonl", "arrow"])
def test_it_is_a_struct_where_there_are_no_unions(tmp_path: Path, suffix: str) -> None:
    (tmp_path / "log.ksy").write_text(SPEC)
    (tmp_path / "a.log").write_bytes(DATA)
    spec, log, rows, again = (str(tmp_path / name) for name in ("log.ksy", "a.log", f"a.{suffix}", "b.log"))
    for arguments in (["decode", spec, log, "-o", rows], ["encode", spec, rows, "-o", again]):
        result = CliRunner().invoke(main, arguments)
        assert result.exit_code == 0, result.output
    assert (tmp_path / "b.log").read_bytes() == DATA
