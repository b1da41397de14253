"""S2, the stream store (s2.dev): frames of sessions, messages, JSON, events, commands, and the state of a live reader.

``read``, ``scan`` and ``tail`` read streams over the network. Everything else works without a connection: it takes and
returns bytes, and requests are plain data. ``wireloom.read`` and related functions read and write whole files and
tables with the formats ``s2_session`` and ``s2_messages``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..base.face import face

if TYPE_CHECKING:
    from .appending import Appender
    from .client import S2Error
    from .commands import Fence, Trim, ValidationError, command_of, command_record, operation_of
    from .compression import COMPRESSIONS, BodyError, Compression
    from .config import StreamConfig
    from .errors import ServerError, error_from_json, error_of, error_to_json
    from .frames import Frame, FrameDecoder, FrameError, Terminal, encode_frame, encode_terminal
    from .json import (
        JsonError,
        append_ack_from_json,
        append_ack_to_json,
        append_input_from_json,
        append_input_to_json,
        format_of_header,
        read_batch_from_json,
        read_batch_to_json,
        tail_from_json,
        tail_to_json,
    )
    from .live import Delivery, Gap, LiveReader, Step
    from .messages import AppendAck, AppendInput, AppendRecord, Header, ReadBatch, SequencedRecord, StreamPosition
    from .metering import Accepted, check_append, metered_size
    from .reading import LostRecordsError, StreamReading
    from .requests import (
        Request,
        append_session,
        append_unary,
        check_tail,
        list_streams,
        read_events,
        read_session,
        read_unary,
    )
    from .sse import (
        BatchEvent,
        DoneEvent,
        ErrorEvent,
        EventReader,
        LastEventId,
        PingEvent,
        event_to_text,
    )
    from .streams import read, scan, streams_of, tail, tail_of
    from .tables import table_from_json, table_to_json

__all__ = [
    "COMPRESSIONS",
    "Accepted",
    "AppendAck",
    "AppendInput",
    "AppendRecord",
    "Appender",
    "BatchEvent",
    "BodyError",
    "Compression",
    "Delivery",
    "DoneEvent",
    "ErrorEvent",
    "EventReader",
    "Fence",
    "Frame",
    "FrameDecoder",
    "FrameError",
    "Gap",
    "Header",
    "JsonError",
    "LastEventId",
    "LiveReader",
    "LostRecordsError",
    "PingEvent",
    "ReadBatch",
    "Request",
    "S2Error",
    "SequencedRecord",
    "ServerError",
    "Step",
    "StreamConfig",
    "StreamPosition",
    "StreamReading",
    "Terminal",
    "Trim",
    "ValidationError",
    "append_ack_from_json",
    "append_ack_to_json",
    "append_input_from_json",
    "append_input_to_json",
    "append_session",
    "append_unary",
    "check_append",
    "check_tail",
    "command_of",
    "command_record",
    "encode_frame",
    "encode_terminal",
    "error_from_json",
    "error_of",
    "error_to_json",
    "event_to_text",
    "format_of_header",
    "list_streams",
    "metered_size",
    "operation_of",
    "read",
    "read_batch_from_json",
    "read_batch_to_json",
    "read_events",
    "read_session",
    "read_unary",
    "scan",
    "streams_of",
    "table_from_json",
    "table_to_json",
    "tail",
    "tail_from_json",
    "tail_of",
    "tail_to_json",
]

# Framing a file requires neither JSON nor the message classes.
__getattr__ = face(
    __name__,
    {
        "appending": "Appender",
        "client": "S2Error",
        "commands": "Fence Trim ValidationError command_of command_record operation_of",
        "compression": "COMPRESSIONS BodyError Compression MAX_CONTENT compress decompress decompress_into",
        "config": "StreamConfig",
        "errors": "ServerError error_from_json error_of error_to_json",
        "frames": "Frame FrameDecoder FrameError Terminal encode_frame encode_terminal",
        "json": "JsonError append_ack_from_json append_ack_to_json append_input_from_json append_input_to_json"
        " format_of_header read_batch_from_json read_batch_to_json tail_from_json tail_to_json",
        "live": "Delivery Gap LiveReader Step",
        "messages": "AppendAck AppendInput AppendRecord Header ReadBatch SequencedRecord StreamPosition",
        "metering": "Accepted check_append metered_size",
        "reading": "LostRecordsError StreamReading",
        "requests": "Request append_session append_unary check_tail list_streams read_events read_session read_unary",
        "runs": "Slots find_run",
        "session": "SessionFraming frame_parts",
        "sse": "BatchEvent DoneEvent ErrorEvent EventReader LastEventId PingEvent event_to_text",
        "streams": "first_of read scan streams_of tail tail_of",
        "tables": "table_from_json table_to_json",
    },
)
