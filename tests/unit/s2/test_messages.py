"""S2's messages: objects and tables of all vectors, and the server's verdicts on them."""

from typing import Any

import pyarrow as pa
import pytest
import wireloom
import wireloom.s2 as s2

from .cases import CLASSES, KINDS, command_words, described, identity, vectors
from .executions import execution  # noqa: F401

MESSAGES = vectors("messages")


@pytest.mark.parametrize("row", MESSAGES, ids=identity)
def test_every_message_as_an_object(row: dict[str, Any]) -> None:
    data = bytes.fromhex(row["hex"])
    kind = CLASSES[row["type"]]
    if "expect" not in row:
        with pytest.raises(wireloom.WireloomError, match="varint"):
            kind.from_bytes(data)
        return
    message = kind.from_bytes(data)
    assert described(message) == row["expect"]
    assert message.to_bytes().hex() == row.get("reencoded_prost", row["hex"])


@pytest.mark.parametrize("row", MESSAGES, ids=identity)
@pytest.mark.usefixtures("execution")
def test_every_message_as_a_table(row: dict[str, Any]) -> None:
    data, kind = bytes.fromhex(row["hex"]), KINDS[row["type"]]
    table, report = wireloom.read_with_report("s2_messages", data, message=kind, check_format=False)
    assert report.clean == ("expect" in row)
    if "expect" not in row:
        assert table.num_rows == 0
        return
    expected = row["expect"]
    if kind == "append_ack":
        assert table.to_pylist() == [expected]
        return
    above = {name: expected[name] for name in ("match_seq_num", "fencing_token") if name in expected}
    assert [{**each, "command": None} for each in table.to_pylist()] == [
        {**_plain(record), **above} for record in expected["records"]
    ]


def _plain(record: dict[str, Any]) -> dict[str, Any]:
    headers = [{"name": bytes.fromhex(name), "value": bytes.fromhex(value)} for name, value in record["headers"]]
    return {**record, "headers": headers, "body": bytes.fromhex(record["body"]), "command": None}


@pytest.mark.parametrize("row", [row for row in MESSAGES if "server_validation" in row], ids=identity)
def test_what_the_server_says_of_it(row: dict[str, Any]) -> None:
    expected = row["server_validation"]
    if "error" in expected:
        with pytest.raises(wireloom.WireloomError):
            s2.check_append(s2.AppendInput.from_bytes(bytes.fromhex(row["hex"])))
        return
    accepted = s2.check_append(s2.AppendInput.from_bytes(bytes.fromhex(row["hex"])))
    assert accepted.size == expected["ok"]["metered"]
    assert list(accepted.metered) == expected["ok"]["record_metered"]
    assert [command_words(each) for each in accepted.commands] == expected["ok"]["kinds"]


@pytest.mark.parametrize("kind", ["read_batch", "append_input", "append_ack"])
@pytest.mark.usefixtures("execution")
def test_columns_of_messages_go_round(kind: str) -> None:
    units = [bytes.fromhex(row["hex"]) for row in MESSAGES if KINDS[row["type"]] == kind and row.get("canonical")]
    blobs = pa.array([*units, None], pa.binary())
    rows = wireloom.from_wire(blobs, "s2_messages", message=kind)
    assert rows.null_count == 1
    again = wireloom.to_wire(rows, "s2_messages", message=kind)
    # Tails are beside the rows, and not among them.
    if kind == "read_batch":
        units = [s2.ReadBatch(records=s2.ReadBatch.from_bytes(each).records).to_bytes() for each in units]
    assert again.to_pylist() == [*units, None]


def test_a_table_becomes_batches_that_the_server_takes() -> None:
    table = pa.table({"body": pa.array([b"x"] * 1001, pa.binary())})
    blobs = wireloom.to_wire(table, "s2_messages", message="append_input")
    batches = [s2.AppendInput.from_bytes(each.as_py()) for each in blobs]
    assert [s2.check_append(each).size for each in batches] == [9000, 9]


@pytest.mark.usefixtures("execution")
def test_the_command_of_a_record() -> None:
    headers = [[(b"", b"fence")], [(b"", b"rot\xffate")], [(b"", b"")], [(b"fence", b"")], [(b"", b"fence")] * 2, []]
    batch = s2.ReadBatch(
        records=[
            s2.SequencedRecord(seq_num=number, headers=[s2.Header(name=name, value=value) for name, value in each])
            for number, each in enumerate(headers)
        ]
    )
    table = wireloom.read("s2_messages", batch.to_bytes(), columns=["seq_num", "command"])
    assert table["command"].to_pylist() == ["fence", "rot\ufffdate", "", None, None, None]
