from collections.abc import Callable
from typing import Any

from typing_extensions import Buffer

Expand = Callable[[int, int, int, bytes, int], bytes | int | None]

class Program:
    def __new__(cls, packed: Buffer) -> Program: ...

class MessageProgram:
    def __new__(cls, packed: Buffer) -> MessageProgram: ...

def arena_size(program: Program, wanted: Buffer, capacity: int, offsets: bool, items: tuple[int, ...], /) -> int: ...
def arena_places(
    program: Program, wanted: Buffer, capacity: int, offsets: bool, items: tuple[int, ...], /
) -> list[tuple[int, int]]: ...
def fill_arena(
    program: Program,
    source: Buffer,
    begin: int,
    end: int,
    base_offset: int,
    at_end: bool,
    at_start: bool,
    capacity: int,
    wanted: Buffer,
    offsets: bool,
    arena: Buffer,
    data: tuple[Buffer, ...],
    damages: Buffer,
    padding: int,
    max_record: int,
    stop: int,
    verify: bool,
    null_rows: bool,
    input_registers: tuple[int, ...],
    items: tuple[int, ...],
    expand: Expand | None,
    max_items: int,
    carried_values: bytearray | None,
    stores: bytearray | None,
    predicates: Buffer,
) -> tuple[
    int,
    int,
    int,
    int,
    int,
    int,
    int,
    int,
    int,
    tuple[int, ...],
    tuple[int, ...],
    tuple[int, ...],
    tuple[int, int, int],
]: ...
def compute(
    program: Program,
    inputs: tuple[tuple[int, int, Buffer | None, Buffer | None, Buffer | None, Buffer | None, int], ...],
    first: int,
    rows: int,
    wanted: Buffer,
    arena: Buffer,
    data: tuple[Buffer, ...],
    /,
) -> tuple[int, int, int, tuple[int, ...], tuple[int, ...]]: ...
def export_arena(
    program: Program,
    wanted: Buffer,
    capacity: int,
    offsets: bool,
    arena: Buffer,
    data: tuple[Buffer, ...],
    rows: int,
    null_counts: tuple[int, ...],
    /,
) -> tuple[object, int]: ...
def resync(
    program: Program,
    source: Buffer,
    begin: int,
    end: int,
    base_offset: int,
    at_end: bool,
    padding: int,
    max_record: int,
    input_registers: tuple[int, ...],
    expand: Expand | None,
    max_items: int,
    carried_values: Buffer | None,
    stores: Buffer | None,
    proven: bool,
) -> tuple[int, int]: ...
def fill_messages(
    program: MessageProgram,
    source: Buffer,
    begins: Buffer,
    sizes: Buffer,
    first: int,
    count: int,
    verify: bool,
    null_rows: bool,
    capacity: int,
    bytes: int,
    vectors: tuple[tuple[Buffer | None, ...], ...],
    state: Buffer,
    counts: Buffer,
    problems: Buffer,
) -> tuple[int, int, int, int, int, int, int]: ...
def join_fragments(
    roles: Buffer, places: Buffer, ends: Buffer, to_places: Buffer, to_ends: Buffer, /
) -> tuple[int, int]: ...
def repeat_runs(places: Buffer, /) -> bytes: ...
def repeat_inner(runs: Buffer, offsets: Buffer, /) -> tuple[bytes, int]: ...
def repeat_weigh(runs: Buffer, width: int, weights: Buffer, /) -> int: ...
def repeat(runs: Buffer, values: Buffer, width: int, to: Buffer, /) -> None: ...
def encode(
    fields: tuple[tuple[int, int, Buffer | None, int], ...],
    offsets: Buffer | None,
    data: Buffer | None,
    first: int,
    rows: int,
    checksum: tuple[Callable[..., Any], int, int, int] | None,
    delimiter: bytes,
    stuffing: bytes,
    padding: int,
    max_record: int,
    out: Buffer,
) -> tuple[int, int, int, int]: ...
def find_delimiter(source: Buffer, begin: int, end: int, delimiter: Buffer) -> int: ...
def stuff(data: Buffer, stuffing: bytes) -> bytes: ...
def unstuff(data: Buffer, stuffing: bytes, limit: int) -> bytes: ...
def checksum(packed: bytes) -> Callable[..., Any]: ...
def expand_snappy(data: Buffer, limit: int, repeats: bool, /) -> bytes: ...
def expand_records(compressed: Buffer, ends: Buffer, data: Buffer, limit: int, /) -> tuple[bytes, bytes, bytes]: ...
def decimals(offsets: Buffer, data: Buffer) -> bytes: ...
def md5_many(source: Buffer, begins: Buffer, sizes: Buffer) -> bytes: ...
def features() -> dict[str, str | list[str]]: ...
