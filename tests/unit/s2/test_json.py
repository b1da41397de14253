"""S2's JSON: bodies of requests and answers, accepted or refused as by the server and written as it writes them."""

import contextlib
import json
from typing import Any

import pyarrow as pa
import pytest
import wireloom
import wireloom.s2 as s2
from hypothesis import given
from hypothesis import strategies as st

from .cases import command_words, described, identity, vectors
from .executions import execution  # noqa: F401

ROWS = vectors("json")
READ = [row for row in ROWS if row["dir"] == "append_json_to_input"]
WRITTEN = [row for row in ROWS if row["dir"] != "append_json_to_input"]
REFUSED = [row for row in vectors("malformed") if row["layer"] == "json"]


def test_every_direction_is_known() -> None:
    assert {row["dir"] for row in WRITTEN} <= {"read_batch_to_json", "append_ack_to_json"}


@pytest.mark.parametrize("row", READ, ids=identity)
def test_every_append_that_is_taken(row: dict[str, Any]) -> None:
    batch = s2.append_input_from_json(row["json"], row["format"])
    assert batch.to_bytes().hex() == row["expect_proto"]
    assert s2.append_input_from_json(row["json"].encode(), row["format"]) == batch
    accepted = s2.check_append(batch)
    assert accepted.size == row["metered"]
    assert [command_words(each) for each in accepted.commands] == row["kinds"]
    assert s2.append_input_from_json(s2.append_input_to_json(batch, "base64"), "base64") == batch


@pytest.mark.parametrize("row", WRITTEN, ids=identity)
def test_every_answer_that_is_written(row: dict[str, Any]) -> None:
    data = bytes.fromhex(row["hex"])
    if row["dir"] == "append_ack_to_json":
        ack = s2.AppendAck.from_bytes(data)
        assert s2.append_ack_to_json(ack) == row["expect_json"]
        assert s2.append_ack_from_json(row["expect_json"]) == ack
        return
    batch = s2.ReadBatch.from_bytes(data)
    assert s2.read_batch_to_json(batch, row["format"]) == row["expect_json"]
    again = s2.read_batch_from_json(row["expect_json"], row["format"])
    assert s2.read_batch_to_json(again, row["format"]) == row["expect_json"]
    if row["format"] == "base64":
        assert again == batch


@pytest.mark.parametrize("row", REFUSED, ids=identity)
def test_every_append_that_is_refused(row: dict[str, Any]) -> None:
    expected = row["expect_error"]
    kind = {"json": s2.JsonError, "validate": s2.ValidationError, "format": wireloom.UnknownNameError}[
        expected["stage"]
    ]
    with pytest.raises(kind):
        s2.check_append(s2.append_input_from_json(row["json"], row["format"]))


@pytest.mark.parametrize("row", [row for row in WRITTEN if row.get("format") == "base64"], ids=identity)
@pytest.mark.usefixtures("execution")
def test_the_table_of_json_is_that_of_the_message(row: dict[str, Any]) -> None:
    table = wireloom.read("s2_messages", bytes.fromhex(row["hex"]))
    assert s2.table_from_json(row["expect_json"], format="base64") == table
    without_tail = json.loads(row["expect_json"])
    without_tail.pop("tail", None)
    assert json.loads(s2.table_to_json(table, format="base64")) == without_tail


@pytest.mark.usefixtures("execution")
def test_tables_of_appends_and_acks() -> None:
    document = '{"records":[{"timestamp":0,"body":"x"},{"body":"y"}],"match_seq_num":7,"fencing_token":""}'
    table = s2.table_from_json(document, "append_input")
    assert table["match_seq_num"].to_pylist() == [7, 7]
    assert table["timestamp"].to_pylist() == [0, None]
    assert s2.table_to_json(table, "append_input") == document
    ack = '{"start":{"seq_num":0,"timestamp":5},"end":{"seq_num":2,"timestamp":6},"tail":{"seq_num":2,"timestamp":6}}'
    assert s2.table_to_json(s2.table_from_json(ack, "append_ack"), "append_ack") == ack
    with pytest.raises(wireloom.UnknownNameError, match="append_ack"):
        s2.table_from_json(ack, "append_akc")


@pytest.mark.parametrize(
    ("document", "verdict"),
    [
        ("", "eof"),
        ("   ", "eof"),
        ("{truncated", "syntax"),
        ('{"records"', "eof"),
        ('{"records":[', "eof"),
        ('{"records":[{}', "eof"),
        ('{"records":[{"body":"x', "eof"),
        ('{"records":[{}],}', "syntax"),
        ('{"records":[{},]}', "syntax"),
        ('{"records":[{}]} x', "syntax"),
        ("{} x", "syntax"),
        ('{"records":"nope"}', "data"),
        ('{"records":null}', "data"),
        ('{"records":[{"body":123}]}', "data"),
        ('{"records":[{"body":null}]}', "data"),
        ('{"records":[{"headers":null}]}', "data"),
        ('{"records":[{"headers":[["a",1]]}]}', "data"),
        ('{"records":[{"timestamp":true}]}', "data"),
        ('{"records":[{"timestamp":-1}]}', "data"),
        ('{"records":[{"timestamp":18446744073709551616}]}', "data"),
        ('{"records":[{"timestamp":1e3}]}', "data"),
        ('{"records":[{"timestamp":01}]}', "syntax"),
        ('{"records":[{"timestamp":1.}]}', "syntax"),
        ('{"records":[{"timestamp":nul}]}', "syntax"),
        ('{"records":[{"timestamp":-x', "syntax"),
        ('{"records":[{"timestamp":1.5}]}', "data"),
        ('{"records":[{"timestamp":1e400}]}', "data"),
        ('{"records":[{"timestamp":' + "9" * 5000 + "}]}", "syntax"),
        ('{"records":[{"timestamp":' + "9" * 300 + "}]}", "data"),
        ('{"records":' + "[" * 100_000 + "]" * 100_000 + "}", "syntax"),
        ('{"records":[{"headers":[["k","v","w"]]}]}', "data"),
        ('{"records":[{"timestamp":1}', "eof"),
        ('{"records":[{"timestamp":NaN}]}', "syntax"),
        ('{"records":[{"body":"\n"}]}', "syntax"),
        ('{"records":[{"body":"\\x"}]}', "syntax"),
        ('{"records":[{"body":"\\ud834\\u0041"}]}', "data"),
        ('{"records":[{"body":"x","body":"y"}]}', "data"),
        ('{"records":[{}],"match_seq_num":1,"match_seq_num":null}', "data"),
        ('{"records":[{}],"fencing_token":"' + "x" * 37 + '"}', "data"),
        ('{"records":[{}],"other":[1,{"a":tru}]}', "syntax"),
        ("\ufeff{}", "syntax"),
        ("[]", "data"),
        ("[[{}]]", "data"),
    ],
    ids=lambda value: value[:40],
)
def test_what_is_refused_and_as_what(document: str, verdict: str) -> None:
    with pytest.raises(s2.JsonError) as caught:
        s2.append_input_from_json(document)
    assert caught.value.verdict == verdict


@pytest.mark.slow
@pytest.mark.parametrize(
    "document",
    [
        ' {"records" : [ { } ] } ',
        '{"\\u0072ecords":[{}]}',
        '{"records":[{}],"other":{"a":[1,-2.5e+7,1e999,true,false,null,"\\ud834"]}}',
    ],
    ids=range(3),
)
def test_what_is_taken(document: str) -> None:
    batch = s2.append_input_from_json(document)
    assert batch == s2.AppendInput(records=[s2.AppendRecord()])


def test_the_answer_to_check_tail() -> None:
    document = '{"tail":{"seq_num":18446744073709551615,"timestamp":0}}'
    tail = s2.tail_from_json(document)
    assert tail == s2.StreamPosition(seq_num=2**64 - 1)
    assert s2.tail_to_json(tail) == document
    with pytest.raises(s2.JsonError, match="missing"):
        s2.tail_from_json("{}")


def test_no_utf_8() -> None:
    with pytest.raises(s2.JsonError, match="UTF-8"):
        s2.append_input_from_json(b'{"records":[{"body":"\xff"}]}')


@pytest.mark.parametrize(
    ("document", "field"),
    [
        ("{}", "records"),
        ('{"records":{}}', "records"),
        ('{"records":[{},{"timestamp":"1"}]}', "records[1].timestamp"),
        ('{"records":[{"headers":[["a","b"],["c"]]}]}', "records[0].headers[1]"),
        ('{"records":[{"headers":[["a",5]]}]}', "records[0].headers[0][1]"),
        ('{"records":[],"fencing_token":5}', "fencing_token"),
        ('{"records":[{"body":"x","body":"y"}]}', "body"),
    ],
)
def test_the_error_names_the_field(document: str, field: str) -> None:
    with pytest.raises(s2.JsonError) as caught:
        s2.append_input_from_json(document)
    assert caught.value.field == field


def test_the_error_says_where() -> None:
    with pytest.raises(s2.JsonError) as caught:
        s2.append_input_from_json('{"records":[{"body":"é"},]}')
    # Since Python 3.13 at the comma, before it after the comma.
    comma = len('{"records":[{"body":"é"}'.encode())
    assert caught.value.offset in (comma, comma + 1)
    with pytest.raises(s2.ValidationError) as refused:
        s2.append_input_from_json('{"records":[{},{"body":"="}]}', "base64")
    assert refused.value.record == 2


def test_bytes_that_are_no_text_are_not_appended_as_raw() -> None:
    batch = s2.AppendInput(records=[s2.AppendRecord(), s2.AppendRecord(body=b"\xff")])
    with pytest.raises(s2.ValidationError, match="base64") as caught:
        s2.append_input_to_json(batch)
    assert caught.value.record == 2
    assert s2.append_input_to_json(batch, "base64") == '{"records":[{},{"body":"/w=="}]}'


@pytest.mark.parametrize(
    ("value", "format"), [(None, "raw"), ("raw", "raw"), (" json-binsafe ", "base64"), ("base64\t", "base64")]
)
def test_the_header_s2_format(value: str | None, format: str) -> None:
    assert s2.format_of_header(value) == format


@pytest.mark.parametrize(
    ("status", "body", "error", "retryable"),
    [
        (412, '{"fencing_token_mismatch":"a"}', s2.ServerError(412, expected_fencing_token="a"), False),
        (412, '{"seq_num_mismatch":42}', s2.ServerError(412, expected_seq_num=42), False),
        (
            416,
            '{"tail":{"seq_num":10,"timestamp":5}}',
            s2.ServerError(416, tail=s2.StreamPosition(seq_num=10, timestamp=5)),
            False,
        ),
        (503, '{"code":"unavailable","message":"m"}', s2.ServerError(503, "unavailable", "m"), True),
        (409, '{"code":"transaction_conflict","message":"m"}', s2.ServerError(409, "transaction_conflict", "m"), True),
        (409, '{"code":"resource_already_exists","message":""}', s2.ServerError(409, "resource_already_exists"), False),
        (404, '{"code":"stream_not_found","message":""}', s2.ServerError(404, "stream_not_found"), False),
    ],
)
def test_error_bodies(status: int, body: str, error: s2.ServerError, retryable: bool) -> None:
    assert s2.error_from_json(status, body) == error
    assert s2.error_to_json(error) == body
    assert s2.error_of(s2.Terminal(status, body)) == error
    assert error.terminal() == s2.Terminal(status, body)
    assert error.retryable == retryable


@pytest.mark.parametrize("body", ["", "{}", "<html>", '{"tail":7}', '{"seq_num_mismatch":-1}'])
def test_error_bodies_of_others(body: str) -> None:
    assert s2.error_from_json(500, body.encode()) == s2.ServerError(500, message=body)


@pytest.mark.parametrize("row", [row for row in vectors("terminal") if row["id"].startswith("t-4")], ids=identity)
def test_terminal_messages_are_errors(row: dict[str, Any]) -> None:
    [terminal] = s2.FrameDecoder().feed(bytes.fromhex(row["hex"]))
    assert terminal.terminal is not None
    error = s2.error_of(terminal.terminal)
    sdk = row["python_sdk"][0]
    if error.code:
        assert (error.code, error.message) == (sdk["code"], sdk["text"])
    else:
        assert error.expected_seq_num == sdk.get("expected_seq_num")
        assert (described(error.tail) if error.tail else None) == sdk.get("tail")


contents = st.one_of(st.binary(max_size=20), st.text(max_size=10).map(lambda text: text.encode("utf-8", "ignore")))
numbers = st.integers(0, 2**64 - 1)
records = st.builds(
    s2.SequencedRecord,
    seq_num=numbers,
    timestamp=numbers,
    headers=st.lists(st.builds(s2.Header, name=contents, value=contents), max_size=3),
    body=contents,
)
positions = st.none() | st.builds(s2.StreamPosition, seq_num=numbers, timestamp=numbers)


@pytest.mark.slow
@given(st.builds(s2.ReadBatch, records=st.lists(records, max_size=4), tail=positions))
def test_batches_go_through_base64_unchanged(batch: s2.ReadBatch) -> None:
    document = s2.read_batch_to_json(batch, "base64")
    assert s2.read_batch_from_json(document, "base64") == batch
    assert s2.read_batch_from_json(json.dumps(json.loads(document)), "base64") == batch


@pytest.mark.slow
@given(st.builds(s2.ReadBatch, records=st.lists(records, max_size=4), tail=positions))
def test_raw_loses_what_is_no_text_and_nothing_else(batch: s2.ReadBatch) -> None:
    document = s2.read_batch_to_json(batch)
    again = s2.read_batch_from_json(document)
    assert s2.read_batch_to_json(again) == document
    assert [each.body for each in again.records] == [
        each.body.decode("utf-8", "replace").encode() for each in batch.records
    ]


@given(st.text(max_size=60) | st.text('{}[]":,0-e.\\u recodsbytimap', max_size=60))
def test_whatever_comes_is_read_or_refused(document: str) -> None:
    for read in (s2.append_input_from_json, s2.read_batch_from_json, s2.append_ack_from_json):
        with contextlib.suppress(wireloom.WireloomError):
            read(document)


@pytest.mark.usefixtures("execution")
def test_a_table_has_all_64_bits() -> None:
    table = s2.table_from_json('{"records":[{"seq_num":18446744073709551615,"timestamp":18446744073709551614}]}')
    assert table["seq_num"].to_pylist() == [2**64 - 1]
    assert table.schema.field("seq_num").type == pa.uint64()
