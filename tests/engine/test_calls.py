"""The Python interface of the engine: what calls accept, return and refuse."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from dataclasses import replace
from typing import Any

import pytest
from wireloom import engine
from wireloom.format.program import ColumnProgram, Kind, Op, Reason, Step, Storage
from wireloom.rows.reader import Status

from .harness import COBS, EDGEMQ, WORD_STUFFED, Batch, Filled, Options, frame, read, record

PLAIN = Options()
FRAMES = engine.Program(EDGEMQ.pack())
ROWS = [b"", b"one", b"x" * 300, b"\xfe\xfd", b"last"]


def fill(
    program: ColumnProgram,
    data: bytes,
    options: Options = PLAIN,
    *,
    begin: int = 0,
    capacity: int = 10,
    room: int = 1000,
    damages: int = 4,
    **given: Any,
) -> tuple[Filled, Batch]:
    batch = Batch(engine.Program(program.pack()), program, capacity, room, damages, options)
    return batch.fill(data, begin, len(data), **given), batch


def test_batch_full_by_rows() -> None:
    data = b"".join(map(frame, ROWS))
    result, batch = fill(EDGEMQ, data, capacity=2)
    assert (result.rows, result.status, result.consumed) == (2, Status.BATCH_FULL, 45)
    assert batch.column(3, result) == ROWS[:2]
    result, batch = fill(EDGEMQ, data, capacity=5, begin=result.consumed)
    assert (result.rows, result.status, result.consumed) == (3, Status.END, len(data))
    assert result.data_used == (0, 0, 0, 306, 0, 0, 0)
    assert result.null_counts == (0,) * 7


def test_batch_full_by_room_then_no_room() -> None:
    data = b"".join(map(frame, ROWS))
    result, _ = fill(EDGEMQ, data, room=100)
    assert (result.rows, result.status, result.consumed) == (2, Status.BATCH_FULL, 45)
    result, _ = fill(EDGEMQ, data, room=100, begin=45)
    assert (result.rows, result.status, result.consumed) == (0, Status.NO_ROOM, 45)
    assert (result.needed, result.reason) == (300, 3)


def test_batch_full_by_damages() -> None:
    bad = bytearray(frame(b"abc"))
    bad[-1] ^= 1
    data = bytes(bad) * 5 + frame(b"good")
    result, batch = fill(EDGEMQ, data, damages=2)
    assert (result.rows, result.status, result.consumed) == (0, Status.BATCH_FULL, 48)
    assert batch.damage(result) == [(0, 24, -1, Reason.CHECKSUM), (24, 48, -1, Reason.CHECKSUM)]
    found = read(EDGEMQ, data, damages=1)
    assert len(found.damages) == 5
    assert [values[3] for _, values in found.rows] == [b"good"]


def test_null_rows() -> None:
    bad = bytearray(frame(b"abc"))
    bad[-1] ^= 1
    data = frame(b"first") + bytes(bad) + frame(b"third", millis=2**64 - 1)
    result, batch = fill(EDGEMQ, data, Options(null_rows=True), base_offset=1000)
    assert result.rows == 3
    assert batch.column(3, result) == [b"first", None, b"third"]
    assert batch.column(2, result) == [1, None, None]
    assert batch.column(4, result) == [1, None, 2**64 - 1]
    assert result.null_counts == (1, 1, 2, 1, 1, 1, 1)
    assert batch.damage(result) == [(1026, 1050, 1, Reason.CHECKSUM)]
    assert [position for position, _ in batch.rows(result)] == [1000, 1026, 1050]


def test_verify_off_takes_what_the_checksum_refuses() -> None:
    bad = bytearray(frame(b"abc"))
    bad[-1] ^= 1
    result, batch = fill(EDGEMQ, bytes(bad), Options(verify=False))
    assert (result.rows, result.damage_count) == (1, 0)
    assert batch.column(3, result) == [b"abb"]


def test_need_input_says_how_much() -> None:
    data = frame(b"x" * 100)
    result, _ = fill(EDGEMQ, data[:10], at_end=False)
    assert (result.status, result.consumed, result.needed) == (Status.NEED_INPUT, 0, 21)
    result, _ = fill(EDGEMQ, data[:30], at_end=False)
    assert (result.status, result.consumed, result.needed) == (Status.NEED_INPUT, 0, 121)
    claims_4_gib = b"\xff\xff\xff\xff" + data[4:30]
    result, _ = fill(EDGEMQ, claims_4_gib, at_end=False)
    assert (result.status, result.needed) == (Status.NEED_INPUT, 1 << 20)


def test_larger_than_the_largest_record() -> None:
    data = frame(b"x" * 100)
    for size in (50, 121):
        result, _ = fill(EDGEMQ, data[:size], Options(max_record=50), at_end=size == 121, base_offset=7)
        assert (result.status, result.reason, result.position) == (Status.LOST, Reason.LIMIT, 7)
    result, _ = fill(EDGEMQ, data[:49], Options(max_record=50), at_end=False)
    assert result.status == Status.NEED_INPUT


def test_padding() -> None:
    data = b"".join(frame(payload) + b"\xee" * 13 for payload in ROWS)
    found = read(EDGEMQ, data, Options(padding=13))
    assert [values[3] for _, values in found.rows] == ROWS
    assert read(EDGEMQ, data[:-13], Options(padding=13)) == found
    assert read(EDGEMQ, data, Options(padding=13), chunk=1) == found


def test_stop() -> None:
    data = b"".join(map(frame, ROWS))
    for stop in range(len(data) + 2):
        result, _ = fill(EDGEMQ, data, Options(stop=stop + 500), base_offset=500)
        assert result.status == Status.END
        assert result.rows == sum(begin < stop for begin in (0, 21, 45, 366, 389))
    result, _ = fill(EDGEMQ, data, Options(stop=0))
    assert (result.rows, result.consumed, result.status) == (0, 0, Status.END)


def test_start_of_a_delimited_file() -> None:
    data = record(b"first") + record(b"second")
    result, batch = fill(WORD_STUFFED, data, at_start=True)
    assert batch.column(1, result) == [b"first", b"second"]
    result, batch = fill(WORD_STUFFED, data)
    assert batch.column(1, result) == [b"second"]
    result, batch = fill(WORD_STUFFED, b"\xfe\xfd" + data, at_start=True)
    assert batch.column(1, result) == [b"first", b"second"]
    assert [position for position, _ in batch.rows(result)] == [0, 16]


def test_consumed_is_the_delimiter_before_the_next_row() -> None:
    data = record(b"first") + record(b"second")
    result, _ = fill(WORD_STUFFED, data[:-1], at_start=True, at_end=False)
    assert (result.rows, result.status, result.consumed) == (1, Status.NEED_INPUT, 14)
    result, batch = fill(WORD_STUFFED, data, begin=14)
    assert batch.column(1, result) == [b"second"]
    result, _ = fill(WORD_STUFFED, b"no delimiter\xfe", at_end=False)
    assert (result.status, result.consumed) == (Status.NEED_INPUT, 12)
    result, _ = fill(WORD_STUFFED, b"no delimiter\xfe", at_end=True)
    assert (result.status, result.consumed) == (Status.END, 13)


def test_oversize() -> None:
    data = b"\0" + b"\x05abcd" * 10 + b"\0" + b"\x02z\0"
    result, _ = fill(COBS, data, Options(max_record=20), base_offset=3)
    assert (result.rows, result.status, result.position, result.consumed) == (0, Status.OVERSIZE, 3, 51)
    result, batch = fill(COBS, data, Options(max_record=20), begin=result.consumed)
    assert batch.column(0, result) == [b"z"]
    result, _ = fill(COBS, data[:25], Options(max_record=20), at_end=False)
    assert (result.status, result.position, result.consumed) == (Status.OVERSIZE, 0, 25)


def test_a_frame_at_the_end_without_delimiter() -> None:
    result, batch = fill(COBS, b"\x02a\0\x02b", at_start=True)
    assert batch.column(0, result) == [b"a", b"b"]
    assert result.status == Status.END
    result, batch = fill(COBS, b"\x02a\0\x05b", at_start=True)
    assert batch.column(0, result) == [b"a"]
    assert (result.status, result.position, result.damage_count) == (Status.TRUNCATED, 2, 0)


def test_input_registers_and_conditional_columns() -> None:
    program = ColumnProgram(
        steps=(
            Step(Op.NEED, 1),
            Step(Op.REGISTER_FIXED, 1, Kind.U1),
            Step(Op.COLUMN_REGISTER, 0, 0, Kind.U8LE),
            Step(Op.SKIP_IF_ZERO, 1, 0, 6),
            Step(Op.NEED, 2),
            Step(Op.COLUMN_FIXED, 1, Kind.U2BE),
            Step(Op.END),
        ),
        columns=(Storage.FIXED64, Storage.FIXED16),
        registers=2,
        input_registers=("version",),
    )
    result, batch = fill(program, b"\0\1\2\3\0", Options(input_registers=(2**64 - 1,)))
    assert batch.column(0, result) == [2**64 - 1] * 3
    assert batch.column(1, result) == [None, 0x0203, None]
    assert result.null_counts == (0, 2)
    result, batch = fill(program, b"\0", Options(input_registers=(-1,)))
    assert batch.column(0, result) == [2**64 - 1]
    for input_registers in ((), (1, 2), (2**64,), (-(2**63) - 1,), ("1",)):
        with pytest.raises((ValueError, OverflowError, TypeError)):
            fill(program, b"\0", Options(input_registers=input_registers))


def test_refused_programs() -> None:
    good = EDGEMQ.pack()
    for cut in range(len(good)):
        with pytest.raises(ValueError, match="program"):
            engine.Program(good[:cut])
    with pytest.raises(ValueError, match="version"):
        engine.Program(bytes([good[0] + 1]) + good[1:])
    rest = replace(EDGEMQ, steps=(Step(Op.BYTES_REST), Step(Op.END)))
    with pytest.raises(ValueError, match="neither a frame nor a sub-stream"):
        engine.Program(rest.pack())


def test_threads_share_a_program() -> None:
    data = b"".join(frame(bytes([i % 256]) * (i % 90)) for i in range(3000))
    wanted = read(EDGEMQ, data, loaded=FRAMES)
    found: list[object] = []
    threads = [
        threading.Thread(target=lambda: found.extend(read(EDGEMQ, data, loaded=FRAMES) == wanted for _ in range(3)))
        for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [True] * 24


def run_python(code: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", code], env={**os.environ, **environment}, capture_output=True, text=True, check=False
    )


def test_levels_can_be_forced() -> None:
    levels = engine.features()["levels"]
    assert levels[0] == "portable"
    show = (
        "from wireloom import checksums, engine; crc32c = checksums.function(checksums.algorithm('crc32c'));"
        "print(engine.features()['cpu'], crc32c(bytes(range(256)) * 40))"
    )
    outputs = {level: run_python(show, WIRELOOM_CPU=level).stdout.split() for level in levels}
    assert {level: output[0] for level, output in outputs.items()} == {level: level for level in levels}
    assert len({output[1] for output in outputs.values()}) == 1
    refused = run_python(show, WIRELOOM_CPU="abacus")
    assert refused.returncode != 0
    assert 'WIRELOOM_CPU: there is no variant "abacus" here' in refused.stderr


def test_the_engine_can_be_switched_off() -> None:
    show = "from wireloom import engine; print(engine.available)"
    assert run_python(show, WIRELOOM_ENGINE="objects").stdout == "False\n"
    assert run_python(show, WIRELOOM_ENGINE="").stdout == "True\n"


def test_importing_works_without_the_extension() -> None:
    hide = "import sys; sys.modules['wireloom.engine._engine'] = None; "
    assert run_python(hide + "from wireloom import engine; print(engine.available)").stdout == "False\n"
