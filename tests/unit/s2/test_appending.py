"""Records appended over the network: each exactly once, in its place, whatever happens."""

from __future__ import annotations

import random
import time
from collections import deque
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import accumulate

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


@pytest.mark.parametrize("size", [0, 2000])
def test_a_window_of_batches_is_on_its_way(s2_server: Server, size: int) -> None:
    s2_server.fill("out", 0)
    appender = s2.Appender(BASIN, "out", window=3 << 20)
    found = [(count, appender.next_seq_num) for count in appender.acknowledged(records(3500, size))]
    assert [number for _, number in found] == list(accumulate(count for count, _ in found))
    assert bodies(s2_server) == [each.body for each in records(3500, size)]
    # One session with all batches, the large ones compressed.
    assert [target for method, target in s2_server.requests if method == "POST"] == ["/v1/streams/out/records"]
    assert {each.compression for each in s2_server.appends} == {"zstd"}
    assert len(s2_server.appends) == len(found)


def test_a_small_batch_is_not_compressed(s2_server: Server) -> None:
    s2_server.fill("out", 0)
    for each in ("zstd", "none"):
        s2.Appender(BASIN, "out", compression=each).append(records(3, 50))
        s2.Appender(BASIN, "out", compression=each).append(records(3, 500))
    assert [each.compression for each in s2_server.appends] == ["none", "zstd", "none", "none"]


def test_advice_to_reconnect(s2_server: Server) -> None:
    s2_server.fill("out", 0)
    s2_server.append_faults.extend([Fault(), Fault(advise_after=0), Fault(advise_after=0), Fault()])
    assert s2.Appender(BASIN, "out", window=1).append(records(3500)) == 3500
    assert bodies(s2_server) == [each.body for each in records(3500)]
    # Once a minute.
    assert sum(method == "POST" for method, _ in s2_server.requests) == 2


def test_an_ack_of_something_else(s2_server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    s2_server.fill("out", 0)
    appender = s2.Appender(BASIN, "out", match_seq_num=False)
    there = s2.AppendAck(start=s2.StreamPosition(seq_num=5), end=s2.StreamPosition(seq_num=7))
    monkeypatch.setattr("tests.s2_server.Handler._appended", lambda *_: there)
    with pytest.raises(wireloom.WireloomError, match="a batch begins at 5 and ends at 7, but it was expected to"):
        appender.append(records(3))
    monkeypatch.setattr(s2.AppendAck, "to_bytes", lambda _: b"\x0a\xff")
    with pytest.raises(wireloom.WireloomError, match=f"appending to s2://{BASIN}/out: the server's answer is no ack"):
        appender.append(records(3))


def test_records_that_end_with_an_error(s2_server: Server) -> None:
    s2_server.fill("out", 0)

    def broken() -> Iterator[s2.AppendRecord]:
        yield from records(1500)
        raise RuntimeError("no more")

    with pytest.raises(RuntimeError, match="no more"):
        s2.Appender(BASIN, "out").append(broken())
    assert len(bodies(s2_server)) == 1000


# Several writers ------------------------------------------------------------------------------------------------------

WRITERS = 3
LATE = [Fault(late=0.05), Fault(late=0.2)]


class Faults(deque[Fault]):
    """Faults without end, chosen at random."""

    def __init__(self, seed: int, choices: list[Fault]) -> None:
        self._random, self._choices = random.Random(seed), choices

    def __bool__(self) -> bool:
        return True

    def popleft(self) -> Fault:
        return self._random.choice(self._choices)


def by_writer(server: Server, stream: str = "out") -> dict[bytes, list[bytes]]:
    """Return the bodies of each writer's records, in order."""
    found: dict[bytes, list[bytes]] = {}
    for each in server.streams[stream].records:
        if each.headers and each.headers[-1].name == b"wireloom-writer":
            found.setdefault(each.headers[-1].value, []).append(each.body)
    return found


@pytest.fixture
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Retry without pauses."""
    monkeypatch.setattr("wireloom.base.retries.FIRST_PAUSE", 0.001)


@pytest.mark.slow
@pytest.mark.usefixtures("at_once")
@pytest.mark.parametrize("seed", range(4))
def test_writers_that_share_a_stream(s2_server: Server, seed: int) -> None:
    s2_server.fill("out", 0)
    s2_server.append_faults = Faults(seed, [*[Fault()] * 6, *FAULTS, *LATE])
    wanted = records(4000, size=20)

    def write(name: str) -> None:
        s2.Appender(BASIN, "out", writer=name, window=100_000).append(wanted)

    with ThreadPoolExecutor(WRITERS) as pool:
        list(pool.map(write, [f"w{number}" for number in range(WRITERS)]))
    time.sleep(max(each.late or 0 for each in LATE))
    found = by_writer(s2_server)
    assert sorted(found) == [b"w0", b"w1", b"w2"]
    for each in found.values():
        assert each == [record.body for record in wanted]


@pytest.mark.usefixtures("at_once")
def test_what_is_still_on_its_way_is_not_appended_later(s2_server: Server) -> None:
    s2_server.fill("out", 0)
    s2_server.append_faults.append(Fault(late=0.3))
    s2.Appender(BASIN, "out", writer="w", window=1).append(records(2500))
    time.sleep(0.5)
    assert by_writer(s2_server) == {b"w": [each.body for each in records(2500)]}
    # Without names, it is.
    s2_server.append_faults.append(Fault(late=0.1))
    s2.Appender(BASIN, "out", match_seq_num=False).append(records(1))
    time.sleep(0.3)
    assert bodies(s2_server)[-2:] == [b"0", b"0"]


def test_a_writer_that_is_run_again(s2_server: Server) -> None:
    s2_server.fill("out", 3)
    first = s2.Appender(BASIN, "out", writer="w")
    first.append(records(1200))
    s2.Appender(BASIN, "out", match_seq_num=False).append(records(2))
    # It had noted where it began, and has more to append now.
    again = s2.Appender(BASIN, "out", 3, writer="w")
    assert list(again.acknowledged(records(1100))) == [1100]
    assert again.append(records(2000)[1100:]) == 900
    assert by_writer(s2_server)[b"w"] == [each.body for each in records(2000)]
    with pytest.raises(wireloom.WireloomError, match="record 3 is not the expected one: the rows changed"):
        s2.Appender(BASIN, "out", 3, writer="w").append(records(9)[1:])


def test_the_later_of_two_programs_with_one_name_goes_on(s2_server: Server) -> None:
    s2_server.fill("out", 0)
    first = s2.Appender(BASIN, "out", writer="w")
    first.append(records(5))
    second = s2.Appender(BASIN, "out", 0, writer="w")
    second.append(records(7))
    with pytest.raises(wireloom.WireloomError, match="another program appends as writer 'w', since record 5"):
        first.append(records(7)[5:])
    second.append(records(9)[7:])
    assert by_writer(s2_server) == {b"w": [each.body for each in records(9)]}


def test_records_of_others_that_no_longer_exist(s2_server: Server) -> None:
    s2_server.fill("out", 0)
    first = s2.Appender(BASIN, "out", writer="w")
    first.append(records(5))
    s2.Appender(BASIN, "out", 0, writer="v").append(records(100))
    s2_server.streams["out"].first = 90
    first.append(records(7)[5:])
    assert by_writer(s2_server)[b"w"] == [each.body for each in records(7)]
    # Those of its own may be among them.
    with pytest.raises(s2.LostRecordsError, match="records 5 to 89"):
        s2.Appender(BASIN, "out", 5, writer="w").append(records(7)[5:])


def test_a_fencing_token_of_someone_else(s2_server: Server) -> None:
    s2_server.fill("out", 0)
    s2.Appender(BASIN, "out").append([s2.command_record(s2.Fence("mine"))])
    with pytest.raises(s2.S2Error, match="the fencing token does not match"):
        s2.Appender(BASIN, "out", writer="w").append(records(1))
    with pytest.raises(wireloom.WireloomError, match="give fencing_token or writer"):
        s2.Appender(BASIN, "out", writer="w", fencing_token="mine")


def test_what_a_writer_cannot_append(s2_server: Server) -> None:
    s2_server.fill("out", 0)
    with pytest.raises(s2.ValidationError, match="record 2: a command record has no room for the header"):
        s2.Appender(BASIN, "out", writer="w").append([*records(1), s2.command_record(s2.Trim(1))])
    assert by_writer(s2_server) == {b"w": [b"0"]}
    with pytest.raises(wireloom.WireloomError, match="the name of a writer has 1 to 256 printable bytes"):
        s2.Appender(BASIN, "out", writer="")
