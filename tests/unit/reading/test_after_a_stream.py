"""What follows the end of a compressed stream: another stream, padding, or damage, as the table of codecs says.

Every codec, in blocks and in whole files, by both readers. The streams are those of other libraries where there are
any, and what the table says is compared with what these libraries read.
"""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import struct
import zlib
from collections.abc import Callable, Iterator
from itertools import pairwise

import cramjam
import lz4.frame
import pytest
import zstandard
from backports import zstd
from wireloom import DamagedInputError, WireloomError
from wireloom.codecs import BLOCK_CODECS, CODECS, CodecError

from ...examples import PROFILE, examples, strided
from ..specs import format_of
from .running import ROW_READERS, read

LIMIT = 1 << 20
Compress = Callable[[bytes], bytes]


def zstd_streamed(content: bytes) -> bytes:
    """Return a frame that states no size, in several blocks, with a checksum."""
    stream = zstandard.ZstdCompressor(write_content_size=False, write_checksum=True).compressobj()
    blocks = [stream.compress(content[:4]), stream.flush(zstandard.COMPRESSOBJ_FLUSH_BLOCK)]
    return b"".join((*blocks, stream.compress(content[4:]), stream.flush()))


COMPRESSORS: dict[str, dict[str, Compress]] = {
    **{name: {"": codec.compress} for name, codec in BLOCK_CODECS.items() if not codec.needs_size},
    "zstd": {
        "sized": zstandard.ZstdCompressor().compress,
        "unsized": zstandard.ZstdCompressor(write_content_size=False).compress,
        "streamed": zstd_streamed,
        "backports": zstd.compress,
    },
    "gzip": {"": lambda content: gzip.compress(content, mtime=0)},
    "lz4": {
        "sized": lz4.frame.compress,
        "unsized": lambda content: lz4.frame.compress(content, store_size=False, content_checksum=True),
        "checksums": lambda content: lz4.frame.compress(content, store_size=False, block_checksum=True),
    },
    "lz4-kafka": {"": lz4.frame.compress},
    "bzip2": {"": bz2.compress},
    "xz": {"": lzma.compress, "crc32": lambda content: lzma.compress(content, check=lzma.CHECK_CRC32)},
}
STREAMS = [(name, form) for name, forms in COMPRESSORS.items() if name != "none" for form in forms]
SKIPPABLE = {
    **dict.fromkeys(("zstd", "lz4", "lz4-kafka"), b"\x53\x2a\x4d\x18\x05\0\0\0hello"),
    **dict.fromkeys(("snappy-framed", "s2"), b"\xfe\x05\0\0hello"),
}
"""Frames and chunks that readers skip."""
PARTS = [struct.pack("<5I", *range(begin, begin + 5)) for begin in (0, 5, 10)]
FIRST, SECOND, THIRD = PARTS
HEADERS = {"snappy-framed": 10, "s2": 10, "snappy-xerial": 16}
"""Sizes of a header before the first part of a stream: with it alone, a stream is complete."""


def endings(name: str, compress: Compress, step: int = 3) -> Iterator[tuple[str, bytes, bytes | None]]:
    """Yield blocks, each with a description, and its content as the table of codecs says; ``None`` for damage. Streams
    are cut after every ``step`` bytes."""
    codec, (one, two, three) = BLOCK_CODECS[name], map(compress, PARTS)
    empty, skippable = compress(b""), SKIPPABLE.get(name)

    def several(*contents: bytes) -> bytes | None:
        return b"".join(contents) if codec.concatenated else None

    yield "nothing", b"", b"" if codec.empty else None
    yield "empty", empty, b""
    yield "one", one, FIRST
    yield "two", one + two, several(FIRST, SECOND)
    yield "three", one + two + three, several(*PARTS)
    yield "an empty one first", empty + one, several(FIRST)
    yield "an empty one between", one + empty + two, several(FIRST, SECOND)
    yield "an empty one last", one + empty, several(FIRST)
    for count in (1, 2, 3, 4, 8, 1000):
        padded = bool(codec.padding) and count % codec.padding == 0
        yield f"{count} zeros", one + bytes(count), FIRST if padded else None
        yield f"{count} zeros between", one + bytes(count) + two, several(FIRST, SECOND) if padded else None
        yield f"{count} zeros first", bytes(count) + one, None
    for garbage in (b"!", b"garbage", b"\xff" * 20, one[1:], one[:1] + b"what is this?" * 3):
        yield f"{garbage!r}", one + garbage, None
    if skippable is not None:
        if name not in HEADERS:
            yield "skippable first", skippable + one, FIRST
            yield "skippable alone", skippable, b""
        yield "skippable between", one + skippable + two, FIRST + SECOND
        yield "skippable last", one + skippable, FIRST
        for cut in range(1, len(skippable), 4):
            yield f"skippable, cut after {cut}", one + skippable[:cut], None
    for cut in strided(range(1, len(two)), step):
        expected = several(FIRST) if cut == HEADERS.get(name) else None
        yield f"two, cut after {cut}", one + two[:cut], expected
    for cut in strided(range(1, len(one)), step):
        yield f"cut after {cut}", one[:cut], b"" if cut == HEADERS.get(name) else None


@pytest.mark.parametrize(("name", "form"), STREAMS)
def test_a_block(name: str, form: str) -> None:
    for label, block, expected in endings(name, COMPRESSORS[name][form]):
        found: bytes | str | None
        try:
            found = BLOCK_CODECS[name].decompress(block, LIMIT)
        except CodecError as error:
            found = error.reason
        assert found == ("codec" if expected is None else expected), label


@pytest.mark.parametrize(("name", "form"), STREAMS)
def test_the_limit_is_that_of_all_streams_together(name: str, form: str) -> None:
    codec, compress = BLOCK_CODECS[name], COMPRESSORS[name][form]
    if not codec.concatenated:
        return
    block = b"".join(map(compress, PARTS))
    assert codec.decompress(block, 60) == b"".join(PARTS)
    for limit in (0, 19, 20, 21, 39, 40, 59):
        with pytest.raises(CodecError) as raised:
            codec.decompress(block, limit)
        assert raised.value.reason == "limit"
    with pytest.raises(CodecError, match="60 bytes where 40 must be"):
        codec.decompress(block, LIMIT, 40)


LIBRARIES: dict[str, Callable[[bytes], bytes]] = {
    "zstd": zstd.decompress,
    "gzip": gzip.decompress,
    "lz4": lambda block: bytes(lz4.frame.open(io.BytesIO(block)).read()),
    "snappy-framed": lambda block: bytes(cramjam.snappy.decompress(block)),
    "snappy": lambda block: bytes(cramjam.snappy.decompress_raw(block)),
    "bzip2": bz2.decompress,
    "xz": lzma.decompress,
    "zlib": zlib.decompress,
    "deflate": lambda block: zlib.decompress(block, -15),
}
"""What other libraries read. Some ignore what they do not know after the end of a stream, or a stream that is cut."""


@pytest.mark.parametrize("name", LIBRARIES)
def test_what_is_read_is_what_other_libraries_read(name: str) -> None:
    for form, compress in COMPRESSORS[name].items():
        for label, block, expected in endings(name, compress):
            # Python's module for xz does not know padding, and most libraries refuse what has no stream.
            if expected is not None and label != "nothing" and not (name == "xz" and "zeros" in label):
                assert LIBRARIES[name](block) == expected, (form, label)


@pytest.mark.parametrize("name", LIBRARIES)
def test_flipped_bits_are_damage_or_read_as_other_libraries_do(name: str) -> None:
    for compress in COMPRESSORS[name].values():
        block = b"".join(map(compress, PARTS if BLOCK_CODECS[name].concatenated else [FIRST]))
        for bit in strided(range(8 * len(block)), max(1, 8 * len(block) // examples(200))):
            flipped = bytearray(block)
            flipped[bit // 8] ^= 1 << bit % 8
            try:
                found = BLOCK_CODECS[name].decompress(flipped, LIMIT)
            except CodecError:
                continue
            assert found == LIBRARIES[name](bytes(flipped)), bit


def test_deflate_that_was_cut_out_of_zlib() -> None:
    """As fastavro and Avro's own package do, which leave three of the four bytes of the checksum."""
    stream = zlib.compress(FIRST)[2:]
    end, deflate = len(stream) - 4, BLOCK_CODECS["deflate"]
    for left in range(5):
        blocks = [(stream[: end + left], left in (0, 3, 4)), (stream[: end + left] + b"!", False)]
        for block, is_right in blocks:
            if is_right:
                assert deflate.decompress(block, LIMIT) == FIRST
            else:
                with pytest.raises(CodecError, match="bytes follow its end"):
                    deflate.decompress(block, LIMIT)


def test_many_small_streams_take_time_in_proportion() -> None:
    """Without it, this test takes minutes: each of the streams copies all bytes after it."""
    for name in ("gzip", "bzip2"):
        block = COMPRESSORS[name][""](b"") * examples(50_000)
        assert BLOCK_CODECS[name].decompress(block, LIMIT) == b""


# In files -----------------------------------------------------------------------------------------------------------

NAMES = list(COMPRESSORS)
CASES = ", ".join(f"{number}: {name}" for number, name in enumerate(NAMES))
BLOCKS = f"""
meta: {{id: blocks, endian: le, -wireloom: {{rows: blocks.body.items, unit: blocks}}}}
seq: [{{id: blocks, type: block, repeat: eos}}]
types:
  block:
    seq:
      - {{id: kind, type: u1}}
      - {{id: len, type: u4}}
      - {{id: body, type: body, size: len, -wireloom: {{codec: {{switch-on: kind, cases: {{{CASES}}}}}}}}}
  body: {{seq: [{{id: items, type: item, repeat: eos}}]}}
  item: {{seq: [{{id: number, type: u4}}]}}
"""
ITEMS = "meta: {id: items, endian: le, -wireloom: {rows: items}}\nseq: [{id: items, type: item, repeat: eos}]\n"
ITEMS += "types: {item: {seq: [{id: number, type: u4}]}}\n"
FIELDS = """
meta: {id: fields, endian: le, -wireloom: {rows: rows}}
seq: [{id: rows, type: row, repeat: eos}]
types:
  row: {seq: [{id: len, type: u2}, {id: body, size: len, process: zlib}]}
"""


def stored(name: str, block: bytes) -> bytes:
    return struct.pack("<BI", NAMES.index(name), len(block)) + block


def numbers(content: bytes | None) -> list[int]:
    return [] if content is None else [number for (number,) in struct.iter_unpack("<I", content)]


@pytest.mark.parametrize("name", NAMES[1:])
@pytest.mark.parametrize("reader", ROW_READERS)
def test_blocks_in_a_file(reader: str, name: str) -> None:
    format, good = format_of(BLOCKS), stored("none", struct.pack("<I", 99))
    blocks = [each for compress in COMPRESSORS[name].values() for each in endings(name, compress, 12)]
    units = [good, *(each for _, block, _ in blocks for each in (stored(name, block), good))]
    places = [sum(map(len, units[:number])) for number in range(len(units) + 1)]
    table, file = read(reader, format, b"".join(units))
    expected = [99, *(number for _, _, content in blocks for number in (*numbers(content), 99))]
    assert table.column("number").to_pylist() == expected
    damaged = [
        [begin, end - begin, "codec"]
        for (begin, end), (_, _, content) in zip(list(pairwise(places))[1::2], blocks, strict=True)
        if content is None
    ]
    assert (file["damaged"], file["tail"]) == (damaged, "clean")
    intact = [stored(name, block) for _, block, content in blocks if content is not None]
    table, _ = read(reader, format, b"".join(intact), mode="failfast")
    assert table.column("number").to_pylist() == [each for each in expected if each != 99]
    for label, block, _ in [each for each in blocks if each[2] is None][:: 5 if PROFILE != "thorough" else 1]:
        with pytest.raises(DamagedInputError) as raised:
            read(reader, format, good + stored(name, block) + good, mode="failfast")
        assert (raised.value.reason, raised.value.offset) == ("codec", len(good)), label


WHOLE = [(name, form) for name, form in STREAMS if name in CODECS]


@pytest.mark.parametrize(("name", "form"), WHOLE)
@pytest.mark.parametrize("reader", ROW_READERS)
def test_whole_files(reader: str, name: str, form: str) -> None:
    """The rule is the same as for blocks; only a file of no bytes is empty with every codec."""
    format = format_of(ITEMS)
    for label, data, content in list(endings(name, COMPRESSORS[name][form], 12))[1:]:
        table, file = read(reader, format, data, codec=name)
        found = table.column("number").to_pylist()
        if content is not None:
            assert (found, file["tail"], file.get("error")) == (numbers(content), "clean", None), label
            continue
        assert found == list(range(len(found))), label
        assert file["error"], label
        with pytest.raises(WireloomError):
            read(reader, format, data, codec=name, mode="failfast")


@pytest.mark.parametrize("reader", ROW_READERS)
def test_process_zlib_ignores_what_follows_as_in_kaitai(reader: str) -> None:
    streams = [zlib.compress(FIRST), zlib.compress(FIRST) + zlib.compress(SECOND), zlib.compress(FIRST) + b"padding\0"]
    assert {zlib.decompress(each) for each in streams} == {FIRST}
    table, file = read(reader, format_of(FIELDS), b"".join(struct.pack("<H", len(each)) + each for each in streams))
    assert table.column("body").to_pylist() == [FIRST] * 3
    assert file["damaged"] == []
