"""Blocks of other networks than those of Bitcoin Core: Litecoin's, and those of a signet of one's own."""

from __future__ import annotations

import hashlib
import struct
from pathlib import Path

import pytest
import wireloom

from ..unit.reading.running import ROW_READERS, read

HERE = Path(__file__).parent / "bitcoin_blocks"
MAIN, LITECOIN = bytes.fromhex("f9beb4d9"), bytes.fromhex("fbc0b6db")
CHALLENGE = bytes.fromhex("51")
SIGNET = hashlib.sha256(hashlib.sha256(bytes([len(CHALLENGE)]) + CHALLENGE).digest()).digest()[:4]
"""Of a signet whose blocks anybody may make, by the rule of BIP 325."""


def twice(data: bytes) -> bytes:
    return hashlib.sha256(hashlib.sha256(data).digest()).digest()


def output(value: int) -> bytes:
    return struct.pack("<q", value) + b"\1\x51"


def transaction(flags: int, number: int) -> tuple[bytes, bytes]:
    """Return a transaction in the form of Litecoin Core with these flags, and its identifier."""
    spent = b"\1" + bytes(32) + struct.pack("<I", number) + b"\0" + b"\xff" * 4
    core = spent + b"\1" + output(5)
    version, lock = struct.pack("<i", 2), struct.pack("<I", 0)
    marked = (b"\0" + bytes([flags])) if flags else b""
    more = b"\1\2ab" * (flags & 1) + b"\0" * (flags >> 3)
    return version + marked + core + more + lock, twice(version + core + lock)


def block(magic: bytes, *flags: int, extension: bytes = b"") -> tuple[bytes, list[bytes]]:
    made = [transaction(each, number) for number, each in enumerate(flags)]
    body = bytes([len(made)]) + b"".join(data for data, _ in made) + extension
    head = struct.pack("<i", 1) + bytes(32) + bytes(32) + struct.pack("<III", 1_700_000_000, 0x207FFFFF, 7)
    return magic + struct.pack("<I", len(head) + len(body)) + head + body, [identifier for _, identifier in made]


@pytest.mark.parametrize("row_reader", ROW_READERS)
@pytest.mark.parametrize("table", ["blocks", "transactions", "inputs", "outputs"])
@pytest.mark.parametrize(
    ("magic", "network"),
    [(LITECOIN, "litecoin"), (LITECOIN, 0xDBB6C0FB), (SIGNET, hex(int.from_bytes(SIGNET, "little")))],
)
def test_blocks_of_a_network_are_read_with_its_option(
    row_reader: str, table: str, magic: bytes, network: str | int
) -> None:
    main = (HERE / "first.dat").read_bytes() + block(MAIN, 0, 1, 0)[0]
    wanted, _ = read(row_reader, "bitcoin_blocks", main, table=table)
    found, report = read(row_reader, "bitcoin_blocks", main.replace(MAIN, magic), table=table, network=network)
    assert found.equals(wanted)
    assert (report["damaged"], report["tail"]) == ([], "clean")
    assert read(row_reader, "bitcoin_blocks", main, table=table, network=network)[0].equals(wanted)
    with pytest.raises(wireloom.WireloomError, match="need the option network"):
        read(row_reader, "bitcoin_blocks", main.replace(MAIN, magic), table=table, check_format=True)


@pytest.mark.parametrize("row_reader", ROW_READERS)
def test_extension_blocks_of_litecoin_follow_the_transactions(row_reader: str) -> None:
    first, ids = block(LITECOIN, 0, 1, 8, extension=b"\1" + bytes(200))
    second, more = block(LITECOIN, 0, 9, extension=b"\0")
    third, last = block(LITECOIN, 0)
    options = {"table": "transactions", "network": "litecoin"}
    rows, report = read(row_reader, "bitcoin_blocks", first + second + third, **options)
    assert rows["txid"].to_pylist() == [*ids, *more, *last]
    assert (report["damaged"], report["tail"]) == ([], "clean")
    # Bytes after the transactions are only there if the last one says so, and never in Bitcoin's blocks.
    wrong, _ = block(LITECOIN, 0, 1, extension=b"\0")
    rows, report = read(row_reader, "bitcoin_blocks", wrong + first, **options)
    assert [each[2] for each in report["damaged"]] == ["length"]
    assert rows["txid"].to_pylist() == ids
    _, report = read(row_reader, "bitcoin_blocks", first.replace(LITECOIN, MAIN, 1), table="transactions")
    assert (report["rows"] < 3, [*map(str, report["damaged"])] != [] or report["tail"] != "clean") == (True, True)
