"""Formats whose root is read as a whole: it is the only unit of an input."""

from pathlib import Path

import pytest
import wireloom
from wireloom import Damage

from ..specs import format_of

SPEC = """
meta: {id: archive, endian: le, -wireloom: {rows: entries, columns: [kind, name, version], selectable: [total]}}
seq:
  - {id: version, type: u1, valid: {max: 9}}
  - {id: count, type: u2}
  - {id: entries, type: entry, repeat: expr, repeat-expr: count}
  - {id: total, type: u4}
types:
  entry:
    seq:
      - {id: kind, type: u1, valid: {max: 5}}
      - {id: len, type: u1}
      - {id: name, size: len, type: str, encoding: UTF-8}
"""
SUMMED = SPEC.replace("type: u4}", "type: u4, -wireloom: {checksum: {algorithm: crc32, over: entries}}}")
DATA = b"\x03\x03\x00" + b"\x01\x01a" + b"\x02\x02bb" + b"\x03\x03ccc" + b"\x63\0\0\0"


@pytest.fixture(scope="module")
def archive() -> wireloom.Format:
    return format_of(SPEC)


@pytest.fixture(scope="module")
def summed() -> wireloom.Format:
    return format_of(SUMMED)


@pytest.mark.parametrize("batch_rows", [1, 2, 10])
def test_rows(archive: wireloom.Format, batch_rows: int) -> None:
    columns = ["_offset", "name", "version"]
    batches = list(wireloom.scan(archive, DATA, columns=columns, batch_rows=batch_rows))
    assert all(each.num_rows <= batch_rows for each in batches)
    rows = [row for each in batches for row in each.to_pylist()]
    assert rows == [
        {"_offset": 3, "name": "a", "version": 3},
        {"_offset": 6, "name": "bb", "version": 3},
        {"_offset": 10, "name": "ccc", "version": 3},
    ]
    _, report = wireloom.read_with_report(archive, DATA)
    [file] = report.files
    assert (file.rows, file.bytes, file.tail, file.tail_offset) == (3, len(DATA), "clean", len(DATA))
    assert report.engine == ("columns" if wireloom.engine.available else "objects")


def test_a_column_that_stands_after_the_rows_is_read_by_objects(archive: wireloom.Format) -> None:
    table, report = wireloom.read_with_report(archive, DATA, columns=["kind", "total"])
    assert table.to_pylist() == [{"kind": kind, "total": 99} for kind in (1, 2, 3)]
    assert report.engine == "objects"
    [total] = [each for each in archive.columns if each.name == "total"]
    assert total.engine_refusal == 'the column "total" is not a single value before the rows'


def test_nothing(archive: wireloom.Format) -> None:
    table, report = wireloom.read_with_report(archive, b"")
    assert table.num_rows == 0
    assert report.clean


def test_a_cut_off_input_gives_the_rows_before(archive: wireloom.Format) -> None:
    for end, names in ((1, ["a", "bb", "ccc"]), (5, ["a", "bb"]), (8, ["a", "bb"]), (9, ["a", "bb"]), (10, ["a"])):
        table, report = wireloom.read_with_report(archive, DATA[:-end], columns=["name"])
        assert table["name"].to_pylist() == names, end
        assert report.files[0].tail == "truncated"


def test_an_input_beyond_the_limit(archive: wireloom.Format) -> None:
    with pytest.raises(wireloom.DamagedInputError, match=r"read as a whole.*raise max_record to read it") as caught:
        wireloom.read(archive, DATA, max_record=len(DATA) - 1)
    assert caught.value.reason == "limit"
    with pytest.raises(wireloom.DamagedInputError, match="raise max_record"):
        wireloom.read(archive, DATA, max_record=len(DATA) - 1, mode="failfast")
    table, report = wireloom.read_with_report(archive, DATA, max_record=len(DATA) - 1, check_format=False)
    assert table.num_rows == 0
    assert (report.files[0].tail, report.files[0].tail_size) == ("limit", len(DATA))
    assert "max_record" in str(report.files[0].error)
    assert wireloom.read(archive, DATA, max_record=len(DATA)).num_rows == 3


def test_a_refused_value_of_a_row_is_damage_of_its_row(archive: wireloom.Format) -> None:
    bad = DATA.replace(b"\x02\x02bb", b"\x09\x02bb")
    table, report = wireloom.read_with_report(archive, bad, columns=["name", "_error", "_corrupt_record"])
    assert table["name"].to_pylist() == ["a", None, "ccc"]
    assert table["_corrupt_record"].to_pylist() == [None, b"\x09\x02bb", None]
    assert report.files[0].damaged == [Damage(6, 4, "value")]


@pytest.mark.parametrize("place", [0, -1])
def test_what_is_refused_outside_of_the_rows_concerns_everything(summed: wireloom.Format, place: int) -> None:
    bad = bytearray(DATA)
    bad[place] = 0xFF
    columns = ["name", "_error", "_corrupt_record"]
    table, report = wireloom.read_with_report(summed, bytes(bad), columns=columns)
    reason = "value" if place == 0 else "checksum"
    [row] = table.to_pylist()
    assert (row["name"], row["_error"].partition(":")[0], row["_corrupt_record"]) == (None, reason, bytes(bad))
    assert report.files[0].damaged == [Damage(0, len(bad), reason)]
    assert wireloom.read(summed, DATA, verify=False).num_rows == 3


def test_rows_of_a_cut_off_input_whose_checksum_is_missing_do_not_stand(summed: wireloom.Format) -> None:
    table, report = wireloom.read_with_report(summed, DATA[:-2], check_format=False)
    assert table.num_rows == 0
    assert (report.files[0].tail, report.files[0].tail_offset) == ("truncated", 0)
    assert wireloom.read(summed, DATA[:-2], verify=False).num_rows == 3


def test_there_are_no_byte_ranges(archive: wireloom.Format) -> None:
    with pytest.raises(wireloom.UnsupportedError, match="read as a whole"):
        wireloom.scan(archive, DATA, byte_range=(0, 5))


def test_a_table_is_written_with_its_count(tmp_path: Path) -> None:
    keys = "columns: [kind, name], parent-columns: [version, total]"
    format = format_of(SPEC.replace("columns: [kind, name, version], selectable: [total]", keys))
    table = wireloom.read(format, DATA)
    assert table.to_pylist()[0] == {"kind": 1, "name": "a", "version": 3, "total": 99}
    wireloom.write(format, table.slice(0, 2), tmp_path / "out.bin")
    assert (tmp_path / "out.bin").read_bytes() == b"\x03\x02\x00" + DATA[3:10] + DATA[-4:]


COMPUTED = """
meta: {id: shares, -wireloom: {rows: rows}}
seq: [{id: rows, type: row, repeat: eos}]
types:
  row:
    seq: [{id: parts, type: u1}]
    instances: {share: {value: 100 / parts}}
"""
TEXTS = """
meta: {id: texts, -wireloom: {rows: rows}}
seq: [{id: rows, type: row, repeat: eos}]
types:
  row:
    seq: [{id: parts, type: u1}]
    instances: {text: {value: 'parts.to_s + (parts == 9 ? "abcdefgh" : "b")'}}
"""
BYTES = bytes((1, 0, 2, 0, 4))


@pytest.fixture(params=[True, False], ids=["streaming", "whole"])
def shares(request: pytest.FixtureRequest) -> wireloom.Format:
    return format_of(COMPUTED if request.param else as_a_whole(COMPUTED))


def as_a_whole(spec: str) -> str:
    return spec.replace("repeat: eos", "repeat: expr, repeat-expr: _io.size")


@pytest.mark.parametrize("batch_rows", [1, 2, 10])
def test_a_value_that_cannot_be_computed_is_damage_of_its_row(shares: wireloom.Format, batch_rows: int) -> None:
    table, report = wireloom.read_with_report(shares, BYTES, columns=["share"], batch_rows=batch_rows)
    assert table["share"].to_pylist() == [100, 50, 25]
    [file] = report.files
    assert (file.rows, file.tail, [each.reason for each in file.damaged]) == (3, "clean", ["value"] * 2)
    assert not report.clean
    table, report = wireloom.read_with_report(shares, BYTES, columns=["share", "_error"], batch_rows=batch_rows)
    assert table["share"].to_pylist() == [100, None, 50, None, 25]
    assert [each is None for each in table["_error"].to_pylist()] == [True, False, True, False, True]
    assert (report.files[0].rows, len(report.files[0].damaged)) == (3, 2)
    dropped = wireloom.read(shares, BYTES, columns=["share", "_error"], mode="dropmalformed", batch_rows=batch_rows)
    assert dropped["share"].to_pylist() == [100, 50, 25]
    # Columns that can be computed are returned.
    assert wireloom.read(shares, BYTES, columns=["parts"])["parts"].to_pylist() == list(BYTES)


@pytest.mark.parametrize("batch_rows", [1, 2, 10])
def test_failfast_names_the_record_whose_value_cannot_be_computed(shares: wireloom.Format, batch_rows: int) -> None:
    with pytest.raises(wireloom.DamagedInputError) as caught:
        wireloom.read(shares, BYTES[2:], columns=["share"], mode="failfast", batch_rows=batch_rows)
    assert (caught.value.reason, caught.value.record) == ("value", 2)


@pytest.mark.parametrize("streaming", [True, False])
def test_a_value_over_the_limit_is_damage_of_its_row(streaming: bool) -> None:
    texts = format_of(TEXTS if streaming else as_a_whole(TEXTS))
    table, report = wireloom.read_with_report(texts, bytes((1, 9, 2)), columns=["text"], max_computed=5)
    assert table["text"].to_pylist() == ["1b", "2b"]
    assert ([each.reason for each in report.files[0].damaged], report.files[0].tail) == (["limit"], "clean")


def test_an_input_that_goes_on_is_not_clean(archive: wireloom.Format) -> None:
    table, report = wireloom.read_with_report(archive, DATA + DATA)
    assert table.num_rows == 3
    file = report.files[0]
    assert (file.tail, file.tail_offset, file.tail_size) == ("invalid_length", len(DATA), len(DATA))
    with pytest.raises(wireloom.DamagedInputError, match="has bytes after the end of the format") as caught:
        wireloom.read(archive, DATA + b"!", mode="failfast")
    assert caught.value.offset == len(DATA)
    _, report = wireloom.read_with_report(archive, DATA + bytes(100))
    assert report.files[0].tail_zeros


def test_bytes_that_an_instance_may_read_are_no_tail() -> None:
    instance = '    instances: {last: {pos: "_root._io.size - 1", io: _root._io, type: u1}}\n'
    elsewhere = format_of(SPEC + instance)
    _, report = wireloom.read_with_report(elsewhere, DATA + b"!")
    assert report.files[0].tail == "clean"


TABLES = """
meta:
  id: kinds
  -wireloom: {tables: {ones: {rows: 'records.body.as<one>'}, twos: {rows: 'records.body.as<two>'}}}
seq:
  - {id: magic, contents: KI}
  - {id: records, type: record, repeat: until, repeat-until: _.kind == 0}
types:
  record:
    seq:
      - {id: kind, type: u1}
      - {id: len, type: u1}
      - {id: body, size: len, type: {switch-on: kind, cases: {1: one, 2: two}}}
  one: {seq: [{id: a, type: u1}]}
  two: {seq: [{id: b, type: u1, valid: {max: 100}}]}
"""


def test_an_input_without_rows_of_one_table_is_of_the_format() -> None:
    kinds = format_of(TABLES)
    for cut in (b"KI\1\1a\1\1a\1", b"KI\1\1a\2\1\xff\0\0"):
        table, report = wireloom.read_with_report(kinds, cut, table="twos")
        assert table.num_rows == 0
        assert not report.clean
    for other in (b"not one", b"IK\1\1a\0\0"):
        with pytest.raises(wireloom.WrongFormatError):
            wireloom.read(kinds, other, table="twos")


def test_what_cannot_grow_is_not_waited_for(archive: wireloom.Format) -> None:
    with pytest.raises(wireloom.DamagedInputError) as raised:
        wireloom.read(archive, DATA[:9], mode="failfast")
    assert raised.value.advice == "mode='permissive' keeps the records before it"
    with pytest.raises(wireloom.DamagedInputError, match=r"tail='growing' waits for the rest of it$"):
        wireloom.read("cobs_log", b"\x02a\x00\x05b", mode="failfast")
