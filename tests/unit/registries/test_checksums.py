"""A checksum that is registered, and nothing else, is known everywhere; the engine has the same ones."""

from __future__ import annotations

from dataclasses import replace
from hashlib import sha256
from pathlib import Path

import pytest
import wireloom
from wireloom import SpecError, UnknownNameError, engine
from wireloom.checksums import CHECKSUMS, CRC32, CRC32C, Crc, Digest
from wireloom.format import ChecksumRule, ColumnProgram, Op, Step

CRCS = [each for each in CHECKSUMS.values() if isinstance(each, Crc)]
SPEC = """
meta:
  id: toy_log
  endian: be
  -wireloom:
    rows: records
    columns: [number, body]
seq:
  - id: records
    type: record
    repeat: eos
types:
  record:
    seq:
      - id: sum
        type: u2
        -wireloom:
          checksum: {{algorithm: toy16, over: [number, body]{parameters}}}
      - id: number
        type: u1
      - id: len
        type: u1
      - id: body
        size: len
      - id: digest
        size: 32
        -wireloom:
          checksum: {{algorithm: sha256, over: body}}
"""
ROWS = [{"number": number, "body": bytes([number]) * number} for number in range(20)]


def reflected(value: int, width: int) -> int:
    return int(f"{value:0{width}b}"[::-1], 2)


def bitwise(crc: Crc, data: bytes, initial: int, final_xor: int) -> int:
    """The CRC, bit by bit."""
    polynomial, state = reflected(crc.polynomial, crc.width), initial
    for byte in data:
        state ^= byte
        for _ in range(8):
            state = state >> 1 ^ polynomial if state & 1 else state >> 1
    return state ^ final_xor


def toy_update(data: bytes, value: int = 0xFFFF ^ 0x0F0F) -> int:
    """CRC-16 with a final xor of its own."""
    state = value ^ 0x0F0F
    for byte in bytes(data):
        state ^= byte
        for _ in range(8):
            state = state >> 1 ^ 0x8408 if state & 1 else state >> 1
    return state ^ 0x0F0F


TOY = Crc("toy16", 16, 0x1021, initial=0xFFFF, final_xor=0x0F0F, update=toy_update)
SHA256 = Digest("sha256", 256, lambda data: sha256(data).digest())


@pytest.fixture
def registered(monkeypatch: pytest.MonkeyPatch) -> None:
    for each in (TOY, SHA256):
        monkeypatch.setitem(CHECKSUMS, each.name, each)


@pytest.mark.usefixtures("registered")
@pytest.mark.parametrize(
    ("parameters", "initial", "final_xor"), [("", 0xFFFF, 0x0F0F), (", initial: 0x1d0f, final-xor: 0", 0x1D0F, 0)]
)
def test_rows_are_written_and_verified(parameters: str, initial: int, final_xor: int, tmp_path: Path) -> None:
    spec, log = tmp_path / "toy_log.ksy", tmp_path / "a.log"
    spec.write_text(SPEC.format(parameters=parameters))
    wireloom.write(spec, ROWS, log)
    content = log.read_bytes()
    body = ROWS[1]["body"]
    assert isinstance(body, bytes)
    first = 36
    assert content[first + 5 : first + 37] == sha256(body).digest()
    expected = bitwise(TOY, content[first + 2 : first + 5], initial, final_xor)
    assert int.from_bytes(content[first : first + 2], "big") == expected
    assert wireloom.read(spec, log).to_pylist() == ROWS
    for place, reason in ((first, "checksum"), (first + 20, "digest")):
        damaged = bytearray(content)
        damaged[place] ^= 1
        table, report = wireloom.read_with_report(spec, bytes(damaged))
        assert table.num_rows == len(ROWS) - 1
        assert [each.reason for each in report.files[0].damaged] == [reason]
        assert wireloom.read(spec, bytes(damaged), verify=False).num_rows == len(ROWS)


@pytest.mark.usefixtures("registered")
def test_the_spec_is_checked_by_the_width(tmp_path: Path) -> None:
    spec = tmp_path / "toy_log.ksy"
    for text, message in (
        (SPEC.format(parameters="").replace("type: u2", "type: u4"), "an unsigned integer of 2 bytes"),
        (SPEC.format(parameters=", initial: 0x10000"), "'initial' has more than the 16 bits of toy16"),
        (SPEC.format(parameters="").replace("size: 32", "size: 16"), "sha256 must be plain bytes of size: 32"),
    ):
        spec.write_text(text)
        with pytest.raises(SpecError, match=message):
            wireloom.load_spec(spec)


def test_an_algorithm_that_is_not_registered_is_refused(tmp_path: Path) -> None:
    spec = tmp_path / "toy_log.ksy"
    spec.write_text(SPEC.format(parameters=""))
    with pytest.raises(SpecError, match="got 'toy16'"):
        wireloom.load_spec(spec)
    for make in (wireloom.checksums.crc, wireloom.checksums.digest):
        with pytest.raises(UnknownNameError):
            make("toy16")
    with pytest.raises(ValueError, match="the engine has no checksum 'toy16'"):
        ColumnProgram((Step(Op.END),), (), registers=0, checksums=(ChecksumRule("toy16", 0, 0),)).pack()


@pytest.mark.parametrize("crc", CRCS, ids=lambda crc: crc.name)
@pytest.mark.parametrize("size", [0, 9, 4000])
def test_functions_are_those_of_the_parameters(crc: Crc, size: int) -> None:
    data = bytes(number * 7 % 256 for number in range(size))
    expected = bitwise(crc, data, crc.initial, crc.final_xor)
    assert crc.update(data) == crc.update(data[size // 2 :], crc.update(data[: size // 2])) == expected


@pytest.mark.skipif(not engine.available, reason="the engine is not there")
def test_the_engine_has_the_same_algorithms() -> None:
    assert set(engine.checksums) == {crc.engine_number for crc in CRCS if crc.engine_number is not None}
    data = bytes(range(256)) * 3
    for crc in CRCS:
        if crc.engine_number is not None:
            ours = engine.checksums[crc.engine_number]
            assert ours(data) == crc.update(data)
            assert ours(data, 5) == crc.update(data, 5)


@pytest.mark.skipif(not engine.available, reason="the engine is not there")
@pytest.mark.parametrize("number", [0, 3, 2**32 - 1, 2**32 + 1, -1])
def test_numbers_that_the_engine_does_not_have_are_refused(number: int, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ValueError, match="there is no such checksum"):
        engine.encode(
            ((3, 2, None, 0),), None, None, first=0, rows=1, checksum=(number, 0, 0, 0, 0, -1), delimiter=b"",
            stuffing=0, padding=0, max_record=10, out=bytearray(100),
        )  # fmt: skip
    if 0 <= number < 2**32:
        monkeypatch.setitem(CHECKSUMS, "crc32c", replace(CRC32C, engine_number=number))
        program = ColumnProgram((Step(Op.END),), (), registers=0, checksums=(ChecksumRule("crc32c", 0, 0),))
        with pytest.raises(ValueError, match=f"no checksum algorithm {number}"):
            engine.Program(program.pack())
    assert CRC32.engine_number != number
