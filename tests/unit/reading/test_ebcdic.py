"""The encoding IBM1047, which Python lacks."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
import wireloom
from wireloom.base import ebcdic

from .running import ROW_READERS, read

SPEC = """
meta: {id: cards, encoding: IBM1047, -wireloom: {rows: rows}}
seq: [{id: rows, type: row, repeat: eos}]
types:
  row: {seq: [{id: text, type: str, size: 8, pad-right: 0x40}]}
"""


@pytest.mark.parametrize("row_reader", ROW_READERS)
def test_text_is_read_and_written(row_reader: str, tmp_path: Path) -> None:
    (tmp_path / "cards.ksy").write_text(SPEC)
    cards = wireloom.load_spec(tmp_path / "cards.ksy")
    data = bytes.fromhex("d4c1d9e840ad81bd 5fb04a5a40404040")
    assert read(row_reader, cards, data)[0]["text"].to_pylist() == ["MARY [a]", "^¬¢!"]
    wireloom.write(cards, [{"text": "MARY [a]"}, {"text": "^¬¢!"}], tmp_path / "a")
    assert (tmp_path / "a").read_bytes() == data
    with pytest.raises(wireloom.WireloomError):
        wireloom.write(cards, [{"text": "€"}], tmp_path / "b")


def test_characters_are_those_of_iconv() -> None:
    every = bytes(range(256))
    for name in (*ebcdic.NAMES, "IBM1047", "CP1047"):
        assert every.decode(name) == ebcdic.DECODING_TABLE
    assert ebcdic.DECODING_TABLE.encode(ebcdic.NAME) == every
    if shutil.which("iconv") is None:
        pytest.skip("iconv is not installed")
    run = subprocess.run(["iconv", "-f", "IBM1047", "-t", "UTF-8"], input=every, capture_output=True)
    if run.returncode:
        pytest.skip("iconv does not know IBM1047")
    assert run.stdout.decode() == ebcdic.DECODING_TABLE


def test_characters_are_those_of_the_package_ebcdic() -> None:
    cp1047 = pytest.importorskip("ebcdic.cp1047", reason="ebcdic is not installed")
    pairs = zip(cp1047.decoding_table, ebcdic.DECODING_TABLE, strict=True)
    # It has Java's line ends: 0x15 is the line feed.
    assert [each for each in pairs if each[0] != each[1]] == [("\n", "\x85"), ("\x85", "\n")]
