"""The classes of S2's messages, generated from the spec ``s2_messages``."""

from __future__ import annotations

from wireloom.formats.s2_messages.parser import S2Messages

StreamPosition = S2Messages.StreamPosition
Header = S2Messages.Header
AppendRecord = S2Messages.AppendRecord
AppendInput = S2Messages.AppendInput
AppendAck = S2Messages.AppendAck
SequencedRecord = S2Messages.SequencedRecord
ReadBatch = S2Messages.ReadBatch

__all__ = [
    "AppendAck",
    "AppendInput",
    "AppendRecord",
    "Header",
    "ReadBatch",
    "SequencedRecord",
    "StreamPosition",
]
