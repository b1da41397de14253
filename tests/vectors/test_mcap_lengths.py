"""Files of the package `mcap` in which one bit of a length is another: what that costs."""

import io
import struct

import pytest
from mcap.writer import CompressionType, Writer

from ..unit.reading.running import ROW_READERS, read

MESSAGES = 400
CHUNK = 6


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
    place, found = 8, []
    while place < len(content) - 8:
        opcode, size = struct.unpack_from("<BQ", content, place)
        found += [place] if opcode == CHUNK else []
        place += 9 + size
    return found


def unknown(row_reader: str, content: bytes) -> list[str]:
    """Return the opcodes of the records that are not of this version."""
    table, _ = read(row_reader, "mcap", content, table="records", recover=True)
    return [each for each in table["opcode"].to_pylist() if each.isdigit()]


@pytest.mark.slow
@pytest.mark.parametrize("row_reader", ROW_READERS)
def test_a_bit_of_a_chunks_length_costs_its_messages(row_reader: str) -> None:
    content = written()
    places = chunks(content)
    most = -(-MESSAGES // len(places)) + 1
    for place in places[:: 7 if row_reader == "columns" else 11]:
        for bit in range(32):
            damaged = bytearray(content)
            damaged[place + 1 + bit // 8] ^= 1 << bit % 8
            table, report = read(row_reader, "mcap", bytes(damaged), recover=True)
            found = table["sequence"].to_pylist()
            lost = sorted(set(range(MESSAGES)) - set(found))
            assert found == [number for number in range(MESSAGES) if number not in lost], (place, bit)
            # One chunk, and all of them; more only if bytes in it are a record of a later version, as it seems.
            assert len(lost) <= most or unknown(row_reader, bytes(damaged)), (place, bit)
            assert report["damaged"] or not lost, (place, bit)


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
