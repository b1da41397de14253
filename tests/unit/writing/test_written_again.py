"""Rows that were read are written as they were, whichever columns they have."""

import pytest
import wireloom

from ...writing import bytes_of


@pytest.mark.parametrize(("name", "table", "columns"), [
    ("leveldb_log", "records", ["data", "kind", "piece", "log_number"]),
    ("prometheus_wal", "raw_records", ["data", "codec"]),
])  # fmt: skip
def test_records_in_pieces_are_written_as_they_were_read(name: str, table: str, columns: list[str]) -> None:
    rows = [{"data": bytes(size)} for size in (0, 1, 32754, 32755, 32761, 32762, 100_000, 3)]
    read = wireloom.read(name, bytes_of(name, rows, table=table), columns=columns, table=table)
    again, report = wireloom.read_with_report(name, bytes_of(name, read, table=table), columns=columns, table=table)
    assert again.equals(read)
    assert again["data"].to_pylist() == [each["data"] for each in rows]
    assert report.clean


def test_an_index_without_a_name_is_no_column() -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"payload": [b"a", b"b", b"c"]})
    assert wireloom.read("cobs_log", bytes_of("cobs_log", frame[frame.payload > b"a"])).num_rows == 2
    frame.index.name = "payload"
    assert wireloom.read("cobs_log", bytes_of("cobs_log", frame.set_index("payload"))).num_rows == 3
