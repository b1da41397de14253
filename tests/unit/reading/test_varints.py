"""Varints: types of a spec that are integers, by both readers, in every form and damaged."""

from __future__ import annotations

import zlib
from bisect import bisect_right
from pathlib import Path
from random import Random
from typing import Any

import pytest
import wireloom
from wireloom.codegen.expression.types import VarintType
from wireloom.codegen.model.load import load as load_model
from wireloom.objects import ConsistencyError, KaitaiStructError

from ...writing import bytes_of
from ..specs import format_of
from .running import ROW_READERS, read

TABLE = """
meta:
  id: made
  endian: le
  -wireloom: {rows: rows, columns: [number, after]}
seq:
  - {id: rows, type: row, repeat: eos}
types:
  row:
    seq:
      - {id: number, type: number}
      - {id: after, type: u1}
"""

KAITAI_LE = """
  vlq_base128_le:
    seq:
      - id: groups
        type: |
          group(
            _index,
            _index != 0 ? groups[_index - 1].interm_value : 0,
            _index != 0 ? (_index == 9 ? 0x8000_0000_0000_0000 : groups[_index - 1].multiplier * 128) : 1
          )
        repeat: until
        repeat-until: not _.has_next
    types:
      group:
        params:
          - {id: idx, type: s4}
          - {id: prev_interm_value, type: u8}
          - {id: multiplier, type: u8}
        seq:
          - {id: has_next, type: b1, valid: 'idx == 9 ? false : has_next'}
          - {id: value, type: b7, valid: {max: '(idx == 9 ? 1 : 0b111_1111).as<u8>'}}
        instances:
          interm_value: {value: (prev_interm_value + value * multiplier).as<u8>}
    instances:
      len: {value: groups.size}
      value: {value: groups.last.interm_value}
      sign_bit: {value: '(len == 10 ? 0x8000_0000_0000_0000 : groups.last.multiplier * 0b100_0000).as<u8>'}
      value_signed:
        value: 'sign_bit > 0 and value >= sign_bit ? -(sign_bit - (value - sign_bit)).as<s8> : value.as<s8>'
"""
"""``vlq_base128_le`` of Kaitai's gallery, since 2024."""

_GROUP = """
    types: {group: {seq: [{id: has_next, type: b1}, {id: value, type: b7}]}}
    instances:
"""

KAITAI_LE_8 = (
    """
  vlq_base128_le:
    seq: [{id: groups, type: group, repeat: until, repeat-until: not _.has_next}]"""
    + _GROUP
    + """
      len: {value: groups.size}
      value:
        value: >-
          (groups[0].value
          + (len >= 2 ? (groups[1].value << 7) : 0)
          + (len >= 3 ? (groups[2].value << 14) : 0)
          + (len >= 4 ? (groups[3].value << 21) : 0)
          + (len >= 5 ? (groups[4].value << 28) : 0)
          + (len >= 6 ? (groups[5].value << 35) : 0)
          + (len >= 7 ? (groups[6].value << 42) : 0)
          + (len >= 8 ? (groups[7].value << 49) : 0)).as<u8>
      sign_bit: {value: '(1.as<u8> << (7 * len - 1)).as<u8>'}
      value_signed: {value: '((value ^ sign_bit).as<s8> - sign_bit.as<s8>).as<s8>'}
"""
)
"""The same, before: eight bytes count, however many there are."""

KAITAI_BE = (
    """
  vlq_base128_be:
    seq: [{id: groups, type: group, repeat: until, repeat-until: not _.has_next}]"""
    + _GROUP
    + """
      last: {value: groups.size - 1}
      value:
        value: |
          (groups[last].value
          + (last >= 1 ? (groups[last - 1].value << 7) : 0)
          + (last >= 2 ? (groups[last - 2].value << 14) : 0)
          + (last >= 3 ? (groups[last - 3].value << 21) : 0)
          + (last >= 4 ? (groups[last - 4].value << 28) : 0)
          + (last >= 5 ? (groups[last - 5].value << 35) : 0)
          + (last >= 6 ? (groups[last - 6].value << 42) : 0)
          + (last >= 7 ? (groups[last - 7].value << 49) : 0)).as<u8>
"""
)


def groups(value: int, *, more: int = 0) -> list[int]:
    """Return the groups, the lowest first, with that many zeros at the end."""
    return [value >> shift & 127 for shift in range(0, max(1, value.bit_length()), 7)] + [0] * more


def le(value: int, *, more: int = 0) -> bytes:
    found = groups(value, more=more)
    return bytes([*(each | 128 for each in found[:-1]), found[-1]])


def be(value: int, *, more: int = 0) -> bytes:
    found = groups(value, more=more)[::-1]
    return bytes([*(each | 128 for each in found[:-1]), found[-1]])


def zigzag(value: int) -> int:
    return value << 1 if value >= 0 else ~value << 1 | 1


def keyed(rule: str) -> str:
    """Return a spec whose type ``number`` has the key ``varint``."""
    return f"{TABLE}  number: {{-wireloom: {{varint: {rule}}}}}\n"


def of_kaitai(types: str, name: str = "vlq_base128_le") -> str:
    """Return a spec with a type of Kaitai's gallery."""
    return TABLE.replace("type: number", f"type: {name}") + types


FORMS: dict[str, Any] = {
    "le": (keyed("le"), le, 64, False),
    "be": (keyed("be"), be, 63, False),
    "le of 32 bits": (keyed("{order: le, bits: 32}"), le, 32, False),
    "le zigzag": (keyed("{order: le, signed: zigzag}"), le, 64, True),
    "be zigzag": (keyed("{order: be, signed: zigzag, bits: 21}"), be, 21, True),
    "of Kaitai, le": (of_kaitai(KAITAI_LE), le, 64, False),
    "of Kaitai, le, eight bytes": (of_kaitai(KAITAI_LE_8), le, 56, False),
    "of Kaitai, be": (of_kaitai(KAITAI_BE, "vlq_base128_be"), be, 56, False),
}


@pytest.mark.parametrize("reader", ROW_READERS)
@pytest.mark.parametrize("name", FORMS)
def test_numbers_of_every_size_are_read(reader: str, name: str) -> None:
    spec, encode, bits, signed = FORMS[name]
    format = format_of(spec)
    assert format.engine_refusal is None
    raw = [0, 1, 127, 128, (1 << bits) - 1, 1 << bits - 1, *(Random(1).getrandbits(1 + n % bits) for n in range(300))]
    values = [each >> 1 ^ -(each & 1) for each in raw] if signed else raw
    data = b"".join(encode(each) + b"\xee" for each in raw)
    table, file = read(reader, format, data)
    assert table.column("number").to_pylist() == values
    assert table.column("after").to_pylist() == [0xEE] * len(values)
    assert file["tail"] == "clean"
    assert file["damaged"] == []


@pytest.mark.slow
@pytest.mark.parametrize("reader", ROW_READERS)
@pytest.mark.parametrize("name", FORMS)
def test_cut_anywhere_and_in_small_windows(reader: str, name: str) -> None:
    spec, encode, bits, _ = FORMS[name]
    format = format_of(spec)
    rows = [encode((1 << bits) - 1 >> number) + b"!" for number in range(0, bits, 9)]
    data = b"".join(rows)
    for end in range(len(data) + 1):
        table, file = read(reader, format, data[:end], chunk=3, streamed=True)
        complete = next(count for count in range(len(rows), -1, -1) if len(b"".join(rows[:count])) <= end)
        assert table.num_rows == complete
        left = end - len(b"".join(rows[:complete]))
        assert (file["tail"], file["tail_size"]) == (("truncated", left) if left else ("clean", 0))


ADJACENT = """
meta: {{id: made, endian: le, -wireloom: {{rows: rows, columns: [{names}, body]}}}}
seq: [{{id: rows, type: row, repeat: eos}}]
types:
  row:
    seq:
{fields}
      - {{id: body, size: {last}.value}}
  number: {{-wireloom: {{varint: {{order: le{signed}}}}}}}
"""


@pytest.mark.slow
@pytest.mark.parametrize("reader", ROW_READERS)
@pytest.mark.parametrize("signed", [False, True])
@pytest.mark.parametrize("count", [2, 3, 4, 5, 8, 9, 20])
def test_adjacent_numbers_are_read_and_a_cut_costs_the_last_row(reader: str, signed: bool, count: int) -> None:
    """Most have one or two bytes, some more; the last one is the size of what follows."""
    names = [f"f{number}" for number in range(count)]
    fields = "\n".join(f"      - {{id: {name}, type: number}}" for name in names)
    more = ", signed: zigzag" if signed else ""
    text = ADJACENT.format(names=", ".join(names), fields=fields, last=names[-1], signed=more)
    format = format_of(text)
    assert format.engine_refusal is None
    chance, rows, ends, data = Random(count), [], [0], b""
    for number in range(400):
        bits = 13 if number % 5 else 62
        row = [chance.getrandbits(chance.randrange(1, bits)) for _ in range(count - 1)]
        row = [-each if signed and chance.random() < 0.5 else each for each in row] + [chance.randrange(3)]
        rows.append(row)
        data += b"".join(le(zigzag(each) if signed else each) for each in row) + b"ab"[: row[-1]]
        ends.append(len(data))
    table, file = read(reader, format, data)
    assert (file["tail"], file["damaged"]) == ("clean", [])
    assert [list(each.values())[:-1] for each in table.to_pylist()] == rows
    assert table.column("body").to_pylist() == [b"ab"[: row[-1]] for row in rows]
    for end in range(ends[-4], ends[-1]):
        table, file = read(reader, format, data[ends[380] : end])
        complete = bisect_right(ends, end) - 1
        assert table.num_rows == complete - 380
        assert file["tail_size"] == end - ends[complete]


ALONE = """
meta: {{id: made, endian: le, -wireloom: {{rows: rows}}}}
seq: [{{id: rows, type: row, repeat: eos}}]
types:
  row:
    seq:
{fields}
  number: {{-wireloom: {{varint: {{order: le{signed}}}}}}}
"""


@pytest.mark.parametrize("reader", ROW_READERS)
@pytest.mark.parametrize("signed", [False, True])
@pytest.mark.parametrize("count", [1, 2, 3, 4, 5, 20])
def test_rows_of_numbers_alone_are_read_up_to_the_limit_of_a_row(reader: str, signed: bool, count: int) -> None:
    """Most have one or two bytes, a few more; no row is larger than the limit."""
    fields = "\n".join(f"      - {{id: f{number}, type: number}}" for number in range(count))
    format = format_of(ALONE.format(fields=fields, signed=", signed: zigzag" if signed else ""))
    assert format.engine_refusal is None
    chance, rows, ends, data = Random(count), [], [0], b""
    for number in range(600):
        bits = 13 if number % 150 else 40
        row = [chance.getrandbits(chance.randrange(1, bits)) for _ in range(count)]
        rows.append([-each if signed and chance.random() < 0.5 else each for each in row])
        data += b"".join(le(zigzag(each) if signed else each) for each in rows[-1])
        ends.append(len(data))
    table, file = read(reader, format, data)
    assert (file["tail"], file["damaged"]) == ("clean", [])
    assert [list(each.values()) for each in table.to_pylist()] == rows
    assert read(reader, format, data[: ends[500] - 1])[0].num_rows == 499
    begin, limit = ends[1], max(count, 2 * count - 1)
    table, file = read(reader, format, data[begin:], max_record=limit)
    assert table.num_rows == next(i for i in range(1, 600) if ends[i + 1] - ends[i] > limit) - 1
    assert file["tail"] == "limit"


FAULTY = {
    "an eleventh byte": ("le", b"\xff" * 10 + b"\1", "invalid_value"),
    "ten bytes that go on, at the end": ("le", b"\xff" * 10, "invalid_value"),
    "a tenth byte too large": ("le", b"\xff" * 9 + b"\2!", [[0, 11, "value"]]),
    "a sixth byte": ("le of 32 bits", b"\x80" * 5 + b"\0!", "invalid_value"),
    "a fifth byte too large": ("le of 32 bits", b"\xff" * 4 + b"\x10!", [[0, 6, "value"]]),
    "a tenth byte too large, of Kaitai": ("of Kaitai, le", b"\xff" * 9 + b"\2!", [[0, 11, "value"]]),
    "a fourth byte": ("be zigzag", b"\x80\x80\x80\0!", "invalid_value"),
}


@pytest.mark.slow
@pytest.mark.parametrize("reader", ROW_READERS)
@pytest.mark.parametrize("name", FAULTY)
def test_numbers_that_are_too_long_or_too_large_are_damage(reader: str, name: str) -> None:
    form, wrong, found = FAULTY[name]
    spec, encode, _, _ = FORMS[form]
    good = encode(5) + b"!"
    _, file = read(reader, format_of(spec), wrong + good * 4)
    if isinstance(found, str):
        assert (file["tail"], file["rows"]) == (found, 0)
    else:
        assert (file["damaged"], file["rows"], file["tail"]) == (found, 4, "clean")
    table, _ = read(reader, format_of(spec), wrong + good * 4, recover=True)
    assert table.num_rows >= 3


@pytest.mark.parametrize("reader", ROW_READERS)
@pytest.mark.parametrize("name", ["le", "be", "le of 32 bits", "of Kaitai, le"])
def test_more_bytes_than_needed(reader: str, name: str) -> None:
    spec, encode, _, _ = FORMS[name]
    data = b"".join(encode(300, more=more) + b"!" for more in range(3))
    table, _ = read(reader, format_of(spec), data)
    assert table.column("number").to_pylist() == [300] * 3


@pytest.mark.parametrize("name", ["le", "be", "be zigzag", "of Kaitai, le"])
def test_numbers_are_written_and_those_of_more_bits_refused(name: str) -> None:
    spec, encode, bits, signed = FORMS[name]
    format = format_of(spec)
    raw = [0, 1, 127, 128, (1 << bits) - 1, 1 << bits - 1]
    values = [each >> 1 ^ -(each & 1) for each in raw] if signed else raw
    assert bytes_of(format, [{"number": each, "after": 7} for each in values]) == b"".join(
        encode(each) + b"\7" for each in raw
    )
    row = format.row_class
    for wrong in (1 << bits, -1 - (1 << bits)):
        with pytest.raises((ConsistencyError, KaitaiStructError)):
            row(number=wrong, after=0).to_bytes()


EVERYWHERE = """
meta:
  id: made
  endian: be
  -wireloom: {rows: batches.rows, columns: [base, number, size, body, maybe, many, pair, next, crc]}
seq:
  - {id: batches, type: batch, repeat: eos}
types:
  batch:
    seq:
      - {id: base, type: plain}
      - {id: count, type: plain}
      - {id: rows, type: row, repeat: expr, repeat-expr: count.value}
  row:
    seq:
      - {id: number, type: number}
      - {id: size, type: plain}
      - {id: body, size: size.value, type: str, encoding: UTF-8}
      - {id: maybe, type: number, if: size.value % 2 == 1}
      - {id: many, type: number, repeat: expr, repeat-expr: size.value % 3}
      - {id: pair, type: pair}
      - {id: crc, type: u4, -wireloom: {checksum: {algorithm: crc32, over: [number, pair]}}}
    instances:
      next: {value: _parent.base.value + number.value + pair.first.value}
  pair:
    seq:
      - {id: first, type: number}
      - {id: second, type: plain}
  plain: {-wireloom: {varint: le}}
  number: {-wireloom: {varint: {order: le, signed: zigzag}}}
"""


def packed(base: int, rows: list[dict[str, Any]]) -> bytes:
    made = le(base) + le(len(rows))
    for row in rows:
        body = row["body"].encode()
        maybe = le(zigzag(row["maybe"])) if row["maybe"] is not None else b""
        many = b"".join(le(zigzag(each)) for each in row["many"])
        pair = le(zigzag(row["pair"]["first"])) + le(row["pair"]["second"])
        summed = le(zigzag(row["number"])) + le(len(body)) + body + maybe + many + pair
        made += summed + zlib.crc32(summed).to_bytes(4, "big")
    return made


@pytest.mark.parametrize("reader", ROW_READERS)
def test_varints_in_units_lists_and_conditions_and_under_checksums_are_read(reader: str) -> None:
    format = format_of(EVERYWHERE)
    assert format.engine_refusal is None
    random = Random(2)
    expected: list[dict[str, Any]] = []
    data = b""
    for base in (0, 7, 1 << 40):
        rows = []
        for _ in range(random.randrange(9)):
            size = random.randrange(40)
            signed = [random.getrandbits(random.randrange(62)) * random.choice([1, -1]) for _ in range(5)]
            row = {"number": signed[0], "body": "x" * size, "maybe": signed[1] if size % 2 else None}
            pair = {"first": signed[2], "second": random.getrandbits(64)}
            rows.append({**row, "many": signed[3 : 3 + size % 3], "pair": pair})
            extra = {"base": base, "size": size, "next": base + signed[0] + signed[2]}
            expected.append({**rows[-1], **extra})
        data += packed(base, rows)
    table, file = read(reader, format, data)
    assert file["damaged"] == []
    assert [{key: value for key, value in row.items() if key != "crc"} for row in table.to_pylist()] == [
        {key: row[key] for key in table.column_names if key != "crc"} for row in expected
    ]


def test_a_type_of_which_more_is_asked_stays_what_it_is() -> None:
    spec = (
        of_kaitai(KAITAI_LE)
        .replace("columns: [number, after]", "columns: [size, value]")
        .replace(
            "      - {id: after, type: u1}",
            "      - {id: after, type: u1}\n    instances:\n      size: {value: number.len}\n"
            "      value: {value: number.value}",
        )
    )
    found = wireloom.read(format_of(spec), le(5) + b"!" + le(300) + b"!")
    assert found.to_pylist() == [{"size": 1, "value": 5}, {"size": 2, "value": 300}]


NO_VARINTS = {
    "another name": of_kaitai(KAITAI_LE.replace("vlq_base128_le", "number"), "number"),
    "a bit is missing": of_kaitai(KAITAI_LE.replace("0b111_1111", "0b11_1111")),
    "the highest first": of_kaitai(KAITAI_LE_8.replace("groups[1]", "groups[0]")),
    "two attributes": of_kaitai(KAITAI_LE_8.replace("not _.has_next}]", "not _.has_next}, {id: more, type: u1}]")),
}


@pytest.mark.parametrize("name", NO_VARINTS)
def test_what_is_no_varint(name: str, tmp_path: Path) -> None:
    path = tmp_path / "made.ksy"
    path.write_text(NO_VARINTS[name].replace("[number, after]", "[after]"))
    [row] = [each for each in load_model(path).root.structs if each.path[-1] == "row"]
    assert not isinstance(row.attributes[0].type, VarintType)


@pytest.mark.slow
@pytest.mark.parametrize("order", ["le", "be"])
@pytest.mark.parametrize("signed", [False, True])
def test_every_number_of_bits(order: str, signed: bool, tmp_path: Path) -> None:
    every = range(8, 65) if order == "le" else range(14, 64, 7)
    signs = ", signed: zigzag" if signed else ""
    rules = {bits: f"{{order: {order}, bits: {bits}{signs}}}" for bits in every}
    types = "".join(f"  t{bits}: {{-wireloom: {{varint: {rule}}}}}\n" for bits, rule in rules.items())
    fields = "".join(f"      - {{id: f{bits}, type: t{bits}}}\n" for bits in every)
    path = tmp_path / "made.ksy"
    head = TABLE.replace(", columns: [number, after]", "").replace("      - {id: number, type: number}\n", fields)
    path.write_text(head + types)
    [row] = [each for each in load_model(path).root.structs if each.path[-1] == "row"]
    found = {each.id: each.type for each in row.attributes if each.id != "after"}
    for bits in every:
        limits = (-(1 << bits - 1), (1 << bits - 1) - 1) if signed else (0, (1 << bits) - 1)
        assert isinstance(found[f"f{bits}"], VarintType)
        assert found[f"f{bits}"].limits == limits
