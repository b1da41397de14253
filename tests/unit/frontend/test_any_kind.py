"""The note about records of which any kind is accepted."""

from __future__ import annotations

from pathlib import Path

import pytest
from wireloom.codegen.checking import check

SPEC = """
meta: {id: log, endian: le, -wireloom: {rows: records.body.as<point>, columns: [x]}}
seq: [{id: records, type: record, repeat: eos}]
types:
  record:
    seq:
      - {id: size, type: u2}
      - {id: kind, type: u1}
      - {id: body, size: size, type: {switch-on: kind, cases: {1: point}}}
  point: {seq: [{id: x, type: u4}]}
"""


@pytest.mark.parametrize(
    ("old", "new", "noted"),
    [
        ("", "", True),
        ("{id: kind, type: u1}", "{id: kind, type: u1, valid: {any-of: [1, 2]}}", False),
        ("1: point}", "1: point, _: point}", False),
        ("- {id: size", "- {id: magic, contents: [1]}\n      - {id: size", False),
        (
            "{1: point}}}",
            "{1: point}}}\n      - {id: sum, type: u1, -wireloom: {checksum: {algorithm: sum8, over: body}}}",
            False,
        ),
    ],
)
def test_any_kind(old: str, new: str, noted: bool) -> None:
    checked = check(Path("log.ksy"), text=SPEC.replace(old, new) if old else SPEC)
    assert any("any 'kind' is accepted" in each["message"] for each in checked.notes) is noted
