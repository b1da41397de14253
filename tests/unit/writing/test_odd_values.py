"""Values of any type in any column are written, or refused by a ``WireloomError``, never by a Python error."""

import datetime
import decimal
import io
import random
from pathlib import Path
from typing import Any

import pytest
import wireloom
from wireloom.format import format_of as get

from ...examples import examples

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
def test_any_value_in_any_column(name: str, tmp_path: Path) -> None:
    (tmp_path / "sized_text.ksy").write_text(SIZED)
    format = wireloom.load_spec(tmp_path / "sized_text.ksy") if name == "sized_text" else get(name)
    columns = [each.name for each in format.columns]
    choice = random.Random(name)
    for _ in range(examples(400)):
        row = {each: choice.choice(VALUES) for each in columns if choice.random() < 0.85}
        for rows in ([row], {column: [value] for column, value in row.items()}):
            assert "has no attribute" not in written(format, rows)


def test_a_text_of_another_size_than_its_field(tmp_path: Path) -> None:
    (tmp_path / "sized_text.ksy").write_text(SIZED)
    format = wireloom.load_spec(tmp_path / "sized_text.ksy")
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
