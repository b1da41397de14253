"""Errors of rows of other tables that a writer creates: they are about the rows and columns that were given."""

from pathlib import Path
from typing import Any

import pytest
import wireloom

MESSAGE = {"channel_id": 1, "topic": "/a", "sequence": 1, "log_time": 5, "publish_time": 6, "data": b""}
SCHEMA = {"schema_id": 1, "schema_name": "one", "schema_encoding": "text", "schema_data": b""}


@pytest.mark.parametrize(
    ("other", "expected"),
    [
        (
            {"schema_id": 3, "schema_name": "three", "schema_encoding": None},
            "row 3, column schema_encoding: null, but the format has no null: give a value "
            "(of the row in table schemas to which schema_id 3 refers)",
        ),
        (
            {"channel_metadata": None},
            "row 3, column channel_metadata: null, but the format has no null: give a value "
            "(of the row in table channels to which channel_id 2 refers)",
        ),
        (
            {"topic": "x" * 1000},
            "row 3 cannot be written: 1025 bytes on the wire are more than max_record (900): raise it here and for the "
            "readers, or leave rows out (of the row in table channels to which channel_id 2 refers)",
        ),
    ],
)
def test_a_row_of_another_table_that_cannot_be_written(other: dict[str, Any], expected: str, tmp_path: Path) -> None:
    good = MESSAGE | SCHEMA | {"channel_metadata": []}
    rows = [good, good | {"channel_id": 3, "topic": "/c"}, good, good | {"channel_id": 2, "topic": "/b"} | other, good]
    with pytest.raises(wireloom.WireloomError) as error:
        wireloom.write("mcap", rows, tmp_path / "some.mcap", max_record=900)
    assert str(error.value) == expected


def test_two_keys_of_one_table(tmp_path: Path) -> None:
    spec, path = tmp_path / "letters.ksy", tmp_path / "some.letters"
    spec.write_text(
        """
meta:
  id: letters
  endian: le
  -wireloom:
    tables:
      letters:
        rows: records.body.as<letter>
        columns: [from, to]
        look-ups:
          sender: {table: people, key: from, match: id, value: name}
          receiver: {table: people, key: to, match: id, value: name}
      people: {rows: records.body.as<person>, columns: [id, name]}
seq: [{id: records, type: record, repeat: eos}]
types:
  record:
    seq:
      - {id: kind, type: u1}
      - {id: len, type: u1}
      - {id: body, size: len, type: {switch-on: kind, cases: {1: person, 2: letter}}}
  person: {seq: [{id: id, type: u1}, {id: name, type: str, encoding: ASCII, size-eos: true}]}
  letter: {seq: [{id: from, type: u1}, {id: to, type: u1}]}
"""
    )
    format = wireloom.load_spec(spec)
    rows = [
        {"from": 1, "to": 2, "sender": "Ann", "receiver": "Bob"},
        {"from": 2, "to": 3, "sender": "Bob", "receiver": "Cyd"},
    ]
    wireloom.write(format, rows, path)
    assert wireloom.read(format, path, table="letters").to_pylist() == rows
    with pytest.raises(wireloom.WireloomError) as error:
        wireloom.write(format, [*rows, rows[0] | {"to": 4, "receiver": "é"}], path)
    assert str(error.value).startswith("row 2 cannot be written: ")
    assert str(error.value).endswith("(of the row in table people to which to 4 refers)")


def test_columns_that_are_looked_up_without_their_key(tmp_path: Path) -> None:
    row = {name: value for name, value in (MESSAGE | SCHEMA).items() if name != "schema_id"}
    with pytest.raises(
        wireloom.WireloomError, match="cannot be written without the column schema_id, by which rows of"
    ):
        wireloom.write("mcap", [row], tmp_path / "some.mcap")
