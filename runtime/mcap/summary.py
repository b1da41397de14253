"""The summary of an MCAP file, by which messages of a time or on a topic are found without the others.

It is used only if its checksum is there and right. Then it is believed: a chunk that has such messages although the
summary says otherwise is not read.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator, Mapping
from itertools import chain
from typing import TYPE_CHECKING

from ..base.dataclass import dataclass
from ..format.description import Format

if TYPE_CHECKING:
    from ..reading.indexes import Conditions, StoredBytes, Unread

FOOTER, SCHEMA, CHANNEL, CHUNK, MESSAGE_INDEX, CHUNK_INDEX, STATISTICS, SUMMARY_OFFSET = 2, 3, 4, 6, 7, 8, 11, 14
"""Opcodes."""
HEAD = struct.Struct("<BQ")
"""The opcode and the length of a record."""
FOOTER_FIELDS = struct.Struct("<QQI")
"""Where the summary begins, where its offsets begin, and its checksum."""
CHANNEL_AND_PLACE = struct.Struct("<HQ")
MAGIC = b"\x89MCAP0\r\n"
_COUNTS = struct.Struct("<QHI")
"""The numbers of messages, schemas and channels, with which statistics begin."""
_CHUNK = struct.Struct("<QQQQI")
"""The times of a chunk, its place and length, and the length of the places of the indexes of its messages."""
_NUMBER = struct.Struct("<H")
_CHANNEL = struct.Struct("<HH")
_SIZE = struct.Struct("<I")
_LENGTH = struct.Struct("<Q")
CHANNEL_COLUMNS = ("channel_id", "schema_id", "topic", "message_encoding")
"""Columns of messages that their channels have."""
MOST = 64 * 1024 * 1024
"""Largest summary in bytes that is used."""
TAIL = 64 * 1024
"""Number of last bytes that are read at first: of many files, they are the summary."""


@dataclass(frozen=True)
class Chunk:
    """A chunk, with the indexes of its messages, and what the summary says about it. ``channels``: those of its
    messages; empty if that is not known."""

    begin: int
    end: int
    first_time: int
    last_time: int
    channels: tuple[int, ...]


@dataclass(frozen=True)
class Summary:
    """Parts of a summary. ``schemas``, ``channels``: the bytes of these records, by their numbers; ``chunks``: in the
    order of the file."""

    schemas: Mapping[int, bytes]
    channels: Mapping[int, bytes]
    chunks: tuple[Chunk, ...]


def unread(format: Format, stored: StoredBytes, conditions: Conditions) -> Unread | None:
    """Return the chunks of a file without messages that a filter needs; ``None`` if the file does not say which."""
    # Specs that name the indexer are loaded without pyarrow.
    from ..reading.indexes import Unread

    if format.table != "messages":
        return None
    try:
        summary = read_summary(stored)
        channels = [_channel(each) for each in summary.channels.values()]
    except (struct.error, ValueError):
        return None
    columns = {name: [each[number] for each in channels] for number, name in enumerate(CHANNEL_COLUMNS)}
    matching = conditions.matching(columns)
    other = {each[0] for number, each in enumerate(channels) if number not in matching}
    gaps: list[tuple[int, int]] = []
    for each in summary.chunks:
        is_other = bool(each.channels) and other.issuperset(each.channels)
        if not is_other and conditions.may_hold("log_time", each.first_time, each.last_time):
            continue
        if gaps and gaps[-1][1] == each.begin:
            gaps[-1] = (gaps[-1][0], each.end)
        else:
            gaps.append((each.begin, each.end))
    return Unread(gaps, b"".join(chain(summary.schemas.values(), summary.channels.values())))


def read_summary(stored: StoredBytes) -> Summary:
    """Return the summary of a file. Raises ``ValueError`` or ``struct.error`` if it has none, or one that cannot be
    used: without a checksum, with a wrong one, without some channel of the file, or with parts of the file that lie in
    each other."""
    size = stored.size
    tail = stored.read(max(0, size - TAIL), size)
    footer = len(tail) - len(MAGIC) - FOOTER_FIELDS.size - HEAD.size
    if footer < 0 or not tail.endswith(MAGIC) or HEAD.unpack_from(tail, footer) != (FOOTER, FOOTER_FIELDS.size):
        raise ValueError("no footer")
    start, _, checksum = FOOTER_FIELDS.unpack_from(tail, footer + HEAD.size)
    end = size - len(MAGIC) - _SIZE.size
    if not checksum or not len(MAGIC) < start < end or end - start > MOST:
        raise ValueError("no summary")
    inside = len(tail) - (size - start)
    data = tail[inside : inside + end - start] if inside >= 0 else stored.read(start, end)
    if zlib.crc32(data) != checksum:
        raise ValueError("another checksum")
    schemas, channels, chunks = dict[int, bytes](), dict[int, bytes](), list[Chunk]()
    counts = None
    for opcode, whole in _records(data):
        body = whole[HEAD.size :]
        if opcode in (SCHEMA, CHANNEL):
            known, (number,) = schemas if opcode == SCHEMA else channels, _NUMBER.unpack_from(body)
            if known.setdefault(number, whole) != whole:
                raise ValueError("two of a number")
        elif opcode == CHUNK_INDEX:
            chunks.append(_chunk(body))
        elif opcode == STATISTICS:
            counts = _COUNTS.unpack_from(body)[1:]
    if counts is None or counts[0] > len(schemas) or counts[1] > len(channels):
        raise ValueError("schemas or channels are missing")
    chunks.sort(key=lambda each: each.begin)
    last = len(MAGIC)
    for each in chunks:
        if not last <= each.begin < each.end <= start:
            raise ValueError("no place of a chunk")
        last = each.end
    return Summary(schemas, channels, tuple(chunks))


def _records(data: bytes) -> Iterator[tuple[int, bytes]]:
    """Yield the records of a summary, without the footer, with which it ends."""
    place, end = 0, len(data) + _SIZE.size - FOOTER_FIELDS.size - HEAD.size
    while place < end:
        opcode, length = HEAD.unpack_from(data, place)
        after = place + HEAD.size + length
        if after > end:
            raise ValueError("a record without an end")
        yield opcode, data[place:after]
        place = after


def _chunk(body: bytes) -> Chunk:
    first, last, begin, length, size = _CHUNK.unpack_from(body)
    (length_of_indexes,) = _LENGTH.unpack_from(body, _CHUNK.size + size)
    channels = (channel for channel, _ in CHANNEL_AND_PLACE.iter_unpack(body[_CHUNK.size : _CHUNK.size + size]))
    return Chunk(begin, begin + length + length_of_indexes, first, last, tuple(channels))


def _channel(record: bytes) -> tuple[int, int, str, str]:
    """Return the ``CHANNEL_COLUMNS`` of a channel."""
    number, schema = _CHANNEL.unpack_from(record, HEAD.size)
    topic, place = _text(record, HEAD.size + _CHANNEL.size)
    return number, schema, topic, _text(record, place)[0]


def _text(record: bytes, place: int) -> tuple[str, int]:
    (size,) = _SIZE.unpack_from(record, place)
    place += _SIZE.size
    if place + size > len(record):
        raise ValueError("a text without an end")
    return record[place : place + size].decode(), place + size
