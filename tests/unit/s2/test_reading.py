"""Streams read over the network: every record exactly once, whatever happens to connections, and no silent loss."""

from __future__ import annotations

import pickle
import random
from collections.abc import Callable
from typing import Any

import pyarrow as pa
import pytest
import wireloom
import wireloom.s2 as s2
from wireloom import TemporaryError

from ...s2_server import BASIN, TOKEN, Fault, Server
from ...waiting import SECONDS


def numbers(table: pa.Table) -> list[int]:
    found: list[int] = table["seq_num"].to_pylist()
    return found


@pytest.mark.slow
def test_a_table_is_what_the_engine_reads_of_the_same_messages(s2_server: Server) -> None:
    stream = s2_server.fill("orders", 30)
    stream.append([s2.command_record(s2.Fence("w"), 9), s2.AppendRecord(headers=[s2.Header(name=b"n", value=b"\xff")])])
    expected = wireloom.read("s2_messages", s2.ReadBatch(records=stream.records).to_bytes())
    assert s2.read(BASIN, "orders") == expected
    assert s2.read(BASIN, "orders", columns=["command", "body"]) == expected.select(["command", "body"])
    with pytest.raises(wireloom.WireloomError, match="unknown column of an S2 stream"):
        s2.read(BASIN, "orders", columns=["bodies"])


@pytest.mark.slow
def test_one_connection_is_kept(s2_server: Server) -> None:
    s2_server.fill("orders", 2500)
    for _ in range(3):
        assert s2.read(BASIN, "orders", 100).num_rows == 2400
    # What an earlier test left may be used first.
    assert s2_server.connections <= 1
    assert s2_server.sessions() == ["/v1/streams/orders/records?seq_num=100&count=2400"] * 3


FAULTS = [
    Fault(cut_after=0),
    Fault(cut_after=2),
    Fault(cut_after=700),
    Fault(drain_after=0),
    Fault(drain_after=1),
    Fault(advise_after=0),
    Fault(status=503),
    Fault(status=429, code="rate_limited"),
    Fault(),
]


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_every_record_comes_once_whatever_happens(
    s2_server: Server, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    monkeypatch.setattr("wireloom.base.retries.FIRST_PAUSE", 0.001)
    source = random.Random(seed)
    s2_server.fill("orders", 400, size=20)
    s2_server.batch = 17
    s2_server.faults.extend(source.choices(FAULTS, k=12))
    with s2.scan(BASIN, "orders", source.choice((0, 3))) as reading:
        table = pa.Table.from_batches(list(reading), reading.schema)
    assert numbers(table) == list(range(400 - table.num_rows, 400))
    assert table.num_rows >= 397
    assert reading.gaps == []


@pytest.mark.slow
def test_where_a_read_begins_and_ends(s2_server: Server) -> None:
    s2_server.fill("orders", 50, timestamp=1000)
    assert numbers(s2.read(BASIN, "orders", 7, end=9)) == [7, 8]
    assert numbers(s2.read(BASIN, "orders", timestamp=1047)) == [47, 48, 49]
    assert numbers(s2.read(BASIN, "orders", tail_offset=2)) == [48, 49]
    assert numbers(s2.read(BASIN, "orders", 3, until=1005)) == [3, 4]
    assert numbers(s2.read(BASIN, "orders", 3, count=2)) == [3, 4]
    assert numbers(s2.read(BASIN, "orders", 3, bytes=32)) == [3, 4]
    assert numbers(s2.read(BASIN, "orders", 50)) == []
    assert numbers(s2.read(BASIN, "orders", 60, end=70)) == []
    assert numbers(s2.read(BASIN, "orders", timestamp=9000)) == []


def test_a_stream_without_records(s2_server: Server) -> None:
    s2_server.fill("orders", 0)
    assert s2.read(BASIN, "orders").num_rows == 0
    assert s2.tail_of(BASIN, "orders").seq_num == 0


@pytest.mark.slow
def test_records_that_are_gone(s2_server: Server) -> None:
    s2_server.fill("orders", 50).first = 20
    # Without a beginning, the existing records are returned.
    assert numbers(s2.read(BASIN, "orders")) == list(range(20, 50))
    with pytest.raises(
        s2.LostRecordsError, match="records 0 to 19 of s2://wireloom-tests/orders no longer exist"
    ) as caught:
        s2.read(BASIN, "orders", 0)
    assert caught.value.gap == s2.Gap(0, 20)
    for end, gap, rows in ((50, s2.Gap(5, 20), 30), (25, s2.Gap(5, 20), 5), (10, s2.Gap(5, 10), 0)):
        with s2.scan(BASIN, "orders", 5, end=end, lost="report") as reading:
            assert sum(each.num_rows for each in reading) == rows
        assert reading.gaps == [gap]


@pytest.mark.slow
def test_a_stream_that_was_trimmed_to_its_end(s2_server: Server) -> None:
    s2_server.fill("orders", 50).first = 50
    assert numbers(s2.read(BASIN, "orders")) == []
    with s2.scan(BASIN, "orders", 5, lost="report") as reading:
        assert list(reading) == []
    assert reading.gaps == [s2.Gap(5, 50)]


def test_what_is_before_a_gap_is_given(s2_server: Server) -> None:
    stream = s2_server.fill("orders", 10)
    del stream.records[4:7]
    reading = s2.tail(BASIN, "orders", 0)
    assert next(reading)["seq_num"].to_pylist() == [0, 1, 2, 3]
    with pytest.raises(s2.LostRecordsError) as caught:
        next(reading)
    assert caught.value.gap == s2.Gap(4, 7)
    assert pickle.loads(pickle.dumps(caught.value)).gap == s2.Gap(4, 7)


RESPONSES = [("session", "raw"), ("events", "base64"), ("events", "raw"), ("json", "base64"), ("json", "raw")]


@pytest.mark.parametrize(("response", "format"), RESPONSES)
def test_what_a_server_sends(s2_server: Server, response: str, format: str) -> None:
    header = s2.Header(name=b"n", value=b"\xff\xc3")
    stream = s2_server.fill("orders", 2500)
    stream.append([s2.AppendRecord(body=b"\x00\xff", headers=[header], timestamp=9), s2.command_record(s2.Trim(1))])
    whole = s2.read(BASIN, "orders")
    more: dict[str, Any] = {"response": response, "format": format}
    with s2.tail(BASIN, "orders", from_earliest=True, wait=1, **more) as reading:
        table = pa.Table.from_batches(list(reading), reading.schema)
    if format == "raw" and response != "session":
        assert table["body"].to_pylist()[-2:] == ["\0\ufffd".encode(), whole["body"][-1].as_py()]
        assert table["headers"][-2].as_py() == [{"name": b"n", "value": "\ufffd\ufffd".encode()}]
        table, whole = table.drop(["headers", "body"]), whole.drop(["headers", "body"])
    assert table.equals(whole)
    assert reading.next_seq_num == 2502
    with s2.tail(BASIN, "orders", 5, count=2004, **more) as reading:
        assert sum(each.num_rows for each in reading) == 2004
    until = stream.records[1700].timestamp
    with s2.tail(BASIN, "orders", 5, until=until, **more) as reading:
        assert sum(each.num_rows for each in reading) == 1695
    with s2.tail(BASIN, "orders", 1500, **more) as reading:
        assert next(reading)["seq_num"][0].as_py() == 1500


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(("response", "format"), RESPONSES)
def test_a_follower_gets_every_record_once(
    s2_server: Server, monkeypatch: pytest.MonkeyPatch, response: str, format: str, seed: int
) -> None:
    monkeypatch.setattr("wireloom.base.retries.FIRST_PAUSE", 0.001)
    monkeypatch.setattr("wireloom.s2.reading.CAUGHT_UP_PAUSE", 0.01)
    source = random.Random(seed)
    s2_server.fill("orders", 100, size=20)
    s2_server.batch = 17
    s2_server.faults.extend(source.choices(FAULTS, k=12))
    found: list[int] = []
    with s2.tail(BASIN, "orders", 3, response=response, format=format) as reading:
        while len(found) < 297:
            found += next(reading)["seq_num"].to_pylist()
            if len(s2_server.streams["orders"].records) < 300:
                s2_server.fill("orders", 20, size=20)
    assert found == list(range(3, len(found) + 3))


@pytest.mark.parametrize("response", ["events", "json"])
def test_a_response_of_something_else(s2_server: Server, monkeypatch: pytest.MonkeyPatch, response: str) -> None:
    s2_server.fill("orders", 5)
    for name in ("event_to_text", "read_batch_to_json"):
        monkeypatch.setattr(s2, name, lambda *_: "event: batch\ndata: {\n\n")
    with (
        s2.tail(BASIN, "orders", 0, response=response) as reading,
        pytest.raises(wireloom.WireloomError, match=f"s2://{BASIN}/orders"),
    ):
        next(reading)
    with pytest.raises(wireloom.WireloomError, match="unknown response 'event': did you mean 'events'"):
        s2.tail(BASIN, "orders", 0, response="event")


@pytest.mark.slow
def test_tailing(s2_server: Server) -> None:
    s2_server.fill("orders", 5)
    s2_server.faults.extend([Fault(cut_after=40)])
    with s2.tail(BASIN, "orders", tail_offset=1) as reading:
        assert next(reading)["seq_num"].to_pylist() == [4]
        s2_server.fill("orders", 2)
        found: list[int] = []
        while len(found) < 2:
            found += next(reading)["seq_num"].to_pylist()
        assert (found, reading.next_seq_num) == ([5, 6], 7)


def test_tailing_ends_after_a_wait_and_begins_at_the_end(s2_server: Server) -> None:
    s2_server.fill("orders", 5)
    assert list(s2.tail(BASIN, "orders", wait=0)) == []
    assert sum(each.num_rows for each in s2.tail(BASIN, "orders", from_earliest=True, wait=0)) == 5


@pytest.mark.slow
def test_silence_is_a_lost_connection(s2_server: Server, caplog: pytest.LogCaptureFixture) -> None:
    s2_server.fill("orders", 5)
    s2_server.faults.append(Fault(silent=True))
    with s2.StreamReading(BASIN, "orders", 0, end=5, silence=0.5, patience=SECONDS) as reading:
        assert sum(each.num_rows for each in reading) == 5
    assert "Read timed out" in caplog.text


def test_frames_that_are_none_end_a_read(s2_server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    s2_server.fill("orders", 5)
    monkeypatch.setattr(s2, "encode_frame", lambda *_, **__: b"\xff\xff\xff\x00")
    with pytest.raises(wireloom.WireloomError, match=r"s2://wireloom-tests/orders.*the limit is 2097152"):
        s2.read(BASIN, "orders")


@pytest.mark.slow
def test_streams_are_listed_page_by_page(s2_server: Server) -> None:
    for name in ("a/1", "a/2", "a/3", "a/é", "b"):
        s2_server.fill(name, 1)
    assert s2.streams_of(BASIN, "a/") == ["a/1", "a/2", "a/3", "a/é"]
    assert s2.streams_of(BASIN) == ["a/1", "a/2", "a/3", "a/é", "b"]
    assert s2.streams_of(BASIN, "c") == []
    assert s2.read(BASIN, "a/é").num_rows == 1


REFUSED: list[tuple[Callable[[], Any], str]] = [
    (lambda: s2.read(BASIN, "none"), "404 .*stream_not_found"),
    (lambda: s2.read("another-basin", "orders"), "404 .*basin_not_found"),
    (lambda: s2.read("evil.example/", "orders"), "not a valid basin name"),
    (lambda: s2.read(BASIN, ""), "1 to 512 bytes"),
    (lambda: s2.read(BASIN, "orders", endpoint="ftp://host"), "not the address of a server"),
    (lambda: s2.read(BASIN, "orders", endpoint="http://user:password@host"), "endpoint is not the address"),
    (lambda: s2.read(BASIN, "orders", 3, timestamp=4), "has one starting point"),
    (lambda: s2.read(BASIN, "orders", lost="ignore"), "unknown lost 'ignore'"),  # type: ignore[arg-type]
]


@pytest.mark.parametrize(("asked", "message"), REFUSED)
def test_what_is_refused(s2_server: Server, asked: Callable[[], Any], message: str) -> None:
    s2_server.fill("orders", 1)
    with pytest.raises(wireloom.WireloomError, match=message) as caught:
        asked()
    assert TOKEN not in str(caught.value)
    assert "password" not in str(caught.value)


def test_tokens_are_not_shown(s2_server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    s2_server.fill("orders", 1)
    with s2.tail(BASIN, "orders", 0) as reading:
        next(reading)
        assert TOKEN not in repr(vars(reading))
    monkeypatch.setenv("S2_ACCESS_TOKEN", f"{TOKEN}\r\nX-Injected: 1")
    with pytest.raises(wireloom.WireloomError, match="S2_ACCESS_TOKEN contains characters") as caught:
        s2.read(BASIN, "orders")
    assert TOKEN not in str(caught.value)
    monkeypatch.setenv("S2_ACCESS_TOKEN", "another")
    with pytest.raises(s2.S2Error, match=r"403 .permission_denied") as refused:
        s2.read(BASIN, "orders")
    assert refused.value.error.code == "permission_denied"
    monkeypatch.delenv("S2_ACCESS_TOKEN")
    with pytest.raises(wireloom.WireloomError, match="set S2_ACCESS_TOKEN"):
        s2.read(BASIN, "orders", endpoint="https://{basin}.b.s2.dev")


def test_a_server_that_cannot_be_reached(s2_server: Server) -> None:
    with pytest.raises(TemporaryError, match=r"http://127\.0\.0\.1:9: .*refused"):
        s2.read(BASIN, "orders", endpoint="http://127.0.0.1:9", patience=0)


def test_redirects_are_not_followed(s2_server: Server) -> None:
    s2_server.fill("orders", 1)
    s2_server.faults.append(Fault(status=307))
    with pytest.raises(s2.S2Error, match="answered 307"):
        s2.read(BASIN, "orders")


def test_columns_that_name_nothing(s2_server: Server) -> None:
    s2_server.fill("orders", 3)
    with pytest.raises(wireloom.WireloomError, match="columns must have at least one of seq_num, "):
        s2.read(BASIN, "orders", columns=[])
    with pytest.raises(wireloom.WireloomError, match="columns must be a list of names, not the text 'body'"):
        s2.read(BASIN, "orders", columns="body")


def test_the_next_number_is_not_beyond_the_end(s2_server: Server) -> None:
    s2_server.fill("orders", 30)
    with s2.scan(BASIN, "orders", 0, end=7, bytes=1 << 20) as reading:
        assert sum(batch.num_rows for batch in reading) == 7
        assert reading.next_seq_num == 7
