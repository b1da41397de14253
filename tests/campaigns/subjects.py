"""All campaigns, by name."""

from __future__ import annotations

from . import back_to_back, binlogs, chained, compressed, delimited, in_pieces, kpl, s2
from .case import Subject
from .edgemq import EdgeMQ
from .mcap import Mcap

SUBJECTS: dict[str, Subject] = {
    each.name: each
    for each in (
        EdgeMQ(),
        back_to_back.TFRECORD,
        back_to_back.PCAPNG,
        binlogs.Avro(),
        binlogs.Binlog(),
        compressed.ZSTD,
        compressed.GZIP,
        delimited.WORD_STUFFED,
        delimited.COBS,
        delimited.CHECKED_COBS,
        chained.ETCD,
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
