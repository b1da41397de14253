"""Varints that determine what follows them: sizes of bytes and sub-streams, optional bytes, numbers of items."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
import wireloom
from wireloom import engine

from ..specs import format_of
from .running import ROW_READERS, read
from .test_varints import le, zigzag

SPEC = """
meta:
  id: made_sizes
  endian: le
  -wireloom: {rows: units.content.rows.body, columns: [third, key, value, items]}
seq: [{id: units, type: unit, repeat: eos}]
types:
  unit:
    seq:
      - {id: len, type: u4}
      - {id: content, type: content, size: len}
  content:
    seq: [{id: rows, type: row, repeat: eos}]
  row:
    seq:
      - {id: first, type: number}
      - {id: tag, type: u1}
      - {id: second, type: number}
      - {id: len_text, type: number}
      - {id: text, size: len_text.value}
      - {id: len_body, type: number}
      - {id: body, type: body, size: len_body.value}
  body:
    seq:
      - {id: third, type: number}
      - {id: len_key, type: number}
      - {id: key, size: len_key.value, if: len_key.value OPERATOR 0}
      - {id: len_value, type: number}
      - {id: value, size: len_value.value, if: len_value.value OPERATOR 0}
      - {id: count, type: number}
      - {id: items, type: u1, repeat: expr, repeat-expr: count.value}
  number: {-wireloom: {varint: RULE}}
"""

SEPARATED = """
meta: {{id: separated, endian: le, -wireloom: {{rows: rows, columns: [{names}, body]}}}}
seq: [{{id: rows, type: row, repeat: eos}}]
types:
  row:
    seq:
{fields}
      - {{id: body, size: {last}.value}}
  number: {{-wireloom: {{varint: {{order: le, signed: zigzag}}}}}}
"""
SEPARATIONS = ("0 v 1 v v v", "3 v v 2 v v", "0 v v v 8 v", "1 v 11 v v", "0 v 12 v v", "0 v 1 v 1 v")
"""Varints (v), and numbers of bytes of fixed fields between them."""


def rows_of(chance: Random, encode: Any, count: int) -> tuple[bytes, list[dict[str, Any]]]:
    """Return a unit of rows, of which some have varints of more than two bytes, some an item, and some no key."""

    def number() -> int:
        return chance.getrandbits(chance.choice([3, 6, 12, 12, 34]) if chance.random() < 0.2 else 5)

    def sized(content: bytes | None) -> bytes:
        return b"".join([encode(-1)] if content is None else [encode(len(content)), content])

    data, rows = bytearray(), []
    for tag in range(count):
        text = chance.randbytes(chance.choice([0, 3, 40, 130]))
        third = number()
        key, value = (None if chance.random() < 0.2 else chance.randbytes(chance.choice([1, 8, 70, 200])) for _ in "kv")
        items = chance.randbytes(chance.random() < 0.05)
        body = encode(third) + sized(key) + sized(value) + encode(len(items)) + items
        data += encode(number()) + bytes([tag % 256]) + encode(number()) + sized(text) + sized(body)
        rows.append({"third": third, "key": key, "value": value, "items": list(items)})
    return len(data).to_bytes(4, "little") + data, rows


FORMS: dict[str, tuple[str, str, Any]] = {
    "signed": ("{order: le, signed: zigzag}", ">=", lambda value: le(zigzag(value))),
    "unsigned": ("le", ">", lambda value: le(max(0, value))),
}


def sized(form: str) -> wireloom.Format:
    rule, operator, _ = FORMS[form]
    return format_of(SPEC.replace("RULE", rule).replace("OPERATOR", operator))


@pytest.mark.parametrize("reader", ROW_READERS)
@pytest.mark.parametrize("form", FORMS)
def test_varints_that_are_sizes_and_conditions_are_read(reader: str, form: str) -> None:
    format = sized(form)
    assert format.engine_refusal is None
    data, rows = rows_of(Random(1), FORMS[form][2], 600)
    table, file = read(reader, format, data)
    assert table.to_pylist() == rows
    assert (file["damaged"], file["tail"]) == ([], "clean")


@pytest.mark.slow
@pytest.mark.skipif(not engine.available, reason="the engine is not there")
@pytest.mark.parametrize("form", FORMS)
def test_both_readers_find_the_same_damage(form: str) -> None:
    format = sized(form)
    chance = Random(2)
    data, _ = rows_of(chance, FORMS[form][2], 24)
    for _ in range(60):
        changed = bytearray(data)
        changed[chance.randrange(len(data))] = chance.choice([0, 1, 0x7F, 0x80, 0xFF])
        for content in (data[: chance.randrange(len(data))], bytes(changed)):
            table, file = read("columns", format, content)
            expected, report = read("objects", format, content)
            assert table.equals(expected)
            assert (file["damaged"], file["tail"]) == (report["damaged"], report["tail"])


@pytest.mark.parametrize("reader", ROW_READERS)
def test_fields_between_varints_are_read(reader: str, subtests: pytest.Subtests) -> None:
    """The sizes of the varints change rarely, always, or in every other row; the fields between them have any bits."""
    for separation in SEPARATIONS:
        parts = separation.split()
        names = [f"f{number}" for number in range(parts.count("v"))]
        left = iter(names)
        shapes = [
            (next(left), "type: number") if part == "v" else (f"gap{at}", f"size: {part}")
            for at, part in enumerate(parts)
        ]
        fields = "\n".join(f"      - {{id: {name}, {shape}}}" for name, shape in shapes)
        format = format_of(SEPARATED.format(names=", ".join(names), fields=fields, last=names[-1]))
        assert format.engine_refusal is None
        chance, rows, data = Random(separation), [], b""
        for number in range(600):
            most = [60, 8000 * (number % 2) + 60, 8000, 300000][number // 150]
            values = [chance.randrange(-most, most) for _ in names[:-1]] + [chance.randrange(90)]
            left_values = iter(values)
            encoded = (le(zigzag(next(left_values))) if part == "v" else chance.randbytes(int(part)) for part in parts)
            body = chance.randbytes(values[-1])
            data += b"".join(encoded) + body
            rows.append([*values, body])
        with subtests.test(separation):
            table, file = read(reader, format, data)
            assert [list(row.values()) for row in table.to_pylist()] == rows
            assert (file["damaged"], file["tail"]) == ([], "clean")
