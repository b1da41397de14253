"""The stored form of a checksum, which may use other attributes of its object: with both readers."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Callable
from random import Random

import pytest

from ..unit.columns_backend.specs import compiled, format_of
from .agreement import agreed

Stored = Callable[[int, int, int, bytes], int]
FORMS: dict[str, Stored] = {
    "_ ^ key": lambda sum, key, _, __: sum ^ key,
    "_ + key": lambda sum, key, _, __: sum + key,
    "_ ^ (has == 1 ? added : 7)": lambda sum, _, added, __: sum ^ added,
    "_ - body.size": lambda sum, _, __, body: sum - len(body),
    "body == [0, 1, 2, 3] ? 5 : _": lambda sum, _, __, ___: sum,
}
KINDS = {"u2": "<H", "u4": "<I", "s4": "<i", "u8": "<Q"}


def spec(size: str, kind: str, form: str) -> str:
    return f"""
meta: {{id: sample, endian: le, -wireloom: {{rows: rows}}}}
seq: [{{id: rows, type: row, repeat: eos}}]
types:
  row:
    seq:
      - {{id: key, type: u4}}
      - {{id: has, type: u1}}
      - {{id: added, type: u4, if: has == 1}}
      - {{id: body, size: {size}}}
      - {{id: sum, type: {kind}, -wireloom: {{checksum: {{algorithm: crc32, over: body, stored: '{form}'}}}}}}
"""


@pytest.mark.parametrize("size", ["4", "key % 5 + 1"])
@pytest.mark.parametrize("form", FORMS)
def test_the_stored_form_uses_other_attributes(form: str, size: str) -> None:
    random = Random(form)
    for kind, code in KINDS.items():
        width, data = struct.calcsize(code), b""
        for _ in range(60):
            key, has = random.choice([0, 3, 7, 2**31, 2**32 - 1]), random.randrange(2)
            added = random.choice([0, 5, 2**32 - 1]) if has else 7
            body = random.randbytes(4 if size == "4" else key % 5 + 1)
            sum = FORMS[form](zlib.crc32(body), key, added, body) ^ (random.random() < 0.05)
            data += struct.pack("<IB", key, has) + struct.pack("<I", added) * has + body
            data += (sum % (1 << 8 * width)).to_bytes(width, "little")
        format = format_of(spec(size, kind, form))
        assert format.engine_refusal is None
        for verify in (True, False):
            agreed(format, data, verify=verify)


@pytest.mark.parametrize("form", ["_ + added", "_ % (key % 3)", "_ + body[0]"])
def test_a_stored_form_without_a_value_is_left_to_the_object_parser(form: str) -> None:
    _, refusal = compiled(spec("4", "u4", form))
    assert refusal is not None
    assert "may have no value" in refusal
