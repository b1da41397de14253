"""Varints: types of a spec that are found to be integers, by both readers, in every form and damaged."""

from __future__ import annotations

import io
import zlib
from bisect import bisect_right
from pathlib import Path
from random import Random
from typing import Any

import pytest
import wireloom
from wireloom.codegen.expression import VarintType
from wireloom.codegen.model import load_spec as load_model
from wireloom.objects import ConsistencyError, KaitaiStructError

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

KEYED = "  number: {-wireloom: {varint: RULE}}\n"

LOOSE = """
  number:
    seq:
      - {id: bytes, type: u1, repeat: until, repeat-until: _ & 0x80 == 0}
    instances:
      value: {value: "(bytes[0] & 127) | (bytes.size > 1 ? (bytes[1] & 127) << 7 : 0)"}
"""
"""Only two bytes count, however many there are."""

GROUPS = """
  number:
    seq:
      - {id: parts, type: part, repeat: until, repeat-until: not _.more}
    instances:
      result: {value: "parts.last.bits + (parts.size > 1 ? parts[parts.size - 2].bits * 128 : 0)"}
  part:
    seq:
      - {id: more, type: b1}
      - {id: bits, type: b7}
"""
"""The highest first, as objects of bits."""

CHAINED = """
  number:
    seq:
      - id: parts
        type: "part(_index, _index == 0 ? 0 : parts[_index - 1].sum, _index == 0 ? 1 : parts[_index - 1].factor * 128)"
        repeat: until
        repeat-until: not _.more
    instances:
      value: {value: parts.last.sum}
  part:
    params:
      - {id: place, type: s4}
      - {id: before, type: u8}
      - {id: factor, type: u8}
    seq:
      - {id: more, type: b1, valid: "place == 9 ? false : more"}
      - {id: bits, type: b7, valid: {max: "place == 9 ? 1 : 127"}}
    instances:
      sum: {value: before + bits * factor}
"""
"""At most ten bytes, the lowest first, each of which knows the sum of the previous ones."""

ZIGZAG = """
  number:
    seq:
      - {id: raw, type: plain}
    instances:
      signed: {value: (raw.value >> 1) ^ -(raw.value & 1)}
  plain: {-wireloom: {varint: le}}
"""


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


FORMS: dict[str, Any] = {
    "le": (KEYED.replace("RULE", "le"), le, 64, False),
    "be": (KEYED.replace("RULE", "be"), be, 63, False),
    "le of 32 bits": (KEYED.replace("RULE", "{order: le, bits: 32}"), le, 32, False),
    "le zigzag": (KEYED.replace("RULE", "{order: le, signed: zigzag}"), le, 64, True),
    "be zigzag": (KEYED.replace("RULE", "{order: be, signed: zigzag, bits: 21}"), be, 21, True),
    "loose": (LOOSE, le, 14, False),
    "objects of bits": (GROUPS, be, 14, False),
    "chained": (CHAINED, le, 64, False),
    "undone zigzag": (ZIGZAG, le, 64, True),
}


@pytest.mark.parametrize("reader", ROW_READERS)
@pytest.mark.parametrize("name", FORMS)
def test_every_number(reader: str, name: str) -> None:
    types, encode, bits, signed = FORMS[name]
    format = format_of(TABLE + types)
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
    types, encode, bits, _ = FORMS[name]
    format = format_of(TABLE + types)
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
def test_adjacent_numbers(reader: str, signed: bool, count: int) -> None:
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
def test_rows_of_numbers_alone(reader: str, signed: bool, count: int) -> None:
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
    "a fifth byte too large in the chain": ("chained", b"\xff" * 9 + b"\2!", [[0, 11, "value"]]),
    "a fourth byte": ("be zigzag", b"\x80\x80\x80\0!", "invalid_value"),
}


@pytest.mark.slow
@pytest.mark.parametrize("reader", ROW_READERS)
@pytest.mark.parametrize("name", FAULTY)
def test_too_long_or_too_large(reader: str, name: str) -> None:
    form, wrong, found = FAULTY[name]
    types, encode, _, _ = FORMS[form]
    good = encode(5) + b"!"
    _, file = read(reader, format_of(TABLE + types), wrong + good * 4)
    if isinstance(found, str):
        assert (file["tail"], file["rows"]) == (found, 0)
    else:
        assert (file["damaged"], file["rows"], file["tail"]) == (found, 4, "clean")
    table, _ = read(reader, format_of(TABLE + types), wrong + good * 4, recover=True)
    assert table.num_rows >= 3


@pytest.mark.parametrize("reader", ROW_READERS)
@pytest.mark.parametrize("name", ["le", "be", "le of 32 bits", "chained"])
def test_more_bytes_than_needed(reader: str, name: str) -> None:
    types, encode, _, _ = FORMS[name]
    data = b"".join(encode(300, more=more) + b"!" for more in range(3))
    table, _ = read(reader, format_of(TABLE + types), data)
    assert table.column("number").to_pylist() == [300] * 3


@pytest.mark.parametrize("name", ["le", "be", "be zigzag", "chained", "undone zigzag"])
def test_written(name: str) -> None:
    types, encode, bits, signed = FORMS[name]
    format = format_of(TABLE + types)
    raw = [0, 1, 127, 128, (1 << bits) - 1, 1 << bits - 1]
    values = [each >> 1 ^ -(each & 1) for each in raw] if signed else raw
    target = io.BytesIO()
    wireloom.write(format, [{"number": each, "after": 7} for each in values], target)
    assert target.getvalue() == b"".join(encode(each) + b"\7" for each in raw)
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
def test_everywhere(reader: str) -> None:
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
    table = TABLE.replace("columns: [number, after]", "columns: [size, value]").replace(
        "      - {id: after, type: u1}",
        "      - {id: after, type: u1}\n    instances:\n      size: {value: number.bytes.size}\n"
        "      value: {value: number.value}",
    )
    format = format_of(table + LOOSE)
    found = wireloom.read(format, le(5) + b"!" + le(300) + b"!")
    assert found.to_pylist() == [{"size": 1, "value": 5}, {"size": 2, "value": 300}]


NO_VARINTS = {
    "the flag is kept": LOOSE.replace("_ & 0x80 == 0", "_ & 0x80 != 0"),
    "a bit is missing": LOOSE.replace("bytes[1] & 127", "bytes[1] & 63"),
    "a byte is counted twice": LOOSE.replace("bytes[1] & 127", "bytes[0] & 127"),
    "eight bits each": LOOSE.replace("<< 7", "<< 8"),
    "two attributes": LOOSE.replace("    instances:", "      - {id: more, type: u1}\n    instances:"),
    "wrong at the tenth byte": CHAINED.replace("place == 9 ? 1", "place == 9 ? 3"),
    "wrong zigzag": ZIGZAG.replace("^ -(", "^ ("),
}


@pytest.mark.parametrize("name", NO_VARINTS)
def test_what_is_no_varint(name: str, tmp_path: Path) -> None:
    path = tmp_path / "made.ksy"
    path.write_text(TABLE.replace("[number, after]", "[after]") + NO_VARINTS[name])
    [row] = [each for each in load_model(path).root.structs if each.path[-1] == "row"]
    assert not isinstance(row.attributes[0].type, VarintType)


def test_a_changed_type_is_recognised_anew(tmp_path: Path) -> None:
    path = tmp_path / "made.ksy"
    found = []
    for types in (GROUPS, GROUPS.replace("type: b7", "type: b7, valid: 1"), GROUPS, GROUPS.replace("* 128", "* 64")):
        path.write_text(TABLE.replace("[number, after]", "[after]") + types)
        [row] = [each for each in load_model(path).root.structs if each.path[-1] == "row"]
        found.append(isinstance(row.attributes[0].type, VarintType))
    assert found == [True, False, True, False]


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
