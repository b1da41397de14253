"""Changes of protobuf messages and of the tables derived from them."""

from __future__ import annotations

import pytest
from wireloom.codegen.changes.change import Severity
from wireloom.codegen.changes.compare import compare

from .test_compare import lines, spec

SPEC = """
meta:
  id: m
  -wireloom:
    message:
      default: batch
      option: message
      kinds:
        batch: {type: batch, rows: items, columns: [key, at]}
        other: {type: item, columns: [key]}
types:
  batch:
    -wireloom:
      message:
        fields:
          - {id: items, number: 1, type: item, label: repeated}
  item:
    -wireloom:
      message:
        fields:
          - {id: key, number: 1, type: string}
          - {id: at, number: 2, type: uint64, label: optional}
          - {id: spare, number: 3, type: uint32, label: repeated}
"""

EDITS = [
    ("columns: [key, at]", "columns: [key]", "breaking columns batch.at: this column is no longer returned by default"),
    (
        "columns: [key]}",
        "columns: [key, at]}",
        "compatible columns other.at: this column is now returned by default",
    ),
    ("number: 2,", "number: 4,", "breaking wire item.at: number: 2 → 4"),
    ("type: uint64", "type: fixed64", "breaking wire item.at: kind: uint64 → fixed64"),
    ("default: batch", "default: other", "breaking wire message: default: batch → other"),
    (
        "        other: {type: item, columns: [key]}\n",
        "",
        "breaking settings option message: the value other was removed",
    ),
    (
        "          - {id: spare",
        "          - {id: more, number: 9, type: bytes}\n          - {id: spare",
        "compatible wire item.more: was added (bytes",
    ),
]


@pytest.mark.parametrize(("old", "new", "expected"), EDITS, ids=[each[2][:50] for each in EDITS])
def test_one_edit(old: str, new: str, expected: str) -> None:
    assert SPEC.count(old) == 1
    found = lines(SPEC, SPEC.replace(old, new))
    assert [each for each in found if each.startswith(expected)], found
    assert found[0].split()[0] == expected.split()[0]


def test_a_wider_kind_breaks_columns_and_not_bytes() -> None:
    found = lines(SPEC, SPEC.replace("type: string", "type: bytes"))
    assert [each for each in found if " columns " in each and each.startswith("breaking")], found
    assert [each for each in found if " wire " in each] == [
        "compatible wire item.key: kind: string → bytes: the same bytes, and more values are accepted"
    ]
    wider = lines(SPEC, SPEC.replace("type: uint32", "type: uint64"))
    assert "compatible wire item.spare: kind: uint32 → uint64: the same bytes, and more values are accepted" in wider
    narrower = lines(SPEC, SPEC.replace("type: uint64", "type: uint32"))
    assert "breaking wire item.at: kind: uint64 → uint32" in narrower


def test_nothing_and_a_message_of_another_name() -> None:
    assert lines(SPEC, SPEC) == []
    renamed = SPEC.replace("type: item", "type: thing").replace("  item:\n", "  thing:\n")
    assert lines(SPEC, renamed) == ["compatible wire item: this type and its class were renamed to thing"]


def test_the_order_of_fields_is_compatible() -> None:
    key = "          - {id: key, number: 1, type: string}\n"
    moved = SPEC.replace(key, "") + key
    assert {each.severity for each in compare(spec(SPEC), spec(moved))} <= {Severity.COMPATIBLE}
