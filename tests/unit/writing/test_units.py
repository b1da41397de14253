"""Rows inside units: which of them are in the same one, what is filled in, and what is refused."""

import struct
import zlib
from pathlib import Path

import pyarrow as pa
import pytest
import wireloom
from click.testing import CliRunner
from wireloom import WireloomError
from wireloom.command import main
from wireloom.objects import ConsistencyError

from ...writing import bytes_of
from ..specs import format_of

BATCHES = """
meta: {id: batches, endian: be, -wireloom: {rows: batches.body.records, columns: [topic, text]}}
seq:
  - {id: magic, contents: "BL"}
  - {id: batches, type: batch, repeat: eos}
types:
  batch:
    seq:
      - {id: topic, type: strz, encoding: UTF-8}
      - {id: len, type: u2}
      - {id: crc, type: u4, -wireloom: {checksum: {algorithm: crc32, over: body}}}
      - {id: body, type: body, size: len}
  body:
    seq: [{id: count, type: u1}, {id: records, type: record, repeat: expr, repeat-expr: count}]
  record:
    seq: [{id: len_text, type: u1}, {id: text, type: str, size: len_text, encoding: UTF-8, valid: {expr: '_ != "bad"'}}]
"""


def batch(topic: bytes, *texts: bytes) -> bytes:
    body = bytes([len(texts)]) + b"".join(bytes([len(text)]) + text for text in texts)
    return topic + b"\0" + struct.pack(">HI", len(body), zlib.crc32(body)) + body


def rows_of(*pairs: tuple[str, str]) -> list[dict[str, str]]:
    return [{"topic": topic, "text": text} for topic, text in pairs]


def test_rows_of_equal_values_share_a_unit() -> None:
    rows = rows_of(("a", "x"), ("a", "y"), ("b", ""), ("a", "z"))
    data = b"BL" + batch(b"a", b"x", b"y") + batch(b"b", b"") + batch(b"a", b"z")
    format = format_of(BATCHES)
    assert bytes_of(format, rows) == data
    table = wireloom.read(format, data)
    assert table.to_pylist() == rows
    assert bytes_of(format, table) == data
    # The batches of the table make no difference.
    assert bytes_of(format, [table.slice(0, 1), table.slice(1, 2), table.slice(3)]) == data
    assert bytes_of(format, []) == b"BL"


def test_how_many_rows_a_unit_has() -> None:
    format = format_of(BATCHES)
    rows = rows_of(*[("a", "x")] * 5)
    assert bytes_of(format, rows, unit_rows=2) == b"BL" + batch(b"a", b"x", b"x") * 2 + batch(b"a", b"x")
    assert bytes_of(format, rows, unit_bytes="3") == b"BL" + batch(b"a", b"x", b"x", b"x") + batch(b"a", b"x", b"x")
    # A count of one byte.
    many = wireloom.read(format, bytes_of(format, rows * 100), columns=["count"])["count"].to_pylist()
    assert many == [255] * 255 + [245] * 245
    # A length of two bytes.
    long = wireloom.read(format, bytes_of(format, [{"topic": "a", "text": "x" * 255}] * 600), columns=["len"])
    assert long.num_rows == 600
    limited = bytes_of(format, rows, max_record=len(batch(b"a", b"x", b"x")))
    assert limited == b"BL" + batch(b"a", b"x", b"x") + batch(b"a", b"x") + batch(b"a", b"x", b"x")


def test_the_row_is_named_that_cannot_be_written() -> None:
    format = format_of(BATCHES)
    for rows, message in (
        (rows_of(("a", "x"), ("a", "bad"), ("a", "y")), "row 1 cannot be written"),
        (rows_of(*[("a", "x")] * 3, ("b", "y" * 300)), "row 3 cannot be written"),
        ([{"text": "x"}], "cannot be written without the column topic"),
        ([{"topic": "a", "text": None}], "row 0, column text: null"),
        ([{"topic": None, "text": "a"}], "row 0, column topic: null"),
    ):
        with pytest.raises(WireloomError, match=message):
            bytes_of(format, rows)
    with pytest.raises(WireloomError, match=r"row 0 cannot be written: .* bytes on the wire are more than max_record"):
        bytes_of(format, rows_of(("a", "x")), max_record=5)
    for options in ({"unit_rows": 0}, {"unit_bytes": "many"}, {"unit_size": 1}):
        with pytest.raises(WireloomError, match="unit_"):
            bytes_of(format, rows_of(("a", "x")), **options)


def test_by_the_command_line(tmp_path: Path) -> None:
    (tmp_path / "some.ksy").write_text(BATCHES)
    (tmp_path / "rows.json").write_text('{"topic": "a", "text": "x"}\n' * 3)
    names = [str(tmp_path / name) for name in ("some.ksy", "rows.json", "out")]
    result = CliRunner().invoke(main, ["encode", *names[:2], "-o", names[2], "--option", "unit_rows=2"])
    assert result.exit_code == 0, result.output
    assert (tmp_path / "out").read_bytes() == b"BL" + batch(b"a", b"x", b"x") + batch(b"a", b"x")


UNTIL = """
meta: {id: until, endian: le, -wireloom: {rows: units.rows, columns: [left, at]}}
seq: [{id: units, type: unit, repeat: eos}]
types:
  unit: {seq: [{id: rows, type: row, repeat: until, repeat-until: _.left == 0}, {id: end, contents: [255]}]}
  row: {seq: [{id: left, type: u1}, {id: at, type: u1}]}
"""


def test_a_row_ends_its_unit() -> None:
    format = format_of(UNTIL)
    data = b"\2\7\1\7\0\7\xff\0\7\xff"
    assert bytes_of(format, wireloom.read(format, data), unit_rows=2) == data
    with pytest.raises(WireloomError, match="row 1 is the last one with these values, but does not end rows"):
        bytes_of(format, wireloom.read(format, data).slice(0, 2))


BLOCKS = """
meta: {id: blocks, endian: le, -wireloom: {rows: blocks.groups.rows, columns: [kind, group, share, at, version]}}
seq:
  - {id: version, type: u1}
  - {id: many, type: u1}
  - {id: blocks, type: block, repeat: expr, repeat-expr: many}
  - {id: sum, type: u4, -wireloom: {checksum: {algorithm: crc32, over: blocks}}}
types:
  block:
    seq:
      - {id: kind, type: u1}
      - {id: len, type: u2}
      - {id: groups, type: groups, size: len, -wireloom: {codec: {name: zlib, max-expanded: 9000}}}
  groups:
    seq: [{id: rows, type: group, repeat: eos}]
  group:
    seq: [{id: group, type: u1}, {id: share, type: f4}, {id: n, type: u1}, {id: at, type: u2}]
"""
NESTED = BLOCKS.replace("rows: blocks.groups.rows", "rows: blocks.groups.groups.rows").replace(
    "seq: [{id: rows, type: group, repeat: eos}]", "seq: [{id: groups, type: group, repeat: eos}]"
).replace(
    "{id: n, type: u1}, {id: at, type: u2}]", "{id: n, type: u1}, {id: rows, type: row, repeat: expr, repeat-expr: n}]"
) + "  row: {seq: [{id: at, type: u2}]}\n"  # fmt: skip


def test_objects_inside_of_each_other() -> None:
    format = format_of(NESTED)
    nan = float("nan")
    given = [(1, 1, 0.0), (1, 1, 0.0), (1, 1, -0.0), (1, 2, nan), (1, 2, nan), (2, 2, nan), (2, 3, 1.5)]
    rows = [{"kind": k, "group": g, "share": s, "at": at, "version": 3} for at, (k, g, s) in enumerate(given)]

    def block(kind: int, *groups: tuple[int, float, list[int]]) -> bytes:
        data = b"".join(struct.pack("<BfB", g, s, len(at)) + struct.pack(f"<{len(at)}H", *at) for g, s, at in groups)
        data = zlib.compress(data)
        return struct.pack("<BH", kind, len(data)) + data

    blocks = block(1, (1, 0.0, [0, 1]), (1, -0.0, [2]), (2, nan, [3, 4])) + block(2, (2, nan, [5]), (3, 1.5, [6]))
    data = b"\3\2" + blocks + struct.pack("<I", zlib.crc32(blocks))
    assert bytes_of(format, rows) == data
    assert bytes_of(format, wireloom.read(format, data)) == data
    with pytest.raises(WireloomError, match="row 7, column version: 4 after 3, and a file has one value of it"):
        bytes_of(format, [*rows, {"kind": 1, "group": 1, "share": 0.0, "at": 1, "version": 4}])
    with pytest.raises(WireloomError, match="'version'"):
        bytes_of(format, [])
    groups = wireloom.read(format, bytes_of(format, rows[:2] * 300), columns=["n"])["n"].to_pylist()
    assert groups == [255] * 510 + [90] * 90
    with pytest.raises(WireloomError, match="row 255 has no room in a file of blocks"):
        bytes_of(format, [rows[0] | {"kind": number % 2} for number in range(256)])


def test_rows_that_are_one_to_a_unit() -> None:
    format = format_of(BLOCKS)
    rows = [{"kind": 1, "group": 1, "share": 0.5, "n": 9, "at": at, "version": 3} for at in range(3)]
    assert wireloom.read(format, bytes_of(format, rows), columns=list(rows[0])).to_pylist() == rows


SOLVED = """
meta: {id: solved, endian: le, -wireloom: {rows: units.rows, columns: [offset, twice, delta, text]}}
seq: [{id: units, type: unit, repeat: eos}]
types:
  unit: {seq: [{id: first, type: u8}, {id: n, type: u1}, {id: rows, type: row, repeat: expr, repeat-expr: n}]}
  row:
    seq: [{id: delta, type: u1}, {id: half, type: u1}, {id: text, size: 1}]
    instances: {offset: {value: _parent.first + delta}, twice: {value: half * 2 + 1}}
"""


def test_what_an_instance_is_solved_for() -> None:
    format = format_of(SOLVED)
    rows = [
        {"offset": 10, "delta": 0, "twice": 7, "text": b"a"},
        {"offset": 12, "delta": 2, "twice": 9, "text": b"b"},
        {"offset": 14, "delta": 1, "twice": 9, "text": b"c"},
    ]
    data = struct.pack("<QBBBsBBs", 10, 2, 0, 3, b"a", 2, 4, b"b") + struct.pack("<QBBBs", 13, 1, 1, 4, b"c")
    assert bytes_of(format, rows) == data
    assert bytes_of(format, wireloom.read(format, data)) == data
    # An attribute that is itself a column is not searched for.
    given = [row | {"first": 5, "half": 0} for row in rows]
    assert (
        wireloom.read(format, bytes_of(format, given), columns=["first", "half"]).to_pylist()
        == [{"first": 5, "half": 0}] * 3
    )
    with pytest.raises(WireloomError, match="row 1, column twice: no half comes to 8"):
        bytes_of(format, [rows[0], rows[1] | {"twice": 8}])
    with pytest.raises(WireloomError, match="row 0 cannot be written: "):
        bytes_of(format, [rows[0] | {"offset": 1, "delta": 2}])
    with pytest.raises(WireloomError, match="without the column first"):
        bytes_of(format, [{"delta": 1, "twice": 7, "text": b"a"}])


def test_a_table_of_spark_or_other_libraries() -> None:
    format = format_of(BATCHES)
    table = pa.table({"topic": pa.array(["a", "a"]).dictionary_encode(), "text": pa.array(["x", "y"], pa.large_utf8())})
    assert bytes_of(format, table) == b"BL" + batch(b"a", b"x", b"y")


LOST = """
meta: {id: lost, -wireloom: {rows: units.rows}}
seq: [{id: units, type: unit, repeat: eos}]
types:
  unit:
    seq: [{id: n, type: u1}, {size: 1}, {id: head, type: head}, {id: rows, type: row, repeat: expr, repeat-expr: n}]
  head: {seq: [{id: a, type: u1}]}
  row: {seq: [{id: b, type: u1}]}
"""


def test_what_no_column_holds_is_named(tmp_path: Path) -> None:
    format = format_of(LOST)
    assert wireloom.read(format, b"\1\7\7\7")["b"].to_pylist() == [7]
    with pytest.raises(WireloomError, match=r"no column contains unit\._unnamed1, head\.a: "):
        bytes_of(format, [{"b": 1}])
    (tmp_path / "some.ksy").write_text(LOST)
    result = CliRunner().invoke(main, ["check", "--writing", str(tmp_path / "some.ksy")])
    assert "note: tables of lost cannot be written, since no column contains unit._unnamed1, head.a: " in result.output


ACTIONS = """
meta: {id: actions, endian: le, -wireloom: {rows: actions.body.as<payment>, columns: [at, amount]}}
seq: [{id: actions, type: action, repeat: eos}]
types:
  action:
    seq:
      - {id: at, type: u2}
      - {id: kind, type: u1, enum: kind}
      - {id: len, type: u1}
      - {id: body, size: len - 1, type: {switch-on: kind, cases: {'kind::login': login, 'kind::payment': payment}}}
  login: {seq: [{id: user, type: str, size-eos: true, encoding: UTF-8}]}
  payment: {seq: [{id: amount, type: u4}]}
enums: {kind: {1: login, 2: payment}}
"""


def test_a_switch_leads_to_the_rows() -> None:
    """The attribute on which it switches is derived, and so is the size of the selected type."""
    format = format_of(ACTIONS)
    data = struct.pack("<HBBIHBBI", 7, 2, 5, 1000, 8, 2, 5, 1)
    rows = [{"at": 7, "amount": 1000}, {"at": 8, "amount": 1}]
    assert bytes_of(format, rows) == data
    assert wireloom.read(format, data).to_pylist() == rows
    everything = wireloom.read(format, data, columns=[each.name for each in format.columns])
    assert bytes_of(format, everything) == data
    with pytest.raises(WireloomError, match=r"body, expected: .*Login, as selected by the switch"):
        bytes_of(format, [rows[0] | {"kind": 1}])


def test_the_size_of_what_a_switch_chooses() -> None:
    kind = format_of(ACTIONS).class_of("Actions.Action")
    login = format_of(ACTIONS).class_of("Actions.Login")
    assert kind(at=1, kind=1, body=login(user="eve")).to_bytes() == b"\1\0\1\4eve"
    assert kind(at=1, kind=9, body=b"??").to_bytes() == b"\1\0\x09\3??"
    for wrong in (b"??", None):
        with pytest.raises(ConsistencyError, match="Login, as selected by the switch"):
            kind(at=1, kind=1, body=wrong).to_bytes()


@pytest.mark.parametrize("head", ["", "{id: magic, contents: [7]}, "])
def test_a_row_that_is_not_in_the_table(head: str) -> None:
    format = format_of(
        "meta: {id: some, -wireloom: {rows: rows, where: kind == 5}}\n"
        f"seq: [{head}{{id: rows, type: row, repeat: eos}}]\n"
        "types: {row: {seq: [{id: kind, type: u1}, {id: at, type: u1}]}}\n",
    )
    data = b"\7" * bool(head) + b"\5\1\5\2"
    assert bytes_of(format, wireloom.read(format, data)) == data
    with pytest.raises(WireloomError, match="row 1 cannot be written: the condition of the table, 'where', is false"):
        bytes_of(format, [{"kind": 5, "at": 1}, {"kind": 6, "at": 2}])


def test_rows_at_positions_are_only_read() -> None:
    format = format_of(
        "meta: {id: placed, -wireloom: {rows: rows}}\nseq: [{id: at, type: u1}]\n"
        "instances: {rows: {pos: at, type: row, repeat: expr, repeat-expr: 2}}\n"
        "types: {row: {seq: [{id: a, type: u1}]}}\n",
    )
    table = wireloom.read(format, b"\2\0\7\6", columns=["a", "at"])
    assert table["a"].to_pylist() == [7, 6]
    with pytest.raises(WireloomError, match="its rows are reached through instances with positions"):
        bytes_of(format, table)


FLAT = """
meta: {id: flat, endian: le, -wireloom: {rows: batches.rows, columns: [head, inner, at], flatten: true}}
seq: [{id: batches, type: batch, repeat: eos}]
types:
  batch: {seq: [{id: head, type: head}, {id: n, type: u1}, {id: rows, type: row, repeat: expr, repeat-expr: n}]}
  head: {seq: [{id: tenant, type: u1}, {id: len, type: u1}, {id: class, size: len}]}
  row: {seq: [{id: at, type: u1}, {id: inner, type: inner, if: at > 3}]}
  inner: {seq: [{id: x, type: u1}, {id: deep, type: deep}]}
  deep: {seq: [{id: y, type: u1}]}
"""


def test_a_flattened_table() -> None:
    format = format_of(FLAT)
    data = b"\5\1A\2\4\1\2\3" + b"\6\0\1\5\3\4"
    table = wireloom.read(format, data)
    assert table.column_names[:2] == ["head.tenant", "head.len"]
    assert table["inner.deep.y"].to_pylist() == [2, None, 4]
    assert bytes_of(format, table) == data
    rows = table.to_pylist()
    with pytest.raises(WireloomError, match=r"row 0, column inner.x cannot be written: it has a value, but"):
        bytes_of(format, [rows[1] | {"inner.x": 1, "inner.deep.y": 2}])
    with pytest.raises(WireloomError, match=r"row 0 cannot be written: an object of a type of the spec was expected"):
        bytes_of(format, [rows[0] | {"inner.deep.y": None}])
    with pytest.raises(WireloomError, match=r"row 0, column head.tenant: null"):
        bytes_of(format, [rows[0] | {"head.tenant": None}])


def test_a_flattened_table_of_rows_alone() -> None:
    rows = "rows: rows, columns: [inner, at], flatten: true"
    text = FLAT.replace("rows: batches.rows, columns: [head, inner, at], flatten: true", rows)
    format = format_of(text.replace("{id: batches, type: batch,", "{id: rows, type: row,"))
    data = b"\4\1\2\3\5\3\4"
    assert bytes_of(format, wireloom.read(format, data)) == data
    lost = text.replace("deep: {seq: [{id: y, type: u1}", "deep: {seq: [{id: y, type: u1}, {size: 1}")
    assert format_of(lost.replace("{id: batches, type: batch,", "{id: rows, type: row,")).unfilled


GIVEN_COUNTS = """
meta: {id: given_counts, endian: be, -wireloom: {rows: batches.body.records, columns: [codec, count, value]}}
seq: [{id: batches, type: batch, repeat: eos}]
types:
  batch:
    seq:
      - {id: codec, type: u1}
      - {id: count, type: u1}
      - {id: len, type: u2}
      - {id: body, type: body, size: len, -wireloom: {codec: {switch-on: codec, cases: {0: none, 1: gzip}}}}
  body: {seq: [{id: records, type: record, repeat: expr, repeat-expr: _parent.count}]}
  record: {seq: [{id: value, type: u1}]}
"""


@pytest.mark.parametrize("streaming", [True, False])
def test_the_cause_is_that_of_all_rows_of_a_unit(streaming: bool) -> None:
    repeat = "repeat: eos" if streaming else "repeat: expr, repeat-expr: 1"
    format = format_of(GIVEN_COUNTS.replace("repeat: eos", repeat))
    assert format.streaming == streaming
    rows = [{"codec": 0, "count": 4, "value": value} for value in range(4)]
    assert wireloom.read(format, bytes_of(format, rows)).to_pylist() == rows
    for changed, message in (
        ({"codec": 5}, r"no case of 'codec' matches, expected one of those for none or gzip$"),
        ({"count": 3}, r"records \(count\), expected: 3, actual: 4$"),
    ):
        with pytest.raises(WireloomError, match="cannot be written: .*" + message) as raised:
            bytes_of(format, [row | changed for row in rows])
        assert type(raised.value) is WireloomError


def test_what_the_table_lacks_is_said_once() -> None:
    text = """
meta: {id: whole, endian: be, -wireloom: {rows: batches.body.as<one>.items, columns: [kind, value]}}
seq: [{id: count, type: u1}, {id: batches, type: batch, repeat: expr, repeat-expr: count}]
types:
  batch:
    seq:
      - {id: topic, type: u1}
      - {id: kind, type: u1}
      - {id: body, type: {switch-on: kind, cases: {1: one}}}
  one: {seq: [{id: items, type: item, repeat: eos}]}
  item: {seq: [{id: value, type: u1}]}
"""
    format = format_of(text)
    with pytest.raises(WireloomError) as raised:
        bytes_of(format, [{"value": 1}])
    assert str(raised.value).startswith(
        "whole cannot be written without the column topic: the table has value, the format needs value, topic."
    )
    with pytest.raises(wireloom.UnknownNameError, match=r"^unknown column of whole 'valeu'"):
        bytes_of(format, [{"valeu": 1}])


def test_errors_of_rows_are_of_a_public_class() -> None:
    format = format_of(
        UNTIL.replace("[left, at]", "[left, at], parent-columns: [version]").replace(
            "seq: [{id: units", "seq: [{id: version, type: u1}, {id: units"
        ),
    )
    rows = [{"version": version, "left": 0, "at": 1} for version in (1, 2)]
    with pytest.raises(
        WireloomError, match="row 1, column version: 2 after 1, and a file has one value of it"
    ) as raised:
        bytes_of(format, rows)
    assert type(raised.value) is WireloomError
