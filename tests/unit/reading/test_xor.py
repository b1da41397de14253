"""Obfuscated inputs: the codec ``xor:KEY``, and a key in a file beside them, as Bitcoin's nodes have it."""

from __future__ import annotations

import io
import os
import shutil
from itertools import cycle
from pathlib import Path

import pytest
import wireloom
from hypothesis import given
from hypothesis import strategies as st
from wireloom import WireloomError, codecs

from ..specs import format_of
from .running import ROW_READERS, read

BLOCKS = Path(__file__).parents[2] / "vectors" / "bitcoin_blocks" / "regtest.dat"
COLUMNS = ["hash", "num_transactions", "_offset"]
KEY = bytes.fromhex("01a2ff00041b7c80")


def combined(data: bytes, key: bytes) -> bytes:
    return bytes(left ^ right for left, right in zip(data, cycle(key), strict=False))


@given(st.binary(min_size=1, max_size=codecs.LARGEST_KEY), st.lists(st.integers(0, 200_000), max_size=4), st.data())
def test_positions(key: bytes, sizes: list[int], data: st.DataObject) -> None:
    """However a stream is cut, each byte is combined with its byte of the key."""
    content = os.urandom(sum(sizes))
    name = f"xor:{key.hex()}"
    compressor, made, begin = codecs.compressor(name), b"", 0
    for size in sizes:
        made += bytes(compressor.compress(content[begin : begin + size]))
        begin += size
    assert made + compressor.flush() == combined(content, key)
    decoder, again = codecs.decoder(name, io.BytesIO(made)), b""  # type: ignore[arg-type]  # without "room"
    buffer = memoryview(bytearray(data.draw(st.integers(1, 100_000))))
    while count := decoder.readinto(buffer):
        again += bytes(buffer[:count])
    assert again == content


@pytest.mark.parametrize("row_reader", ROW_READERS)
@pytest.mark.parametrize("unwritten", [0, 1, 7, 4097, 3_000_000])
def test_a_file_beside(row_reader: str, unwritten: int, tmp_path: Path) -> None:
    """The rows, offsets and ends are those of the same file without a key. A node combines what it writes, and not the
    space after that, which it allocates."""
    content = BLOCKS.read_bytes()
    plain, blocks = tmp_path / "plain.dat", tmp_path / "blocks"
    blocks.mkdir()
    plain.write_bytes(content + bytes(unwritten))
    (blocks / "blk00000.dat").write_bytes(combined(content, KEY) + bytes(unwritten))
    (blocks / "xor.dat").write_bytes(KEY)
    for chunk in (None, 700):
        expected, clean = read(row_reader, "bitcoin_blocks", plain, columns=COLUMNS, chunk=chunk)
        table, report = read(row_reader, "bitcoin_blocks", blocks / "blk00000.dat", columns=COLUMNS, chunk=chunk)
        assert table.equals(expected)
        assert table.num_rows > 1
        assert {**report, "path": ""} == {**clean, "path": ""}
        assert report["tail"] == "clean"
    # Bytes after the zeros are damage.
    with (blocks / "blk00000.dat").open("ab") as file:
        file.write(b"x" * 100)
    _, report = read(row_reader, "bitcoin_blocks", blocks / "blk00000.dat", columns=COLUMNS)
    assert report["damaged"] or report["tail"] != "clean"


def test_keys_and_names(tmp_path: Path) -> None:
    shutil.copy(BLOCKS, tmp_path / "blk00000.dat")
    expected = wireloom.read("bitcoin_blocks", BLOCKS)
    key = tmp_path / "xor.dat"
    for zero in (b"", bytes(8)):
        key.write_bytes(zero)
        assert wireloom.read("bitcoin_blocks", tmp_path / "blk00000.dat").equals(expected)
    key.write_bytes(KEY)
    with pytest.raises(WireloomError, match=r"obfuscate their files with the key in xor\.dat"):
        wireloom.read("bitcoin_blocks", tmp_path / "blk00000.dat")
    assert wireloom.read("bitcoin_blocks", tmp_path / "blk00000.dat", codec="none").equals(expected)
    wireloom.write("cobs_log", [{"payload": b"abc"}], tmp_path / "a.log", codec=f"xor:{KEY.hex()}")
    written = combined((tmp_path / "a.log").read_bytes(), KEY)
    assert wireloom.read("cobs_log", written).to_pylist() == [{"payload": b"abc"}]
    given = f"xor:{KEY.hex().upper()}"
    assert wireloom.read("bitcoin_blocks", combined(BLOCKS.read_bytes(), KEY), codec=given).equals(expected)
    key.write_bytes(b"x" * (codecs.LARGEST_KEY + 1))
    with pytest.raises(WireloomError, match=r"the key in .*xor\.dat is longer than 256 bytes"):
        wireloom.read("bitcoin_blocks", tmp_path / "blk00000.dat")
    key.unlink()
    key.mkdir()
    with pytest.raises(WireloomError, match=r"the key in .*xor\.dat cannot be read: Is a directory"):
        wireloom.read("bitcoin_blocks", tmp_path / "blk00000.dat")
    for wrong in ("xor:", "xor:0", "xor:zz", "xor"):
        with pytest.raises(WireloomError, match="codec"):
            wireloom.read("bitcoin_blocks", BLOCKS, codec=wrong)


def test_a_key_elsewhere_is_refused() -> None:
    spec = (
        "meta:\n  id: masked\n  -wireloom: {rows: rows, xor-key-file: KEY}\n"
        "seq: [{id: rows, type: row, repeat: eos}]\ntypes: {row: {seq: [{id: a, type: u1}]}}\n"
    )
    for name in ("../xor.dat", "/etc/passwd", "..", r"a\b"):
        with pytest.raises(WireloomError, match="expected the name of a file, without a folder"):
            format_of(spec.replace("KEY", name))
    assert format_of(spec.replace("KEY", "xor.dat")).xor_key_file == "xor.dat"
