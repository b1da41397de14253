"""Lists of pairs as maps."""

import io
import struct
from typing import Any

import pyarrow as pa
import pytest
import wireloom
from wireloom import SpecError, WireloomError

from ..specs import format_of

SPEC = """
meta: {id: bag, endian: le, -wireloom: {rows: rows, columns: [id, named, counts, deep]}}
seq: [{id: rows, type: row, repeat: eos}]
types:
  row:
    seq:
      - {id: id, type: u1, valid: {max: 9}}
      - {id: named, type: named}
      - {id: num_counts, type: u1}
      - id: counts
        type: count
        repeat: expr
        repeat-expr: num_counts
        if: num_counts < 9
        -wireloom: {map: {key: class, value: amount}}
      - {id: num_deep, type: u1}
      - id: deep
        type: outer
        repeat: expr
        repeat-expr: num_deep
        -wireloom: {map: {key: both.key, value: both.held}}
  named:
    seq:
      - {id: num_pairs, type: u1}
      - id: pairs
        type: pair
        repeat: expr
        repeat-expr: num_pairs
        -wireloom: {map: {key: key.text, value: value.text}}
  pair:
    seq: [{id: key, type: text}, {id: value, type: text}]
  text:
    seq: [{id: len, type: u1}, {id: text, size: len, type: str, encoding: UTF-8}]
  count:
    seq:
      - {id: class, type: u2}
      - {id: amount, type: s4}
  outer:
    seq: [{id: both, type: both}]
  both:
    seq:
      - {id: held, type: named}
      - {id: key, type: u1}
"""


def text(value: str) -> bytes:
    return bytes([len(value.encode())]) + value.encode()


def named(pairs: list[tuple[str, str]]) -> bytes:
    return bytes([len(pairs)]) + b"".join(text(key) + text(value) for key, value in pairs)


def row(id: int, pairs: list[tuple[str, str]], counts: list[tuple[int, int]] | None, deep: Any = ()) -> bytes:
    counted = bytes([9 if counts is None else len(counts)])
    counted += b"".join(struct.pack("<Hi", *each) for each in counts or ())
    inside = b"".join(named(held) + bytes([key]) for key, held in deep)
    return bytes([id]) + named(pairs) + counted + bytes([len(deep)]) + inside


ROWS = [
    (1, [("a", "x"), ("b", ""), ("a", "y")], [(1, -1)], [(3, [("q", "r")]), (3, [])]),
    (2, [], [], []),
    (3, [("c", "z")], None, []),
    (4, [("d", "é")], [(7, 5), (8, 6)], [(0, [("s", "t"), ("u", "v")])]),
]
DATA = b"".join(row(*each) for each in ROWS)


def as_rows(table: pa.Table) -> list[Any]:
    rows = table.to_pylist()
    for each in rows:
        each["deep"] = [(key, held["pairs"]) for key, held in each["deep"]]
    return [(each["id"], each["named"]["pairs"], each["counts"], each["deep"]) for each in rows]


def test_lists_of_pairs_are_maps() -> None:
    format = format_of(SPEC)
    assert format.engine_refusal is None
    table = wireloom.read(format, DATA)
    table.validate(full=True)
    assert table.schema.field("counts").type == pa.map_(pa.uint16(), pa.int32())
    assert table.schema.field("named").type.field("pairs").type == pa.map_(pa.utf8(), pa.utf8())
    assert as_rows(table) == ROWS
    for options in ({"batch_rows": 1}, {"columns": ["deep", "counts", "id", "named"]}):
        assert as_rows(wireloom.read(format, DATA, **options)) == ROWS
    assert wireloom.read(format, DATA, columns=["counts"])["counts"].to_pylist() == [each[2] for each in ROWS]


def test_damage_leaves_whole_maps() -> None:
    format = format_of(SPEC)
    damaged = DATA.replace(bytes([2]) + named([]), bytes([77]) + named([]), 1)
    table, report = wireloom.read_with_report(format, damaged, columns=["id", "named", "counts", "deep", "_error"])
    table.validate(full=True)
    assert [each.reason for each in report.files[0].damaged] == ["value"]
    assert table["counts"].to_pylist() == [[(1, -1)], None, None, [(7, 5), (8, 6)]]
    assert as_rows(wireloom.read(format, damaged)) == [each for each in ROWS if each[0] != 2]
    for end in range(len(DATA)):
        whole = as_rows(wireloom.read(format, DATA[:end], check_format=False))
        assert whole == ROWS[: len(whole)]


def test_maps_are_written() -> None:
    format = format_of(SPEC.replace("        if: num_counts < 9\n", ""))
    written = io.BytesIO()
    data = b"".join(row(*each) for each in ROWS if each[2] is not None)
    wireloom.write(format, wireloom.read(format, data), written)
    assert written.getvalue() == data
    given = [{"id": 1, "named": {"pairs": {"k": "v"}}, "counts": {5: 6}, "deep": [(1, {"pairs": [("m", "n")]})]}]
    written = io.BytesIO()
    wireloom.write(format, given, written)
    assert as_rows(wireloom.read(format, written.getvalue())) == [(1, [("k", "v")], [(5, 6)], [(1, [("m", "n")])])]
    for wrong in ({5: 6.5}, {70000: 1}, {"x": 1}, [(None, 1)], [5], {5: None}):
        with pytest.raises(WireloomError):
            wireloom.write(format, [given[0] | {"counts": wrong}], io.BytesIO())
    for inner in ({"pairs": [("m", "n")], "more": 1}, {"pairs": [("m", 1)]}):
        with pytest.raises(WireloomError):
            wireloom.write(format, [given[0] | {"deep": [(1, inner)]}], io.BytesIO())


@pytest.mark.parametrize(
    ("map", "message"),
    [
        ("{key: clas, value: amount}", "bag::count has no attribute 'clas'; did you mean 'class'"),
        ("{key: class, value: class}", "one of its key and its value contains the other"),
        ("{key: class, value: class.low}", "one of its key and its value contains the other"),
        ("{key: class.low, value: amount}", "'class' is not a struct, so it has no attribute 'low'"),
        ("{key: class}", "value"),
        ("{key: [class], value: amount}", "names separated by dots"),
        ("{key: class, value: amount, keys: 3}", "did you mean 'key'"),
    ],
)
def test_mistakes(map: str, message: str) -> None:
    with pytest.raises(SpecError) as caught:
        format_of(SPEC.replace("{key: class, value: amount}", map))
    assert message in str(caught.value)
    assert "made.ksy:" in str(caught.value)


@pytest.mark.parametrize(
    ("attribute", "message"),
    [
        ("{id: class, type: f4}", "a key must be an integer, text or bytes, but 'class' is "),
        (
            "{id: class, type: u2, if: _parent.id > 3}",
            "may be absent or have several types, but a map cannot have null keys",
        ),
        ("{id: class, type: u2, repeat: expr, repeat-expr: 2}", "integer, text or bytes, but 'class' is a list"),
        ("{id: class, type: text}", "a key must be an integer, text or bytes"),
        ("{id: class, type: u4, -wireloom: {timestamp: s}}", "a key must be an integer, text or bytes"),
    ],
)
def test_what_cannot_be_a_key(attribute: str, message: str) -> None:
    with pytest.raises(SpecError) as caught:
        format_of(SPEC.replace("{id: class, type: u2}", attribute))
    assert message in str(caught.value)


def test_what_cannot_be_a_map() -> None:
    once = SPEC.replace("repeat: expr\n        repeat-expr: num_counts\n        if", "if")
    with pytest.raises(SpecError, match="'map' requires a repeated attribute with a user-defined type"):
        format_of(once)
    both = SPEC.replace("value: amount}}", "value: amount}, timestamp: s}")
    with pytest.raises(SpecError, match="'timestamp' and 'map' cannot be used together"):
        format_of(both)


def test_a_map_with_more_in_its_items_is_only_read() -> None:
    longer = "{id: class, type: u1}\n      - {id: more, type: u1}"
    format = format_of(SPEC.replace("{id: class, type: u2}", longer))
    table = wireloom.read(format, DATA)
    assert table["counts"].to_pylist()[0] == [(1, -1)]
    with pytest.raises(WireloomError, match=r"no column contains count\.more"):
        wireloom.write(format, table, io.BytesIO())
