"""Numbers that a field cannot represent: every way of writing refuses them, or takes the nearest float."""

import json
import struct
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
import wireloom
from click.testing import CliRunner
from wireloom.command import main

SPEC = """meta: {id: t, endian: le, -wireloom: {rows: rows}}
seq: [{id: rows, type: row, repeat: eos}]
types: {row: {seq: [{id: k, type: u1}, {id: f, type: f4}, {id: d, type: f8}]}}
"""


def written(way: str, row: dict[str, Any], folder: Path) -> bytes:
    """Return the bytes of a row, written in one of several ways. Raises ``WireloomError``."""
    spec = folder / "t.ksy"
    spec.write_text(SPEC)
    given, made = folder / f"rows.{way}", folder / "out.bin"
    columns = {name: [value] for name, value in row.items()}
    rows: dict[str, Any] = {"mappings": [row], "columns": columns, "table": pa.table(columns)}
    if way in rows:
        wireloom.write(wireloom.load_spec(spec), rows[way], made)
        return made.read_bytes()
    lines = {"ndjson": json.dumps(row), "csv": f"{','.join(row)}\n{','.join(map(str, row.values()))}\n"}
    given.write_text(lines[way])
    result = CliRunner().invoke(main, ["encode", str(spec), str(given), "-o", str(made)])
    if result.exit_code:
        raise wireloom.WireloomError(result.output)
    return made.read_bytes()


WAYS = pytest.mark.parametrize("way", ["mappings", "columns", "table", "ndjson", "csv"])


@WAYS
@pytest.mark.parametrize("value", [1.5, 0.999, -1, 256, 1e300])
def test_no_number_is_changed_to_an_integer(tmp_path: Path, way: str, value: float) -> None:
    with pytest.raises(wireloom.WireloomError, match=r"column k|k: "):
        written(way, {"k": value, "f": 0.0, "d": 0.0}, tmp_path)


@WAYS
def test_floats_are_the_nearest_ones(tmp_path: Path, way: str) -> None:
    row = {"k": 1, "f": 16777217, "d": (1 << 53) + 1}
    assert written(way, row, tmp_path) == struct.pack("<Bfd", 1, 16777216.0, 2.0**53)


@pytest.mark.parametrize("way", ["mappings", "columns", "table", "ndjson"])
def test_a_float_without_a_fraction_is_an_integer(tmp_path: Path, way: str) -> None:
    assert written(way, {"k": 2.0, "f": 0.0, "d": 0.0}, tmp_path)[0] == 2


def test_a_fraction_in_a_list() -> None:
    from wireloom.writing import batches_of

    types = pa.schema([("l", pa.list_(pa.uint8())), ("s", pa.struct([("n", pa.int32())]))])
    [batch] = batches_of([{"l": [1, 2.5], "s": {"n": 0.5}}], types)
    assert batch.to_pylist() == [{"l": [1.0, 2.5], "s": {"n": 0.5}}]


def test_a_key_twice(tmp_path: Path) -> None:
    (tmp_path / "t.ksy").write_text(SPEC)
    (tmp_path / "rows.ndjson").write_text('{"k": 1, "f": 0, "d": 0}\n{"k": 1, "f": 0, "d": 0, "k": 2}\n')
    result = CliRunner().invoke(
        main, ["encode", str(tmp_path / "t.ksy"), str(tmp_path / "rows.ndjson"), "-o", str(tmp_path / "out")]
    )
    assert result.exit_code != 0
    assert "line 2" in result.output
    assert "'k' occurs twice" in result.output
