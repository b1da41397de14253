"""The content of an error about damaged input: place, record, field, reason, and the option with which reading would
continue."""

from __future__ import annotations

import pickle
import struct

import pytest
import wireloom
from wireloom import DamagedInputError, engine
from wireloom.codecs import CodecError
from wireloom.format import registry

from ..specs import format_of

SPEC = """\
meta:
  id: told
  endian: le
  -wireloom: {rows: rows}
seq:
  - {id: version, type: u1, valid: {max: 9}}
  - {id: rows, type: row, repeat: eos}
types:
  row:
    seq:
      - {id: len, type: u1}
      - {id: sum, type: u4, -wireloom: {checksum: {algorithm: crc32c, over: note}}}
      - {id: inner, type: inner_part}
      - {id: note, size: len}
  inner_part:
    seq:
      - {id: kind, type: u1}
      - {id: level, type: u1, valid: {max: 5}}
"""

FRAMED = """\
meta:
  id: framed
  -wireloom: {rows: rows}
seq:
  - {id: rows, type: row, repeat: eos, -wireloom: {framing: {delimiter: 0, stuffing: cobs}}}
types:
  row:
    seq:
      - {id: kind, type: u1, valid: {any-of: [1, 2]}}
      - {id: rest, size-eos: true}
"""


@pytest.fixture(params=["columns", "objects"])
def reader(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Select the engine or the object parser: their messages are the same."""
    if request.param == "columns" and not engine.available:
        pytest.skip("the engine is not built")
    monkeypatch.setattr(engine, "available", request.param == "columns")
    return str(request.param)


@pytest.fixture
def told() -> wireloom.Format:
    return format_of(SPEC)


@pytest.fixture
def framed() -> wireloom.Format:
    return format_of(FRAMED)


def row(note: bytes, level: int = 0, wrong: int = 0) -> bytes:
    return struct.pack("<BIBB", len(note), engine_crc(note) ^ wrong, 7, level) + note


def engine_crc(data: bytes) -> int:
    import crc32c

    return int(crc32c.crc32c(data))


def failure(format: wireloom.Format, data: bytes, **options: object) -> DamagedInputError:
    with pytest.raises(DamagedInputError) as caught:
        wireloom.read(format, data, mode="failfast", **options)  # type: ignore[arg-type]
    return caught.value


@pytest.mark.usefixtures("reader")
def test_a_checksum(told: wireloom.Format) -> None:
    error = failure(told, b"\1" + row(b"ab") * 3 + row(b"cd", wrong=1) + row(b"ef") * 9)
    assert str(error) == (
        "byte 28, record 4, field sum: the checksum does not match (checksum); "
        "mode='permissive' leaves it out, verify=False keeps it"
    )
    assert (error.offset, error.record, error.field, error.reason) == (28, 4, "sum", "checksum")


@pytest.mark.slow
@pytest.mark.usefixtures("reader")
@pytest.mark.parametrize("batch_rows", [1, 2, 100])
def test_the_record_is_counted_over_batches(told: wireloom.Format, batch_rows: int) -> None:
    data = b"\1" + row(b"ab") * 5 + row(b"cd", level=6) + row(b"ef") * 9
    error = failure(told, data, batch_rows=batch_rows, columns=["len"])
    assert (
        str(error) == "byte 46, record 6, field level: a value is not allowed (value); mode='permissive' leaves it out"
    )


@pytest.mark.usefixtures("reader")
def test_a_range_of_bytes_does_not_know_the_number(told: wireloom.Format) -> None:
    error = failure(told, b"\1" + row(b"ab") * 3 + row(b"cd", level=6) + row(b"ef"), byte_range=(10, 1000))
    assert (error.offset, error.record, error.field) == (28, None, "level")


@pytest.mark.usefixtures("reader")
def test_what_stands_before_the_rows(told: wireloom.Format) -> None:
    error = failure(told, b"\x0a" + row(b"ab"))
    assert str(error) == (
        "byte 0, field version: a value is not allowed (value), or it is not in the format told; "
        "mode='permissive' leaves it out"
    )


@pytest.mark.usefixtures("reader")
@pytest.mark.parametrize("name", ["pcap", "avro_blocks"])
def test_a_header_after_which_nothing_can_be_read(name: str) -> None:
    error = failure(registry.get(name), b"letter, not a log" * 9)
    assert (error.offset, error.record, error.field, error.reason) == (0, None, "magic", "value")
    assert str(error) == (
        f"byte 0, field magic: a value is not allowed (value), or it is not in the format {name}; "
        "no record can be read without the header: name the right format, or repair the header"
    )


@pytest.mark.usefixtures("reader")
def test_a_header_that_is_cut_off() -> None:
    error = failure(registry.get("pcap"), b"\xd4\xc3\xb2\xa1\2")
    assert (error.offset, error.record, error.reason) == (0, None, "truncated")
    assert str(error).startswith("byte 0: the input ends before the first record (truncated), or ")
    assert str(failure(registry.get("pcap"), b"")).startswith("byte 0: the input is empty: its header is missing (")


@pytest.mark.usefixtures("reader")
def test_between_delimiters(framed: wireloom.Format) -> None:
    error = failure(framed, b"\2\1\0\3\2a\0\3\3a\0")
    assert (error.offset, error.record, error.field, error.reason) == (6, 3, "kind", "value")
    error = failure(framed, b"\2\1\0\x09\2a\0\2\1\0")
    assert str(error) == "byte 2, record 2: the stuffing is broken (stuffing); mode='permissive' leaves it out"


@pytest.mark.usefixtures("reader")
def test_too_large(framed: wireloom.Format) -> None:
    error = failure(framed, b"\2\1\0" + b"\x0a\1" + b"x" * 8 + b"\0" + b"\2\1\0", max_record=6)
    assert str(error) == (
        "byte 2, record 2: larger than max_record, computes more than max_computed, or is nested too deeply (limit); "
        "mode='permissive' leaves it out, raise max_record to read it unless its length is "
        "damaged, or max_computed if its text is computed"
    )


@pytest.mark.usefixtures("reader")
def test_the_option_does_go_on(told: wireloom.Format) -> None:
    data = b"\1" + row(b"ab") + row(b"cd", wrong=1) + row(b"ef")
    assert wireloom.read(told, data, mode="permissive").num_rows == 2
    assert wireloom.read(told, data, mode="failfast", verify=False).num_rows == 3


def test_errors_survive_pickling() -> None:
    error = DamagedInputError("no", path="a", offset=1, reason="value", record=2, field="f", advice="do")
    codec = CodecError("cut off")
    codec.path, codec.offset = "b", 3
    for each in (error, codec):
        again = pickle.loads(pickle.dumps(each))
        assert (type(again), str(again), vars(again), again.args) == (type(each), str(each), vars(each), each.args)
    assert str(error) == "a at byte 1, record 2, field f: no; do"
