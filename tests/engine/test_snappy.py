"""Blocks of Snappy and S2: the engine, the decompressor that is written out in Python, and what others compressed.

``tests/vectors/s2_compression`` has blocks and streams of klauspost/compress, the reference implementation of S2.
"""

from __future__ import annotations

import base64
import hashlib
import json
import random
import struct
from itertools import pairwise
from pathlib import Path
from typing import Any

import cramjam
import pyarrow as pa
import pytest
from wireloom import engine
from wireloom.codecs import BLOCK_CODECS, CodecError, snappy_elements
from wireloom.format.program import Reason

from ..examples import examples

CASES = Path(__file__).parents[1] / "vectors" / "s2_compression" / "cases.jsonl"
BLOCKS = [row for row in map(json.loads, CASES.read_bytes().splitlines()) if row["kind"] == "block"]
LIMIT = 1 << 23


def outcome(expand: Any, *arguments: Any) -> bytes | tuple[type, str]:
    """Return the content, or the error."""
    try:
        content: bytes = expand(*arguments)
    except (ValueError, OverflowError) as error:
        return type(error), str(error)
    return content


def both(data: bytes, limit: int, repeats: bool) -> bytes | tuple[type, str]:
    """Return what both decompressors give, which must be the same."""
    found = outcome(snappy_elements.written_out, data, limit, repeats)
    assert outcome(engine.expand_snappy, data, limit, repeats) == found
    return found


@pytest.mark.parametrize("row", BLOCKS, ids=lambda row: row["name"])
def test_blocks_of_the_reference_implementation(row: dict[str, Any]) -> None:
    block = base64.b64decode(row["base64"])
    content = both(block, LIMIT, True)
    assert isinstance(content, bytes)
    assert (len(content), hashlib.sha256(content).hexdigest()) == (row["size"], row["sha256"])
    # What only S2 has is damage in Snappy.
    plain = both(block, LIMIT, False)
    assert plain == content or (not row["snappy"] and isinstance(plain, tuple))
    if row["size"]:
        error = OverflowError, f"{row['size']} bytes are more than the limit of {row['size'] - 1}"
        assert both(block, row["size"] - 1, True) == error


@pytest.mark.parametrize("repeats", [False, True])
def test_damaged_blocks(repeats: bool) -> None:
    chance = random.Random(3)
    for row in BLOCKS:
        block = base64.b64decode(row["base64"])
        for _ in range(examples(20) if row["size"] < 100_000 else 1):
            spoiled = bytearray(block)
            for _ in range(chance.randrange(3)):
                spoiled[chance.randrange(len(spoiled))] ^= 1 << chance.randrange(8)
            found = both(
                bytes(spoiled[: chance.choice((len(block), chance.randrange(len(block) + 1)))]), LIMIT, repeats
            )
            assert not isinstance(found, bytes) or len(found) <= LIMIT


def test_contents_that_others_compressed_with_snappy() -> None:
    chance = random.Random(5)
    for _ in range(examples(200)):
        words = [chance.randbytes(chance.randrange(1, 30)) for _ in range(chance.randrange(1, 20))]
        content = b"".join(chance.choice(words) for _ in range(chance.randrange(300)))
        for block in (pa.compress(content, "snappy", asbytes=True), bytes(cramjam.snappy.compress_raw(content))):
            assert both(block, len(content), False) == both(block, len(content), True) == content


@pytest.mark.parametrize("repeats", [False, True])
def test_short_blocks_of_any_bytes(repeats: bool) -> None:
    """Those with a size, a literal and copies of each kind; the library accepts the same ones as Snappy."""
    chance = random.Random(9)
    for _ in range(examples(3000)):
        size, literal = chance.randrange(1, 40), chance.randrange(1, 9)
        elements = bytes(chance.choice((1, 5, 21, 25, 29, 2, 6, 3, 0, 4, chance.randrange(256))) for _ in range(9))
        block = bytes((size, literal - 1 << 2)) + b"abcdefgh"[:literal] + elements[: chance.randrange(10)]
        found = both(block, 100, repeats)
        if repeats:
            continue
        try:
            expected = bytes(cramjam.snappy.decompress_raw(block))
        except cramjam.DecompressionError:
            assert isinstance(found, tuple), block
        else:
            assert found == expected, block


@pytest.mark.parametrize(
    "data",
    [b"", b"\x80", b"\xff" * 5, b"\xff\xff\xff\xff\x1f\0a", b"\xff\xff\xff\xff\x0f\0a", b"\xff\xff\xff\xff\x07abc"],
)
def test_sizes_that_a_block_cannot_have(data: bytes) -> None:
    for repeats in (False, True):
        assert both(data, 1 << 40, repeats) == (ValueError, f"it states no size that {len(data)} bytes could have")


def test_a_first_copy_that_repeats_is_damage() -> None:
    for block in (b"\x09\x00a\x01\x00", b"\x05\x01\x00", b"\x05\x00a\x02\x00\x00", b"\x05\x00a\x03\0\0\0\0"):
        assert both(block, 100, True) == (ValueError, f"its elements do not give {block[0]} bytes")
    assert both(b"\x09\x00a\x01\x01\x01\x00", 100, True) == b"a" * 9
    assert both(b"\x09\x00a\x01\x01\x01\x00", 100, False) == (ValueError, "its elements do not give 9 bytes")


def test_wrong_arguments() -> None:
    for arguments in ((), (b"",), ("text", 1, True), (b"", "1", True), (b"", 1 << 80, True)):
        with pytest.raises((TypeError, OverflowError)):
            engine.expand_snappy(*arguments)
    assert both(b"\0", 0, True) == b""
    assert both(b"\0", -1, True) == (OverflowError, "0 bytes are more than the limit of -1")


def test_records() -> None:
    """Those in Snappy and others, some damaged, give what they give one by one."""
    chance = random.Random(4)
    for _ in range(examples(200)):
        kinds = bytes(chance.randrange(2) for _ in range(chance.randrange(9)))
        records = []
        for kind in kinds:
            content = chance.randbytes(chance.randrange(1, 9)) * chance.randrange(30)
            record = bytearray(pa.compress(content, "snappy", asbytes=True) if kind else content)
            if chance.randrange(4) == 0 and record:
                record[chance.randrange(len(record))] ^= 1 << chance.randrange(8)
            records.append(bytes(record[: None if chance.randrange(9) else len(record) // 2]))
        before, expected = b"!" * chance.randrange(3), []
        for kind, record in zip(kinds, records, strict=True):
            try:
                expected.append(BLOCK_CODECS["snappy" if kind else "none"].decompress(record, 150))
            except CodecError as error:
                expected.append(error.reason)
        ends = [len(before) + sum(map(len, records[:number])) for number in range(len(records) + 1)]
        packed = struct.pack(f"={len(ends)}i", *ends)
        content, places, reasons = engine.expand_records(kinds, packed, before + b"".join(records), 150)
        bounds = struct.unpack(f"={len(ends)}i", places)
        found = [content[begin:end] for begin, end in pairwise(bounds)]
        shown = [Reason(reason).name.lower() if reason else each for reason, each in zip(reasons, found, strict=True)]
        assert shown == expected


def test_records_at_wrong_offsets() -> None:
    for ends in ([0], [0, 2, 1], [0, 1, 5], [3, 2, 4], [-1, 2, 3], [0, -1, 2]):
        with pytest.raises(ValueError, match="offsets"):
            engine.expand_records(b"\0\1", struct.pack(f"={len(ends)}i", *ends), b"abcd", 100)
    with pytest.raises(ValueError, match="offsets"):
        engine.expand_records(b"", b"", b"", 100)
    assert engine.expand_records(b"", bytes(4), b"", 0) == (b"", bytes(4), b"")
