"""The registry of checksums: names and parameters, values that others compute, and formats that use them."""

from __future__ import annotations

import re
import sys
import zlib
from pathlib import Path
from random import Random
from typing import Any

import pytest
import wireloom
import xxhash
from wireloom import Format, SpecError, UnknownNameError, engine
from wireloom.base.errors import MissingExtraError
from wireloom.checksums import CHECKS, CHECKSUMS, Algorithm, Family, algorithm, crc_name, function
from wireloom.format.program import ChecksumRule, ColumnProgram, Op, Step

from ...writing import bytes_of
from ..specs import format_of

VECTORS = Path(__file__).parents[2] / "vectors" / "checksums" / "anycrc.txt"
DATA = bytes((7 * number * number + 3 * number) % 251 for number in range(1000))
SPEC = """
meta:
  id: toy_log
  endian: le
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
      - {{id: len, type: u2}}
      - {{id: sum, {type}, -wireloom: {{checksum: {{algorithm: {algorithm}, over: {over}{keys}}}}}}}
      - {{id: number, type: u1}}
      - {{id: body, size: len}}
"""
MADE_UP = Random(18)
ROWS = [{"number": each, "body": MADE_UP.randbytes(MADE_UP.choice([0, 1, 3, each, 300]))} for each in range(40)]


def without_the_engine(of: Algorithm, monkeypatch: pytest.MonkeyPatch) -> Any:
    with monkeypatch.context() as patch:
        patch.setattr(engine, "available", False)
        return function(of)


def spelled(name: str) -> str:
    return re.sub("[^a-z0-9]", "", name.lower())


# Values --------------------------------------------------------------------------------------------------------------


def test_each_crc_of_the_catalogue_is_what_another_implementation_computes(monkeypatch: pytest.MonkeyPatch) -> None:
    names = {spelled(name): name for name in CHECKSUMS}
    lines = [line.split() for line in VECTORS.read_text().splitlines() if not line.startswith("#")]
    compared = set()
    for theirs, width, value in lines:
        of = CHECKSUMS[names[spelled(theirs)]]
        compared.add(of.packed())
        assert of.width == int(width)
        for compute in (function(of), without_the_engine(of, monkeypatch)):
            assert compute(DATA) == compute(DATA[77:], compute(DATA[:77])) == int(value, 16)
    assert compared == {each.packed() for each in CHECKSUMS.values() if each.family is Family.CRC}


def test_check_values_of_the_catalogue(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in CHECKS.items():
        assert function(algorithm(name))(b"123456789") == value
        assert without_the_engine(algorithm(name), monkeypatch)(b"123456789") == value


KNOWN = {
    # Wikipedia's examples of Fletcher's checksum.
    ("fletcher16", b"abcde"): 0xC8F0,
    ("fletcher16", b"abcdefgh"): 0x0627,
    # A message of the protocol description of u-blox, whose checksum is FF 19.
    ("fletcher16-256", bytes.fromhex("06010300f00500")): 0x19FF,
    ("fletcher32", b"abcde"): 0xF04FC729,
    ("fletcher32", b"abcdefgh"): 0xEBE19591,
    ("fletcher64", b"abcde"): 0xC8C6C527646362C6,
    ("fletcher64", b"abcdefgh"): 0x312E2B28CCCAC8C6,
    ("adler32", b"Wikipedia"): 0x11E60398,
    # Section 3 of RFC 1071.
    ("internet", bytes.fromhex("0001f203f4f5f6f7")): 0xDDF2 ^ 0xFFFF,
    ("internet", bytes.fromhex("0001f203f4f5f6")): 0xDCFB ^ 0xFFFF,
    ("sum8", b"\xff\x02\x03"): 4,
    ("sum16", b"\xff\xff\xff"): 0x2FD,
    ("sum32", b"\xff" * 1000): 255_000,
    ("sum16le", b"\x01\x02\x03"): 0x0204,
    ("sum16be", b"\x01\x02\x03"): 0x0402,
    ("sum32le", b"\x01\0\0\x80\x02\0\0\x80\x03"): 6,
    ("sum32be", b"\x80\0\0\x01\x80\0\0\x02\x03"): 0x03000003,
    ("xor8", b"\x0f\xf0\x01"): 0xFE,
    ("xxh32", b""): 0x02CC5D05,
    ("xxh64", b""): 0xEF46DB3751D8E999,
    ("xxh3_64", b""): 0x2D06800538D394C2,
}


@pytest.mark.parametrize(("name", "data"), KNOWN)
def test_known_values(name: str, data: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    assert function(algorithm(name))(data) == without_the_engine(algorithm(name), monkeypatch)(data)
    assert function(algorithm(name))(data) == KNOWN[name, data]


def test_xxhash_without_engine_and_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "xxhash", None)
    with pytest.raises(MissingExtraError, match=r"xxh64 without the engine .* 'wireloom\[xxhash\]'"):
        without_the_engine(algorithm("xxh64", 5), monkeypatch)


@pytest.mark.slow
def test_with_and_without_the_engine_the_same_is_computed(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, of in CHECKSUMS.items():
        ours, theirs = function(of), without_the_engine(of, monkeypatch)
        for size in (0, 1, 2, 3, 7, 8, 255, 1000):
            assert ours(DATA[:size]) == theirs(DATA[:size]), (name, size)
            if of.continues_anywhere:
                assert ours(DATA[:size], 99) == theirs(DATA[:size], 99), (name, size)


def test_parameters_instead_of_a_name() -> None:
    for name, of in CHECKSUMS.items():
        if of.family is Family.CRC:
            parameters = (of.width, of.polynomial, of.initial, of.reflect_in, of.reflect_out, of.final_xor)
            assert algorithm(crc_name(*parameters)).packed() == of.packed(), name
    unusual = algorithm(crc_name(11, 0x307, 0x1F, True, False, 0x7FF))
    compute = function(unusual)
    assert compute(DATA) == compute(DATA[1:], compute(DATA[:1])) < 1 << 11


@pytest.mark.parametrize("name", ["crc33", "", "width=8", "width=8 poly=7 init=0 refin=false refout=false"])
def test_names_that_are_not_registered(name: str) -> None:
    with pytest.raises(UnknownNameError):
        algorithm(name)
    with pytest.raises(UnknownNameError):
        ColumnProgram((Step(Op.END),), (), registers=0, checksums=(ChecksumRule(name),)).pack()


# Formats -------------------------------------------------------------------------------------------------------------


def spec_of(algorithm: str, type: str, keys: str = "", over: str = "[number, body]") -> str:
    return SPEC.format(algorithm=algorithm, type=type, keys=keys and f", {keys}", over=over)


def verified(format: Format, content: bytes, place: int, reason: str) -> None:
    """Read all rows, and then all except the first, in which the byte at ``place`` is changed."""
    for given in ({}, {"recover": True}):
        table, report = wireloom.read_with_report(format, content, **given)
        assert table.to_pylist() == ROWS
        assert report.clean
        damaged = bytearray(content)
        damaged[place] ^= 0x80
        table, report = wireloom.read_with_report(format, bytes(damaged), **given)
        assert table.to_pylist() == ROWS[1:]
        assert [each.reason for each in report.files[0].damaged] == [reason]
    assert wireloom.read(format, bytes(damaged), verify=False).to_pylist() == ROWS


FIELDS = {
    "crc-32/iscsi": "type: u4",
    "CRC-32/BZIP2": "type: u4be",
    "crc-16/arc": "type: u2",
    "crc-24/openpgp": "type: u4be",
    "crc-64/xz": "type: u8",
    "crc-64/ecma-182": "type: s8be",
    "crc-8/smbus": "type: u1",
    "crc-8/maxim": "type: s1",
    "adler32": "type: u4be",
    "fletcher16": "type: u2",
    "fletcher16-256": "type: u2",
    "fletcher32": "type: u8",
    "fletcher64": "type: u8",
    "sum8": "type: u1",
    "sum16be": "type: u2be",
    "sum32le": "type: s4",
    "xor8": "type: u1",
    "internet": "type: u2be",
    "xxh32": "type: u4",
    "xxh64": "type: u8",
    "xxh3_64": "type: u8",
    "md5": "size: 16",
    "sha1": "size: 20",
    "sha256": "size: 32",
    "sha256d": "size: 4",
    "bitcoin-merkle": "size: 32",
    "{width: 16, poly: 0x8005, init: 0x1234, refin: true, refout: false, xorout: 0xFF}": "type: u2",
}


@pytest.mark.parametrize("name", FIELDS)
def test_rows_are_written_and_verified(name: str) -> None:
    format = format_of(spec_of(name, FIELDS[name]))
    assert format.program is not None
    is_digest = name in CHECKSUMS and CHECKSUMS[name].is_digest
    verified(format, bytes_of(format, ROWS), 2, "digest" if is_digest else "checksum")


@pytest.mark.parametrize("endian", ["le", "be"])
def test_numbers_in_bytes(endian: str) -> None:
    format = format_of(spec_of("crc-24/openpgp", "size: 3", f"endian: {endian}"))
    assert format.program is not None
    content = bytes_of(format, ROWS)
    sum = function(algorithm("crc-24/openpgp"))(bytes([0]) + bytes(ROWS[0]["body"]))  # type: ignore[call-overload]
    assert content[2:5] == sum.to_bytes(3, "little" if endian == "le" else "big")
    verified(format, content, 3, "checksum")


@pytest.mark.slow
def test_bits() -> None:
    """Five bits in the upper part of a byte: read, and written if they cover only one value."""
    format = format_of(spec_of("crc-5/usb", "type: b5"))
    assert format.program is not None
    compute = function(algorithm("crc-5/usb"))
    rows = [(bytes([int(str(each["number"]))]), bytes(each["body"])) for each in ROWS]  # type: ignore[call-overload]
    parts = [len(body).to_bytes(2, "little") + bytes([compute(n + body) << 3]) + n + body for n, body in rows]
    verified(format, b"".join(parts), 2, "checksum")
    with pytest.raises(wireloom.UnsupportedError, match="the checksum sum is a bit field or a varint, and covers"):
        bytes_of(format, ROWS)
    parts = [len(body).to_bytes(2, "little") + bytes([compute(body) << 3]) + n + body for n, body in rows]
    assert bytes_of(format_of(spec_of("crc-5/usb", "type: b5", over="body")), ROWS) == b"".join(parts)


@pytest.mark.parametrize("name", ["crc-16/xmodem", "sum16le", "xor8", "internet", "xxh32", "sha1", "fletcher32"])
@pytest.mark.parametrize("value", [0, 0x20])
def test_checksums_that_cover_themselves(name: str, value: int) -> None:
    """Like the header checksums of IPv4 and tar."""
    of = algorithm(name)
    keys = f"replace: {value}" + ("" if of.is_digest else ", endian: be")
    format = format_of(spec_of(name, f"size: {of.size}", keys, "[len, body]"))
    assert (format.program is not None) == of.in_pieces
    content, body = bytes_of(format, ROWS), bytes(ROWS[0]["body"])  # type: ignore[call-overload]
    covered = len(body).to_bytes(2, "little") + bytes([value]) * of.size + b"\0" + body
    sum = function(of)(covered)
    assert content[2 : 2 + of.size] == (sum if of.is_digest else sum.to_bytes(of.size, "big"))
    verified(format, content, 3 if of.size > 1 else 2, "digest" if of.is_digest else "checksum")


@pytest.mark.slow
def test_what_is_stored() -> None:
    """The mask of LevelDB and TFRecord; the low half of an xxHash, as Zstandard stores it; a signed number."""
    mask = "((_ >> 15) | (_ << 17)) + 0xa282ead8"
    for name, type, stored, expected in (
        ("crc32c", "type: u4", f"'{mask}'", lambda sum: ((sum >> 15 | sum << 17) + 0xA282EAD8) & 0xFFFFFFFF),
        ("crc32c", "type: s4be", f"'{mask}'", lambda sum: ((sum >> 15 | sum << 17) + 0xA282EAD8) & 0xFFFFFFFF),
        ("xxh64", "type: u4", "_", lambda sum: sum & 0xFFFFFFFF),
        ("xxh64", "type: u1", "'_ > 0 ? ~_ : 7'", lambda sum: ~sum & 0xFF),
    ):
        format = format_of(spec_of(name, type, f"stored: {stored}"))
        assert format.program is not None
        content, body = bytes_of(format, ROWS), bytes(ROWS[0]["body"])  # type: ignore[call-overload]
        size = int(re.search(r"\d", type)[0])  # type: ignore[index]
        order: Any = "big" if "be" in type else "little"
        assert int.from_bytes(content[2 : 2 + size], order) == expected(function(algorithm(name))(b"\0" + body))
        verified(format, content, 2, "checksum")


@pytest.mark.parametrize("name", ["crc32c", "crc-16/xmodem", "adler32", "fletcher32", "sum16be", "internet", "xxh32"])
@pytest.mark.parametrize("continues", ["before", "_parent.step * number - before", "0x123456789abcdef"])
def test_what_comes_before(name: str, continues: str) -> None:
    text = spec_of(name, f"type: u{algorithm(name).size}", f"continues: {continues}")
    text = text.replace("[number, body]\n", "[number, body, before]\n", 1)
    text = text.replace("seq:\n  -", "seq:\n  - {id: step, type: u4}\n  -", 1)
    format = format_of(text.replace("      - {id: body", "      - {id: before, type: s8}\n      - {id: body"))
    compute, size, step = function(algorithm(name)), algorithm(name).size, 0x01020304
    parts, rows = [step.to_bytes(4, "little")], []
    for each in ROWS[:20]:
        number, body = int(str(each["number"])), bytes(each["body"])  # type: ignore[call-overload]
        before = MADE_UP.choice([0, 1, -1, MADE_UP.getrandbits(63), -MADE_UP.getrandbits(63)])
        values = {"before": before, "number": number, "_parent": type("", (), {"step": step})}
        covered = bytes([number]) + before.to_bytes(8, "little", signed=True) + body
        sum = compute(covered, eval(continues, values))
        parts.append(len(body).to_bytes(2, "little") + sum.to_bytes(size, "little") + covered)
        rows.append({"number": number, "body": body, "before": before})
    assert format.program is not None
    for available in (True, False):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(engine, "available", available and engine.available)
            assert wireloom.read(format, b"".join(parts)).to_pylist() == rows
            assert wireloom.read(format, b"\1" + b"".join(parts)[1:]).num_rows == (1 if "step" in continues else 20)


@pytest.mark.parametrize(
    ("name", "type", "keys", "message"),
    [
        ("crc-32", "type: u2", "", "crc-32 has 32 bits, but 'sum' has 16: add the key 'stored'"),
        (
            "xxh3_64",
            "size: 4",
            "endian: le",
            "'sum' has 32: give it 8 bytes, or make it an integer with the key 'stored'",
        ),
        ("crc-33", "type: u4", "", "unknown checksum 'crc-33'; did you mean 'crc-3"),
        ("crc-16/arc", "type: u2", "initial: 0x10000", "'initial' does not fit in the 16 bits of crc-16/arc"),
        ("crc-16/arc", "type: u2", "final-xor: 0x10000", "'final-xor' does not fit in the 16 bits of crc-16/arc"),
        ("crc-16/arc", "type: f4", "", "must be an integer, or plain bytes of a constant size, found f4le"),
        ("crc-16/arc", "type: u2, repeat: expr, repeat-expr: 1", "", "an integer, or plain bytes of a constant size"),
        ("crc-16/arc", "type: str, size: 2, encoding: ASCII", "", "an integer, or plain bytes of a constant size"),
        ("crc-16/arc", "size: len", "endian: le", "an integer, or plain bytes of a constant size"),
        ("crc-16/arc", "size: 2", "", "crc-16/arc is an integer, so 'sum' needs a byte order: add the key 'endian'"),
        ("crc-16/arc", "size: 2", "endian: le, stored: _", "'stored' requires an integer, but this attribute is bytes"),
        ("crc-16/arc", "type: u2", "endian: le", "'endian' requires an integer checksum in an attribute of bytes"),
        ("crc-16/arc", "type: u2", "stored: _.to_s", "'stored' must be an integer, found text"),
        ("crc-16/arc", "type: b16", "replace: 0", "'replace' requires whole bytes, but this attribute is a bit field"),
        ("sha256", "size: 33", "", "sha256 has 32 bytes, but 'sum' has 33"),
        ("sha256", "type: u4", "", "sha256 must be plain bytes of a constant size, found"),
        ("sha256", "size: 32, process: xor(3)", "", "sha256 must be plain bytes of a constant size, found bytes"),
        ("sha256", "size: 32", "initial: 1", "'initial' requires an integer checksum, but sha256 is a digest"),
        ("sha256", "size: 32", "stored: _", "'stored' requires an integer checksum, but sha256 is a digest"),
        (
            "sha256",
            "size: 32",
            "continues: 1",
            "'continues' requires an integer checksum, but sha256 is a digest",
        ),
        ("crc32c", "type: u4", "continues: body", "'continues' must be an integer, found bytes"),
        (
            "crc32c",
            "type: u4",
            "continues: bodi",
            "unable to access 'bodi' in toy_log::record context; did you mean 'body'?",
        ),
        ("{width: 2, poly: 1}", "type: u1", "", "expected an integer from 3 to 64, got 2"),
        ("{width: 8, poly: 0x107}", "type: u1", "", "'poly' does not fit in the 8 bits of the CRC"),
        ("{width: 8}", "type: u1", "", "poly"),
        ("{width: 8, poly: 7, refout: maybe}", "type: u1", "", "expected true or false"),
    ],
)
def test_mistakes(name: str, type: str, keys: str, message: str) -> None:
    with pytest.raises(SpecError) as caught:
        format_of(spec_of(name, type, keys))
    assert message in str(caught.value)


def test_frames_as_zstandard_and_gzip_check_them(tmp_path: Path) -> None:
    """Checksums that other programs have written: gzip's checksum of its content, here with a stored block."""
    compressor = zlib.compressobj(0, wbits=31)
    content = compressor.compress(DATA) + compressor.flush()
    spec = tmp_path / "gz.ksy"
    spec.write_text(
        "meta: {id: gz, endian: le, -wireloom: {rows: members}}\n"
        "seq: [{id: members, type: member, repeat: eos}]\n"
        "types:\n  member:\n    seq:\n"
        "      - {id: head, contents: [0x1f, 0x8b, 8]}\n      - {id: rest, size: 7}\n      - {id: last, size: 1}\n"
        "      - {id: len, type: u2}\n      - {id: complement, type: u2}\n      - {id: data, size: len}\n"
        "      - {id: crc, type: u4, -wireloom: {checksum: {algorithm: PKZIP, over: data}}}\n"
        "      - {id: size, type: u4, valid: len}\n"
    )
    assert wireloom.read(spec, content * 3, columns=["data"], codec="none").to_pylist() == [{"data": DATA}] * 3
    assert xxhash.xxh64_intdigest(DATA) == function(algorithm("xxh64"))(DATA)
