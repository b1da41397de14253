"""Records that come now and then: each is appended soon, and said to be, in any order of events."""

from __future__ import annotations

import random
import time
from collections.abc import Iterator
from typing import Any

import pytest
import wireloom
import wireloom.s2 as s2

from ...s2_server import BASIN, Fault, Server
from .test_appending import FAULTS, LATE, Faults, bodies, by_writer, records

SOON = 10.0
"""Seconds that a server under load may take."""
STEPS = ("records", "nothing", "late record", "rest", "until acknowledged")
MODES: dict[str, dict[str, Any]] = {"alone": {}, "named": {"writer": "w"}, "at least once": {"match_seq_num": False}}


class Source:
    """Gives records in an order of events that is chosen at random. ``given``: number of records so far;
    ``acknowledged``: how many the appender said are there."""

    def __init__(self, seed: int, steps: int = 25) -> None:
        self._random = random.Random(seed)
        self._steps = steps
        self.given = self.acknowledged = 0

    def _next(self, count: int) -> Iterator[s2.AppendRecord]:
        for _ in range(count):
            self.given += 1
            yield s2.AppendRecord(body=b"%d" % (self.given - 1))

    def __iter__(self) -> Iterator[s2.AppendRecord | None]:
        for _ in range(self._steps):
            step = self._random.choice(STEPS)
            if step == "records":
                yield from self._next(self._random.choice([1, 3, 1200]))
            elif step == "nothing":
                yield None
            elif step == "late record":
                time.sleep(0.06)
                yield from self._next(1)
            elif step == "rest":
                time.sleep(0.15)
            else:
                yield from self.until_acknowledged()

    def until_acknowledged(self) -> Iterator[None]:
        """Wait, without records, until all are acknowledged."""
        until = time.monotonic() + SOON
        while self.acknowledged < self.given:
            assert time.monotonic() < until, f"{self.acknowledged} of {self.given} records are acknowledged"
            yield None
            time.sleep(0.002)


@pytest.mark.slow
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("seed", range(4))
def test_any_order_of_events(s2_server: Server, monkeypatch: pytest.MonkeyPatch, mode: str, seed: int) -> None:
    monkeypatch.setattr("wireloom.base.retries.FIRST_PAUSE", 0.001)
    monkeypatch.setattr("wireloom.s2.appending.ANSWER_SECONDS", 1.0)
    s2_server.fill("out", 0)
    s2_server.append_faults = Faults(
        seed, [*[Fault()] * 3, *FAULTS, *FAULTS, *LATE[:1], Fault(idle=0.1), Fault(silent=True)]
    )
    source = Source(seed)
    for count in s2.Appender(BASIN, "out", **MODES[mode]).acknowledged(source):
        source.acknowledged += count
    wanted = [each.body for each in records(source.given)]
    assert source.acknowledged == source.given
    if mode == "at least once":
        assert set(bodies(s2_server)) == set(wanted)
    else:
        assert (by_writer(s2_server).get(b"w", []) if mode == "named" else bodies(s2_server)) == wanted


def test_a_late_record_is_sent_before_the_next_one_is_asked_for(s2_server: Server) -> None:
    stream = s2_server.fill("out", 0)

    def slow() -> Iterator[s2.AppendRecord]:
        for number, record in enumerate(records(4)):
            time.sleep(0.06)
            yield record
            until = time.monotonic() + SOON
            while len(stream.records) <= number:
                assert time.monotonic() < until
                time.sleep(0.002)

    assert list(s2.Appender(BASIN, "out").acknowledged(slow())) == [1, 1, 1, 1]


def test_a_refusal_while_a_record_is_waited_for(s2_server: Server) -> None:
    s2_server.fill("out", 0)
    s2_server.append_faults.append(Fault(status=503))

    def slow() -> Iterator[s2.AppendRecord | None]:
        yield from records(1)
        yield None
        time.sleep(0.2)
        yield None

    assert list(s2.Appender(BASIN, "out").acknowledged(slow())) == [1]


def test_a_silent_connection_is_replaced(s2_server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("wireloom.s2.appending.ANSWER_SECONDS", 0.3)
    s2_server.fill("out", 0)
    s2_server.append_faults.append(Fault(silent=True))
    # The silence took longer than the patience.
    assert s2.Appender(BASIN, "out", patience=0.1).append(records(3)) == 3
    assert bodies(s2_server) == [b"0", b"1", b"2"]


def test_an_appender_in_use(s2_server: Server) -> None:
    s2_server.fill("out", 0)
    appender = s2.Appender(BASIN, "out")
    first = appender.acknowledged(records(2500))
    assert next(first) == 1000
    with pytest.raises(wireloom.WireloomError, match="is appending other records; use one Appender for each thread"):
        appender.append(records(1))
    assert sum(first) == 1500
    assert appender.append(records(1)) == 1


@pytest.mark.parametrize("wrong", [[b"x"], ["x"], b"x", "x", s2.AppendRecord(body=b"x")])
def test_what_is_no_record(s2_server: Server, wrong: Any) -> None:
    s2_server.fill("out", 0)
    with pytest.raises(
        wireloom.WireloomError, match=r"an AppendRecord is required, not|must be a list of AppendRecord, not"
    ):
        s2.Appender(BASIN, "out").append(wrong)


@pytest.mark.parametrize("stamps", [range(1000, 1003), [None] * 3])
def test_fences_leave_the_timestamps_of_records(s2_server: Server, stamps: list[int | None]) -> None:
    stream = s2_server.fill("out", 0)
    stream.requires_timestamps = stamps[0] is not None
    wanted = [s2.AppendRecord(body=b"x", timestamp=each) for each in stamps]
    for name in ("v", "w"):
        s2.Appender(BASIN, "out", 0, writer=name).append(wanted)
    found = [each.timestamp for each in stream.records]
    assert found == sorted(found)
    if stream.requires_timestamps:
        assert found == [1000, 1000, 1001, 1002, 1002, 1002, 1002, 1002]


def test_the_answer_of_a_gateway(s2_server: Server) -> None:
    s2_server.fill("out", 2)
    s2_server.append_faults.append(Fault(page=True))
    with pytest.raises(wireloom.WireloomError, match="a page of HTML, not of S2; check the endpoint"):
        s2.Appender(BASIN, "out", 2).append(records(1))
    s2_server.faults.append(Fault(page=True))
    with pytest.raises(wireloom.WireloomError, match="a page of HTML, not of S2; check the endpoint"):
        s2.read(BASIN, "out")


def test_tls_where_the_server_speaks_none(s2_server: Server) -> None:
    address = s2_server.endpoint.replace("http:", "https:")
    for call in (
        lambda: s2.read(BASIN, "out", endpoint=address),
        lambda: s2.Appender(BASIN, "out", 0, endpoint=address).append(records(1)),
    ):
        with pytest.raises(
            wireloom.WireloomError, match="does not speak TLS; begin the endpoint with http://"
        ) as caught:
            call()
        assert not isinstance(caught.value, wireloom.TemporaryError)


def test_what_the_server_said_is_in_the_last_error(s2_server: Server, caplog: pytest.LogCaptureFixture) -> None:
    s2_server.fill("out", 1)
    s2_server.append_faults.extend([Fault(status=503)] * 2)
    with pytest.raises(wireloom.TemporaryError, match=r"503 \(unavailable: as it was told\)"):
        s2.Appender(BASIN, "out", patience=0).append(records(1))
    s2_server.faults.extend([Fault(status=503)] * 2)
    with pytest.raises(wireloom.TemporaryError, match=r"503 \(unavailable: as it was told\)"):
        s2.read(BASIN, "out", patience=0)
    assert [each for each in caplog.messages if "attempt 1" in each]
