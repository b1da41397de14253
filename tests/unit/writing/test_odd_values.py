"""Values of any type in any column are written, or refused by a ``WireloomError``, never by a Python error."""

import datetime
import decimal
import gzip
import io
import random
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
import wireloom
from wireloom import WireloomError
from wireloom.format.registry import get

from ...examples import examples
from ..specs import format_of

VALUES: list[Any] = [
    None, True, 0, -1, 255, 256, 2**31, 2**63 - 1, -(2**63), 2**70, 1.5, float("nan"), float("inf"),
    "", "x", "\ud800", "é" * 3, b"", b"\x00\xff", object(),
    datetime.datetime(1960, 1, 1), datetime.datetime(2260, 1, 1, tzinfo=datetime.UTC), datetime.date(2020, 1, 1),
    datetime.timedelta(1), datetime.time(1), decimal.Decimal("1.5"),
    [], [1], ["a"], [None], {}, {"a": 1}, [{"k": 1}], {"name": b"x"}, [{"name": b"x", "value": b"y"}],
]  # fmt: skip
SIZED = """
meta: {id: sized_text, endian: le, -wireloom: {rows: rows}}
seq: [{id: rows, type: row, repeat: eos}]
types:
  row: {seq: [{id: number, type: u1}, {id: text, size: 2, type: str, encoding: latin1}]}
"""
FORMATS = ["edgemq_segment", "kpl_aggregated_record", "word_stuffed_log", "cobs_log", "s2_session", "s2_messages"]


def written(format: Any, rows: Any) -> str:
    """Return why the rows are refused; empty if they are not."""
    try:
        wireloom.write(format, rows, io.BytesIO())
    except wireloom.WireloomError as error:
        return str(error)
    return ""


@pytest.mark.slow
@pytest.mark.parametrize("name", [*FORMATS, "sized_text"])
def test_any_value_in_any_column(name: str) -> None:
    format = format_of(SIZED) if name == "sized_text" else get(name)
    columns = [each.name for each in format.columns]
    choice = random.Random(name)
    for _ in range(examples(400)):
        row = {each: choice.choice(VALUES) for each in columns if choice.random() < 0.85}
        for rows in ([row], {column: [value] for column, value in row.items()}):
            assert "has no attribute" not in written(format, rows)


def test_a_text_of_another_size_than_its_field() -> None:
    format = format_of(SIZED)
    assert "row 0 cannot be written: Check failed: text (size), expected: 2, actual: 3" in written(
        format, [{"number": 1, "text": "abc"}]
    )


@pytest.mark.parametrize("tags", [1, "ab", ["ab"], [("a",)], [(1, "b")], [("a", 1)], {1: "a"}])
def test_tags_that_are_no_pairs(tags: Any) -> None:
    row = {"partition_key": "a", "data": b"x", "tags": tags}
    assert "column tags: " in written("kpl_aggregated_record", [row])


@pytest.mark.parametrize(
    ("headers", "column"),
    [
        ([{"key": None, "value": b"x"}], "headers[0].key"),
        ([{"key": "a", "value": None}, {"value": b"x"}], "headers[1].key"),
        ([{"key": "a", "value": None}, None], "headers[1]"),
    ],
)
def test_null_in_a_list_of_structs(headers: list[dict[str, Any] | None], column: str) -> None:
    row = {"offset": 0, "timestamp": 0, "key": None, "value": None}
    rows = [{**row, "headers": []}, {**row, "offset": 1, "headers": headers}]
    with pytest.raises(wireloom.WireloomError) as raised:
        wireloom.write("kafka_log", rows, io.BytesIO())
    sentence = f"row 1 cannot be written: column {column} is null, but the format has no null: give a value"
    assert str(raised.value) == sentence


INSIDE = """
meta: {id: inside, endian: le, -wireloom: {rows: rows, columns: [one, many, numbers]}}
seq: [{id: rows, type: row, repeat: eos}]
types:
  row:
    seq:
      - {id: one, type: real}
      - {id: count, type: u1}
      - {id: many, type: real, repeat: expr, repeat-expr: count}
      - {id: size, type: u1}
      - {id: numbers, type: s2, repeat: expr, repeat-expr: size}
  real: {seq: [{id: a, type: f4}]}
"""
GOOD = {"one": {"a": 1.0}, "many": [], "numbers": [1, -2]}


@pytest.mark.parametrize("make", [list, pa.Table.from_pylist], ids=["mappings", "table"])
@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"one": {"a": 1e39}}, "row 1, column one: {'a': 1e\\+39} does not fit"),
        ({"many": [{"a": 0.0}, {"a": -1e300}]}, "row 1, column many: .*-1e\\+300.* does not fit"),
        ({"numbers": [40000]}, "row 1, column numbers: \\[40000\\] does not fit"),
    ],
)
def test_values_inside_of_others_must_fit(make, wrong, said):
    format = format_of(INSIDE)
    with pytest.raises(WireloomError, match=said):
        wireloom.write(format, make([GOOD, {**GOOD, **wrong}]), io.BytesIO())
    wireloom.write(format, make([GOOD, {**GOOD, "one": {"a": float("inf")}}]), out := io.BytesIO())
    assert wireloom.read(format, out.getvalue())["one"].to_pylist()[1] == {"a": float("inf")}


@pytest.mark.parametrize("data", [gzip.compress(b"\1a", mtime=0)[1:], b"\xb5\x2f\xfd" + bytes(range(37))])
def test_rows_that_begin_like_a_compressed_file_are_refused(data: bytes, tmp_path: Path):
    format = format_of(
        "meta: {id: sized, -wireloom: {rows: rows}}\nseq: [{id: rows, type: row, repeat: eos}]\n"
        "types: {row: {seq: [{id: n, type: u1}, {id: d, size: n}]}}\n"
    )
    rows = [{"d": data.ljust(31, b"\0")[:31] if data[0] == 0x8B else data}]
    with pytest.raises(WireloomError, match=r"the rows begin like a file in (gzip|zstd)"):
        wireloom.write(format, rows, tmp_path / "rows.bin")
    assert not (tmp_path / "rows.bin").exists()
    for codec in ("none", "zstd"):
        wireloom.write(format, rows, tmp_path / "rows.bin", codec=codec)
        assert wireloom.read(format, tmp_path / "rows.bin", codec=codec).to_pylist()[0]["d"] == rows[0]["d"]
