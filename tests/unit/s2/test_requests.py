"""Requests as plain data."""

import base64
from collections.abc import Callable
from typing import Any

import pyarrow as pa
import pytest
import wireloom
import wireloom.s2 as s2

KEY = bytes(range(32))
BATCH = s2.AppendInput(
    records=[s2.AppendRecord(body=b"\xff", headers=[s2.Header(name=b"n", value=b"v")])], match_seq_num=7
)


def test_requests() -> None:
    read = s2.read_session("a/b é", seq_num=5, count=3, bytes=2, until=1, wait=0, clamp=True, compression="gzip")
    assert read.method == "GET"
    assert read.target == "/v1/streams/a%2Fb%20%C3%A9/records?seq_num=5&count=3&bytes=2&until=1&wait=0&clamp=true"
    assert read.headers == {"Content-Type": "s2s/proto", "Accept-Encoding": "gzip"}
    append = s2.append_session("a", compression="none")
    assert (append.method, append.target, append.headers) == (
        "POST",
        "/v1/streams/a/records",
        {"Content-Type": "s2s/proto"},
    )
    assert (s2.check_tail("a").method, s2.check_tail("a").target) == ("GET", "/v1/streams/a/records/tail")
    events = s2.read_events("a", seq_num=0, last_event_id=s2.LastEventId(5, 6, 7))
    assert events.headers == {"Accept": "text/event-stream", "S2-Format": "base64", "Last-Event-ID": "5,6,7"}
    assert events.query == (("seq_num", "0"),)
    resumed = s2.read_events("a", timestamp=5, count=1, until=9, clamp=False)
    assert resumed.query == (("timestamp", "5"), ("count", "1"), ("until", "9"), ("clamp", "false"))
    assert s2.read_events("a", tail_offset=3).query == (("tail_offset", "3"),)


@pytest.mark.parametrize(
    "asked",
    [
        {"seq_num": 1, "timestamp": 1},
        {"seq_num": -1},
        {"count": 1 << 64},
        {"wait": 1 << 32},
        {"until": "now"},
        {"compression": "br"},
        {"basin": "short"},
        {"basin": "-begins-with-a-hyphen"},
        {"encryption_key": b"short"},
        {"encryption_key": "no base64!"},
    ],
    ids=str,
)
def test_requests_that_cannot_be_made(asked: dict[str, object]) -> None:
    with pytest.raises(wireloom.WireloomError):
        s2.read_session("a", **asked)  # type: ignore[arg-type]
    with pytest.raises(wireloom.WireloomError):
        s2.check_tail("")
    for stream in ("", "x" * 513, "a\0b", "\ud800"):
        with pytest.raises(wireloom.WireloomError, match="512 bytes"):
            s2.read_session(stream)


@pytest.mark.parametrize("format", ["raw", "base64"])
def test_single_reads(format: str) -> None:
    made = s2.read_unary("a", tail_offset=3, count=2, wait=60, content="json", format=format)
    assert (made.method, made.target) == ("GET", "/v1/streams/a/records?tail_offset=3&count=2&wait=60")
    assert made.headers == {"Accept": "application/json", "S2-Format": format}
    assert s2.read_unary("a", seq_num=0).headers == {"Accept": "application/protobuf"}
    with pytest.raises(wireloom.WireloomError, match="protobuf"):
        s2.read_unary("a", content="protobuff")


def test_single_appends() -> None:
    made = s2.append_unary("a/b", BATCH)
    assert (made.method, made.target) == ("POST", "/v1/streams/a%2Fb/records")
    assert made.headers == {"Content-Type": "application/protobuf", "Accept": "application/protobuf"}
    assert s2.AppendInput.from_bytes(made.body) == BATCH
    as_json = s2.append_unary("a/b", BATCH, content="json")
    assert as_json.headers == {
        "Content-Type": "application/json",
        "Accept": "application/json",
        "S2-Format": "base64",
    }
    assert s2.append_input_from_json(as_json.body, "base64") == BATCH
    with pytest.raises(s2.ValidationError):
        s2.append_unary("a", BATCH, content="json", format="raw")
    with pytest.raises(s2.ValidationError):
        s2.append_unary("a", s2.AppendInput())


def test_what_goes_along_in_headers() -> None:
    config = s2.StreamConfig(storage_class="express", retention="infinite", uncapped=False, delete_on_empty=0)
    wanted = {
        "S2-Basin": "my-basin",
        "S2-Encryption-Key": base64.b64encode(KEY).decode(),
        "S2-Stream-Config": '{"storage_class":"express","retention_policy":{"infinite":{}},'
        '"timestamping":{"uncapped":false},"delete_on_empty":{"min_age_secs":0}}',
    }
    for key in (KEY, base64.b64encode(KEY).decode(), bytearray(KEY)):
        along = {"basin": "my-basin", "encryption_key": key, "stream_config": config}
        for made in (
            s2.read_session("a", seq_num=0, **along),
            s2.read_events("a", seq_num=0, **along),
            s2.read_unary("a", seq_num=0, **along),
            s2.append_session("a", **along),
            s2.append_unary("a", BATCH, **along),
        ):
            assert made.headers.items() >= wanted.items()
            assert wanted["S2-Encryption-Key"] not in repr(made)
    assert s2.check_tail("a", basin="my-basin").headers == {"Accept": "application/json", "S2-Basin": "my-basin"}
    assert s2.StreamConfig().to_json() == "{}"


def test_a_key_that_is_none_is_not_shown() -> None:
    with pytest.raises(wireloom.WireloomError) as caught:
        s2.read_session("a", encryption_key="c2VjcmV0")
    assert "c2VjcmV0" not in str(caught.value)
    assert "32 bytes" in str(caught.value)


@pytest.mark.parametrize(
    "config",
    [
        {"storage_class": "Fast!"},
        {"retention": 0},
        {"retention": "forever"},
        {"timestamping": "server"},
        {"uncapped": 1},
        {"delete_on_empty": -1},
        {"delete_on_empty": True},
    ],
)
def test_configurations_that_are_none(config: dict[str, object]) -> None:
    with pytest.raises(wireloom.WireloomError):
        s2.StreamConfig(**config)  # type: ignore[arg-type]  # what a caller without types may give


@pytest.mark.parametrize(
    ("function", "given", "message"),
    [
        (s2.EventReader, {"format": 5}, "^unknown S2-Format 5: there are raw, "),
        (s2.table_from_json, {"document": "{}", "message": ["a"]}, "^unknown kind of message .*read_batch"),
        (s2.table_to_json, {"table": pa.table({}), "message": None}, "^unknown kind of message None: "),
        (s2.read_unary, {"stream": "a", "content": ["json"]}, "^unknown content "),
    ],
)
def test_arguments_of_a_wrong_kind(function: Callable[..., Any], given: dict[str, Any], message: str) -> None:
    with pytest.raises(wireloom.WireloomError, match=message):
        function(**given)
