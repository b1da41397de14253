"""The integers that a spec's expressions compute are limited: repeated products make any amount from a few bytes."""

from __future__ import annotations

import io
import struct
from pathlib import Path

import pytest
import wireloom
from click.testing import CliRunner
from wireloom.base.limits import MAX_INTEGER_BITS
from wireloom.codegen.backends.python.names import Api
from wireloom.codegen.kaitai.generate import modules
from wireloom.codegen.loading import load_format
from wireloom.command import main
from wireloom.objects import ExpressionError, multiply, shift_left

pytestmark = pytest.mark.usefixtures("low_limits")
LEVELS = 12
LARGE, ZERO = struct.pack("<Q", 2**63), bytes(8)
REFUSED = f"an integer of more than {MAX_INTEGER_BITS} bits"
EXPRESSIONS = ["P * P", "P << 40", "P << (a > 1 ? 40 : 0)", "(P * P).as<u4>", "[P, 1].max * P"]


def spec(folder: Path, expression: str, levels: int = LEVELS) -> Path:
    path = folder / "powers.ksy"
    lines = [f"      v{n}: {{value: '{expression.replace('P', f'v{n - 1}')}'}}" for n in range(1, levels + 1)]
    path.write_text(
        "meta: {id: powers, endian: le, -wireloom: {rows: rows}}\nseq: [{id: rows, type: row, repeat: eos}]\n"
        "types:\n  row:\n    seq: [{id: a, type: u8}]\n    instances:\n      v0: {value: a}\n" + "\n".join(lines) + "\n"
    )
    return path


@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_a_row_that_makes_too_large_ones_is_damaged(tmp_path: Path, expression: str) -> None:
    found = load_format(spec(tmp_path, expression))
    _, report = wireloom.read_with_report(found, ZERO + LARGE + ZERO, columns=["a", f"v{LEVELS}"])
    assert [(each.offset, each.length, each.reason) for each in report.files[0].damaged] == [(8, 8, "value")]
    with pytest.raises(ExpressionError, match=REFUSED):
        getattr(found.root_class.from_bytes(LARGE).rows[0], f"v{LEVELS}")


@pytest.mark.parametrize("api", [Api.KAITAI, Api.WIRELOOM])
def test_generated_classes(tmp_path: Path, api: Api) -> None:
    if api is Api.WIRELOOM:
        [row] = load_format(spec(tmp_path, "P * P")).root_class.from_bytes(LARGE).rows
    else:
        namespace: dict[str, type] = {}
        source = modules([spec(tmp_path, "P * P")], (), api, "").texts["powers"]
        exec(compile(source, "powers.py", "exec"), namespace)
        [row] = namespace["Powers"].from_io(io.BytesIO(LARGE)).rows  # type: ignore[attr-defined]
    assert row.v1 == 2**126
    with pytest.raises(ExpressionError, match=REFUSED):
        row.v2  # noqa: B018


def test_inspect_shows_those_that_there_are(tmp_path: Path) -> None:
    (tmp_path / "a.bin").write_bytes(LARGE)
    result = CliRunner().invoke(main, ["inspect", str(spec(tmp_path, "P * P")), str(tmp_path / "a.bin"), "-n", "1"])
    assert result.exit_code == 0, result.exception
    assert REFUSED in " ".join(result.output.split())


def test_products_of_small_attributes_are_not_checked(tmp_path: Path) -> None:
    source = modules([spec(tmp_path, "a * 3 * 5", 1)], (), Api.WIRELOOM, "").texts["powers"]
    assert "self.a * 3 * 5" in source
    assert "multiply" not in source


def test_the_bound() -> None:
    for left, right in ((2**63, 2**63), (2**63, -(2**63)), (2**127 - 1, -1), (1, 2**126)):
        assert multiply(left, right) == left * right
    for left, right in ((2**63, 2**64), (2**64, -(2**63)), (2**126, 4)):
        with pytest.raises(ExpressionError, match=REFUSED):
            multiply(left, right)
    assert (shift_left(1, 126), shift_left(-1, 126), shift_left(0, 1 << 90)) == (2**126, -(2**126), 0)
    for value, bits in ((1, 127), (-1, 127), (1, 1 << 90)):
        with pytest.raises(ExpressionError, match=REFUSED):
            shift_left(value, bits)
