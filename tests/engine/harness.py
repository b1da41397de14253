"""Reads whole inputs with the engine, in windows and batches of any size, as a reader does."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import NamedTuple

import pyarrow as pa
from wireloom import engine
from wireloom.checksums import algorithm, function
from wireloom.engine import _engine
from wireloom.format.program import (
    TIME_UNITS,
    ChecksumRule,
    ColumnProgram,
    Kind,
    Op,
    Outcome,
    Reason,
    Step,
    Storage,
    Stuffing,
)
from wireloom.rows.engine_reader import DAMAGE
from wireloom.rows.reader import Status

from .reference import Result, Value

CRC32C, CRC32 = (function(algorithm(each)) for each in ("crc32c", "crc32"))
TYPES = {
    Storage.FIXED8: pa.uint8(),
    Storage.FIXED16: pa.uint16(),
    Storage.FIXED32: pa.uint32(),
    Storage.FIXED64: pa.uint64(),
    Storage.VARIABLE: pa.binary(),
}

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
        Step(Op.COLUMN_TIMESTAMP, 2, 2, TIME_UNITS.index("ms")),
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
    """Return an EdgeMQ frame."""
    return struct.pack(">IIBIQ", len(payload) + 13, CRC32C(payload), 0, tenant, millis) + payload


def record(payload: bytes, generation: int = 1) -> bytes:
    """Return a word-stuffed record and its delimiter."""
    rest = struct.pack("<I", generation) + payload
    crc = CRC32C(b"\0\0\0\0" + rest) ^ 0xFFFFFFFF
    return engine.stuff(struct.pack("<I", crc) + rest, Stuffing.WORD.packed) + b"\xfe\xfd"


@dataclass(frozen=True)
class Options:
    """The options of a reader; ``wanted``: the columns, ``None`` for all."""

    padding: int = 0
    max_record: int = 1 << 20
    stop: int = -1
    verify: bool = True
    null_rows: bool = False
    input_registers: tuple[int, ...] = ()
    wanted: frozenset[int] | None = None


class Filled(NamedTuple):
    """The result of a call of the engine's ``fill_arena``."""

    rows: int
    dropped: int
    empty_frames: int
    consumed: int
    status: int
    reason: int
    position: int
    needed: int
    damage_count: int
    null_counts: tuple[int, ...]
    data_used: tuple[int, ...]
    items_used: tuple[int, ...]
    unit: tuple[int, int, int]


class Batch:
    """Memory for one call of the engine, and its content afterwards."""

    def __init__(
        self, loaded: engine.Program, program: ColumnProgram, capacity: int, room: int, damages: int, options: Options
    ) -> None:
        self.storages = program.columns
        numbers = range(len(program.columns))
        self.wanted = [number for number in numbers if options.wanted is None or number in options.wanted]
        self.layout = (loaded, bytes(number in self.wanted for number in numbers), capacity, True)
        self.arena = bytearray(b"\xa5") * _engine.arena_size(*self.layout, ())
        self.data = tuple(bytearray(room) for number in self.wanted if program.columns[number] == Storage.VARIABLE)
        self.damages = bytearray(DAMAGE.size * damages)
        self.options = options

    def fill(
        self, data: bytes, begin: int, end: int, *, base_offset: int = 0, at_end: bool = True, at_start: bool = False
    ) -> Filled:
        loaded, wanted, capacity, offsets = self.layout
        options = self.options
        return Filled(
            *_engine.fill_arena(
                loaded,
                data,
                begin,
                end,
                base_offset,
                at_end,
                at_start,
                capacity,
                wanted,
                offsets,
                self.arena,
                self.data,
                self.damages,
                options.padding,
                options.max_record,
                options.stop,
                options.verify,
                options.null_rows,
                options.input_registers,
                (),
                None,
                0,
                None,
                None,
                b"",
            )
        )

    def columns(self, result: Filled) -> list[list[Value]]:
        columns: list[list[Value]] = [[None] * result.rows for _ in self.storages]
        if self.wanted:
            fields = [(str(number), TYPES[self.storages[number]]) for number in self.wanted]
            _, address = _engine.export_arena(*self.layout, self.arena, self.data, result.rows, result.null_counts)
            batch = pa.RecordBatch._import_from_c(address, pa.schema(fields))
            for number, column in zip(self.wanted, batch.columns, strict=True):
                columns[number] = column.to_pylist()
        return columns

    def column(self, number: int, result: Filled) -> list[Value]:
        return self.columns(result)[number]

    def rows(self, result: Filled) -> list[tuple[int, tuple[Value, ...]]]:
        columns = self.columns(result)
        for number, values in enumerate(columns):
            assert result.null_counts[number] == (values.count(None) if number in self.wanted else 0)
        positions = struct.unpack_from(f"={result.rows}Q", self.arena)
        return list(zip(positions, zip(*columns, strict=True), strict=True)) if columns else []

    def damage(self, result: Filled) -> list[tuple[int, int, int, int]]:
        records = [DAMAGE.unpack_from(self.damages, DAMAGE.size * i) for i in range(result.damage_count)]
        is_shown = self.options.null_rows
        return [(begin, end, rows if is_shown else -1, reason) for begin, end, rows, _, reason, _ in records]


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
    """Read ``data`` in windows that grow by ``chunk`` bytes."""
    loaded = loaded or engine.Program(program.pack())
    result = Result()
    begin, end = 0, min(chunk, len(data))
    while True:
        batch = Batch(loaded, program, capacity, room, damages, options)
        # Only the window, at another memory position than in the input, so that nothing else can be read by accident.
        done = batch.fill(
            data[begin:end], 0, end - begin, base_offset=begin, at_end=end == len(data), at_start=begin == 0
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
