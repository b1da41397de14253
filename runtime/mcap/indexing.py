"""Indexes of MCAP files: where the messages of each channel are in a chunk, where the chunks are, and the summary.

They are those that other writers write, such as that of the package ``mcap``: readers find the messages of a time or
a topic by them, and some find no others.
"""

from __future__ import annotations

import struct
import zlib
from itertools import groupby
from typing import Any

from ..base.errors import WireloomError
from ..format.description import Format
from . import summary
from .summary import (
    CHANNEL,
    CHANNEL_AND_PLACE,
    CHUNK,
    CHUNK_INDEX,
    FOOTER_FIELDS,
    HEAD,
    MESSAGE_INDEX,
    SCHEMA,
    STATISTICS,
    SUMMARY_OFFSET,
)

MESSAGE = struct.Struct("<HIQQ")
"""The fields of a message before its data."""
CHUNK_FIELDS = struct.Struct("<QQQIIQ")
"""The fields of a chunk apart from its compression and its records."""
TIME_AND_PLACE = struct.Struct("<QQ")
NAMES = {SCHEMA: "schema", CHANNEL: "channel"}
"""Opcodes of records that others name by their id."""


class ChunkIndexer:
    """The indexer of ``mcap``; see ``wireloom.writing.indexing.Indexer``."""

    unread = staticmethod(summary.unread)

    def __init__(self, format: Format) -> None:
        self._types = format.class_of(format.levels[0].type)
        self._bodies = format.class_of("..mcap_records.parser:McapRecords")
        self._chunks: list[Any] = []
        self._counts: dict[int, int] = {}
        self._named: dict[tuple[int, int], bytes] = {}
        """The schemas and channels so far, by opcode and id."""

    def after(self, item: Any, offset: int, size: int) -> list[Any]:
        """Return the indexes of the messages in a chunk, one for each channel; none for other records."""
        if item.opcode in NAMES:
            record = item.body.to_bytes()
            if self._named.setdefault((item.opcode, item.body.id), record) != record:
                name = NAMES[item.opcode]
                raise WireloomError(f"{name} {item.body.id} is another one than before: a file has one {name} of an id")
        if item.opcode != CHUNK:
            return []
        chunk, indexes, channels, place = item.body, list[Any](), bytearray(), 0
        found: dict[int, bytearray] = {}
        for record in chunk.records.records:
            message = record.body
            found.setdefault(message.channel_id, bytearray()).extend(TIME_AND_PLACE.pack(message.log_time, place))
            place += HEAD.size + MESSAGE.size + len(message.data)
        first = position = offset + size
        for channel, entries in found.items():
            channels += CHANNEL_AND_PLACE.pack(channel, position)
            body = self._bodies.MessageIndex(channel_id=channel, records=bytes(entries))
            indexes.append(self._types.Record(opcode=MESSAGE_INDEX, body=body))
            position += HEAD.size + len(body.to_bytes())
            self._counts[channel] = self._counts.get(channel, 0) + len(entries) // TIME_AND_PLACE.size
        index = self._bodies.ChunkIndex(
            message_start_time=chunk.message_start_time,
            message_end_time=chunk.message_end_time,
            chunk_start_offset=offset,
            chunk_length=size,
            message_index_offsets=bytes(channels),
            message_index_length=position - first,
            compression=chunk.compression,
            compressed_size=size - HEAD.size - CHUNK_FIELDS.size - len(chunk.compression),
            uncompressed_size=place,
        )
        self._chunks.append(self._types.SummaryRecord(opcode=CHUNK_INDEX, body=index))
        return indexes

    def end(self, items: list[Any]) -> None:
        """Complete the summary: numbers of messages by channel, indexes of chunks, offsets, and the checksum."""
        records, bodies = items[0].summary.records, self._bodies
        footer = records.pop()
        statistics = next(number for number, each in enumerate(records) if each.opcode == STATISTICS)
        counts = [bodies.MessageCount(channel_id=channel, count=count) for channel, count in self._counts.items()]
        records[statistics].body.counts = bodies.MessageCounts(counts=counts)
        records[statistics + 1 : statistics + 1] = self._chunks
        written, offsets, start = b"", list[Any](), footer.body.summary_start
        for opcode, group in groupby(records, key=lambda each: each.opcode):
            data = b"".join(each.to_bytes() for each in group)
            body = self._types.SummaryOffset(
                group_opcode=opcode, group_start=start + len(written), group_length=len(data)
            )
            offsets.append(self._types.SummaryRecord(opcode=SUMMARY_OFFSET, body=body))
            written += data
        footer.body.summary_offset_start = start + len(written)
        written += b"".join(each.to_bytes() for each in offsets)
        # The checksum covers all fields before it.
        written += footer.to_bytes()[: HEAD.size + FOOTER_FIELDS.size - 4]
        footer.body.summary_crc = zlib.crc32(written)
        records += [*offsets, footer]
