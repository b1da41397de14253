"""Codecs of blocks: their results, what they refuse, and that they raise nothing else."""

from __future__ import annotations

import bz2
import contextlib
import gzip
import lzma
import os
import random
import zlib

import pyarrow as pa
import pytest
import xxhash
import zstandard
from wireloom.codecs import BLOCK_CODECS, BlockCodec, CodecError

from ...examples import examples

LIMIT = 1 << 24
CONTENTS = [b"", b"a", b"abc" * 10_000, os.urandom(100_000), bytes(3_000_000), b"xy" * 70_000]
CODECS = [pytest.param(each, id=each.name) for each in BLOCK_CODECS.values()]


def size_of(codec: BlockCodec, content: bytes) -> int | None:
    return len(content) if codec.needs_size else None


@pytest.mark.parametrize("codec", CODECS)
def test_a_block_gives_back_its_content(codec: BlockCodec) -> None:
    for content in CONTENTS:
        block = codec.compress(content)
        assert codec.decompress(block, LIMIT, size_of(codec, content)) == content
        assert codec.decompress(memoryview(block), len(content), len(content)) == content
        assert codec.compress(content) == block


@pytest.mark.parametrize("codec", CODECS)
def test_no_more_comes_out_than_is_allowed(codec: BlockCodec) -> None:
    for content in CONTENTS[2:]:
        with pytest.raises(CodecError) as raised:
            codec.decompress(codec.compress(content), len(content) - 1, size_of(codec, content))
        assert raised.value.reason == "limit"


@pytest.mark.parametrize("codec", CODECS)
def test_another_size_than_the_one_that_is_given_is_damage(codec: BlockCodec) -> None:
    content = CONTENTS[2]
    smaller = () if codec.least_size else (0, 1, len(content) - 1)
    larger = () if codec.least_size else (len(content) + 1, 2 * len(content))
    for size in (*smaller, *larger, -1):
        with pytest.raises(CodecError) as raised:
            codec.decompress(codec.compress(content), LIMIT, size)
        assert raised.value.reason == "codec"


@pytest.mark.parametrize("codec", [each for each in CODECS if each.id not in ("none", "zero-trimmed")])
def test_whatever_is_damaged_is_an_error_of_the_codec(codec: BlockCodec) -> None:
    chance = random.Random(7)
    for content in CONTENTS[2:4]:
        block = codec.compress(content)
        for cut in (*([] if codec.empty else [0]), 1, len(block) // 2, len(block) - 1):
            with pytest.raises(CodecError):
                codec.decompress(block[:cut], LIMIT, size_of(codec, content))
        for _ in range(examples(200)):
            spoiled = bytearray(block)
            spoiled[chance.randrange(len(spoiled))] ^= 1 << chance.randrange(8)
            with contextlib.suppress(CodecError):
                assert len(codec.decompress(bytes(spoiled), LIMIT, size_of(codec, content))) <= LIMIT
    for noise in (os.urandom(40), bytes(40), b"\xff" * 40):
        with contextlib.suppress(CodecError):
            codec.decompress(noise, LIMIT, 10 if codec.needs_size else None)


CONTENT = b"some content, some more content"
LZ4 = pa.compress(CONTENT, "lz4", asbytes=True)
OTHERS = {
    "zstd": [
        zstandard.ZstdCompressor(write_content_size=False).compress(CONTENT),
        zstandard.ZstdCompressor().compress(CONTENT[:9]) + zstandard.ZstdCompressor().compress(CONTENT[9:]),
        zstandard.ZstdCompressor().compress(b"") + zstandard.ZstdCompressor().compress(CONTENT),
        b"\x50\x2a\x4d\x18\x03\0\0\0abc" + zstandard.ZstdCompressor().compress(CONTENT),
    ],
    "gzip": [gzip.compress(CONTENT), gzip.compress(CONTENT[:9]) + gzip.compress(CONTENT[9:]) + b"\0\0\0"],
    "zlib": [zlib.compress(CONTENT, 9)],
    "bzip2": [bz2.compress(CONTENT[:9]) + bz2.compress(CONTENT[9:])],
    "xz": [lzma.compress(CONTENT[:9]) + lzma.compress(CONTENT[9:])],
    "lz4": [pa.compress(CONTENT[:9], "lz4", asbytes=True) + pa.compress(CONTENT[9:], "lz4", asbytes=True)],
    # The checksum of the header covers the magic number in the second one, as in Kafka's messages of version 0.
    "lz4-kafka": [LZ4, LZ4[:6] + bytes((xxhash.xxh32_intdigest(LZ4[:6]) >> 8 & 0xFF,)) + LZ4[7:]],
    "snappy-xerial": [pa.compress(CONTENT, "snappy", asbytes=True)],
}


@pytest.mark.parametrize("name", OTHERS)
def test_what_other_compressors_make(name: str) -> None:
    for block in OTHERS[name]:
        assert BLOCK_CODECS[name].decompress(block, LIMIT) == CONTENT


@pytest.mark.parametrize("name", ["zstd", "snappy"])
def test_a_claimed_size_is_not_believed(name: str) -> None:
    """Eight bytes that claim more content than any block of that size can have."""
    claim = b"\x28\xb5\x2f\xfd\xe0" + (1 << 60).to_bytes(8, "little") + b"\1\0\0"
    block = claim if name == "zstd" else b"\xff\xff\xff\xff\x07abc"
    with pytest.raises(CodecError):
        BLOCK_CODECS[name].decompress(block, 1 << 40)


@pytest.mark.parametrize(
    "chunks",
    [
        b"\xff\x06\0\0sNaPpX",
        b"\xff\x06\0\0sNaPpY\1\x05\0\0\0\0\0\0a",
        b"\xff\x06\0\0sNaPpY\2\0\0\0",
        b"\xff\x06\0\0sNaPpY\0\xff",
    ],
)
def test_framed_snappy_checks_its_chunks(chunks: bytes) -> None:
    with pytest.raises(CodecError):
        BLOCK_CODECS["snappy-framed"].decompress(chunks, LIMIT)


def test_framed_snappy_passes_over_chunks_that_may_be_skipped() -> None:
    framed = BLOCK_CODECS["snappy-framed"]
    block = framed.compress(CONTENT)
    assert framed.decompress(block + b"\xfe\x02\0\0\0\0" + block, LIMIT) == CONTENT * 2
