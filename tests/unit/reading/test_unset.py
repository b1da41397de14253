"""Expressions that need what is read later, which is only known during reading: damage of the row, never a Python
error."""

from pathlib import Path

import pytest
import wireloom
from click.testing import CliRunner
from wireloom.command import main
from wireloom.objects import UnsetError

ROW = """
meta: {id: later, endian: le, -wireloom: {rows: rows}}
seq:
  - {id: rows, type: row, repeat: eos}
types:
  row:
    seq: [{id: s, type: sub}, {id: n, type: u1}]
    instances: {by_value: {value: n}}
  sub:
    META
    seq: [{id: m, type: u1}, {id: a, type: u2, IF}]
"""
SPECS = {
    "size": ROW.replace("META", "").replace("type: u2, IF", "size: _parent.n"),
    "condition": ROW.replace("META", "").replace("IF", "if: _parent.by_value > 3"),
    "byte order": ROW.replace("META", "meta: {endian: {switch-on: _parent.n, cases: {1: le, 2: be}}}").replace(
        ", IF", ""
    ),
}


@pytest.mark.parametrize("name", SPECS)
def test_what_is_read_later_is_not_there_yet(name: str, tmp_path: Path) -> None:
    spec = tmp_path / "later.ksy"
    spec.write_text(SPECS[name])
    format = wireloom.load_spec(spec)
    data = bytes((1, 0, 1, 5, 0, 2))
    table, report = wireloom.read_with_report(format, data, check_format=False)
    assert (table.num_rows, report.clean) == (0, False)
    with pytest.raises(UnsetError, match="Row has no value for 'n': it was not given, or is read later"):
        format.root_class.from_bytes(data)
    (tmp_path / "a.log").write_bytes(data)
    shown = CliRunner().invoke(main, ["inspect", str(spec), str(tmp_path / "a.log")])
    assert "Row has no value for 'n'" in " ".join(shown.output.split())
