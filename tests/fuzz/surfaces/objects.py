"""The generated classes: bytes become an object or are refused, and what was read is written and read again."""

from typing import Any

from wireloom import WireloomError
from wireloom.formats.cobs_log.parser import CobsLog
from wireloom.formats.edgemq_segment.parser import EdgemqSegment
from wireloom.formats.kpl_aggregated_record.parser import KplAggregatedRecord
from wireloom.formats.s2_messages.parser import S2Messages
from wireloom.formats.s2_session.parser import S2Session
from wireloom.formats.word_stuffed_log.parser import WordStuffedLog
from wireloom.objects import ConsistencyError, KaitaiStructError

KINDS: tuple[Any, ...] = (
    EdgemqSegment,
    WordStuffedLog,
    CobsLog,
    KplAggregatedRecord,
    S2Session,
    S2Messages.AppendInput,
    S2Messages.AppendAck,
    S2Messages.ReadBatch,
)
REFUSALS = (KaitaiStructError, WireloomError)


def check(data: bytes) -> None:
    if not data:
        return
    kind = KINDS[data[0] % len(KINDS)]
    try:
        value = kind.from_bytes(data[1:])
    except REFUSALS as error:
        assert str(error)
        return
    assert repr(value)
    try:
        written = value.to_bytes()
    except ConsistencyError:
        # The reader supplies a frame's length, and a message with unknown fields is shorter when it is written.
        assert kind is S2Session
        return
    again = kind.from_bytes(written)
    assert repr(again) == repr(value)
    assert again.to_bytes() == written
