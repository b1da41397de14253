"""Resync, delimiters, stuffing and checksums through Python."""

from __future__ import annotations

import random

import pytest
from wireloom import engine
from wireloom.format.program import ColumnProgram, Kind, Op, Step
from wireloom.format.stuffings import SLIP, Stuffing

from .harness import COBS, CRC32, CRC32C, EDGEMQ, frame

FRAMES = engine.Program(EDGEMQ.pack())


def resync(data: bytes, begin: int = 0, end: int | None = None, **given: object) -> tuple[int, int]:
    arguments: dict[str, object] = {"base_offset": 0, "at_end": True, "max_record": 1 << 20}
    end = len(data) if end is None else end
    return engine.resync(FRAMES, data, begin, end, **(arguments | given))  # type: ignore[arg-type]


def test_resync_finds_the_next_row() -> None:
    garbage = random.Random(5).randbytes(5000)
    data = garbage + frame(b"found me") + frame(b"and me")
    assert resync(data) == (0, 5000)
    assert resync(data, 5000) == (0, 5000)
    assert resync(data, 5001) == (0, 5029)
    assert resync(garbage) == (1, 5000)


def test_resync_waits_for_a_row_that_may_be_one() -> None:
    data = bytes(50) + frame(b"x" * 100) + frame(b"y")
    status, index = resync(data, end=60, at_end=False)
    assert status == 1
    assert index <= 50
    status, index = resync(data, index, 100, at_end=False)
    assert (status, index <= 50) == (1, True)
    assert resync(data, index) == (0, 50)


def test_resync_does_not_wait_for_more_than_a_row_may_have() -> None:
    data = bytes([0, 0, 8, 0]) + b"\xff" * 40
    assert resync(data, max_record=2056, at_end=False) == (1, 0)
    assert resync(data, max_record=2055, at_end=False) == (1, 24)


def test_resync_takes_no_row_without_bytes() -> None:
    program = engine.Program(ColumnProgram(steps=(Step(Op.END),), columns=(), registers=0).pack())
    assert engine.resync(program, b"abc", 0, 3, base_offset=0, at_end=True, max_record=1 << 20) == (1, 3)


def test_resync_takes_no_checksum_over_nothing_for_a_proof() -> None:
    """Thirteen, zeros and no payload: the checksum of no bytes is zero, so such bytes look like a row everywhere."""
    empty = frame(b"")
    assert resync(empty + bytes(40)) == (1, 61)
    assert resync(empty) == (0, 0)
    assert resync(empty + frame(b"next")) == (0, 0)
    assert resync(bytes(10) + empty + bytes(10) + frame(b"next")) == (0, 41)


def test_resync_with_proof_takes_only_checksums_of_bytes() -> None:
    empty = bytes(21)
    assert resync(empty + frame(b"next"), proven=True) == (0, 21)
    assert resync(empty * 5, proven=True) == (1, 105)


def test_resync_of_a_damaged_next_row_with_padding() -> None:
    data = bytes(9) + frame(b"") + b"\xee" * 13 + frame(b"abc") + b"\xee" * 13
    assert resync(data, padding=13) == (0, 9)
    assert resync(data[:-13], padding=13) == (0, 9)


def test_resync_is_not_quadratic() -> None:
    """Garbage that claims a long row at nearly every offset: reading all of each claim would read 400 GB here."""
    data = (b"\x00\x01\x00" * 1_000_000)[:2_000_000]
    assert resync(data, max_record=1 << 24)[0] == 1


def test_resync_through_claims_of_long_texts_is_not_quadratic() -> None:
    """The same, with padded and terminated text in place of a checksum."""
    program = ColumnProgram(
        steps=(
            Step(Op.NEED, 4),
            Step(Op.REGISTER_FIXED, 0, Kind.U4BE),
            Step(Op.BYTES_REGISTER, 0, 0),
            Step(Op.TRIM_RIGHT, 0, 0, 1),
            Step(Op.CUT_TERMINATOR, 0, 0, 3),
            Step(Op.CHECK_UTF8, 0),
            Step(Op.BYTES_TERMINATED, 1, 3, 7),
            Step(Op.END),
        ),
        columns=(),
        registers=1,
        spans=2,
    )
    data = b"\x00\x01\x00" * 400_000 + b"\x01" * 800_000
    loaded = engine.Program(program.pack())
    found = engine.resync(loaded, data, 0, len(data), base_offset=0, at_end=True, max_record=1 << 24)
    assert found == (1, len(data))


def test_resync_refuses_delimited_programs() -> None:
    with pytest.raises(ValueError, match="delimited"):
        engine.resync(engine.Program(COBS.pack()), b"", 0, 0, base_offset=0, at_end=True, max_record=1)


def test_find_delimiter() -> None:
    data = b"ab\xfe\xfd\xfe\xfd" + b"-" * 100 + b"\xfe\xfd"
    assert engine.find_delimiter(data, 0, len(data), b"\xfe\xfd") == 2
    assert engine.find_delimiter(data, 3, len(data), b"\xfe\xfd") == 4
    assert engine.find_delimiter(data, 5, len(data), b"\xfe\xfd") == 106
    assert engine.find_delimiter(data, 5, len(data) - 1, b"\xfe\xfd") == -1
    assert engine.find_delimiter(data, 0, len(data), b"b") == 1
    assert engine.find_delimiter(data, 0, len(data), b"\xfd\xfe\xfd-") == 3
    for begin, end, delimiter in ((0, 999, b"a"), (3, 2, b"a"), (0, 1, b""), (0, 1, b"12345")):
        with pytest.raises(ValueError, match=r"\w{3}"):
            engine.find_delimiter(data, begin, end, delimiter)


def test_stuffing_arguments() -> None:
    words = Stuffing.WORD.packed
    assert engine.stuff(b"", words) == b"\0"
    assert engine.unstuff(memoryview(b"\0"), words, 1) == b""
    with pytest.raises(ValueError, match="limit"):
        engine.unstuff(b"\0\0", words, 1)
    with pytest.raises(ValueError, match="not stuffed"):
        engine.unstuff(b"", words, 10)
    for stuffing in (b"", b"\0", b"\1\1", SLIP.packed[:-1], SLIP.packed + b"\0", b"\6" + SLIP.packed[1:]):
        with pytest.raises(ValueError, match="no such stuffing"):
            engine.stuff(b"", stuffing)
        with pytest.raises(ValueError, match="no such stuffing"):
            engine.unstuff(b"", stuffing, 1)


def test_checksums_chain() -> None:
    assert CRC32C(b"123456789") == CRC32C(b"56789", CRC32C(b"1234")) == 0xE3069283
    assert CRC32(b"123456789") == CRC32(b"56789", CRC32(b"1234")) == 0xCBF43926
