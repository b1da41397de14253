"""Records appended over the network: each exactly once, in its place, whatever happens."""

from __future__ import annotations

import random

import pytest
import wireloom
import wireloom.s2 as s2

from ...s2_server import BASIN, Fault, Server


def records(count: int, size: int = 0) -> list[s2.AppendRecord]:
    return [s2.AppendRecord(body=(b"%d" % number).ljust(size)) for number in range(count)]


def bodies(server: Server, stream: str = "out") -> list[bytes]:
    return [each.body for each in server.streams[stream].records]


FAULTS = [Fault(), Fault(), Fault(status=503), Fault(status=429), Fault(lose_ack=True)]


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_each_record_is_appended_once(s2_server: Server, monkeypatch: pytest.MonkeyPatch, seed: int) -> None:
    monkeypatch.setattr("wireloom.base.retries.FIRST_PAUSE", 0.001)
    s2_server.fill("out", 3)
    wanted = records(2700, size=500)
    s2_server.append_faults.extend(random.Random(seed).choices(FAULTS, k=10))
    appender = s2.Appender(BASIN, "out")
    assert appender.append(wanted) == 2700
    assert bodies(s2_server)[3:] == [each.body for each in wanted]
    s2_server.append_faults.clear()
    again = s2.Appender(BASIN, "out", 3)
    again.append(wanted)
    assert (again.next_seq_num, len(bodies(s2_server))) == (2703, 2703)


@pytest.mark.slow
def test_a_part_that_is_there_is_gone_on_with(s2_server: Server) -> None:
    s2_server.fill("out", 0).append(records(7))
    s2.Appender(BASIN, "out", 0).append(records(20))
    assert bodies(s2_server) == [each.body for each in records(20)]


def test_another_writer(s2_server: Server) -> None:
    s2_server.fill("out", 0).append([*records(3), s2.AppendRecord(body=b"theirs")])
    with pytest.raises(wireloom.WireloomError, match="record 3 is not the expected one"):
        s2.Appender(BASIN, "out", 0).append(records(20))
    assert len(bodies(s2_server)) == 4


def test_a_stream_that_is_shorter(s2_server: Server) -> None:
    s2_server.fill("out", 2)
    with pytest.raises(s2.S2Error, match=r"412 .the next record gets the number 2"):
        s2.Appender(BASIN, "out", 5).append(records(1))


def test_what_no_batch_may_hold(s2_server: Server) -> None:
    s2_server.fill("out", 0)
    with pytest.raises(s2.ValidationError, match="record 3: a record has at most 1048576 metered bytes"):
        s2.Appender(BASIN, "out").append([*records(2), s2.AppendRecord(body=bytes(1 << 20)), *records(2)])
    assert bodies(s2_server) == [b"0", b"1"]


@pytest.mark.slow
def test_fencing(s2_server: Server) -> None:
    s2_server.fill("out", 0)
    s2.Appender(BASIN, "out").append([s2.command_record(s2.Fence("mine"))])
    s2.Appender(BASIN, "out", fencing_token="mine").append(records(1))
    with pytest.raises(s2.S2Error, match="the fencing token does not match"):
        s2.Appender(BASIN, "out", fencing_token="theirs").append(records(1))


def test_a_stream_that_is_not_there(s2_server: Server) -> None:
    with pytest.raises(s2.S2Error, match="stream_not_found"):
        s2.Appender(BASIN, "none").append(records(1))
