"""``nonempty``: inputs begin with a record, so that one without bytes is truncated."""

import gzip
from pathlib import Path

import pytest
import wireloom

from ..specs import format_of

SPEC = """
meta: {id: t, endian: le, -wireloom: {nonempty: true, rows: records, columns: [data]}}
seq: [{id: records, type: record, repeat: eos}]
types: {record: {seq: [{id: len, type: u1}, {id: data, size: len}]}}
"""


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"", ("truncated", 0, 0)),
        (gzip.compress(b""), ("truncated", 0, 0)),
        (b"\1a", ("clean", 1, 2)),
        (b"\1a\1", ("truncated", 1, 3)),
    ],
    ids=["empty", "compressed", "record", "part"],
)
def test_how_an_input_ends(content: bytes, expected: tuple[str, int, int]) -> None:
    _, report = wireloom.read_with_report(format_of(SPEC), content)
    file = report.files[0]
    assert (file.tail, file.rows, file.bytes) == expected
    assert wireloom.read_with_report(format_of(SPEC.replace("nonempty: true, ", "")), b"")[1].files[0].tail == "clean"


def test_empty_inputs_beside_others(tmp_path: Path) -> None:
    for name, content in (("a", b"\1a"), ("b", b""), ("c", b"\1c\1d")):
        (tmp_path / name).write_bytes(content)
    table, report = wireloom.read_with_report(format_of(SPEC), tmp_path)
    assert table["data"].to_pylist() == [b"a", b"c", b"d"]
    assert [(each.tail, each.rows) for each in report.files] == [("clean", 1), ("truncated", 0), ("clean", 2)]
    assert [each.tail for each in wireloom.read_with_report(format_of(SPEC), tmp_path, tail="growing")[1].files] == [
        "clean",
        "growing",
        "clean",
    ]


def test_it_is_an_error_in_failfast() -> None:
    with pytest.raises(wireloom.DamagedInputError, match="the input is empty: its header is missing"):
        wireloom.read(format_of(SPEC), b"", mode="failfast")
