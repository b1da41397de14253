import contextlib
import gzip
import io
import random
import zlib
from collections.abc import Callable
from typing import Any

import pytest
import zstandard
from hypothesis import given, settings
from hypothesis import strategies as st
from wireloom import codecs
from wireloom.codecs import CodecError, OtherCodecError
from wireloom.codecs.zstd_frames import MAX_BLOCK
from wireloom.input.expansion import expand
from wireloom.input.stored import StorageError, Stored

from ...examples import examples

CONTENT = b"".join(b"%d some text that compresses\n" % number for number in range(20_000)) + random.Random(1).randbytes(
    300_000
)
SKIPPABLE = b"\x53\x2a\x4d\x18\x05\0\0\0hello"


def stored(data: Any) -> Stored:
    [source] = expand(data)
    return Stored(source.open(), source.size)


def decoded(codec: str, data: Any, room: int = MAX_BLOCK, **options: Any) -> tuple[bytes, Exception | None]:
    decoder = codecs.decoder(codec, stored(data), **options)
    out, buffer = bytearray(), memoryview(bytearray(room))
    try:
        while count := decoder.readinto(buffer):
            out += buffer[:count]
    except (CodecError, StorageError) as error:
        return bytes(out), error
    return bytes(out), None


def zstd(content: bytes = CONTENT, **options: Any) -> bytes:
    return zstandard.ZstdCompressor(**options).compress(content)


def zstd_streamed(content: bytes = CONTENT, level: int = 3, **parameters: Any) -> bytes:
    chosen = zstandard.ZstdCompressionParameters.from_level(level, write_content_size=False, **parameters)
    made = zstandard.ZstdCompressor(compression_params=chosen).compressobj()
    return made.compress(content) + made.flush()


ZSTD = {
    "plain": zstd(),
    "checksum": zstd(write_checksum=True),
    "streamed": zstd_streamed(),
    "two frames": zstd(CONTENT[:70_001]) + zstd(CONTENT[70_001:], write_checksum=True),
    "skippable": SKIPPABLE + zstd(CONTENT[:5]) + SKIPPABLE + zstd(CONTENT[5:]) + SKIPPABLE,
    "long window": zstd_streamed(level=3, window_log=27, enable_ldm=True),
    "empty frames": zstd(b"") + zstd() + zstd(b""),
}


@pytest.mark.parametrize("name", ZSTD)
@pytest.mark.parametrize("room", [MAX_BLOCK, 1 << 20])
def test_zstd(name: str, room: int) -> None:
    assert decoded("zstd", ZSTD[name], room) == (CONTENT, None)


@pytest.mark.parametrize("name", ZSTD)
def test_zstd_from_a_source_that_gives_a_few_bytes_at_a_time(name: str) -> None:
    class Slow(io.BytesIO):
        def readinto(self, buffer: Any) -> int:
            return super().readinto(memoryview(buffer)[:777])

    assert decoded("zstd", Slow(ZSTD[name])) == (CONTENT, None)


@pytest.mark.parametrize("name", ZSTD)
@settings(max_examples=examples(25), deadline=None)
@given(data=st.data())
def test_zstd_cut_anywhere_gives_what_was_there_and_says_so(name: str, data: st.DataObject) -> None:
    whole = ZSTD[name]
    cut = data.draw(st.integers(1, len(whole) - 1))
    content, error = decoded("zstd", whole[:cut])
    assert CONTENT.startswith(content)
    between = content == CONTENT or name in ("two frames", "skippable", "empty frames")
    assert error is not None or between
    if error is not None:
        assert "compressed stream ends early" in str(error)


def test_zstd_cut_gives_every_whole_block() -> None:
    whole = ZSTD["streamed"]
    content, error = decoded("zstd", whole[:-10])
    assert error is not None
    assert len(content) >= len(CONTENT) - MAX_BLOCK


@settings(max_examples=examples(60), deadline=None)
@given(data=st.data())
def test_zstd_damaged_anywhere_ends_and_gives_no_more_than_it_should(data: st.DataObject) -> None:
    whole = bytearray(ZSTD["checksum"])
    at = data.draw(st.integers(0, len(whole) - 1))
    whole[at] ^= data.draw(st.integers(1, 255))
    content, error = decoded("zstd", whole)
    assert len(content) <= len(CONTENT) + MAX_BLOCK
    assert error is not None or content == CONTENT


def test_zstd_checksum_that_does_not_hold_comes_after_all_content() -> None:
    whole = bytearray(ZSTD["checksum"])
    whole[-1] ^= 1
    content, error = decoded("zstd", whole)
    assert content == CONTENT
    assert "zstd content checksum" in str(error)


def test_zstd_with_something_else_after() -> None:
    content, error = decoded("zstd", ZSTD["plain"] + b"garbage")
    assert content == CONTENT
    assert f"no zstd frame at compressed byte {len(ZSTD['plain'])}" in str(error)


def test_zstd_that_is_none() -> None:
    assert str(decoded("zstd", b"garbage")[1]) == "not a zstd stream"
    assert decoded("zstd", b"") == (b"", None)


def test_zstd_window_beyond_the_limit() -> None:
    content, error = decoded("zstd", ZSTD["long window"], max_window=1 << 20)
    assert content == b""
    assert "raise max_window" in str(error)


def test_zstd_dictionary() -> None:
    made = zstandard.ZstdCompressor(dict_data=zstandard.ZstdCompressionDict(b"some text" * 100 + b"\x37\xa4\x30\xec"))
    whole = bytearray(made.compress(b"some text"))
    if whole[4] & 3:
        assert "dictionary" in str(decoded("zstd", bytes(whole))[1])


@pytest.mark.slow
def test_a_bomb_fills_no_more_than_the_room() -> None:
    bomb = zstd(bytes(200_000_000))
    assert len(bomb) < 100_000
    decoder = codecs.decoder("zstd", stored(bomb))
    buffer = memoryview(bytearray(b"\xff" * 300_000))
    assert 0 < decoder.readinto(buffer[:200_000]) <= 200_000
    assert bytes(buffer[200_000:]) == b"\xff" * 100_000


GZIP = {
    "plain": gzip.compress(CONTENT, mtime=0),
    "two members": gzip.compress(CONTENT[:1000], mtime=0) + gzip.compress(CONTENT[1000:]),
    "zeros after": gzip.compress(CONTENT, mtime=0) + bytes(1000),
    "with a name": b"\x1f\x8b\x08\x08\0\0\0\0\0\x03name\0" + gzip.compress(CONTENT, mtime=0)[10:],
    "empty members": gzip.compress(b"", mtime=0) + gzip.compress(CONTENT) + gzip.compress(b""),
}


@pytest.mark.parametrize("name", GZIP)
@pytest.mark.parametrize("room", [1000, 1 << 20])
def test_gzip(name: str, room: int) -> None:
    assert decoded("gzip", GZIP[name], room) == (CONTENT, None)


@settings(max_examples=examples(40), deadline=None)
@given(data=st.data())
def test_gzip_cut_anywhere(data: st.DataObject) -> None:
    cut = data.draw(st.integers(1, len(GZIP["plain"]) - 1))
    content, error = decoded("gzip", GZIP["plain"][:cut])
    assert CONTENT.startswith(content)
    assert "compressed stream ends early" in str(error)
    expected = zlib.decompressobj(31).decompress(GZIP["plain"][:cut])
    assert content == expected


def test_gzip_damage_comes_after_everything_before_it() -> None:
    whole = bytearray(GZIP["plain"])
    whole[-8] ^= 1
    content, error = decoded("gzip", whole)
    assert content == CONTENT
    assert "gzip stream is damaged" in str(error)


@pytest.mark.slow
@pytest.mark.parametrize("room", [1, 16, 100, 1000, 65_536])
def test_gzip_damage_comes_after_what_there_was_no_room_for(room: int) -> None:
    # A decompressor that stops for lack of space keeps output, and the input that it has not consumed.
    content = bytes(300_000)
    whole = bytearray(gzip.compress(content, mtime=0))
    whole[-8] ^= 1
    found, error = decoded("gzip", whole, room)
    assert found == content
    assert "gzip stream is damaged" in str(error)


@settings(max_examples=examples(40), deadline=None)
@given(data=st.data())
def test_gzip_damaged_anywhere(data: st.DataObject) -> None:
    whole = bytearray(GZIP["plain"])
    at = data.draw(st.integers(0, len(whole) - 1))
    whole[at] ^= data.draw(st.integers(1, 255))
    content, error = decoded("gzip", whole)
    assert error is not None or content == CONTENT


@settings(max_examples=examples(60), deadline=None)
@given(data=st.data())
def test_gzip_damage_takes_nothing_that_stands_before_it(data: st.DataObject) -> None:
    # Output that was kept for lack of space is returned too.
    content = b"".join(b'{"number":%d}' % number for number in range(60)) + bytes(400)
    whole = bytearray(gzip.compress(content, mtime=0))
    at = data.draw(st.integers(10, len(whole) - 1))
    whole[at] ^= data.draw(st.integers(1, 255))
    member, expected = zlib.decompressobj(31), b""
    with contextlib.suppress(zlib.error):
        for byte in whole:
            expected += member.decompress(bytes([byte]))
    found, error = decoded("gzip", whole, data.draw(st.sampled_from([1, 2, 7, len(expected) or 1, 500, 5000])))
    assert found == expected
    assert error is not None


def test_gzip_followed_by_something_else() -> None:
    content, error = decoded("gzip", GZIP["plain"] + b"garbage")
    assert content == CONTENT
    assert error is not None


@pytest.mark.parametrize("codec", [name for name in codecs.CODECS if name != "none"])
def test_every_codec(codec: str) -> None:
    """What the readers and writers of files expect of one; ``Decoder`` and ``Codec`` state it."""
    # Blocks of the lowest level are the smallest.
    for level in (None, *codecs.CODECS[codec].levels[1:2]):
        compressor = codecs.compressor(codec, level)
        whole = bytes(compressor.compress(CONTENT)) + compressor.flush()
        assert decoded(codec, whole) == (CONTENT, None)
    assert codecs.detect(whole[: codecs.HEAD], "", "none") == codec == codecs.by_suffix("a" + codecs.suffix_of(codec))
    assert decoded(codec, b"") == (b"", None)
    assert isinstance(decoded(codec, b"garbage")[1], OtherCodecError)
    content, error = decoded(codec, whole[:-10])
    assert CONTENT.startswith(content)
    assert len(content) >= len(CONTENT) - MAX_BLOCK
    assert isinstance(error, CodecError)
    damaged = bytearray(whole)
    damaged[len(whole) // 2] ^= 1
    content, error = decoded(codec, damaged)
    assert len(content) > len(CONTENT) // 4
    assert isinstance(error, CodecError)


@pytest.mark.parametrize(
    ("data", "name", "usual", "codec"),
    [
        (zstd(b"x"), "", "none", "zstd"),
        (SKIPPABLE + zstd(b"x"), "a.bin", "none", "zstd"),
        (gzip.compress(b"x", mtime=0), "", "none", "gzip"),
        (gzip.compress(b"x", mtime=0), "a.zst", "zstd", "gzip"),
        (b"\x28\xb5\x2f\xfd and nothing like zstd", "", "none", "none"),
        (b"\x28\xb5\x2f\xfd and nothing like zstd", "a.zst", "none", "zstd"),
        (b"\x28\xb5\x2f\xfd and nothing like zstd", "", "zstd", "zstd"),
        (b"\x1f\x8b\x08\x00 and nothing like gzip", "a.log", "none", "none"),
        (b"\x1f\x8b\x08\x00 and nothing like gzip", "a.GZ", "none", "gzip"),
        (zstd(b""), "a.bin", "none", "zstd"),
        (gzip.compress(b"", mtime=0), "a.bin", "none", "gzip"),
        (zstd(bytes(10_000_000)), "a.bin", "none", "zstd"),
        (ZSTD["long window"][: codecs.HEAD], "a.bin", "none", "zstd"),
        (b"\x28\xb5\x2f\xfd", "", "none", "none"),
        (b"\x1f\x8b\x08\x00", "", "none", "none"),
        (b"plain", "a.bin", "zstd", "none"),
        (b"", "a.zst", "zstd", "none"),
    ],
)
def test_detection(data: bytes, name: str, usual: str, codec: str) -> None:
    assert codecs.detect(data, name, usual) == codec


@pytest.mark.parametrize("compress", [gzip.compress, zstandard.ZstdCompressor(write_checksum=True).compress])
def test_damage_does_not_hide_the_codec(compress: Callable[[bytes], bytes]) -> None:
    """Without a name that identifies it, and with a format that is not usually compressed in this way."""
    stream = compress(CONTENT)
    for place in (-1, -6, len(stream) // 2):
        damaged = bytearray(stream)
        damaged[place] ^= 1
        assert codecs.detect(bytes(damaged), "", "none") == codecs.detect(stream, "", "none") != "none"


def test_a_name_that_lies() -> None:
    with pytest.raises(CodecError, match=r"not a zstd stream, though its name ends in \.zst"):
        codecs.detect(b"plain", "a.wal.zst", "zstd")


def test_stored_bytes_can_be_looked_at_first() -> None:
    each = stored(CONTENT)
    assert each.peek(10) == CONTENT[:10]
    assert each.peek(100_000) == CONTENT[:100_000]
    assert each.position == 0
    buffer = memoryview(bytearray(len(CONTENT)))
    assert each.readinto(buffer[:7]) == 7
    filled = 7
    while count := each.readinto(buffer[filled:]):
        filled += count
    assert bytes(buffer) == CONTENT
    assert each.position == len(CONTENT)
    each.seek(3)
    each.readinto(buffer)
    assert bytes(buffer[:5]) == CONTENT[3:8]


def test_an_input_that_ends_before_its_size_is_an_error() -> None:
    each = Stored(io.BytesIO(b"abc"), 5)
    buffer = memoryview(bytearray(10))
    assert each.readinto(buffer) == 3
    with pytest.raises(StorageError, match="ended at stored byte 3, but it had 5 bytes"):
        each.readinto(buffer)


def test_an_input_that_fails() -> None:
    class Failing:
        def readinto(self, _: Any) -> int:
            raise OSError(5, "Input/output error")

        def seek(self, _: int) -> int:
            raise OSError(29, "Illegal seek")

        def close(self) -> None:
            pass

    with pytest.raises(StorageError, match="reading failed at stored byte 0"):
        Stored(Failing(), None).readinto(memoryview(bytearray(1)))
    with pytest.raises(StorageError, match="byte 5 cannot be reached"):
        Stored(Failing(), None).seek(5)
