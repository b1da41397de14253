"""Server-sent events: every stream of the vectors, cut anywhere, and the events that are written."""

import random
from typing import Any

import pytest
import wireloom
import wireloom.s2 as s2
from hypothesis import given
from hypothesis import strategies as st

from .cases import described, identity, vectors
from .test_frames import chunks

ROWS = vectors("sse")
STREAMS = [row for row in ROWS if "text" in row]
IDENTITIES = [row for row in ROWS if "last_event_id" in row]


def read(pieces: list[bytes], format: str = "raw") -> tuple[list[Any], s2.EventReader]:
    reader = s2.EventReader(format)
    return [event for piece in pieces for event in reader.feed(piece)], reader


def told(event: Any) -> dict[str, Any]:
    """Return an event in the notation of the vectors."""
    match event:
        case s2.BatchEvent(batch, identity):
            return {"batch": described(batch)} | ({} if identity is None else {"id": list(_parts(identity))})
        case s2.PingEvent(timestamp, tail):
            return {"ping": {"timestamp": timestamp} | ({} if tail is None else {"tail": described(tail)})}
        case s2.ErrorEvent(error):
            return {"error": {"code": error.code, "message": error.message}}
    return {"done": True}


def _parts(identity: s2.LastEventId) -> tuple[int, int, int]:
    return identity.seq_num, identity.count, identity.bytes


def expectations(row: dict[str, Any]) -> list[dict[str, Any]]:
    if row.get("format") != "raw":
        return row["expect"]
    # A reader cannot recover what the server's raw format has lost.
    return [_lost(each) if "batch" in each else each for each in row["expect"]]


def _lost(event: dict[str, Any]) -> dict[str, Any]:
    records = [
        {**each, "body": bytes.fromhex(each["body"]).decode("utf-8", "replace").encode().hex()}
        for each in event["batch"]["records"]
    ]
    return {**event, "batch": {**event["batch"], "records": records}}


@pytest.mark.parametrize("row", STREAMS, ids=identity)
def test_every_stream_however_it_is_cut(row: dict[str, Any]) -> None:
    data = row["text"].encode()
    randomness = random.Random(row["id"])
    cuts = [chunks(data, sorted(randomness.choices(range(len(data) + 1), k=9))) for _ in range(5)]
    for pieces in ([data], [data[at : at + 1] for at in range(len(data))], *cuts):
        events, reader = read(pieces, row.get("format", "raw"))
        assert [told(each) for each in events] == expectations(row)
        if "resume" in row:
            assert str(reader.last_event_id) == row["resume"]["last_event_id"]
            assert reader.last_event_id is not None
            assert reader.last_event_id.next_seq_num == row["resume"]["next_seq_num"]


@pytest.mark.parametrize("row", [row for row in STREAMS if row.get("format") == "base64"], ids=identity)
def test_events_are_written_as_the_server_does(row: dict[str, Any]) -> None:
    events, _ = read([row["text"].encode()], "base64")
    assert "".join(s2.event_to_text(each, "base64") for each in events) == row["text"]


@pytest.mark.parametrize("row", IDENTITIES, ids=identity)
def test_every_last_event_id(row: dict[str, Any]) -> None:
    if "expect" in row:
        found = s2.LastEventId.parse(row["last_event_id"])
        assert list(_parts(found)) == row["expect"]
        assert str(found) == row["last_event_id"]
    else:
        with pytest.raises(wireloom.WireloomError) as caught:
            s2.LastEventId.parse(row["last_event_id"])
        assert caught.value.field is not None
        assert f"invalid {caught.value.field} " in row["expect_error"]


@pytest.mark.parametrize(
    "text", ["1,2", "1", "1,2,3,4", "1,2,", "18446744073709551616,1,1", "1,2,٣", "1,2,3 ", "9" * 5000]
)
def test_ids_that_are_none(text: str) -> None:
    with pytest.raises(wireloom.WireloomError, match="Last-Event-ID"):
        s2.LastEventId.parse(text)


PING = 'event: ping\ndata: {"timestamp":7}\n\n'


@pytest.mark.parametrize("end", ["\n", "\r", "\r\n"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_line_ends_and_the_byte_order_mark(end: str, mark: str) -> None:
    data = (mark + PING.replace("\n", end) * 2).encode()
    for pieces in ([data], [data[at : at + 1] for at in range(len(data))]):
        assert read(pieces)[0] == [s2.PingEvent(7), s2.PingEvent(7)]


@pytest.mark.parametrize(
    "text",
    [
        "event: batch\n\n" + PING,
        "data\n\n" + PING,
        "event: later\ndata: x\n\n" + PING,
        "data: x\n\n" + PING,
        "retry: 5\nunknown: x\n: comment\n" + PING,
        "\n\n\n" + PING,
    ],
    ids=range(6),
)
def test_what_is_passed_over(text: str) -> None:
    assert read([text.encode()])[0] == [s2.PingEvent(7)]


def test_an_id_stays_until_there_is_another() -> None:
    batch = 'event: batch\ndata: {"records":[]}\n\n'
    events, reader = read([f"id: 1,1,1\n{batch}{batch}id: 2,2,2\0\n{batch}".encode()])
    assert [each.id for each in events] == [s2.LastEventId(1, 1, 1)] * 3
    assert reader.last_event_id == s2.LastEventId(1, 1, 1)


def test_nothing_comes_after_the_end() -> None:
    events, reader = read([f"data: [DONE]\n\n{PING}".encode(), PING.encode()])
    assert events == [s2.DoneEvent()]
    assert reader.ended


@pytest.mark.parametrize(
    "text",
    ["event: batch\ndata: {}\n\n", "event: ping\ndata: x\n\n", 'event: batch\nid: x\ndata: {"records":[]}\n\n'],
    ids=range(3),
)
def test_events_that_are_none(text: str) -> None:
    reader = s2.EventReader()
    assert list(reader.feed(PING.encode())) == [s2.PingEvent(7)]
    with pytest.raises(wireloom.WireloomError, match="event stream") as caught:
        list(reader.feed(text.encode()))
    assert caught.value.offset == len(PING) + len(text)
    assert reader.ended


@pytest.mark.slow
@pytest.mark.parametrize("piece", [b"data: " + b"x" * 1_000_000 + b"\n", b"x" * 1_000_000])
def test_events_are_bounded(piece: bytes) -> None:
    reader = s2.EventReader()
    for _ in range(16):
        assert list(reader.feed(piece)) == []
    with pytest.raises(wireloom.WireloomError, match="more than") as caught:
        list(reader.feed(piece))
    assert caught.value.reason == "limit"


@given(st.binary(max_size=200) | st.text('eventdabchping:\r\n {}[]"01,\ufeff', max_size=200).map(str.encode), st.data())
def test_whatever_comes_however_it_is_cut(data: bytes, draw: st.DataObject) -> None:
    places = sorted(draw.draw(st.lists(st.integers(0, len(data)), max_size=8)))
    outcomes = []
    for pieces in ([data], chunks(data, places)):
        try:
            outcomes.append(read(pieces)[0])
        except wireloom.WireloomError as error:
            outcomes.append([str(error)])
    assert outcomes[0] == outcomes[1]
