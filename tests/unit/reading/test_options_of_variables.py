"""Options that set a variable before the first row."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import pytest
import wireloom
from click.testing import CliRunner
from wireloom.base.errors import UnknownNameError, WireloomError
from wireloom.command import main
from wireloom.format import registry
from wireloom.format.choices import VARIANTS, _variants, with_values

from .running import ROW_READERS, read

SPEC = """
meta:
  id: scaled
  -wireloom:
    rows: rows
    options: {scale: {variable: scale, values: {tens: 10}}, kind: {variable: kind, doc: What an extra row is.}}
seq: [{id: rows, type: row, repeat: eos}]
instances:
  scale: {value: 1, -wireloom: {variable: true}}
  kind: {value: 1, -wireloom: {variable: true}}
types:
  row:
    seq: [{id: kind, type: u1, valid: {any-of: [1, _root.kind]}}, {id: n, type: u1}]
    instances:
      value: {value: n * _root.scale}
      next: {value: 'n == 9 ? 100 : _root.scale', -wireloom: {sets: _root.scale}}
"""
DATA = bytes([1, 2, 7, 3, 1, 9, 1, 4])


@pytest.fixture(scope="module")
def scaled(tmp_path_factory: pytest.TempPathFactory) -> wireloom.Format:
    path = tmp_path_factory.mktemp("spec") / "scaled.ksy"
    path.write_text(SPEC)
    return wireloom.load_spec(path)


@pytest.mark.parametrize("row_reader", ROW_READERS)
@pytest.mark.parametrize("chunk", [None, 3])
@pytest.mark.parametrize(
    ("options", "wanted"),
    [
        ({}, [2, 900, 400]),
        ({"scale": "auto", "kind": "auto"}, [2, 900, 400]),
        ({"scale": "tens"}, [20, 900, 400]),
        ({"scale": -3, "kind": "0x7"}, [-6, -9, 900, 400]),
    ],
)
def test_a_variable_begins_with_the_option(
    row_reader: str, chunk: int | None, options: dict[str, Any], wanted: list[int], scaled: wireloom.Format
) -> None:
    rows, report = read(row_reader, scaled, DATA, chunk=chunk, streamed=chunk is not None, **options)
    assert rows["value"].to_pylist() == wanted
    assert [each[2] for each in report["damaged"]] == ["value"] * (4 - len(wanted))
    assert read(row_reader, scaled, DATA)[0]["value"].to_pylist() == [2, 900, 400]


@pytest.mark.parametrize("value", ["ten", "0x", "", 1 << 63, True, None, 1.5])
def test_another_value_is_an_error(value: Any, scaled: wireloom.Format) -> None:
    with pytest.raises(WireloomError, match="value of scale: expected an integer of 64 bits"):
        wireloom.read(scaled, DATA, scale=value)
    with pytest.raises(UnknownNameError, match="did you mean 'scale'"):
        wireloom.read(scaled, DATA, scales=value)


def test_only_variables_that_rows_set_keep_a_file_whole(scaled: wireloom.Format) -> None:
    assert (scaled.variables, scaled.fixed, scaled.stateful) == (("scale", "kind"), ("kind",), True)
    blocks = registry.get("bitcoin_blocks")
    assert (blocks.variables, blocks.stateful) == (("network", "merkle_roots"), False)


def test_a_format_with_values_is_one_object_in_each_process() -> None:
    blocks = registry.get("bitcoin_blocks")
    assert with_values(blocks, {"network": "auto"}) is blocks
    litecoin = with_values(blocks, {"network": "litecoin"})
    assert with_values(blocks, {"network": str(0xDBB6C0FB)}) is litecoin
    assert pickle.loads(pickle.dumps(litecoin)) is litecoin
    assert litecoin.of_table("inputs").root_class().network == 0xDBB6C0FB
    assert blocks.of_table("inputs").root_class().network == 0xD9B4BEF9
    for number in range(200):
        with_values(blocks, {"network": str(number)})
    assert len(_variants) <= VARIANTS


def test_commands_take_the_option(tmp_path: Path, scaled: wireloom.Format) -> None:
    (tmp_path / "scaled.ksy").write_text(SPEC)
    (tmp_path / "a.bin").write_bytes(DATA)
    for command in ("decode", "dump", "inspect"):
        arguments = [command, str(tmp_path / "scaled.ksy"), str(tmp_path / "a.bin"), "--option"]
        shown = CliRunner().invoke(main, [*arguments, "scale=tens", "--option", "kind=7"]).output
        assert all(f"{each}" in shown for each in (20, 30, 900)), shown


def test_writers_take_the_option(tmp_path: Path) -> None:
    (tmp_path / "plain.ksy").write_text(SPEC[: SPEC.index("    seq: [{id: kind")] + "    seq: [{id: n, type: u1}]\n")
    plain = wireloom.load_spec(tmp_path / "plain.ksy")
    for options in ({}, {"kind": "0x7"}, {"scale": "tens"}):
        wireloom.write(plain, [{"n": 2}, {"n": 3}], tmp_path / "a", **options)
        assert (tmp_path / "a").read_bytes() == bytes([2, 3])
    with pytest.raises(WireloomError, match="value of kind: expected an integer"):
        wireloom.write(plain, [{"n": 2}], tmp_path / "a", kind="x")


def test_options_of_spark_are_checked_too() -> None:
    pytest.importorskip("pyspark")
    from wireloom.spark.options import read_options

    blocks = registry.get("bitcoin_blocks")
    assert read_options(blocks, {"path": "a", "network": "0x10"}).own == {"network": "16"}
    with pytest.raises(WireloomError, match="network: expected an integer"):
        read_options(blocks, {"path": "a", "network": "dogecoin"})
