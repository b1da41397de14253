"""Batches of a live stream as Arrow record batches, which the engine decodes, and tables as S2's JSON."""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any, Unpack

import pyarrow as pa
import pyarrow.compute as pc

from .. import engine
from ..base.arguments import names as names_in
from ..base.arguments import one_of
from ..base.errors import WireloomError
from ..base.text import unknown
from ..format.registry import get
from ..reading.scanning import read
from ..rows.numbers import value_array
from ..rows.select import decoder_of
from ..writing import write
from .json import (
    Document,
    append_ack_from_json,
    append_ack_to_json,
    append_input_from_json,
    append_input_to_json,
    read_batch_from_json,
    read_batch_to_json,
)
from .live import HEARTBEAT_SILENCE, LiveReader
from .messages import AppendAck, AppendInput, ReadBatch, StreamPosition
from .metering import HEADER_COST, RECORD_COST
from .progress import ReadArguments

FORMAT = "s2_messages"
COLUMNS = ("seq_num", "timestamp", "headers", "body", "command")
NUMBER = "seq_num"
METERED = ("headers", "body")


class TableDecoder:
    """Converts messages with records to batches of these columns. ``metered``: whether their sizes are needed.

    Raises ``UnknownNameError`` for a column that records do not have, and ``WireloomError`` if there are none.
    """

    def __init__(self, columns: Sequence[str] | None = None, *, metered: bool = False) -> None:
        names = COLUMNS if columns is None else names_in("columns", columns)
        if not names:
            raise WireloomError(f"columns must have at least one of {', '.join(COLUMNS)}")
        for name in names:
            if name not in COLUMNS:
                raise unknown("column of an S2 stream", name, COLUMNS)
        format = get(FORMAT)
        numbers = {each.name: number for number, each in enumerate(format.columns)}
        needed = dict.fromkeys((*names, NUMBER, *(METERED if metered else ())))
        self._wanted = {name: numbers[name] for name in needed}
        self.schema = pa.schema([format.schema.field(name) for name in names])
        kind = "columns" if engine.available and format.message_program is not None else "objects"
        self._decoder = decoder_of(kind, format, tuple(self._wanted.values()))

    def decode(self, message: bytes) -> TableBatch:
        """Return the records of one message. Raises ``WireloomError`` if it is invalid."""
        begins, sizes = value_array([0], pa.uint64()), value_array([len(message)], pa.uint64())
        found = self._decoder.decode(message, begins, sizes, capacity=1)
        for problem in found.problems:
            raise WireloomError(problem.detail or problem.reason, offset=problem.offset, reason=problem.reason)
        tail = found.unit_arrays[0][0].as_py()
        arrays = {name: found.arrays[number] for name, number in self._wanted.items()}
        return TableBatch(arrays, self.schema, None if tail is None else StreamPosition(**tail))


class TableBatch:
    """A batch of records as a table; implements ``wireloom.s2.progress.Batch``."""

    def __init__(self, arrays: dict[str, pa.Array], schema: pa.Schema, tail: StreamPosition | None) -> None:
        self._arrays = arrays
        self._schema = schema
        self.tail = tail

    @cached_property
    def numbers(self) -> list[int]:
        """Return the sequence number of each record."""
        found: list[int] = self._arrays[NUMBER].to_pylist()
        return found

    def taken(self, places: Sequence[int]) -> Numbered:
        """Return the records with these indexes, in order."""
        batch = pa.RecordBatch.from_arrays([self._arrays[name] for name in self._schema.names], schema=self._schema)
        numbers = self.numbers
        if len(places) < len(numbers):
            batch = batch.take(value_array(places, pa.int64()))
            numbers = [numbers[place] for place in places]
        return Numbered(batch, numbers)

    def metered(self, places: Sequence[int]) -> int:
        """Return the metered size of the records with these indexes."""
        chosen = value_array(places, pa.int64())
        headers, body = (self._arrays[name].take(chosen) for name in METERED)
        flat = headers.flatten()
        texts = [body, *(pc.struct_field(flat, name) for name in ("name", "value"))]
        return RECORD_COST * len(places) + HEADER_COST * len(flat) + sum(_bytes_of(each) for each in texts)


class Numbered:
    """Records as a table: ``batch`` has the requested columns, ``numbers`` the sequence numbers."""

    def __init__(self, batch: pa.RecordBatch, numbers: list[int]) -> None:
        self.batch = batch
        self.numbers = numbers


class TableReader(LiveReader):
    """A reader whose deliveries have a ``Numbered`` as ``records``."""

    def __init__(
        self,
        stream: str,
        seq_num: int | None = None,
        *,
        columns: Sequence[str] | None = None,
        silence: float = HEARTBEAT_SILENCE,
        response: str = "session",
        format: str = "base64",
        **more: Unpack[ReadArguments],
    ) -> None:
        self._tables = TableDecoder(columns, metered=more.get("bytes") is not None)
        super().__init__(stream, seq_num, silence=silence, response=response, format=format, **more)

    @property
    def schema(self) -> pa.Schema:
        """Return the schema of all batches."""
        return self._tables.schema

    def _decoded(self, content: bytes) -> TableBatch:
        return self._tables.decode(content)


def _bytes_of(array: pa.Array) -> int:
    return pc.sum(pc.binary_length(array)).as_py() or 0


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
