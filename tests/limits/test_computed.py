"""The text that a spec's expressions compute is limited: a few value instances could make any amount from a few
bytes."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
import wireloom
from click.testing import CliRunner
from wireloom import DamagedInputError, Format, WireloomError
from wireloom.base.limits import MAX_COMPUTED
from wireloom.codegen.backends.python.names import Api
from wireloom.codegen.kaitai.generate import modules
from wireloom.codegen.loading import load_format
from wireloom.command import main
from wireloom.objects import ComputedError
from wireloom.rows.reader import BATCH_BYTES
from wireloom.spark.options import read_options

from ..unit.specs import format_of

pytestmark = pytest.mark.usefixtures("low_limits")
LEVELS = 20
EXPRESSIONS = ["P + P", 'f"{P}{P}"']
LONG, SHORT = b"\xfa" + b"x" * 250, b"\0"


def instances(expression: str, levels: int = LEVELS) -> str:
    lines = ["      v0: {value: text}"]
    lines += [f"      v{n}: {{value: '{expression.replace('P', f'v{n - 1}')}'}}" for n in range(1, levels + 1)]
    return "    instances:\n" + "\n".join(lines) + "\n"


def spec(folder: Path, expression: str = EXPRESSIONS[0], levels: int = LEVELS, more: str = "") -> Path:
    path = folder / "doubled.ksy"
    path.write_text(
        "meta: {id: doubled, -wireloom: {rows: rows}}\nseq: [{id: rows, type: row, repeat: eos}]\ntypes:\n  row:\n"
        f"    seq: [{{id: len, type: u1}}, {{id: text, type: str, size: len, encoding: ASCII}}{more}]\n"
        + instances(expression, levels)
    )
    return path


@pytest.fixture(params=EXPRESSIONS, scope="module")
def doubled(low_limits: None, request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Format:
    return load_format(spec(tmp_path_factory.mktemp("specs"), request.param))


def test_a_record_that_makes_too_much_is_damaged(doubled: Format) -> None:
    table, report = wireloom.read_with_report(doubled, SHORT + LONG + SHORT)
    assert table["v20"].to_pylist() == ["", ""]
    [file] = report.files
    assert [(each.offset, each.length, each.reason) for each in file.damaged] == [(1, 251, "limit")]
    assert file.tail == "clean"


def test_failfast_says_which_option_takes_it(doubled: Format) -> None:
    with pytest.raises(DamagedInputError, match="max_computed") as caught:
        wireloom.read(doubled, SHORT + LONG, mode="failfast")
    assert (caught.value.offset, caught.value.reason) == (1, "limit")


def test_what_a_layout_asks_for_is_counted_too(tmp_path: Path) -> None:
    found = load_format(spec(tmp_path, more=", {id: tail, size: v20.length % 2}"))
    table, report = wireloom.read_with_report(found, SHORT + LONG)
    assert table.num_rows == 1
    [file] = report.files
    assert (file.tail, file.tail_offset) == ("limit", 1)
    assert "raise max_computed to allow it" in str(file.error)


def test_the_limit_is_an_option(tmp_path: Path) -> None:
    path = spec(tmp_path, levels=3)
    found = load_format(path)
    data = SHORT + LONG
    assert wireloom.read(found, data, max_computed=10_000)["v3"].to_pylist() == ["", "x" * 2000]
    table, report = wireloom.read_with_report(found, data, max_computed=3000)
    assert (table.num_rows, report.files[0].damaged[0].reason) == (1, "limit")
    # Columns that are not requested are not computed.
    assert wireloom.read(found, data, columns=["v1"], max_computed=500).num_rows == 2
    with pytest.raises(WireloomError, match="max_computed must be a number of at least 1"):
        wireloom.read(found, data, max_computed=0)

    (tmp_path / "a.bin").write_bytes(data)
    command = ["decode", str(path), str(tmp_path / "a.bin"), "--columns", "len"]
    assert CliRunner().invoke(main, command).exit_code == 0
    refused = CliRunner().invoke(main, ["verify", str(path), str(tmp_path / "a.bin"), "--option", "max_computed=3000"])
    assert refused.exit_code == 1


def test_the_limit_is_an_option_of_spark(tmp_path: Path) -> None:
    found = load_format(spec(tmp_path, levels=3))
    options = read_options(found, {"path": "a", "maxComputed": "2k"})
    assert options.scan.max_computed == 2048


def test_batches_are_bounded(tmp_path: Path) -> None:
    found = load_format(spec(tmp_path, levels=10))
    with wireloom.scan(found, LONG * 40, columns=["v10"]) as scanner:
        sizes = [batch.nbytes for batch in scanner]
    # Each record computes twice as much as its column shows.
    assert len(sizes) >= 5
    assert max(sizes) <= BATCH_BYTES
    assert sum(sizes) >= 40 * 250 * 1024


def test_objects_by_themselves(tmp_path: Path) -> None:
    path = spec(tmp_path)
    [row] = load_format(path).root_class.from_bytes(LONG).rows
    assert len(row.v10) == 250 * 1024
    with pytest.raises(ComputedError, match=f"exceed {MAX_COMPUTED} characters"):
        row.v20  # noqa: B018
    namespace: dict[str, type] = {}
    source = modules([path], (), Api.KAITAI, "").texts["doubled"]
    exec(compile(source, "doubled.py", "exec"), namespace)
    [row] = namespace["Doubled"].from_io(io.BytesIO(LONG)).rows  # type: ignore[attr-defined]
    with pytest.raises(ComputedError, match="characters"):
        row.v20  # noqa: B018


def test_messages() -> None:
    found = format_of(
        "meta: {id: doubled, -wireloom: {message: {at: unit, type: unit, rows: rows}}}\n"
        "seq: [{id: unit, type: unit, size-eos: true}]\ntypes:\n"
        "  unit: {-wireloom: {message: {fields: [{id: rows, number: 1, label: repeated, type: row}]}}}\n"
        "  row:\n    -wireloom: {message: {fields: [{id: text, number: 1, type: string}]}}\n" + instances("P + P")
    )
    row = b"\x0a\xc8\x01" + b"x" * 200
    unit = b"\x0a" + bytes((len(row) & 0x7F | 0x80, len(row) >> 7)) + row
    table, report = wireloom.read_with_report(found, unit, check_format=False)
    assert table.num_rows == 0
    assert "limit" in str(report.to_dict())
    assert wireloom.read(found, unit, columns=["v2"])["v2"].to_pylist() == ["x" * 800]
