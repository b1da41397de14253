"""Tables in which each row is once: what readers would leave out is not written."""

import io
from itertools import product
from pathlib import Path

import pyarrow as pa
import pytest
import wireloom
from wireloom.append import AppendWriter

SPEC = """
meta:
  id: declared
  -wireloom:
    tables: {names: {rows: names, distinct: true, columns: [id], selectable: [n]}}
seq: [{id: names, type: name, repeat: eos}]
types: {name: {seq: [{id: id, type: u1}, {id: n, type: u1}]}}
"""


@pytest.mark.parametrize("batch_rows", [1, 2, 9])
def test_each_row_is_read_as_it_was_written_or_refused(batch_rows: int, tmp_path: Path) -> None:
    spec = tmp_path / "declared.ksy"
    spec.write_text(SPEC)
    format = wireloom.load_spec(spec)
    for ids in product(range(3), repeat=3):
        rows = [{"id": each, "n": number} for number, each in enumerate(ids)]
        batches = pa.Table.from_pylist(rows).to_batches(max_chunksize=batch_rows)
        file = io.BytesIO()
        if len({*ids}) == len(ids):
            wireloom.write(format, batches, file)
            assert wireloom.read(format, file.getvalue(), columns=["id", "n"]).to_pylist() == rows
            continue
        with pytest.raises(wireloom.WireloomError, match=r"row [12] cannot be written: it equals row [01], and the"):
            wireloom.write(format, batches, file)


def test_it_cannot_be_appended_to(tmp_path: Path) -> None:
    spec = tmp_path / "declared.ksy"
    spec.write_text(
        SPEC.replace("repeat: eos}", "repeat: eos, -wireloom: {framing: {delimiter: [0, 1], stuffing: none}}}")
    )
    with pytest.raises(wireloom.WireloomError, match="the table has each row once"):
        AppendWriter(tmp_path / "log", wireloom.load_spec(spec))
