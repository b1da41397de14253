"""All campaigns, by name."""

from __future__ import annotations

from . import binlogs, blocks, compressed, delimited, in_pieces, kpl, packets, records, running_checksums, s2, telemetry
from .case import Subject
from .edgemq import EdgeMQ
from .mcap import Mcap

SUBJECTS: dict[str, Subject] = {
    each.name: each
    for each in (
        EdgeMQ(),
        records.TFRECORD,
        records.KAFKA,
        packets.PCAP,
        packets.PCAPNG,
        blocks.BITCOIN,
        telemetry.LOGS,
        telemetry.SPANS,
        binlogs.Avro(),
        binlogs.Binlog(),
        compressed.ZSTD,
        compressed.GZIP,
        delimited.WORD_STUFFED,
        delimited.COBS,
        delimited.CHECKED_COBS,
        delimited.SLIP,
        running_checksums.ETCD,
        in_pieces.LEVELDB,
        in_pieces.PROMETHEUS,
        kpl.FILE,
        kpl.COLUMN,
        s2.FILE,
        s2.COLUMN,
        s2.SESSION,
        Mcap(),
    )
}
