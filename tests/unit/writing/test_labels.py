"""Columns of labels: numbers without one are written as they were read, and what no field can contain is refused."""

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
import wireloom
from click.testing import CliRunner
from wireloom import engine
from wireloom.command import main
from wireloom.writing import RowEncoder

from ...writing import bytes_of

WIDTHS = [(sign, size, endian) for sign in "us" for size in (1, 2, 4, 8) for endian in ("le", "be")]
WRITERS = [pytest.param(True, id="engine"), pytest.param(False, id="objects")]


@pytest.fixture(params=WRITERS)
def writer(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if request.param and not engine.available:
        pytest.skip("the engine is not there")
    monkeypatch.setattr(engine, "available", request.param)


def spec(folder: Path, sign: str, size: int, endian: str = "le") -> Path:
    path = folder / "labelled.ksy"
    path.write_text(
        f"meta: {{id: labelled, endian: {endian}, -wireloom: {{rows: rows}}}}\n"
        "seq: [{id: rows, type: row, repeat: eos}]\n"
        "enums: {k: {1: one, 2: two}}\n"
        f"types: {{row: {{seq: [{{id: v, type: {sign}{size}, enum: k, -wireloom: {{labels: true}}}}]}}}}\n"
    )
    return path


@pytest.mark.usefixtures("writer")
@pytest.mark.parametrize(("sign", "size", "endian"), WIDTHS)
def test_what_was_read_is_written(sign: str, size: int, endian: str, tmp_path: Path) -> None:
    format = wireloom.load_spec(spec(tmp_path, sign, size, endian))
    numbers = [1, 0, 7, 2 ** (8 * size - 1), 2 ** (8 * size) - 1, 2]
    data = b"".join(each.to_bytes(size, "little" if endian == "le" else "big") for each in numbers)
    table = wireloom.read(format, data)
    assert table["v"].to_pylist()[::5] == ["one", "two"]
    texts = [str(each) for each in table["v"].to_pylist()]
    unlabelled = [{"one": 1, "two": 2}.get(each) or int(each) for each in texts]
    for rows in (table, table.to_pylist(), pa.table({"v": texts}), [{"v": each} for each in unlabelled]):
        assert bytes_of(format, rows) == data
    # A single value has no neighbours that would show its type.
    for number in range(table.num_rows):
        assert bytes_of(format, table.slice(number, 1)) == data[number * size : (number + 1) * size]
        assert RowEncoder(format).encode_one({"v": texts[number]}) == data[number * size : (number + 1) * size]


@pytest.mark.parametrize(("sign", "size", "endian"), WIDTHS)
def test_by_commands(sign: str, size: int, endian: str, tmp_path: Path) -> None:
    path, made = spec(tmp_path, sign, size, endian), tmp_path / "made"
    data = b"\xff" * size + b"\x80" + bytes(size - 1)
    (tmp_path / "data").write_bytes(data)
    decoded = CliRunner().invoke(main, ["decode", str(path), str(tmp_path / "data")])
    (tmp_path / "rows.ndjson").write_text(decoded.stdout)
    result = CliRunner().invoke(main, ["encode", str(path), str(tmp_path / "rows.ndjson"), "-o", str(made)])
    assert (result.exit_code, made.read_bytes()) == (0, data)


@pytest.mark.usefixtures("writer")
@pytest.mark.parametrize(("sign", "size"), [(sign, size) for sign in "us" for size in (1, 2, 4, 8)])
def test_what_no_field_holds(sign: str, size: int, tmp_path: Path) -> None:
    format = wireloom.load_spec(spec(tmp_path, sign, size))
    least, most = (0, 2 ** (8 * size) - 1) if sign == "u" else (-(2 ** (8 * size - 1)), 2 ** (8 * size - 1) - 1)
    for number in (least - 1, most + 1, -(2**63) - 1, 2**64, 10**30):
        for rows in (pa.table({"v": ["one", str(number)]}), [{"v": "one"}, {"v": number}]):
            with pytest.raises(wireloom.WireloomError, match=r"^row 1.*\bv\b.*does not fit"):
                bytes_of(format, rows)
        with pytest.raises(wireloom.WireloomError, match="does not fit"):
            RowEncoder(format).encode_one({"v": str(number)})


@pytest.mark.usefixtures("writer")
@pytest.mark.parametrize("value", [2.5, float("inf"), float("nan"), True, [1], "three", b"x", {"a": 1}])
def test_what_is_no_label(value: Any, tmp_path: Path) -> None:
    format = wireloom.load_spec(spec(tmp_path, "u", 8))
    with pytest.raises(wireloom.WireloomError, match="unknown label in row 0, column v"):
        bytes_of(format, pa.table({"v": [value]}))


def test_lines_say_which_row(tmp_path: Path) -> None:
    path = spec(tmp_path, "s", 8)
    rows = tmp_path / "rows.ndjson"
    rows.write_text("".join(json.dumps({"v": each}) + "\n" for each in ("one", str(2**63))))
    result = CliRunner().invoke(main, ["encode", str(path), str(rows), "-o", str(tmp_path / "made")])
    assert result.exit_code != 0
    assert f"row 1, column v: '{2**63}' does not fit int64" in result.output
