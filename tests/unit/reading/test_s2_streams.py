"""S2 as a codec of files and of blocks: what its reference implementation wrote, and the blocks that the engine
decompresses by itself."""

from __future__ import annotations

import base64
import hashlib
import json
import random
import struct
from pathlib import Path

import crc32c
import pyarrow as pa
import pytest
import wireloom
from wireloom import WireloomError, codecs, engine
from wireloom.codecs import BLOCK_CODECS, CODECS, CodecError, OtherCodecError

from ...examples import examples
from ..specs import format_of
from .running import ROW_READERS, read
from .test_codecs import decoded
from .test_stream_codecs import PLAIN, ROWS, Pipe

CASES = Path(__file__).parents[2] / "vectors" / "s2_compression" / "cases.jsonl"
STREAMS = {row["name"]: row for row in map(json.loads, CASES.read_bytes().splitlines()) if row["kind"] == "stream"}
TEXT = base64.b64decode(STREAMS["text, index"]["base64"])
S2, SNAPPY = b"\xff\x06\0\0S2sTwO", b"\xff\x06\0\0sNaPpY"


def chunk(kind: int, body: bytes) -> bytes:
    return bytes((kind,)) + len(body).to_bytes(3, "little") + body


def checked(content: bytes) -> bytes:
    """Return the content with its masked checksum before it, as a chunk has it."""
    value = crc32c.crc32c(content)
    return struct.pack("<I", ((value >> 15 | value << 17) + 0xA282EAD8) & 0xFFFFFFFF) + content


@pytest.mark.parametrize("name", STREAMS)
@pytest.mark.parametrize("by_engine", [True, False])
def test_streams_of_the_reference_implementation(name: str, by_engine: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    row = STREAMS[name]
    data = base64.b64decode(row["base64"])
    monkeypatch.setattr(engine, "available", by_engine and engine.available)
    for content, error in (decoded("s2", data, 1 << 20), decoded("s2", Pipe(data), 70_000)):
        assert error is None
        assert (len(content), hashlib.sha256(content).hexdigest()) == (row["size"], row["sha256"])
    if data:
        assert codecs.detect(data[: codecs.HEAD], "", "none") == ("snappy-framed" if row["snappy"] else "s2")
        assert BLOCK_CODECS["s2"].decompress(data, row["size"]) == content
    if row["size"]:
        with pytest.raises(CodecError) as raised:
            BLOCK_CODECS["s2"].decompress(data, row["size"] - 1)
        assert raised.value.reason == "limit"


def test_cuts_and_flips() -> None:
    content, _ = decoded("s2", TEXT)
    for cut in range(len(TEXT)):
        found, error = decoded("s2", TEXT[:cut])
        assert content.startswith(found)
        # The index, which is the last chunk, has no content.
        assert error is not None or cut == 0 or found in (b"", content)
    chance = random.Random(11)
    for _ in range(examples(400)):
        spoiled = bytearray(TEXT)
        spoiled[chance.randrange(len(spoiled))] ^= 1 << chance.randrange(8)
        found, _ = decoded("s2", bytes(spoiled))
        assert content.startswith(found)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"plain text" * 9, "not an s2 stream"),
        (S2 + chunk(2, b"ab"), "damaged (unknown chunk type 2)"),
        (S2 + chunk(0xFF, b"S2sTwX"), "damaged (a stream identifier is missing or invalid)"),
        (S2 + chunk(1, checked(bytes(4 << 20)) + b"!"), "damaged (a chunk has more than 4194304 bytes)"),
        (SNAPPY + chunk(1, checked(bytes(65537))), "damaged (a chunk has more than 65536 bytes)"),
        (S2 + SNAPPY + chunk(1, checked(bytes(65537))), "damaged (a chunk has more than 65536 bytes)"),
        (S2 + chunk(1, b"1234text"), "damaged (a chunk's checksum does not match)"),
        (S2 + chunk(0, b"1234"), "damaged (it states no size that 0 bytes could have)"),
        (S2 + chunk(0x99, b"index")[:-1], "compressed stream ends early, inside a chunk"),
    ],
)
def test_what_is_refused(data: bytes, message: str) -> None:
    found, error = decoded("s2", data)
    assert (found, error is not None and message in str(error)) == (b"", True), error
    with pytest.raises(CodecError):
        BLOCK_CODECS["s2"].decompress(data, 1 << 24)


def test_streams_that_follow_each_other() -> None:
    text = b"some text"
    parts = [
        S2,
        chunk(1, checked(text)),
        chunk(0xFE, bytes(700_000)),
        SNAPPY,
        chunk(1, checked(text)),
        chunk(0x80, b""),
    ]
    data = b"".join((*parts, S2, chunk(1, checked(bytes(65537)))))
    expected = text * 2 + bytes(65537)
    assert decoded("s2", data) == (expected, None)
    assert BLOCK_CODECS["s2"].decompress(data, 1 << 20) == expected
    # Snappy's own readers refuse a stream of S2.
    assert isinstance(decoded("snappy-framed", data)[1], OtherCodecError)
    assert isinstance(decoded("snappy-framed", SNAPPY + data)[1], CodecError)


def test_files(tmp_path: Path) -> None:
    plain = format_of(PLAIN, "plain_rows")
    rows = wireloom.read(plain, ROWS)
    wireloom.write(plain, rows, tmp_path / "a.s2")
    stored = (tmp_path / "a.s2").read_bytes()
    assert stored.startswith(S2)
    assert stored.count(S2) == 1
    assert wireloom.read(plain, tmp_path / "a.s2").equals(rows)
    assert wireloom.read(plain, stored).equals(rows)
    assert wireloom.read(plain, stored, codec="s2").equals(rows)
    assert CODECS["s2"].compressor(0).flush() == S2
    with pytest.raises(WireloomError, match="no compression levels"):
        wireloom.write(plain, rows, tmp_path / "b.s2", level=3)
    (tmp_path / "c.s2").write_bytes(ROWS)
    with pytest.raises(WireloomError, match=r"not a s2 stream, though its name ends in \.s2"):
        wireloom.read(plain, tmp_path / "c.s2")


BLOCKS = """
meta: {id: blocks, endian: le, -wireloom: {rows: blocks, columns: [body]}}
seq: [{id: blocks, type: block, repeat: eos}]
types:
  block:
    seq:
      - {id: kind, type: u1}
      - {id: len, type: u4}
      - id: body
        size: len
        -wireloom:
          codec: {switch-on: kind, max-expanded: 100000, cases: {0: none, 1: snappy, 2: s2-block, 3: s2}}
"""


def block(kind: int, body: bytes) -> bytes:
    return struct.pack("<BI", kind, len(body)) + body


@pytest.mark.parametrize("reader", ROW_READERS)
def test_blocks(reader: str) -> None:
    """Contents of up to 64 KiB are decompressed by the engine, larger ones by the function that keeps them."""
    format = format_of(BLOCKS)
    chance = random.Random(1)
    contents = [chance.randbytes(100) * (size // 100 + 1) for size in (0, 1, 200, 65_500, 65_600, 99_000)]
    units: list[tuple[bytes, bytes | None]] = [
        (block(kind, BLOCK_CODECS[name].compress(content)), content)
        for content in contents
        for kind, name in enumerate(("none", "snappy", "s2-block", "s2"))
    ]
    copied = b"\x09\x00a\x01\x01\x01\x00"
    units += [
        (block(1, copied), None),
        (block(2, copied), b"a" * 9),
        (block(2, copied[:-1]), None),
        (block(2, b""), None),
        (block(2, b"\x00"), b""),
        (block(3, copied), None),
        (block(3, TEXT), decoded("s2", TEXT)[0]),
    ]
    for data in (b"".join(unit for unit, _ in units), b"".join(unit for unit, content in units if content is not None)):
        table, file = read(reader, format, data)
        assert table.column("body").to_pylist() == [content for _, content in units if content is not None]
    assert file["damaged"] == []
    large = pa.compress(bytes(100_001), "snappy", asbytes=True)
    table, file = read(reader, format, block(1, large) + block(2, large) + block(2, copied))
    assert table.column("body").to_pylist() == [b"a" * 9]
    assert [reason for _, _, reason in file["damaged"]] == ["limit", "limit"]


JETSTREAM = """
meta: {id: jetstream_block, endian: le, -wireloom: {rows: block.messages}}
seq:
  - {id: magic, contents: cmp}
  - {id: algorithm, type: u1}
  - {id: original_size, type: vlq}
  - id: block
    type: block
    size: _io.size - _io.pos - 8
    -wireloom: {codec: {switch-on: algorithm, cases: {0: none, 1: s2}}}
  - {id: checksum, size: 8}
types:
  vlq: {seq: [{id: groups, type: u1, repeat: until, repeat-until: _ < 128}]}
  block: {seq: [{id: messages, type: message, repeat: eos}]}
  message:
    seq:
      - {id: len, type: u4}
      - {id: sequence, type: u8}
      - {id: time, type: u8}
      - {id: len_subject, type: u2}
      - {id: subject, size: len_subject, type: str, encoding: UTF-8}
      - {id: payload, size: len - 30 - len_subject}
      - {id: checksum, size: 8, if: not _io.eof, doc: That of the last message is after the compressed bytes.}
"""


@pytest.mark.parametrize("reader", ROW_READERS)
def test_a_block_of_messages_of_jetstream(reader: str) -> None:
    data = (CASES.parent / "jetstream.blk").read_bytes()
    table, file = read(reader, format_of(JETSTREAM), data, columns=["sequence", "subject", "payload"])
    rows = table.to_pylist()
    assert (len(rows), file["tail"], file["damaged"]) == (386, "clean", [])
    begin = rows[0]["sequence"]
    for number, row in enumerate(rows, begin - 1):
        text = f"message {number} of user {number * number % 97}: GET /product/{number % 100} HTTP/1.1"
        assert row == {"sequence": number + 1, "subject": f"log.{number % 7}", "payload": text.encode()}
