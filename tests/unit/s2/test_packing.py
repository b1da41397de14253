"""Tables written as sessions: batches that the server accepts."""

from typing import Any

import pytest
import wireloom
import wireloom.s2 as s2

from ...writing import bytes_of
from .cases import KINDS, vectors
from .executions import execution  # noqa: F401
from .test_session import read


def write(table: Any, message: str = "read_batch", **options: Any) -> bytes:
    return bytes_of("s2_session", table, message=message, **options)


def records(count: int, size: int, **more: Any) -> list[dict[str, Any]]:
    return [{"timestamp": each, "body": bytes(size), **more} for each in range(count)]


@pytest.mark.parametrize("compression", s2.COMPRESSIONS)
@pytest.mark.parametrize("kind", ["read_batch", "append_input", "append_ack"])
@pytest.mark.usefixtures("execution")
def test_tables_go_round(kind: str, compression: str) -> None:
    streams = [row for row in vectors("frames") if KINDS[row["type"]] == kind]
    for row in streams:
        table, _ = read(bytes.fromhex(row["hex"]), kind)
        again, file = read(write(table, kind, compression=compression), kind)
        assert again == table
        assert file["damaged"] == []


def test_a_batch_has_at_most_1000_records_and_1_mib() -> None:
    small = s2.FrameDecoder().feed(write(records(2500, 1), "append_input"))
    assert [len(s2.AppendInput.from_bytes(each.content()).records) for each in small] == [1000, 1000, 500]
    large = list(s2.FrameDecoder().feed(write(records(10, 500_000), "append_input", compression="zstd")))
    batches = [s2.AppendInput.from_bytes(each.content()) for each in large]
    assert [len(each.records) for each in batches] == [2] * 5
    for each in batches:
        s2.check_append(each)
    assert {each.compression for each in large} == {"zstd"}


def test_conditions_begin_batches_and_go_on_in_the_next() -> None:
    rows = [
        *records(1500, 0, match_seq_num=7),
        *records(1, 0, match_seq_num=9, fencing_token="a"),
        *records(2, 0, match_seq_num=9, fencing_token=""),
        *records(1, 0),
    ]
    batches = [
        s2.AppendInput.from_bytes(each.content()) for each in s2.FrameDecoder().feed(write(rows, "append_input"))
    ]
    assert [(len(each.records), each.match_seq_num, each.fencing_token) for each in batches] == [
        (1000, 7, None),
        (500, 1007, None),
        (1, 9, "a"),
        (2, 9, ""),
        (1, None, None),
    ]


@pytest.mark.parametrize(
    "row",
    [
        {"headers": [{"name": b"", "value": b"rotate"}]},
        {"headers": [{"name": b"", "value": b"trim"}], "body": b"7"},
        {"headers": [{"name": b"a", "value": b""}, {"name": b"", "value": b"fence"}]},
        {"body": bytes(1024 * 1024)},
        {"body": b"", "fencing_token": "x" * 37},
    ],
    ids=range(5),
)
def test_rows_that_no_server_takes(row: dict[str, Any]) -> None:
    with pytest.raises(s2.ValidationError, match="row 1"):
        write([{"body": b"good"}, row], "append_input")


def test_a_batch_that_was_read_is_written_whatever_its_commands() -> None:
    table, _ = read(write([{"seq_num": 1, "headers": [{"name": b"", "value": b"rotate"}], "body": b"x"}]))
    assert table["command"].to_pylist() == ["rotate"]


def test_unknown_options() -> None:
    with pytest.raises(wireloom.UnknownNameError, match="gzip"):
        write(records(1, 1), "append_input", compression="gzpi")
    with pytest.raises(wireloom.UnknownNameError, match="append_ack"):
        read(b"", "append_akc")
