"""Checksums that an expression or a routine computes, and those with an extra byte."""

from __future__ import annotations

import hashlib
import zlib
from pathlib import Path
from typing import Any

import pytest
import wireloom
from wireloom import Format, RoutineError

from ..specs import format_of
from .running import ROW_READERS, read

SPEC = """
meta: {id: summed, endian: be, -wireloom: {rows: records, columns: [data]}}
seq: [{id: records, type: record, repeat: eos}]
types:
  record:
    seq:
      - {id: len, type: u1}
      - {id: data, size: len}
      - {id: sum, FIELD, -wireloom: {checksum: {over: [len, data], CHECKSUM}}}
"""


def summed(field: str, checksum: str, **options: Any) -> Format:
    return format_of(SPEC.replace("FIELD", field).replace("CHECKSUM", checksum), **options)


def verified(format: Format, good: bytes) -> None:
    """Check that a record, which ends with its checksum, is read, written, and not accepted with any other one."""
    for reader in ROW_READERS if format.program is not None else ("objects",):
        assert read(reader, format, good * 2)[0].num_rows == 2
        wrong = good[:-1] + bytes([good[-1] ^ 1])
        table, file = read(reader, format, good + wrong + good)
        assert (table.num_rows, file["damaged"]) == (2, [[len(good), len(good), "checksum"]])
        assert read(reader, format, good + wrong, verify=False)[0].num_rows == 2
    root = format.root_class().from_bytes(good)
    root.records[0].sum = type(root.records[0].sum)()
    assert root.to_bytes() == good


def test_an_extra_byte_follows_the_covered_ones() -> None:
    good = b"\3abc"
    sum = zlib.crc32(good + b"\7")
    verified(summed("type: u4", "algorithm: crc32, extra: len + 4"), good + sum.to_bytes(4, "big"))
    verified(summed("size: 4", "algorithm: crc32, extra: len + 4, endian: le"), good + sum.to_bytes(4, "little"))
    verified(summed("type: u1", "algorithm: crc32, extra: 7, stored: _ ^ 9"), good + bytes([sum & 255 ^ 9]))
    for extra in ("len * 100", "len / (len - 3)"):
        for reader in ROW_READERS:
            format = summed("type: u4", f"algorithm: crc32, extra: {extra}")
            assert read(reader, format, good + bytes(4))[1]["tail"] == "invalid_value"


def test_an_expression_is_a_checksum() -> None:
    verified(summed("type: u1", "value: 'data[0] * 100 + len'"), b"\3abc" + bytes([0x61 * 100 + 3 & 255]))
    verified(summed("type: s2", "value: -len"), b"\3abc\xff\xfd")


MODULE = """
import hashlib

class Keyed:
    def __init__(self, key=b""):
        self.key = key

    def checksum(self, data):
        return hashlib.blake2b(data, key=self.key, digest_size=4).digest()

class Number:
    def checksum(self, data):
        return sum(data) * 257

class Nothing:
    def checksum(self, data):
        return None

class Failing:
    def checksum(self, data):
        raise LookupError("no")
"""


@pytest.fixture
def routines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    (tmp_path / "acme_sums.py").write_text(MODULE)
    monkeypatch.syspath_prepend(tmp_path)
    return "acme_sums"


def of_module(field: str, name: str, tmp_path: Path) -> Format:
    path = tmp_path / "summed.ksy"
    path.write_text(SPEC.replace("FIELD", field).replace("CHECKSUM", f"routine: '{name}'"))
    return wireloom.load_spec(path, allow_modules=["acme_sums"])


def test_a_class_computes_a_checksum(routines: str, tmp_path: Path) -> None:
    keyed = of_module("size: 4", "acme_sums.keyed([1, 2])", tmp_path)
    good = b"\3abc"
    verified(keyed, good + hashlib.blake2b(good, key=b"\1\2", digest_size=4).digest())
    number = of_module("type: u4", "acme_sums.number", tmp_path)
    verified(number, good + (sum(good) * 257).to_bytes(4, "big"))
    for name, message in (("nothing", "gives NoneType"), ("failing", "LookupError: no")):
        with pytest.raises(RoutineError, match=message):
            wireloom.read(of_module("type: u1", f"acme_sums.{name}", tmp_path), good + b"\0")


def test_a_class_needs_permission(routines: str) -> None:
    with pytest.raises(wireloom.WireloomError, match=r"'routine: acme_sums\.keyed' is the class Keyed of the module"):
        summed("size: 4", "routine: acme_sums.keyed")
