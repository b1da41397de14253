"""Integers that the type of their column cannot represent: both readers agree, and nothing is silently lost."""

import struct

import pyarrow as pa
import pytest
import wireloom
from wireloom import Damage

from ..specs import format_of

HEAD = """meta: {id: t, endian: le, -wireloom: {rows: rows}}
seq: [{id: rows, type: row, repeat: eos}]
"""
SWITCH = "types: {row: {seq: [{id: k, type: u1}, {id: v, type: {switch-on: k, cases: {1: %s, 2: %s}}}]}}\n"
LARGEST = (1 << 64) - 1


@pytest.fixture(params=["", "objects"])
def engine(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("WIRELOOM_ENGINE", request.param)
    return str(request.param)


def load(types: str) -> wireloom.Format:
    return format_of(HEAD + types)


def instance(attributes: str, value: str, more: str = "") -> str:
    return f"types: {{row: {{seq: [{attributes}], instances: {{v: {{value: '{value}'{more}}}}}}}}}\n"


def test_an_integer_in_a_column_of_floats_is_the_nearest_one(engine: str) -> None:
    format = load(SWITCH % ("u8", "f8"))
    data = b"".join(struct.pack("<BQ", 1, each) for each in (5, (1 << 53) + 1, LARGEST)) + struct.pack("<Bd", 2, 0.5)
    table, report = wireloom.read_with_report(format, data)
    assert report.clean
    assert table.schema.field("v").type == pa.float64()
    assert table["v"].to_pylist() == [5.0, 2.0**53, 2.0**64, 0.5]


@pytest.mark.parametrize("value", ["a > 5 ? a : f", "[a, f].max"])
def test_computed_ones_too(engine: str, value: str) -> None:
    format = load(instance("{id: a, type: u8}, {id: f, type: f8}", value))
    table, report = wireloom.read_with_report(format, struct.pack("<Qd", LARGEST, 1.0))
    assert report.clean
    assert table["v"].to_pylist() == [2.0**64]


def test_an_integer_beyond_all_floats_is_damage_of_its_row(engine: str) -> None:
    value = " * ".join(["a"] * 17)
    format = load(instance("{id: a, type: u8}, {id: f, type: f8}", f"f > 0 ? {value} : f"))
    data = struct.pack("<QdQd", LARGEST, 1.0, 1, 1.0)
    table, report = wireloom.read_with_report(format, data)
    assert table["v"].to_pylist() == [1.0]
    assert report.files[0].damaged == [Damage(0, 16, "value")]


def test_cases_of_several_signs(engine: str) -> None:
    format = load(SWITCH % ("u8", "s8"))
    data = struct.pack("<BQBqBQ", 1, LARGEST, 2, -1, 1, 7)
    table, report = wireloom.read_with_report(format, data)
    assert table["v"].to_pylist() == [-1, 7]
    assert report.files[0].damaged == [Damage(0, 9, "value")]
    with pytest.raises(wireloom.WireloomError):
        wireloom.read(format, data, mode="failfast")


def test_cases_of_which_none_is_negative(engine: str) -> None:
    format = load(SWITCH % ("u8le", "u8be"))
    data = struct.pack("<BQ", 1, LARGEST) + struct.pack(">BQ", 2, LARGEST - 1)
    table, report = wireloom.read_with_report(format, data)
    assert report.clean
    assert table.schema.field("v").type == pa.uint64()
    assert table["v"].to_pylist() == [LARGEST, LARGEST - 1]


@pytest.mark.parametrize(
    ("value", "type", "held", "refused"),
    [
        ("a + 1", "uint64", [0, LARGEST - 1], [LARGEST]),
        ("a - 1", "int64", [0, 1 << 63], [LARGEST, (1 << 63) + 1]),
        ("-a", "int64", [0, 1 << 63], [(1 << 63) + 1]),
        ("~a", "int64", [0, (1 << 63) - 1], [1 << 63]),
        ("a * 2", "uint64", [0, (1 << 63) - 1], [1 << 63, LARGEST]),
        ("(a * 300).as<u1>", "uint8", [0], [1, LARGEST]),
        ("(a - 300).as<s1>", "int8", [172, 427], [171, 428]),
    ],
)
def test_computed_integers(engine: str, value: str, type: str, held: list[int], refused: list[int]) -> None:
    format = load(instance("{id: a, type: u8}", value))
    numbers = [*refused, *held]
    table, report = wireloom.read_with_report(format, b"".join(struct.pack("<Q", each) for each in numbers))
    assert str(table.schema.field("v").type) == type
    assert table["a"].to_pylist() == held
    assert table["v"].null_count == 0
    assert report.files[0].damaged == [Damage(8 * row, 8, "value") for row in range(len(refused))]
    assert wireloom.read(format, struct.pack("<Q", refused[0]), columns=["a"]).num_rows == 1


LABELS = "enums: {e: {1: x, 18446744073709551615: z}}\n"


@pytest.mark.parametrize(
    "types",
    [
        "types: {row: {seq: [{id: v, type: u8, enum: e, -wireloom: {labels: true}}]}}\n",
        instance("{id: a, type: u8, enum: e}", "a", ", -wireloom: {labels: true}"),
    ],
)
def test_labels_of_large_numbers(engine: str, types: str) -> None:
    format = load(types + LABELS)
    data = struct.pack("<QQQ", LARGEST, 1, 1 << 63)
    table, report = wireloom.read_with_report(format, data, columns=["v"])
    assert report.clean
    assert table["v"].to_pylist() == ["z", "x", str(1 << 63)]


def test_labels_of_computed_numbers(engine: str) -> None:
    more = ", enum: e, -wireloom: {labels: true}"
    format = load(instance("{id: a, type: u8}", "a + 1", more) + LABELS)
    table, report = wireloom.read_with_report(format, struct.pack("<QQQ", LARGEST, LARGEST - 1, 0))
    assert table["v"].to_pylist() == ["z", "x"]
    assert report.files[0].damaged == [Damage(0, 8, "value")]


def test_a_label_that_no_value_can_have(engine: str) -> None:
    types = "types: {row: {seq: [{id: v, type: s1, enum: e, -wireloom: {labels: true}}]}}\n"
    format = load(types + LABELS)
    assert wireloom.read(format, b"\x01\xff")["v"].to_pylist() == ["x", "-1"]


def test_an_enum_shown_by_an_instance(engine: str) -> None:
    format = load(instance("{id: a, type: u8}", "a", ", enum: e") + LABELS)
    table = wireloom.read(format, struct.pack("<Q", LARGEST))
    assert table["v"].to_pylist() == [LARGEST]
