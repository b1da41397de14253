"""Labels that first occur in a later batch are in every kind of file."""

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import wireloom
from click.testing import CliRunner
from wireloom.command import main

LABELS = """
meta: {id: labels, -wireloom: {rows: rows}}
seq: [{id: rows, type: row, repeat: eos}]
types: {row: {seq: [{id: kind, type: u1, enum: kinds, -wireloom: {labels: true}}]}}
enums: {kinds: {1: one, 2: two}}
"""


@pytest.mark.parametrize("suffix", ["arrow", "arrows", "feather", "parquet"])
def test_a_label_that_first_occurs_in_a_later_batch(suffix: str, tmp_path: Path) -> None:
    spec, data, out = tmp_path / "labels.ksy", tmp_path / "labels.bin", tmp_path / f"labels.{suffix}"
    spec.write_text(LABELS)
    data.write_bytes(b"\1\2" * 20_000 + b"\7\1" + b"\2\1" * 20_000 + b"\11\7\2")
    done = CliRunner().invoke(main, ["decode", str(spec), str(data), "-o", str(out)])
    assert done.exit_code == 0, done.output
    if suffix == "parquet":
        found = pq.read_table(out)
    else:
        found = (pa.ipc.open_stream if suffix == "arrows" else pa.ipc.open_file)(out).read_all()
    expected = wireloom.read(spec, data)["kind"].to_pylist()
    assert found["kind"].to_pylist() == expected
    assert set(expected) == {"one", "two", "7", "9"}
