"""Formats whose root is read as a whole: the same rows, without places."""

import dataclasses
from pathlib import Path

import pytest
import wireloom
from wireloom import Damage
from wireloom.format import registry

from . import samples

WHOLE = dataclasses.replace(registry.get("edgemq_segment"), streaming=False, choices=())
SEGMENT = samples.frames([b"a", b"bb", b"ccc"])


def test_rows() -> None:
    table, report = wireloom.read_with_report(WHOLE, SEGMENT, columns=["_offset", "payload"], batch_rows=2)
    assert table.to_pylist() == [{"_offset": None, "payload": payload} for payload in (b"a", b"bb", b"ccc")]
    [file] = report.files
    assert (file.rows, file.bytes, file.tail, file.tail_offset) == (3, len(SEGMENT), "clean", len(SEGMENT))
    assert report.engine == "objects"


def test_nothing() -> None:
    table, report = wireloom.read_with_report(WHOLE, b"")
    assert table.num_rows == 0
    assert report.clean


def test_a_cut_off_input_gives_the_rows_before() -> None:
    table, report = wireloom.read_with_report(WHOLE, SEGMENT[:-1])
    assert table["payload"].to_pylist() == [b"a", b"bb"]
    assert report.files[0].tail == "truncated"


def test_an_input_beyond_the_limit() -> None:
    table, report = wireloom.read_with_report(WHOLE, SEGMENT, max_record=30)
    assert table.num_rows == 0
    assert (report.files[0].tail, report.files[0].tail_size) == ("limit", len(SEGMENT))
    assert "max_record" in str(report.files[0].error)


def test_what_is_refused_concerns_everything() -> None:
    bad = SEGMENT[:-1] + b"x"
    columns = ["payload", "_error", "_corrupt_record"]
    table, report = wireloom.read_with_report(WHOLE, bad, columns=columns)
    assert table.to_pylist() == [
        {"payload": None, "_error": "checksum: the checksum does not hold", "_corrupt_record": bad}
    ]
    assert report.files[0].damaged == [Damage(0, len(bad), "checksum")]
    assert wireloom.read(WHOLE, bad, verify=False).num_rows == 3


def test_there_are_no_byte_ranges() -> None:
    with pytest.raises(wireloom.UnsupportedError, match="read as a whole"):
        wireloom.scan(WHOLE, SEGMENT, byte_range=(0, 5))


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
DATA = bytes((1, 0, 2, 0, 4))


@pytest.fixture(params=[True, False], ids=["streaming", "whole"])
def shares(request: pytest.FixtureRequest, tmp_path: Path) -> wireloom.Format:
    path = tmp_path / "shares.ksy"
    path.write_text(COMPUTED)
    return dataclasses.replace(wireloom.load_spec(path), streaming=request.param)


@pytest.mark.parametrize("batch_rows", [1, 2, 10])
def test_a_value_that_cannot_be_computed_is_damage_of_its_row(shares: wireloom.Format, batch_rows: int) -> None:
    table, report = wireloom.read_with_report(shares, DATA, columns=["share"], batch_rows=batch_rows)
    assert table["share"].to_pylist() == [100, 50, 25]
    [file] = report.files
    assert (file.rows, file.tail, [each.reason for each in file.damaged]) == (3, "clean", ["value"] * 2)
    assert not report.clean
    table, report = wireloom.read_with_report(shares, DATA, columns=["share", "_error"], batch_rows=batch_rows)
    assert table["share"].to_pylist() == [100, None, 50, None, 25]
    assert [each is None for each in table["_error"].to_pylist()] == [True, False, True, False, True]
    assert (report.files[0].rows, len(report.files[0].damaged)) == (3, 2)
    dropped = wireloom.read(shares, DATA, columns=["share", "_error"], mode="dropmalformed", batch_rows=batch_rows)
    assert dropped["share"].to_pylist() == [100, 50, 25]
    # Columns that can be had are.
    assert wireloom.read(shares, DATA, columns=["parts"])["parts"].to_pylist() == list(DATA)


@pytest.mark.parametrize("batch_rows", [1, 2, 10])
def test_failfast_names_the_record_whose_value_cannot_be_computed(shares: wireloom.Format, batch_rows: int) -> None:
    with pytest.raises(wireloom.DamagedInputError) as caught:
        wireloom.read(shares, DATA[2:], columns=["share"], mode="failfast", batch_rows=batch_rows)
    assert (caught.value.reason, caught.value.record) == ("value", 2)


@pytest.mark.parametrize("streaming", [True, False])
def test_a_value_over_the_limit_is_damage_of_its_row(tmp_path: Path, streaming: bool) -> None:
    (tmp_path / "texts.ksy").write_text(TEXTS)
    texts = dataclasses.replace(wireloom.load_spec(tmp_path / "texts.ksy"), streaming=streaming)
    table, report = wireloom.read_with_report(texts, bytes((1, 9, 2)), columns=["text"], max_computed=5)
    assert table["text"].to_pylist() == ["1b", "2b"]
    assert ([each.reason for each in report.files[0].damaged], report.files[0].tail) == (["limit"], "clean")
