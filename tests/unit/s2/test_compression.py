"""Bodies of frames: everything that zstd and gzip allow, nothing that ends early, and never more than allowed."""

import contextlib
import random
import zlib

import pytest
import wireloom.s2 as s2
import zstandard
from wireloom.s2 import MAX_CONTENT, compress, decompress, decompress_into

from ...examples import examples

TEXT = b"".join(b"line %d\n" % number for number in range(3000))
SKIPPABLE = b"\x52\x2a\x4d\x18\x03\0\0\0abc"


def both(body: bytes, compression: s2.Compression) -> bytes:
    """Return the content, computed in both ways."""
    target = memoryview(bytearray(b"\xaa" * (MAX_CONTENT + 1)))
    size = decompress_into(memoryview(body), compression, target)
    content = bytes(target[:size])
    assert decompress(body, compression) == content
    return content


def refusal(body: bytes, compression: s2.Compression) -> str:
    """Return the reason of refusal, found in both ways."""
    with pytest.raises(s2.BodyError) as first:
        decompress(body, compression)
    with pytest.raises(s2.BodyError) as second:
        decompress_into(memoryview(body), compression, memoryview(bytearray(MAX_CONTENT + 1)))
    assert first.value.reason == second.value.reason
    return first.value.reason or ""


def zstd(content: bytes, **options: object) -> bytes:
    return zstandard.ZstdCompressor(**options).compress(content)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "body",
    [
        zstd(TEXT),
        zstd(TEXT, write_content_size=False),
        zstd(TEXT, write_checksum=True),
        zstd(TEXT, level=19, write_content_size=False),
        zstd(TEXT[:100]) + zstd(TEXT[100:], write_checksum=True),
        zstd(b"") + zstd(TEXT) + zstd(b""),
        SKIPPABLE + zstd(TEXT) + SKIPPABLE,
        zstd(TEXT, compression_params=zstandard.ZstdCompressionParameters(window_log=25, write_content_size=False)),
    ],
    ids=range(8),
)
def test_what_zstd_allows(body: bytes) -> None:
    assert both(body, "zstd") == TEXT


@pytest.mark.parametrize("body", [zstd(b""), SKIPPABLE, zstd(b"", write_content_size=False, write_checksum=True)])
def test_nothing_in_zstd(body: bytes) -> None:
    assert both(body, "zstd") == b""


@pytest.mark.slow
@pytest.mark.parametrize("checksum", [False, True])
@pytest.mark.parametrize("size", [True, pytest.param(False, marks=pytest.mark.thorough)])
def test_zstd_that_ends_early(checksum: bool, size: bool) -> None:
    body = zstd(TEXT[:2000], write_checksum=checksum, write_content_size=size)
    for cut in range(len(body)):
        assert refusal(body[:cut], "zstd") == "codec"
        assert refusal(zstd(b"x") + body[:cut], "zstd") == "codec" if cut else True
    for cut in range(11):
        assert refusal(SKIPPABLE[:cut], "zstd") == "codec"


@pytest.mark.parametrize("after", [b"\0", b"garbage", b"\x28\xb5", b"\x28\xb5\x2f\xfd"])
@pytest.mark.parametrize("size", [True, False])
def test_what_follows_zstd_is_read(after: bytes, size: bool) -> None:
    assert refusal(zstd(TEXT, write_content_size=size) + after, "zstd") == "codec"
    assert refusal(zstd(b"", write_content_size=size) + after, "zstd") == "codec"


@pytest.mark.parametrize("after", [b"\0", b"garbage", compress(TEXT, "gzip")])
def test_what_follows_gzip_is_not(after: bytes) -> None:
    assert both(compress(TEXT, "gzip") + after, "gzip") == TEXT


@pytest.mark.slow
def test_gzip_that_ends_early() -> None:
    body = compress(TEXT[:2000], "gzip")
    for cut in range(len(body)):
        assert refusal(body[:cut], "gzip") == "codec"


@pytest.mark.parametrize(
    "body",
    [
        zstd(bytes(MAX_CONTENT)),
        zstd(bytes(MAX_CONTENT), write_content_size=False),
        zstd(bytes(MAX_CONTENT - 1)) + zstd(b"\0"),
    ],
    ids=range(3),
)
def test_the_largest_content(body: bytes) -> None:
    assert len(both(body, "zstd")) == MAX_CONTENT
    assert refusal(body + zstd(b"\0"), "zstd") == "limit"
    assert len(both(compress(bytes(MAX_CONTENT), "gzip"), "gzip")) == MAX_CONTENT


@pytest.mark.slow
@pytest.mark.parametrize("size", [MAX_CONTENT + 1, 50_000_000])
def test_bombs(size: int) -> None:
    assert refusal(zstd(bytes(size)), "zstd") == "limit"
    assert refusal(zstd(bytes(size), write_content_size=False), "zstd") == "limit"
    assert refusal(compress(bytes(size), "gzip"), "gzip") == "limit"


def test_a_size_that_is_only_claimed() -> None:
    claims = zstandard.ZstdCompressor().compressobj(size=1 << 40)
    body = claims.compress(b"x" * 100_000) + claims.flush(zstandard.COMPRESSOBJ_FLUSH_BLOCK)
    assert refusal(body, "zstd") == "limit"


def test_very_many_very_small_frames() -> None:
    body = zstd(b"x") * 20_000
    assert both(body, "zstd") == b"x" * 20_000


@pytest.mark.parametrize("compression", ["zstd", "gzip"])
def test_damage_anywhere(compression: s2.Compression) -> None:
    """It is refused, or yields something that fits: not every compression has a checksum."""
    randomness = random.Random(5)
    body = compress(TEXT, compression)
    for _ in range(examples(500)):
        hurt = bytearray(body)
        hurt[randomness.randrange(len(hurt))] ^= 1 << randomness.randrange(8)
        with contextlib.suppress(s2.BodyError):
            assert len(both(bytes(hurt), compression)) <= MAX_CONTENT


def test_gzip_says_nothing_of_the_time() -> None:
    assert compress(TEXT, "gzip") == compress(TEXT, "gzip")
    assert zlib.decompress(compress(TEXT, "gzip"), 31) == TEXT
    assert compress(TEXT, "gzip")[4:8] == bytes(4)
