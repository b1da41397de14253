"""Converts between S2's JSON and the tables that ``wireloom.read`` returns for the same messages."""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from typing import Any

import pyarrow as pa

from ..base.arguments import one_of
from ..reading.read import read
from ..writing import write
from .json import (
    append_ack_from_json,
    append_ack_to_json,
    append_input_from_json,
    append_input_to_json,
    read_batch_from_json,
    read_batch_to_json,
)
from .json_shapes import Document
from .messages import AppendAck, AppendInput, ReadBatch

FORMAT = "s2_messages"

_FROM: dict[str, Callable[[Document, str], Any]] = {
    "read_batch": read_batch_from_json,
    "append_input": append_input_from_json,
    "append_ack": lambda document, _format: append_ack_from_json(document),
}
_TO: dict[str, Callable[[bytes, str], str]] = {
    "read_batch": lambda unit, format: read_batch_to_json(ReadBatch.from_bytes(unit), format),
    "append_input": lambda unit, format: append_input_to_json(AppendInput.from_bytes(unit), format),
    "append_ack": lambda unit, _format: append_ack_to_json(AppendAck.from_bytes(unit)),
}


def table_from_json(
    document: Document, message: str = "read_batch", *, format: str = "raw", columns: Sequence[str] | None = None
) -> pa.Table:
    """Return the table of one JSON body: the same as ``wireloom.read("s2_messages", …, message=…)`` returns for the
    message.

    ``message``: ``read_batch``, ``append_input`` or ``append_ack``. Raises ``UnknownNameError`` for any other value,
    ``JsonError`` and ``ValidationError`` for an invalid body.
    """
    unit = _FROM[one_of("kind of message", message, _FROM)](document, format).to_bytes()
    return read(FORMAT, unit, message=message, columns=columns)


def table_to_json(table: pa.Table, message: str = "read_batch", *, format: str = "raw") -> str:
    """Return the JSON body with all rows of a table. Raises ``WireloomError`` for rows that do not form a
    single message."""
    one_of("kind of message", message, _TO)
    written = io.BytesIO()
    write(FORMAT, table, written, message=message)
    return _TO[message](written.getvalue(), format)
