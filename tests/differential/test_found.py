"""Problems found by generated specs and damage: the smallest case of each, with both readers."""

from __future__ import annotations

import io
import zlib

import pyarrow as pa
import pytest
import wireloom
from wireloom import SpecError
from wireloom.objects import ConsistencyError

from ..unit.columns_backend.specs import format_of, spec_text
from ..writing import bytes_of
from .agreement import agreed

PADDED_AS_IT_ENDS = """
seq:
  - {id: kept, type: str, size: 6, encoding: ASCII, terminator: 0x2c, include: true, pad-right: 0x2c}
  - {id: cut, size: 4, terminator: 0, pad-right: 0}
"""

PEEKED = """
seq:
  - {id: number, type: u2be}
  - {id: word, terminator: 0, consume: false}
"""

LATE_CONTENTS = """
seq:
  - {id: len, type: u1}
  - {id: body, size: len}
  - {id: end, contents: [0xab]}
"""

SHORT = """
seq:
  - {id: word, type: strz, encoding: ASCII, consume: false}
  - {id: number, type: u4}
  - {id: body, size: number / 2}
"""


def test_what_pads_and_ends_a_value_alike_is_not_stripped() -> None:
    rows, _ = agreed(format_of(spec_text(PADDED_AS_IT_ENDS)), b"~ ,,,,a\0\0\0bc,xyz\0\0bc")
    assert rows["kept"] == ["~ ,", "bc,"]
    assert rows["cut"] == [b"a", b""]


def test_bytes_after_the_largest_record_have_no_say_in_it() -> None:
    _, [report] = agreed(format_of(spec_text(LATE_CONTENTS)), b"\x1e" + b"a" * 40, max_record=20)
    assert report["tail"] == "limit"
    # The terminator is the tenth byte; the row does not consume it, but examines it.
    peeked = b"\0\1abcdefg\0\0\2ab\0\3cd\0\4ef\0"
    _, [report] = agreed(format_of(spec_text(PEEKED)), peeked, max_record=9)
    assert (report["tail"], report["tail_offset"]) == ("limit", 0)
    rows, _ = agreed(format_of(spec_text(PEEKED)), peeked, max_record=9, recover=True)
    assert rows["word"] == [None, b"bcdefg", b"\2ab", b"cd", b"ef"]
    assert rows["_offset"] == [0, 1, 9, 14, 18]


def test_the_last_place_of_a_run_is_looked_at() -> None:
    # All zeros look alike, but the input ends only after the last four of them.
    data = b"\0\xff\xff\xff\xff" + b"abc" + bytes(6)
    rows, [report] = agreed(format_of(spec_text(SHORT)), data, recover=True)
    assert rows["_offset"] == [0, len(data) - 4]
    assert report["tail"] == "clean"


LINES = spec_text(
    "seq: [{id: body, size-eos: true}]",
    attribute="-wireloom: {framing: {delimiter: [0x0d, 0x0a, 0x0d], stuffing: none}}",
)


@pytest.mark.parametrize("body", [b"ab\r\n", b"\n\rab", b"\n", b"a\r\n\rb", b""])
def test_rows_that_make_a_delimiter_together_with_those_around_them_are_refused(body: bytes) -> None:
    format = format_of(LINES)
    for rows in ([{"body": b"x"}, {"body": body}], pa.table({"body": [b"x", body]})):
        with pytest.raises(wireloom.WireloomError, match="row 1: the record holds the delimiter"):
            wireloom.write(format, rows, io.BytesIO())
    with pytest.raises(ConsistencyError):
        format.root_class(rows=[format.row_class(body=body)]).to_bytes()


@pytest.mark.parametrize("body", [b"ab\r", b"\r", b"\r\rab\n", b"a\n\r"])
def test_rows_that_only_look_like_the_delimiter_are_written(body: bytes) -> None:
    format = format_of(LINES)
    rows, _ = agreed(format, bytes_of(format, [{"body": body}, {"body": body}]))
    assert rows["body"] == [body, body]


def test_bits_go_on_after_an_array_without_items() -> None:
    row = """
    seq:
      - {id: count, type: u1}
      - {id: high, type: b3}
      - {id: numbers, type: u1, repeat: expr, repeat-expr: count}
      - {id: low, type: b5}
    """
    format = format_of(spec_text(row))
    assert "inside a byte" in str(format.engine_refusal)
    rows, _ = agreed(format, b"\0\x2f\1\xff\7\x08")
    assert (rows["high"], rows["low"]) == ([1, 7], [15, 1])


def test_bits_go_on_after_an_optional_one() -> None:
    row = """
    seq:
      - {id: flag, type: u1}
      - {id: high, type: b3, if: flag > 0}
      - {id: low, type: b5}
    """
    format = format_of(spec_text(row))
    assert "inside a byte" in str(format.engine_refusal)
    rows, _ = agreed(format, b"\1\x2f\0\xff")
    assert (rows["high"], rows["low"]) == ([1, None], [15, 31])


def test_bits_go_on_after_a_type_that_ends_inside_a_byte() -> None:
    row = "seq: [{id: head, type: head}, {id: low, type: b5}]"
    head = """
    head:
      seq:
        - {id: sum, type: u4, -wireloom: {checksum: {algorithm: crc32, over: body}}}
        - {id: body, size: 1}
        - {id: high, type: b3}
    """
    format = format_of(spec_text(row, types=head))
    assert "inside a byte" in str(format.engine_refusal)
    rows, _ = agreed(format, zlib.crc32(b"a").to_bytes(4, "little") + b"a\x2f")
    assert rows["low"] == [15]


@pytest.mark.parametrize(
    ("row", "before"),
    [
        ("seq: [{id: a, type: b3}]", ""),
        ("seq: [{id: n, type: u1}, {id: a, type: b27le}]", ""),
        ("seq: [{id: a, type: b8}]", "- {id: version, type: b3}"),
    ],
)
def test_rows_are_whole_bytes(row: str, before: str) -> None:
    # If bits are left, Kaitai's streams have not ended, so no class reads such a file to its end.
    with pytest.raises(SpecError, match="rows must consist of whole bytes"):
        format_of(spec_text(row, before=before))


@pytest.mark.parametrize(
    ("row", "before"),
    [
        ("seq: [{id: a, type: b3}, {id: b, type: b5}]", ""),
        ("seq: [{id: a, type: b3}, {id: b, type: u1}]", ""),
        ("seq: [{id: a, type: b3}, {id: b, size: 0}]", ""),
        ("seq: [{id: a, type: b1}, {id: b, type: b7, if: a}, {id: c, type: b7, if: not a}]", ""),
        ("seq: [{id: a, type: u1}]", "- {id: version, type: b3}"),
    ],
)
def test_bits_that_fill_their_bytes_are_in_order(row: str, before: str) -> None:
    format = format_of(spec_text(row, before=before))
    data = bytes(range(1, 9))
    rows, [report] = agreed(format, data)
    assert report["tail"] == "clean"
    assert [each.a for each in format.root_class.from_bytes(data).rows] == rows["a"]


def test_writing_sets_no_contents_where_there_are_none() -> None:
    row = "seq: [{id: flag, type: u1}, {id: magic, contents: WL, if: flag > 0}]"
    format = format_of(spec_text(row))
    value = format.root_class.from_bytes(b"\0\1WL")
    assert value.to_bytes() == b"\0\1WL"
    assert [each.magic for each in value.rows] == [None, b"WL"]
    assert format.root_class(rows=[format.row_class(flag=1), format.row_class(flag=0)]).to_bytes() == b"\1WL\0"


def test_a_terminator_of_the_value_and_of_what_follows_is_written_once() -> None:
    row = "seq: [{id: word, terminator: 0x7c, include: true, consume: false}, {id: next, type: u2}]"
    format = format_of(spec_text(row))
    value = format.root_class.from_bytes(b"ab|z|y")
    assert [(each.word, each.next) for each in value.rows] == [(b"ab|", 0x7A7C), (b"|", 0x797C)]
    assert value.to_bytes() == b"ab|z|y"


COBS = "-wireloom: {framing: {delimiter: [0], stuffing: cobs}}"


@pytest.mark.parametrize(
    ("row", "plain"),
    [
        ("{id: word, terminator: 0x7c, consume: false}", b"ab|"),
        ("{id: word, terminator: 0x7c, consume: false, include: true}", b"ab|"),
        ("{id: word, terminator: 0x7c, consume: false, repeat: expr, repeat-expr: 2}", b"ab|"),
        ("{id: word, terminator: 0x7c, consume: false, repeat: until, repeat-until: 'true'}", b"|"),
        ("{id: word, type: str, encoding: ASCII, terminator: 0x7c, consume: false}", b"ab|"),
        ("{id: word, terminator: 0x7c, consume: false}, {id: rest, size-eos: true}", b"ab|cd"),
        ("{id: word, terminator: 0x7c, consume: false, eos-error: false}", b"ab"),
        ("{id: word, terminator: 0x7c, consume: false, eos-error: false}, {id: next, type: u1}", b"ab|"),
    ],
)
def test_a_terminator_that_nothing_takes_ends_the_frame(row: str, plain: bytes) -> None:
    format = format_of(spec_text(f"-wireloom: {{trailing-bytes: skip}}\nseq: [{row}]", attribute=COBS))
    data = b"".join(bytes([len(each) + 1]) + each + b"\0" for each in (plain, plain))
    value = format.root_class.from_bytes(data)
    assert len(value.rows) == 2
    assert value.to_bytes() == data


def test_a_terminator_that_nothing_takes_ends_a_field_of_given_size() -> None:
    row = "seq: [{id: sub, type: sub, size: 4}, {id: next, type: u1}]"
    types = "sub: {seq: [{id: word, terminator: 0x7c, consume: false}]}"
    format = format_of(spec_text(row, types=types))
    for data in (b"ab|\0x", b"abc|x", b"|\0\0\0x"):
        value = format.root_class.from_bytes(data)
        assert value.to_bytes() == data
    value.rows[0].sub.word = b"abcd"
    with pytest.raises(ConsistencyError, match="size"):
        value.to_bytes()


NO_BYTES = """
part:
  seq: [{id: items, type: item, repeat: expr, repeat-expr: 0}]
item:
  seq: [{id: a, type: u1}]
"""


@pytest.mark.parametrize("part", ["type: part", "size: 0, type: {switch-on: mark.length, cases: {0: item, 1: part}}"])
def test_a_checksum_over_an_object_without_bytes_proves_nothing(part: str) -> None:
    row = f"""
    seq:
      - {{id: mark, contents: [7]}}
      - {{id: part, {part}}}
      - {{id: sum, type: u4, -wireloom: {{checksum: {{algorithm: crc32, over: part}}}}}}
      - {{id: n, type: u1}}
    """
    format = format_of(spec_text(row, types=NO_BYTES, meta="columns: [n]"))
    assert format.engine_refusal is None
    good = b"\7\0\0\0\0\1"
    assert agreed(format, good + b"!" + good + good[:2], recover=True)[0]["n"] == [1]
    assert agreed(format, good + b"!" + good + good, recover=True)[0]["n"] == [1, None, 1, 1]


def test_a_row_is_found_after_bytes_that_claim_blocks_everywhere() -> None:
    block = "{size: 2, -wireloom: {codec: {switch-on: kind, cases: {0: none, 1: zlib}}}"
    format = format_of(
        spec_text(
            f"""
    seq:
      - {{id: kind, type: u1}}
      - {block}, id: first}}
      - {block}, id: second}}
      - {{id: n, type: u1}}
      - {{id: end, contents: [9]}}
    """,
            meta="columns: [n]",
        )
    )
    assert format.engine_refusal is None
    good = bytes([0, 1, 2, 3, 4, 7, 9])
    assert agreed(format, good + b"\1" * 300 + good, recover=True)[0]["n"] == [7, None, 7]


@pytest.mark.parametrize("valid", ["expr: 10 / a > 1", "min: 10 % a", "eq: 10 / a", "any-of: [10 / a]"])
def test_a_check_that_cannot_be_computed_refuses_the_value(valid: str) -> None:
    format = format_of(
        spec_text(f"seq: [{{id: a, type: u1}}, {{id: b, type: u1, valid: {{{valid}}}}}]", meta="columns: [a]")
    )
    assert format.engine_refusal is None
    rows, [file] = agreed(format, bytes([1, 10, 0, 5, 1, 10]))
    assert rows["a"] == [1, None, 1]
    assert (file["damaged"], file["tail"]) == ([[2, 2, "value"]], "clean")


@pytest.mark.parametrize("order", ["be", "le"])
def test_bit_fields_of_an_enum_share_a_byte(order: str) -> None:
    seq = f"[{{id: a, type: b4{order}, enum: e}}, {{id: b, type: b4{order}, enum: e}}, {{id: c, type: u1}}]"
    format = format_of(spec_text(f"seq: {seq}\nenums: {{e: {{1: x, 2: y}}}}"))
    assert format.engine_refusal is None
    rows, _ = agreed(format, bytes([0x21, 7, 0x34, 8]))
    assert rows["c"] == [7, 8]
    assert (rows["a"], rows["b"]) == (([2, 3], [1, 4]) if order == "be" else ([1, 4], [2, 3]))


PARTLY_DAMAGED = """
meta: {id: sample, endian: le, -wireloom: {rows: units.row}}
seq:
  - {id: version, type: u1}
  - {id: units, type: unit, repeat: until, repeat-until: _.left == 0}
types:
  unit: {seq: [{id: row, type: row}, {id: left, type: u1}]}
  row:
    seq:
      - {id: len, type: u1, valid: {max: 9}}
      - {id: body, size: len}
      - {id: last, type: u1, valid: {max: 40}}
"""


def test_bytes_after_a_refused_row_of_an_item_are_not_counted_as_read() -> None:
    format = format_of(PARTLY_DAMAGED)
    for options in ({}, {"batch_rows": 1}):
        _, [report] = agreed(format, b"\3\1a\x45\1\xff", **options)
        assert (report["bytes"], report["tail_offset"]) == (4, 4)
