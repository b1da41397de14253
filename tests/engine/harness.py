"""Reads whole inputs through the engine, in windows and batches of any size, as a reader does."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass

from wireloom import engine
from wireloom.engine import FillResult, Status
from wireloom.format.program import ChecksumRule, ColumnProgram, Kind, Op, Outcome, Reason, Step, Storage, Stuffing

from .reference import Result, Value

VALUES = {1: "B", 2: "H", 4: "I", 8: "Q"}

EDGEMQ = ColumnProgram(
    steps=(
        Step(Op.NEED, 21),
        Step(Op.REGISTER_FIXED, 0, Kind.U4BE, 0),
        Step(Op.COLUMN_FIXED, 5, Kind.U4BE, 0),
        Step(Op.CHECK_RANGE, 0, Outcome.LOST | Reason.LENGTH << 8, 13, 4294967295),
        Step(Op.REGISTER_FIXED, 1, Kind.U4BE, 4),
        Step(Op.COLUMN_FIXED, 6, Kind.U4BE, 4),
        Step(Op.COLUMN_FIXED, 0, Kind.U1, 8),
        Step(Op.COLUMN_FIXED, 1, Kind.U4BE, 9),
        Step(Op.REGISTER_FIXED, 2, Kind.U8BE, 13),
        Step(Op.COLUMN_FIXED, 4, Kind.U8BE, 13),
        Step(Op.MARK, 0, 1),
        Step(Op.BYTES_REGISTER, 0, 0, -13),
        Step(Op.COLUMN_BYTES, 3, 0),
        Step(Op.MARK, 1, 1),
        Step(Op.CHECKSUM, 0, 1, 0, 1),
        Step(Op.COLUMN_TIMESTAMP, 2, 2, -9223372036854775, 9223372036854775),
        Step(Op.END),
    ),
    columns=(
        Storage.FIXED8,
        Storage.FIXED32,
        Storage.FIXED64,
        Storage.VARIABLE,
        Storage.FIXED64,
        Storage.FIXED32,
        Storage.FIXED32,
    ),
    registers=3,
    spans=1,
    marks=2,
    checksums=(ChecksumRule("crc32c", 0xFFFFFFFF, 0xFFFFFFFF),),
)

WORD_STUFFED = ColumnProgram(
    steps=(
        Step(Op.MARK, 0, 1),
        Step(Op.NEED, 8),
        Step(Op.REGISTER_FIXED, 0, Kind.U4LE, 0),
        Step(Op.COLUMN_FIXED, 2, Kind.U4LE, 0),
        Step(Op.COLUMN_FIXED, 0, Kind.U4LE, 4),
        Step(Op.BYTES_REST, 0),
        Step(Op.COLUMN_BYTES, 1, 0),
        Step(Op.MARK, 1, 1),
        Step(Op.CHECKSUM, 0, 0, 0, 1),
        Step(Op.END),
    ),
    columns=(Storage.FIXED32, Storage.VARIABLE, Storage.FIXED32),
    registers=1,
    spans=1,
    marks=2,
    checksums=(ChecksumRule("crc32c", 0, 0, 0xFF, 0, 4),),
    delimiter=b"\xfe\xfd",
    stuffing=Stuffing.WORD,
)

COBS = ColumnProgram(
    steps=(Step(Op.BYTES_REST, 0), Step(Op.COLUMN_BYTES, 0, 0), Step(Op.END)),
    columns=(Storage.VARIABLE,),
    registers=0,
    spans=1,
    delimiter=b"\0",
    stuffing=Stuffing.COBS,
)


def frame(payload: bytes, millis: int = 1, tenant: int = 7) -> bytes:
    """An EdgeMQ frame."""
    return struct.pack(">IIBIQ", len(payload) + 13, engine.checksums[1](payload), 0, tenant, millis) + payload


def record(payload: bytes, generation: int = 1) -> bytes:
    """A word-stuffed record and its delimiter."""
    rest = struct.pack("<I", generation) + payload
    crc = engine.checksums[1](b"\0\0\0\0" + rest) ^ 0xFFFFFFFF
    return engine.stuff(struct.pack("<I", crc) + rest, Stuffing.WORD) + b"\xfe\xfd"


@dataclass(frozen=True)
class Options:
    """What a reader may ask for; ``wanted``: the columns, ``None`` for all."""

    padding: int = 0
    max_record: int = 1 << 20
    stop: int = -1
    verify: bool = True
    null_rows: bool = False
    preset: tuple[int, ...] = ()
    wanted: frozenset[int] | None = None


class Batch:
    """Buffers for one call of ``fill``, and what they hold after it."""

    def __init__(self, program: ColumnProgram, capacity: int, room: int, damages: int, options: Options) -> None:
        self.storages = program.columns
        self.offsets = bytearray(8 * capacity)
        self.damages = bytearray(engine.DAMAGE_SIZE * damages)
        self.columns: list[tuple[bytearray, ...] | None] = []
        for number, storage in enumerate(program.columns):
            validity = bytearray((capacity + 7) // 8)
            if options.wanted is not None and number not in options.wanted:
                self.columns.append(None)
            elif storage == Storage.VARIABLE:
                self.columns.append((validity, bytearray(4 * (capacity + 1)), bytearray(room)))
            else:
                self.columns.append((validity, bytearray(capacity * storage)))

    def column(self, number: int, rows: int) -> list[Value]:
        buffers, storage = self.columns[number], self.storages[number]
        if buffers is None:
            return [None] * rows
        valid = [buffers[0][row // 8] >> row % 8 & 1 for row in range(rows)]
        values: Sequence[Value]
        if storage == Storage.VARIABLE:
            ends = struct.unpack_from(f"={rows + 1}i", buffers[1])
            values = [bytes(buffers[2][ends[row] : ends[row + 1]]) for row in range(rows)]
        else:
            values = struct.unpack_from(f"={rows}{VALUES[storage]}", buffers[1])
        return [value if there else None for value, there in zip(values, valid, strict=True)]

    def rows(self, result: FillResult) -> list[tuple[int, tuple[Value, ...]]]:
        columns = [self.column(number, result.rows) for number in range(len(self.storages))]
        for number, values in enumerate(columns):
            wanted = self.columns[number] is not None
            assert result.null_counts[number] == (sum(value is None for value in values) if wanted else 0)
        positions = struct.unpack_from(f"={result.rows}Q", self.offsets)
        return list(zip(positions, zip(*columns, strict=True), strict=True)) if columns else []

    def damage(self, result: FillResult) -> list[tuple[int, int, int, int]]:
        records = [
            struct.unpack_from("=QQqII", self.damages, engine.DAMAGE_SIZE * i) for i in range(result.damage_count)
        ]
        return [(begin, end, row, reason) for begin, end, row, reason, _ in records]


def read(
    program: ColumnProgram,
    data: bytes,
    options: Options = Options(),
    *,
    chunk: int = 1 << 30,
    capacity: int = 1000,
    room: int = 1 << 16,
    damages: int = 64,
    loaded: engine.Program | None = None,
) -> Result:
    """Reads ``data`` in windows that grow by ``chunk`` bytes."""
    loaded = loaded or engine.Program(program.pack())
    result = Result()
    begin, end = 0, min(chunk, len(data))
    while True:
        batch = Batch(program, capacity, room, damages, options)
        # Only the window, at another place in memory than in the input: nothing else can be read by accident.
        done = engine.fill(
            loaded,
            data[begin:end],
            0,
            end - begin,
            base_offset=begin,
            at_end=end == len(data),
            at_start=begin == 0,
            capacity=capacity,
            columns=batch.columns,
            offsets=batch.offsets,
            damages=batch.damages,
            padding=options.padding,
            max_record=options.max_record,
            stop=options.stop,
            verify=options.verify,
            null_rows=options.null_rows,
            preset=options.preset,
        )
        first = len(result.rows)
        result.rows += batch.rows(done)
        for damage_begin, damage_end, row, reason in batch.damage(done):
            assert (row >= 0) == options.null_rows
            assert row < 0 or result.rows[first + row] == (damage_begin, (None,) * len(program.columns))
            result.damages.append((damage_begin, damage_end, reason))
        begin += done.consumed
        match done.status:
            case Status.NEED_INPUT:
                assert end < len(data)
                end = min(end + chunk, len(data))
            case Status.BATCH_FULL:
                assert done.rows or done.damage_count
            case Status.NO_ROOM:
                assert done.rows == 0
                assert done.needed > room
                room = done.needed
            case Status.OVERSIZE:
                begin = data.find(program.delimiter, begin)
                begin = len(data) if begin < 0 else begin
                end = max(begin, end)
                result.damages.append((done.position, begin, Reason.LIMIT))
                if options.null_rows:
                    result.rows.append((done.position, (None,) * len(program.columns)))
            case Status.END:
                return result
            case _:
                result.tail = Status(done.status).name.lower()
                result.position, result.reason = done.position, done.reason
                return result
