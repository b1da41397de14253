"""Decimal numbers of COBOL: packed and zoned, as columns of decimals."""

from __future__ import annotations

import itertools
from array import array
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pytest
import wireloom
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st
from wireloom import engine
from wireloom.command import main
from wireloom.rows.decimals import decimal_array, decimal_bytes, decimal_value, unscaled

from ...examples import examples
from .running import ROW_READERS, read

SPEC = """
meta: {id: sums, endian: be, -wireloom: {rows: rows, columns: [paid, owed, wide, many, inner]}}
seq: [{id: rows, type: row, repeat: eos}]
types:
  row:
    seq:
      - {id: has_owed, type: u1}
      - {id: paid, size: 4, -wireloom: {decimal: {form: packed, scale: 2}}}
      - {id: owed, size: 3, if: has_owed == 1, -wireloom: {decimal: {form: zoned, scale: 1, signed: false}}}
      - {id: wide, size: 19, -wireloom: {decimal: {form: packed, scale: 37}}}
      - {id: many, size: 1, repeat: expr, repeat-expr: 2, -wireloom: {decimal: packed}}
      - {id: inner, type: inner}
  inner:
    seq: [{id: long, size: 38, -wireloom: {decimal: zoned}}]
"""
LONG = "9" * 38


@pytest.fixture(scope="module")
def sums(tmp_path_factory: pytest.TempPathFactory) -> wireloom.Format:
    path = tmp_path_factory.mktemp("spec") / "sums.ksy"
    path.write_text(SPEC)
    return wireloom.load_spec(path)


def row(
    paid: str = "1234567c", owed: str = "f1f2f3", wide: str = "1" * 37 + "d", many: str = "1c2d", last: str = "d9"
) -> bytes:
    return bytes.fromhex(f"{int(bool(owed)):02x}{paid}{owed}{wide}{many}" + "f9" * 37 + last)


WHOLE = {
    "paid": Decimal("12345.67"),
    "owed": Decimal("12.3"),
    "wide": Decimal("-0." + "1" * 37),
    "many": [Decimal(1), Decimal(-2)],
    "inner": {"long": Decimal("-" + LONG)},
}
GOOD: list[tuple[dict[str, str], dict[str, Any]]] = [
    ({}, {}),
    ({"owed": ""}, {"owed": None}),
    ({"paid": "0000000d"}, {"paid": Decimal("0.00")}),
    *(({"paid": f"123456{n}{sign}"}, {"paid": Decimal(f"1234.56{n}").scaleb(1)}) for n, sign in enumerate("acef", 1)),
    *(({"paid": f"000000{n}{sign}"}, {"paid": Decimal(f"-0.0{n}")}) for n, sign in enumerate("bd", 1)),
    *(({"last": f"{sign}9"}, {"inner": {"long": Decimal(LONG)}}) for sign in "acef"),
    *(({"last": f"{sign}9"}, {}) for sign in "bd"),
]
BAD = [
    *({"paid": paid} for paid in ("a234567c", "1a34567c", "12a4567c", "123456ac", "12345678", "40404040", "00000000")),
    *({"owed": owed} for owed in ("e1f2f3", "f1faf3", "f11ff3", "f1f293", "f1f2fa", "f1f203", "404040", "313233")),
    {"wide": "f" + "1" * 36 + "d"},
    {"many": "1c21"},
    {"last": "49"},
]


@pytest.mark.parametrize("row_reader", ROW_READERS)
def test_good_bytes_are_numbers(row_reader: str, sums: wireloom.Format) -> None:
    for ways in ({}, {"streamed": True, "chunk": 100, "batch_rows": 3}):
        table, report = read(row_reader, sums, b"".join(row(**each) for each, _ in GOOD), **ways)
        assert [str(each.type) for each in table.schema] == [
            "decimal128(7, 2)",
            "decimal128(3, 1)",
            "decimal128(37, 37)",
            "list<item: decimal128(1, 0)>",
            "struct<long: decimal128(38, 0)>",
        ]
        assert table.to_pylist() == [WHOLE | each for _, each in GOOD]
        assert report["damaged"] == []


@pytest.mark.parametrize("row_reader", ROW_READERS)
def test_bad_bytes_are_damage_and_never_a_number(row_reader: str, sums: wireloom.Format) -> None:
    data = b"".join(row(**each) + row() for each in BAD)
    table, report = read(row_reader, sums, data)
    assert table.to_pylist() == [WHOLE] * len(BAD)
    assert [each[1:] for each in report["damaged"]] == [[len(row()), "value"]] * len(BAD)
    nulls, _ = read(row_reader, sums, data, columns=["paid", "inner", "_error"])
    assert nulls["paid"].null_count == len(BAD)


def test_single_bytes() -> None:
    """Each byte alone is a packed decimal, a zoned one, or neither."""
    for number in range(256):
        high, low = number >> 4, number & 15
        data = bytes([number])
        if high < 10 and low > 9:
            assert unscaled(data) == (-high if low in (11, 13) else high)
        elif low < 10 and high > 9:
            assert unscaled(data) == (-low if high in (11, 13) else low)


@given(number=st.integers(-(10**37) + 1, 10**37 - 1), scale=st.integers(0, 37))
@settings(max_examples=examples(100))
def test_numbers_are_written_as_they_are_read(number: int, scale: int) -> None:
    value = Decimal((int(number < 0), tuple(map(int, str(abs(number)))), -scale))
    for form in ("packed", "zoned"):
        data = decimal_bytes(value, 37, form)
        assert len(data) == (19 if form == "packed" else 37)
        assert decimal_value(data, scale) == value


@pytest.mark.skipif(not engine.available, reason="the engine is not there")
@given(
    stored=st.lists(
        st.none()
        | st.from_regex("[0-9]{1,37}[a-f]", fullmatch=True).filter(lambda text: len(text) % 2 == 0).map(bytes.fromhex)
        | st.from_regex("(f[0-9]){0,37}[a-f][0-9]", fullmatch=True).map(bytes.fromhex)
    ),
    begin=st.integers(0, 3),
)
@settings(max_examples=examples(200))
def test_the_engine_makes_the_same_numbers(stored: list[bytes | None], begin: int) -> None:
    found = decimal_array(pa.array(stored, pa.binary()).slice(begin), pa.decimal128(38, 2))
    found.validate(full=True)
    wanted = [None if each is None else decimal_value(each, 2) for each in stored[begin:]]
    assert found.to_pylist() == wanted


@pytest.mark.skipif(not engine.available, reason="the engine is not there")
def test_the_engine_refuses_offsets_beyond_the_data() -> None:
    decimals = engine._engine.decimals
    for offsets in ((0, 3), (-1, 1), (2, 1), (0, 1, 1 << 30)):
        with pytest.raises(ValueError, match="the offsets are not within the data"):
            decimals(array("i", offsets), b"\x1c\x2d")
    for short in (b"", b"\0", bytes(7)):
        assert decimals(short, b"") == b""
    assert decimals(array("i", (0, 0, 1, 2)), b"\x1c\x2d") == bytes(16) + b"\1" + bytes(15) + b"\xfe" + b"\xff" * 15


def test_tables_are_written(sums: wireloom.Format, tmp_path: Path) -> None:
    columns = ["has_owed", *sums.default_columns]
    data = row() + row(owed="") + row(paid="0000001d")
    table = wireloom.read(sums, data, columns=columns)
    wireloom.write(sums, table, tmp_path / "a")
    assert (tmp_path / "a").read_bytes() == data
    [first] = table.slice(0, 1).to_pylist()
    wireloom.write(sums, [first | {"paid": 5, "owed": Decimal("1.5")}], tmp_path / "b")
    assert (tmp_path / "b").read_bytes() == row(paid="0000500c", owed="f0f1f5")
    for wrong, text in (
        ({"paid": Decimal("123456.78")}, r"column paid: Decimal\('123456.78'\) does not fit decimal128\(7, 2\)"),
        ({"paid": Decimal("0.001")}, r"column paid: Decimal\('0.001'\) does not fit decimal128\(7, 2\)"),
        ({"owed": Decimal("-0.1")}, "column owed: -0.1 is negative, and the field has no sign"),
        ({"paid": None}, "column paid: null"),
    ):
        with pytest.raises(wireloom.WireloomError, match=text):
            wireloom.write(sums, [first | wrong], tmp_path / "c")


@pytest.mark.parametrize("row_reader", ROW_READERS)
def test_filters_compare_decimals(row_reader: str, sums: wireloom.Format) -> None:
    paid = pc.field("paid")
    for wanted, each in (
        (3, paid > Decimal(100)),
        (0, paid < Decimal("100.5")),
        (3, paid == Decimal("12345.67")),
        (0, paid.is_null()),
    ):
        assert read(row_reader, sums, row() * 3, filter=each)[0].num_rows == wanted


def test_other_tools_have_decimals(sums: wireloom.Format, tmp_path: Path) -> None:
    (tmp_path / "a.bin").write_bytes(row() * 3)
    (tmp_path / "sums.ksy").write_text(SPEC)
    written = CliRunner().invoke(
        main, ["decode", str(tmp_path / "sums.ksy"), str(tmp_path / "a.bin"), "--columns", "paid"]
    )
    assert written.output.splitlines()[0] == '{"paid":12345.67}'
    pytest.importorskip("pyspark")
    from wireloom.spark.read.schema import wire_schema

    shown = wire_schema(sums).simpleString()
    assert shown.startswith("struct<paid:decimal(7,2),owed:decimal(3,1),wide:decimal(37,37),many:array<decimal(1,0)>,")


def test_packed_decimals_of_coboljsonifier() -> None:
    comp3 = pytest.importorskip("coboljsonifier.fields.field_numeric_comp3", reason="coboljsonifier is not installed")
    for first, second in itertools.product((0x00, 0x12, 0x90, 0x9A, 0xA0, 0xFF), range(256)):
        data = bytes([first, second])
        field = comp3.FieldNumericComp3("", "n", 2, 0)
        try:
            field.parse(data)
        except ValueError:
            # It knows the preferred signs only.
            assert second & 15 in (*range(10), 0xA, 0xB, 0xE) or first in (0x9A, 0xA0, 0xFF) or second >> 4 > 9
        else:
            assert unscaled(data) == field._value


@pytest.mark.parametrize(("form", "digit"), [("packed", "1{}"), ("zoned", "{}1")])
def test_only_decimals_with_a_sign_are_negative(form: str, digit: str, tmp_path: Path) -> None:
    for signed, wanted in (("true", "abcdef"), ("false", "acef")):
        path = tmp_path / f"{signed}.ksy"
        path.write_text(
            f"meta: {{id: '{signed}', -wireloom: {{rows: rows}}}}\nseq: [{{id: rows, type: row, repeat: eos}}]\n"
            f"types: {{row: {{seq: [{{id: d, size: 1, -wireloom: {{decimal: {{form: {form},"
            f" signed: {signed}}}}}}}]}}}}\n"
        )
        data = bytes.fromhex("".join(digit.format(sign) for sign in "abcdef"))
        table, report = wireloom.read_with_report(path, data, columns=["_offset", "d"])
        assert table["_offset"].to_pylist() == ["abcdef".index(each) for each in wanted]
        assert [int(each) for each in table["d"].to_pylist()] == [-1 if each in "bd" else 1 for each in wanted]
        assert len(report.files[0].damaged) == 6 - len(wanted)
