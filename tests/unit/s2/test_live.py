"""A reader of a live stream: nothing is lost or returned twice, whatever happens to its connections."""

import random

import pytest
import wireloom
import wireloom.s2 as s2
from hypothesis import given
from hypothesis import strategies as st

from .test_frames import chunks

TAIL = '{"tail":{"seq_num":%d,"timestamp":0}}'


def batch(*numbers: int, tail: int | None = None) -> s2.ReadBatch:
    records = [s2.SequencedRecord(seq_num=number, body=b"%d" % number) for number in numbers]
    return s2.ReadBatch(records=records, tail=None if tail is None else s2.StreamPosition(seq_num=tail))


def frame(*numbers: int, tail: int | None = None, advised: bool = False) -> bytes:
    return s2.encode_frame(batch(*numbers, tail=tail).to_bytes(), reconnect_advised=advised)


def connected(seq_num: int | None = 7) -> s2.LiveReader:
    reader = s2.LiveReader("events", seq_num)
    assert reader.answered(200).action == "go on"
    return reader


def numbers_of(delivery: s2.Delivery) -> list[int]:
    return [each.seq_num for each in delivery.records]


def test_the_next_number_is_after_the_last_record() -> None:
    reader = connected()
    deliveries = reader.feed(frame(7, 8) + frame(9))
    assert reader.next_seq_num == 7
    assert numbers_of(next(deliveries)) == [7, 8]
    assert reader.next_seq_num == 9
    assert numbers_of(next(deliveries)) == [9]
    assert reader.next_seq_num == 10
    assert reader.request().target == "/v1/streams/events/records?seq_num=10"


def test_commands_are_counted_and_delivered() -> None:
    reader = connected()
    command = s2.SequencedRecord(seq_num=7, headers=[s2.Header(value=b"fence")], body=b"t")
    [delivery] = reader.feed(s2.encode_frame(s2.ReadBatch(records=[command]).to_bytes()))
    assert delivery.records == (command,)
    assert reader.next_seq_num == 8


def test_an_empty_batch_with_a_tail_says_what_is_next() -> None:
    reader = connected(None)
    assert reader.request().query == (("tail_offset", "0"),)
    [delivery] = reader.feed(frame(tail=42))
    assert (delivery.records, delivery.tail) == ((), s2.StreamPosition(seq_num=42))
    assert reader.next_seq_num == 42
    [empty] = reader.feed(frame())
    assert empty == s2.Delivery(())
    assert reader.next_seq_num == 42


def test_the_batch_is_delivered_before_the_advice_is_taken() -> None:
    reader = connected()
    [delivery] = reader.feed(frame(7, advised=True) + frame(8))
    assert numbers_of(delivery) == [7]
    assert reader.step.action == "reconnect"
    assert reader.closed().action == "reconnect"
    assert reader.request().query == (("seq_num", "8"),)
    reader.answered(200)
    assert [numbers_of(each) for each in reader.feed(frame(8))] == [[8]]


def test_advice_is_taken_once_in_a_minute() -> None:
    """Otherwise servers that end one after another would make a reader do nothing but reconnect."""
    reader = s2.LiveReader("events", 0)
    taken = []
    for number, now in enumerate((100.0, 110.0, 160.0, 160.5, 220.5, 221.0)):
        reader.answered(200, now=now)
        # The advice is in every frame from then on.
        stream = frame(2 * number, advised=True) + frame(2 * number + 1, advised=True)
        got = [number for delivery in reader.feed(stream, now=now) for number in numbers_of(delivery)]
        if reader.step.action == "reconnect":
            taken.append(now)
            assert got == [2 * number]
            reader.answered(200, now=now)
            list(reader.feed(frame(2 * number + 1), now=now))
        else:
            # The server ends the session, and nothing is lost.
            assert got == [2 * number, 2 * number + 1]
            assert reader.closed().action == "reconnect"
    assert taken == [100.0, 160.5, 221.0]


def test_advice_is_not_taken_just_after_a_server_that_ends() -> None:
    reader = s2.LiveReader("events", 0)
    body = '{"code":"server_draining","message":"m"}'
    assert reader.answered(503, body, now=5.0).action == "retry"
    reader.answered(200, now=6.0)
    list(reader.feed(frame(0, advised=True), now=6.0))
    assert reader.step.action == "go on"


def test_a_session_that_ends_at_once_is_a_failure() -> None:
    reader = connected()
    assert (reader.closed().action, reader.step.attempt) == ("retry", 1)
    reader.answered(200)
    assert (reader.closed().action, reader.step.attempt) == ("retry", 2)
    reader.answered(200)
    list(reader.feed(frame(7)))
    assert (reader.closed().action, reader.step.attempt) == ("reconnect", 0)


# Where a read begins and ends ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("asked", "query"),
    [
        ({"timestamp": 1790000000000}, (("timestamp", "1790000000000"),)),
        ({"tail_offset": 10}, (("tail_offset", "10"),)),
        ({"tail_offset": 10, "clamp": True, "until": 9}, (("tail_offset", "10"), ("until", "9"), ("clamp", "true"))),
        ({}, (("tail_offset", "0"),)),
    ],
)
def test_a_place_that_is_not_known_yet(asked: dict[str, int], query: tuple[tuple[str, str], ...]) -> None:
    """It is requested until something has arrived; then the next number is."""
    reader = s2.LiveReader("events", **asked)  # type: ignore[arg-type]  # all of them are numbers
    assert reader.next_seq_num is None
    assert reader.request().query == query
    reader.answered(200)
    assert reader.failed().action == "retry"
    assert reader.request().query == query
    reader.answered(200)
    [delivery] = reader.feed(frame(40))
    assert delivery.gaps == ()
    assert reader.request().query[0] == ("seq_num", "41")
    assert "clamp" not in dict(reader.request().query)
    assert dict(reader.request().query).get("until") == dict(query).get("until")


def test_a_time_that_has_not_come_yet() -> None:
    reader = s2.LiveReader("events", timestamp=99)
    assert reader.answered(416, TAIL % 7).action == "wait"
    assert reader.request().query == (("timestamp", "99"),)
    at_end = s2.LiveReader("events", tail_offset=0)
    assert at_end.answered(416, TAIL % 7).action == "wait"
    assert at_end.request().query == (("seq_num", "7"),)


def test_a_place_after_the_end_may_be_clamped() -> None:
    reader = s2.LiveReader("events", 100, clamp=True)
    assert reader.request().query == (("seq_num", "100"), ("clamp", "true"))
    assert reader.next_seq_num is None
    reader.answered(200)
    [delivery] = reader.feed(frame(tail=50))
    assert (delivery.gaps, reader.next_seq_num) == ((), 50)
    assert reader.request().query == (("seq_num", "50"),)
    inside = s2.LiveReader("events", 100, clamp=True)
    assert inside.deliver(batch(150)).gaps == (s2.Gap(100, 150),)
    trimmed = s2.LiveReader("events", 100, clamp=True)
    assert trimmed.deliver(batch(tail=150)).gaps == (s2.Gap(100, 150),)


def test_counts_hold_for_all_connections_together() -> None:
    reader = s2.LiveReader("events", 0, count=5, bytes=1000)
    reader.answered(200)
    list(reader.feed(frame(0, 1)))
    # Each record counts 8 and the 1 byte of its body.
    assert reader.request().query == (("seq_num", "2"), ("count", "3"), ("bytes", "982"))
    reader.failed()
    reader.answered(200)
    list(reader.feed(frame(2, 3, 4, advised=True) + frame(5)))
    assert (reader.step.action, reader.step.error) == ("stop", None)
    assert reader.closed().action == reader.failed().action == "stop"
    assert reader.next_seq_num == 5


def test_bytes_are_counted() -> None:
    reader = s2.LiveReader("events", 0, bytes=18)
    assert reader.deliver(batch(0)).records
    assert reader.step.action == "reconnect"
    reader.deliver(batch(1))
    assert (reader.step.action, reader.step.error) == ("stop", None)


@pytest.mark.parametrize("bound", [{"until": 9}, {"wait": 5}, {"count": 9}])
def test_a_read_with_an_end_is_done_where_the_server_ends_it(bound: dict[str, int]) -> None:
    reader = s2.LiveReader("events", 7, **bound)  # type: ignore[arg-type]  # all of them are numbers
    reader.answered(200)
    list(reader.feed(frame(7)))
    step = reader.closed()
    assert (step.action, step.error) == ("stop", None)
    cut = s2.LiveReader("events", 7, **bound)  # type: ignore[arg-type]
    cut.answered(200)
    list(cut.feed(frame(7)[:-1]))
    assert cut.closed().action == "retry"


def test_what_is_left_of_the_waiting() -> None:
    """It is counted from when the end was reached; only records begin it again, heartbeats do not."""
    reader = s2.LiveReader("events", 0, wait=30)
    reader.answered(200, now=100.0)
    list(reader.feed(frame(0), now=110.0))
    assert dict(reader.request(now=120.0).query)["wait"] == "30"
    list(reader.feed(frame(tail=1), now=121.5))
    assert dict(reader.request(now=130.0).query)["wait"] == "21"
    assert dict(reader.request().query)["wait"] == "30"
    assert dict(reader.request(now=200.0).query)["wait"] == "0"
    list(reader.feed(frame(tail=1), now=140.0))
    assert dict(reader.request(now=150.0).query)["wait"] == "1"
    list(reader.feed(frame(1), now=150.0))
    assert dict(reader.request(now=151.0).query)["wait"] == "30"
    list(reader.feed(frame(tail=2), now=152.0))
    assert dict(reader.request(now=153.0).query)["wait"] == "29"


def test_what_goes_along_with_each_request() -> None:
    reader = s2.LiveReader("events", 0, basin="my-basin-1", encryption_key=bytes(32), compression="gzip")
    for _ in range(2):
        assert dict(reader.request().headers) == {
            "Content-Type": "s2s/proto",
            "Accept-Encoding": "gzip",
            "S2-Basin": "my-basin-1",
            "S2-Encryption-Key": "A" * 43 + "=",
        }
        reader.deliver(batch(0))
    for asked in ({"seq_num": 1, "timestamp": 1}, {"count": -1}, {"wait": 1 << 32}, {"basin": "x"}, {"until": True}):
        with pytest.raises(wireloom.WireloomError):
            s2.LiveReader("events", **asked)  # type: ignore[arg-type]  # what a caller without types may give


def test_gaps_are_told() -> None:
    reader = connected()
    [first, second] = reader.feed(frame(9, 10, 15) + frame(16))
    assert [(each.expected, each.found) for each in first.gaps] == [(7, 9), (11, 15)]
    assert second.gaps == ()


def test_a_gap_that_ends_at_the_tail_is_told() -> None:
    """The stream was trimmed, and there is no record after the gap: only a heartbeat shows it."""
    reader = connected(4000)
    [heartbeat] = reader.feed(frame(tail=8001))
    assert heartbeat.records == ()
    assert [(each.expected, each.found) for each in heartbeat.gaps] == [(4000, 8001)]
    assert reader.next_seq_num == 8001
    [again, records] = reader.feed(frame(tail=8001) + frame(8001, tail=8002))
    assert again.gaps == records.gaps == ()
    # The tail after records that are still to come is not reported.
    assert reader.deliver(batch(8002, tail=9000)).gaps == ()
    assert reader.next_seq_num == 8003


def test_a_tail_before_the_next_record_takes_nothing_back() -> None:
    reader = connected()
    assert len(list(reader.feed(frame(7, 8) + frame(tail=8)))) == 2
    assert reader.next_seq_num == 9
    assert numbers_of(reader.deliver(batch(8, 9))) == [9]


def test_what_comes_again_is_left_out() -> None:
    reader = connected()
    [delivery] = reader.feed(frame(5, 6, 7, 8))
    assert (numbers_of(delivery), delivery.repeated) == ([7, 8], 2)


@pytest.mark.parametrize("status", [408, 429, 500, 502, 503, 504])
def test_statuses_that_are_tried_again(status: int) -> None:
    reader = connected()
    list(reader.feed(frame(7)))
    for attempt in (1, 2):
        step = reader.answered(status, '{"code":"unavailable","message":"m"}')
        assert (step.action, step.attempt) == ("retry", attempt)
        assert isinstance(step.error, s2.ServerError)
    reader.answered(200)
    list(reader.feed(frame(8) + s2.encode_terminal(s2.Terminal(status, ""))))
    assert (reader.step.action, reader.step.attempt) == ("retry", 1)
    assert reader.request().query == (("seq_num", "9"),)


def test_a_conflict_of_transactions_is_tried_again() -> None:
    reader = connected()
    body = '{"code":"%s","message":"m"}'
    assert reader.answered(409, body % "transaction_conflict").action == "retry"
    reader.answered(200)
    assert list(reader.feed(s2.encode_terminal(s2.Terminal(409, body % "transaction_conflict")))) == []
    assert (reader.step.action, reader.step.attempt) == ("retry", 2)
    assert reader.answered(409, body % "resource_already_exists").action == "stop"


@pytest.mark.parametrize("status", [400, 401, 403, 404, 409, 412, 422, 501])
def test_statuses_that_are_not(status: int) -> None:
    assert connected().answered(status).action == "stop"
    reader = connected()
    assert list(reader.feed(s2.encode_terminal(s2.Terminal(status, "")))) == []
    assert reader.step.action == "stop"


def test_416_with_the_next_number_is_being_caught_up() -> None:
    reader = connected()
    assert reader.answered(416, TAIL % 7).action == "wait"
    assert reader.next_seq_num == 7
    assert reader.answered(416, TAIL % 5).action == "stop"
    assert reader.answered(416, "").action == "stop"


def test_a_stream_cut_inside_a_frame_is_tried_again() -> None:
    reader = connected()
    assert len(list(reader.feed(frame(7) + frame(8)[:-1]))) == 1
    step = reader.closed()
    assert (step.action, step.attempt) == ("retry", 1)
    assert isinstance(step.error, s2.FrameError)
    assert step.error.retryable
    reader.answered(200)
    assert [numbers_of(each) for each in reader.feed(frame(8))] == [[8]]


def test_a_stream_that_ends_between_frames() -> None:
    reader = connected()
    list(reader.feed(frame(7)))
    assert reader.closed().action == "reconnect"


def test_connections_that_fail() -> None:
    reader = connected()
    assert reader.failed(OSError("reset")).reason == "the connection failed (reset)"
    assert reader.failed().attempt == 2


def test_silence_is_a_lost_connection() -> None:
    reader = s2.LiveReader("events", 0)
    reader.answered(200, now=100.0)
    assert reader.tick(now=119.9).action == "go on"
    list(reader.feed(frame(), now=119.9))
    assert reader.tick(now=139.8).action == "go on"
    assert reader.tick(now=139.9).action == "retry"


@pytest.mark.parametrize("damage", [b"\0\0\0", b"\0\0\1\x60", b"\0\0\1\x20", b"\0\0\2\0\x0c"])
def test_frames_that_cannot_be_read_stop_it(damage: bytes) -> None:
    reader = connected()
    assert [numbers_of(each) for each in reader.feed(frame(7) + damage + frame(8))] == [[7]]
    assert reader.step.action == "stop"
    assert isinstance(reader.step.error, wireloom.WireloomError)
    assert reader.closed().action == "stop"


@pytest.mark.slow
@given(st.integers(0, 20), st.randoms(use_true_random=False))
def test_whatever_is_cut_everything_comes_once(count: int, randomness: random.Random) -> None:
    """Connections break anywhere; the server starts at the requested number, or a little before."""
    reader = s2.LiveReader("events", 0)
    got: list[int] = []
    while reader.next_seq_num != count:
        reader.answered(200)
        begin = max(0, (reader.next_seq_num or 0) - randomness.randrange(2))
        stream = b"".join(frame(number, advised=randomness.random() < 0.1) for number in range(begin, count))
        stream += frame(tail=count)
        stream = stream[: randomness.randrange(1, len(stream) + 1)]
        places = sorted(randomness.choices(range(len(stream) + 1), k=3))
        for piece in chunks(stream, places):
            for delivery in reader.feed(piece):
                assert not delivery.gaps
                got += numbers_of(delivery)
        assert reader.closed().action in ("retry", "reconnect")
    assert got == list(range(count))
