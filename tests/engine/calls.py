"""A valid call of every function of the extension, whose arguments can be replaced one by one."""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import Any

import pyarrow as pa
from wireloom.checksums import algorithm, function
from wireloom.engine import _engine
from wireloom.format import registry
from wireloom.rows.messages.column_tree import ColumnTree
from wireloom.rows.messages.decoding import PROBLEM_SIZE
from wireloom.rows.messages.packed_columns import pack
from wireloom.rows.messages.vectors import Memory

from .harness import CRC32, CRC32C, EDGEMQ, frame

BARE = function(algorithm("crc32c", 0, 0))
FRAMES = _engine.Program(EDGEMQ.pack())
ROWS = b"".join(frame(each) for each in (b"", b"one", b"x" * 40))
RECORDS = b"\x0a\x06\x08\x01\x22\x02ab" * 3


ARENA = (bytes(number == 3 or number == 4 for number in range(7)), 5, True)
"""Payloads and times of at most five rows, and where the rows begin."""


def fill_arena() -> list[Any]:
    wanted, capacity, offsets = ARENA
    arena = bytearray(_engine.arena_size(FRAMES, *ARENA, ()))
    return [
        *(FRAMES, ROWS, 0, len(ROWS), 0, True, True, capacity, wanted, offsets, arena, (bytearray(50),)),
        *(bytearray(64), 0, 1 << 20, -1, True, False, (), (), None, 0, None, None, b""),
    ]


def export_arena() -> list[Any]:
    given = fill_arena()
    rows, *_, null_counts, _, _, _ = _engine.fill_arena(*given)
    return [FRAMES, *ARENA, given[10], given[11], rows, null_counts]


def exported(*arguments: Any) -> pa.RecordBatch:
    _, address = _engine.export_arena(*arguments)
    return pa.RecordBatch._import_from_c(address, pa.schema([("payload", pa.binary()), ("millis", pa.uint64())]))


def resync() -> list[Any]:
    return [FRAMES, b"\xff" * 9 + ROWS, 0, len(ROWS) + 9, 0, True, 0, 1 << 20, (), None, 0, None, None, False]


def fill_messages() -> list[Any]:
    program = registry.get("s2_messages").message_program
    assert program is not None
    tree = ColumnTree(program, frozenset(range(len(program.columns))))
    memory = Memory(tree.vectors, [50] * len(tree.vectors), [500] * len(tree.vectors))
    numbers = [bytearray(struct.pack("=Q", each)) for each in (0, len(RECORDS))]
    return [
        *(_engine.MessageProgram(pack(program, tree)), RECORDS, *numbers, 0, 1, True, False, 10, 1000),
        *(memory.buffers, memory.state, bytearray(4), bytearray(PROBLEM_SIZE)),
    ]


def encode() -> list[Any]:
    # A size, a column and a checksum before the bytes.
    fields = ((4, 1, None, 0), (3, 0, bytearray(8), 0), (3, 2, None, 0))
    offsets, data = bytearray(struct.pack("=3i", 0, 3, 5)), bytearray(b"abcde")
    return [
        fields,
        offsets,
        data,
        0,
        2,
        (BARE, 0, 0, -1),
        b"\xfe\xfd",
        b"\1",
        0,
        1000,
        bytearray(200),
    ]


RUN = struct.pack("=3Q", 0, 2, 3)
GOOD: dict[str, tuple[Callable[..., Any], Callable[[], list[Any]]]] = {
    "Program": (_engine.Program, lambda: [EDGEMQ.pack()]),
    "MessageProgram": (_engine.MessageProgram, lambda: [pack_s2()]),
    "arena_size": (_engine.arena_size, lambda: [FRAMES, *ARENA, ()]),
    "arena_places": (_engine.arena_places, lambda: [FRAMES, *ARENA, ()]),
    "fill_arena": (_engine.fill_arena, fill_arena),
    "export_arena": (exported, export_arena),
    "resync": (_engine.resync, resync),
    "fill_messages": (_engine.fill_messages, fill_messages),
    "repeat_runs": (_engine.repeat_runs, lambda: [bytearray(struct.pack("=3i", 0, 0, 1))]),
    "repeat_inner": (_engine.repeat_inner, lambda: [RUN, bytearray(struct.pack("=3i", 0, 1, 3))]),
    "repeat_weigh": (_engine.repeat_weigh, lambda: [RUN, 3, bytearray(8)]),
    "repeat": (_engine.repeat, lambda: [RUN, bytearray(b"ab"), 1, bytearray(8)]),
    "encode": (_engine.encode, encode),
    "find_delimiter": (_engine.find_delimiter, lambda: [bytearray(b"abc\0"), 0, 4, b"\0"]),
    "stuff": (_engine.stuff, lambda: [bytearray(b"a\0b"), b"\2"]),
    "unstuff": (_engine.unstuff, lambda: [bytearray(b"\2a\2b"), b"\2", 100]),
    "crc32c": (CRC32C, lambda: [bytearray(b"abc"), 7]),
    "crc32": (CRC32, lambda: [bytearray(b"abc"), 7]),
    "checksum": (_engine.checksum, lambda: [algorithm("sha1").packed()]),
    "md5_many": (_engine.md5_many, lambda: [bytearray(b"abc"), bytearray(8), bytearray(b"\3" + bytes(7))]),
    "features": (_engine.features, list),
}


def pack_s2() -> bytes:
    program = registry.get("s2_messages").message_program
    assert program is not None
    return pack(program, ColumnTree(program, frozenset(range(len(program.columns)))))


def changed(name: str, **changes: Any) -> list[Any]:
    """Return the arguments of a valid call, some of them replaced by position: ``_7=...``."""
    given = GOOD[name][1]()
    for position, value in changes.items():
        given[int(position[1:])] = value
    return given
