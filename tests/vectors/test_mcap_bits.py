"""Files of the package `mcap` in which one bit of an opcode or a length is another: what that costs."""

import io
import struct
from collections.abc import Iterator
from itertools import product
from typing import Any

import pytest
from mcap.writer import CompressionType, Writer
from wireloom import engine

from ..examples import PROFILE
from ..unit.reading.running import ROW_READERS, read

MESSAGES = 400
CHUNK = 6
HEAD = struct.Struct("<BQ")
CHUNK_HEAD = 8 + 8 + 8 + 4 + 4 + 8
"""Bytes of a chunk before its records, if they are not compressed."""


def written() -> bytes:
    """A file of chunks of some 20 messages each."""
    file = io.BytesIO()
    writer = Writer(file, chunk_size=2000, compression=CompressionType.LZ4)
    writer.start()
    channel = writer.register_channel("/text", "json", writer.register_schema("text", "jsonschema", b"{}"))
    for number in range(MESSAGES):
        writer.add_message(channel, number, b"message %d, " % number + b"abcdefgh" * 8, number, number)
    writer.finish()
    return file.getvalue()


def chunks(content: bytes) -> list[int]:
    """Where the chunks begin."""
    return [place for place in records(content, 8, len(content) - 8) if content[place] == CHUNK]


def records(content: bytes, begin: int, end: int) -> Iterator[int]:
    """Yield where the records begin."""
    while begin < end:
        yield begin
        begin += HEAD.size + HEAD.unpack_from(content, begin)[1]


@pytest.mark.slow
@pytest.mark.parametrize("row_reader", ROW_READERS)
def test_a_bit_of_a_chunks_head_costs_its_messages(row_reader: str) -> None:
    """Of its opcode or its length; all of them are in the damaged range."""
    content = written()
    before, _ = messages(row_reader, content)
    places = chunks(content)
    most = -(-MESSAGES // len(places)) + 1
    for place in places[:: 7 if row_reader == "columns" else 11]:
        for bit in range(40):
            damaged = bytearray(content)
            damaged[place + bit // 8] ^= 1 << bit % 8
            after, report = messages(row_reader, bytes(damaged), recover=True)
            lost = [each for each in before if each not in after]
            assert after == [each for each in before if each not in lost], (place, bit)
            assert len(lost) <= most, (place, bit)
            assert is_seen(before, after, report), (place, bit)


@pytest.mark.slow
@pytest.mark.parametrize("row_reader", ROW_READERS)
def test_what_a_larger_part_of_a_length_costs_is_reported(row_reader: str) -> None:
    """With ``recover``; fewer than 256 bytes may be fields of a later version."""
    content = made(*TIMES[-1], CompressionType.LZ4)
    before, _ = messages(row_reader, content, recover=True)
    for place, bit in product(records(content, 8, len(content) - 8), (16, 18, 40)):
        damaged = bytearray(content)
        damaged[place + bit // 8] ^= 1 << bit % 8
        after, report = messages(row_reader, bytes(damaged), recover=True)
        assert is_seen(before, after, report), (place, bit)
        assert all(each in before for each in after), (place, bit)


@pytest.mark.parametrize("row_reader", ROW_READERS)
def test_channels_that_a_false_length_covers_are_looked_up(row_reader: str) -> None:
    file = io.BytesIO()
    writer = Writer(file, use_chunking=False)
    writer.start()
    channels = [writer.register_channel(topic, "json", 0) for topic in ("/a", "/b")]
    for number in range(40):
        writer.add_message(channels[number % 2], number, b"abcdefgh" * 8, number, number)
    writer.finish()
    content = file.getvalue()
    # Fewer bytes may be fields of a later version.
    for bit in range(8, 13):
        damaged = bytearray(content)
        damaged[9 + bit // 8] ^= 1 << bit % 8
        table, report = read(row_reader, "mcap", bytes(damaged), recover=True)
        assert report["damaged"], bit
        assert len(table) == 40, bit
        assert table["topic"].to_pylist() == ["/a", "/b"] * 20, bit


@pytest.mark.parametrize("row_reader", ROW_READERS)
def test_a_length_that_covers_the_next_record_too_is_damage(row_reader: str) -> None:
    """The bytes of that record are not taken for fields of a later version."""
    content = written()
    place = chunks(content)[5]
    opcode, size = struct.unpack_from("<BQ", content, place)
    _, following = struct.unpack_from("<BQ", content, place + 9 + size)
    assert following > 255
    damaged = content[:place] + struct.pack("<BQ", opcode, size + 9 + following) + content[place + 9 :]
    table, report = read(row_reader, "mcap", damaged)
    assert report["damaged"] == [[place, 9 + size + 9 + following, "value"]]
    assert len(set(range(MESSAGES)) - set(table["sequence"].to_pylist())) == MESSAGES - len(table) < 21


TIMES = ((0, 1), (1_000_000_000, 10_000_000), (19_000_000_000, 1), (1_700_000_000_123_456_789, 10_000_001))
"""Of messages: the first, and the steps between them. A chunk begins with times, which its reading depends on if its
opcode is that of another record."""
CODECS = tuple(CompressionType)
OPCODE_BITS, LENGTH_BITS = range(8), tuple(8 + bit for bit in (0, 3, 5, 7, 8, 12, 40))
ALONE, INSIDE = "in the file", "in a chunk without checksum"
NOT_KNOWN = "a record of a later version, or of an application"
NO_TIME = "another record may have these bytes: a message of a channel of a small number, number 0, at the time 0"
NO_CHECKSUM = "a message may have any bytes: the row is false"
UNSEEN = {
    **{(place, 5, opcode): NOT_KNOWN for place in (ALONE, INSIDE) for opcode in (21, 37, 69, 133)},
    **{(ALONE, opcode, 5): NO_CHECKSUM for opcode in (1, 4, 7)},
    **dict.fromkeys(((ALONE, 5, 1), (ALONE, 5, 4), (INSIDE, 5, 4)), NO_TIME),
    (INSIDE, 4, 5): NO_CHECKSUM,
    (ALONE, 9, None): "it ends exactly where a later record does: the records between are fields of a later version",
}
"""What no reader notices: where, an opcode, and what it becomes, or ``None`` for the length; each with the reason."""


def made(start: int, step: int, compression: CompressionType, **options: bool) -> bytes:
    """A file of every kind of record, with chunks of some messages each."""
    file = io.BytesIO()
    writer = Writer(file, chunk_size=600, compression=compression, **options)
    writer.start()
    schema = writer.register_schema("text", "jsonschema", b"{}")
    channels = [writer.register_channel("/a", "json", schema), writer.register_channel("/b", "json", 0, {"k": "v"})]
    writer.add_attachment(start, start, "name", "text/plain", b"text")
    writer.add_metadata("robot", {"name": "R2"})
    for number in range(16):
        at = start + number * step
        writer.add_message(channels[number % 2], at, b"message %d, " % number + b"abcdefgh" * (number % 5), at, number)
    writer.finish()
    return file.getvalue()


def messages(row_reader: str, content: bytes, **options: bool) -> tuple[list[Any], Any]:
    table, report = read(row_reader, "mcap", content, columns=["_offset", "sequence", "log_time", "data"], **options)
    return table.to_pylist(), report


def is_seen(before: list[Any], after: list[Any], report: Any) -> bool:
    """Return whether each message is a row or lies in what is damaged, and each row is a message if nothing is."""
    damaged = [(begin, begin + size) for begin, size, _ in report["damaged"]]
    if report["tail"] != "clean":
        damaged.append((report["tail_offset"], report["tail_offset"] + report["tail_size"]))
    lost = [each["_offset"] for each in before if each not in after]
    return before == after if not damaged else all(any(a <= each < b for a, b in damaged) for each in lost)


def files(times: Any, codecs: Any) -> Iterator[tuple[bytes, list[tuple[str, int]]]]:
    """Yield files, each with the places of its records."""
    for (start, step), chunked, crcs, codec in product(times, (True, False), (True, False), codecs):
        if chunked or codec == codecs[0]:
            content = made(start, step, codec, use_chunking=chunked, enable_crcs=crcs)
            places = [(ALONE, each) for each in records(content, 8, len(content) - 8)]
            for place in chunks(content) if codec == CompressionType.NONE and not crcs else ():
                begin = place + HEAD.size + CHUNK_HEAD
                end = place + HEAD.size + HEAD.unpack_from(content, place)[1]
                places += [(INSIDE, each) for each in records(content, begin, end)]
            yield content, places if PROFILE == "thorough" else ends(content, places)


def ends(content: bytes, places: list[tuple[str, int]]) -> list[tuple[str, int]]:
    """Return the first and the last place of each kind of record."""
    kinds = [(where, content[place]) for where, place in places]
    return [
        each
        for number, (each, kind) in enumerate(zip(places, kinds, strict=True))
        if kind not in kinds[:number] or kind not in kinds[number + 1 :]
    ]


def unseen(row_reader: str, times: Any, codecs: Any) -> set[tuple[str, int, int | None]]:
    """Return what goes unnoticed, as in ``UNSEEN``. A wrong length may cost records before the damage that shows it."""
    found: set[tuple[str, int, int | None]] = set()
    for content, places in files(times, codecs):
        before, report = messages(row_reader, content)
        assert (len(before), report["damaged"], report["tail"]) == (16, [], "clean")
        for (kind, place), bit in product(places, (*OPCODE_BITS, *LENGTH_BITS)):
            damaged = bytearray(content)
            damaged[place + bit // 8] ^= 1 << bit % 8
            after, report = messages(row_reader, bytes(damaged))
            is_clean = not report["damaged"] and report["tail"] == "clean"
            if bit in OPCODE_BITS and not is_seen(before, after, report):
                found.add((kind, content[place], damaged[place]))
            elif bit in LENGTH_BITS and is_clean and before != after:
                found.add((kind, content[place], None))
    return found


@pytest.mark.slow
def test_what_a_bit_of_an_opcode_or_a_length_hides() -> None:
    name = "columns" if engine.available else "objects"
    times, codecs = (TIMES, CODECS) if PROFILE == "thorough" else (TIMES[:1], CODECS[:1])
    assert unseen(name, times, codecs) == set(UNSEEN)


@pytest.mark.thorough
def test_what_a_bit_hides_from_objects() -> None:
    assert unseen("objects", TIMES[-1:], CODECS[:1]) <= set(UNSEEN)
