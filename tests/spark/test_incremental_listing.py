"""Streaming reads of object stores whose listings continue from the last one, without Spark."""

from __future__ import annotations

import random
from bisect import bisect
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from wireloom import UnsupportedError, WireloomError
from wireloom.base.errors import NothingThereError
from wireloom.input.inputs import Location
from wireloom.spark.stream import incremental_listing
from wireloom.spark.stream.incremental_listing import IncrementalListing

from ..storage_server import BUCKET, Store
from .stream_driver import WAL, Query, together, write

BEGIN = datetime(2026, 3, 1, tzinfo=UTC)
INTERVAL = timedelta(minutes=10)


class Clock:
    """The clock that determines when everything is listed again; it stands still."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def __call__(self) -> float:
        return self.seconds


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    """Return a clock that the test sets, with pages of five keys."""
    found = Clock()
    monkeypatch.setattr(incremental_listing, "monotonic", found)
    monkeypatch.setattr(incremental_listing, "PAGE", 5)
    return found


class Prefix:
    """Objects below a separate prefix, with given times."""

    def __init__(self, store: Store, name: str) -> None:
        self.store, self.name = store, name
        self.location = Location(endpoint=store.endpoint, region="us-east-1")

    def put(self, key: str, minutes: float, content: bytes = b"x") -> None:
        self.store.put(f"{self.name}/{key}", content)
        self.store.age(f"{self.name}/{key}", BEGIN + timedelta(minutes=minutes))

    def address(self, pattern: str = "") -> str:
        return f"s3://{BUCKET}/{self.name}/{pattern}"

    def keys(self, listing: IncrementalListing, pattern: str = "") -> tuple[list[str], int]:
        """Return the keys of a listing, and how many pages of them were requested."""
        before = self.store.listings()
        try:
            found = listing.expand(self.address(pattern), self.location)
        except NothingThereError:
            found = []
        begin = self.address()
        return [each.address.removeprefix(begin) for each in found], self.store.listings() - before


@pytest.fixture
def prefix(object_store: Store, tmp_path: Path) -> Prefix:
    return Prefix(object_store, f"listing-{tmp_path.name}")


def test_a_query_that_goes_on(prefix: Prefix, clock: Clock, tmp_path: Path) -> None:
    """New files at the end are read at once, others when everything is listed again; each is read exactly once."""

    def put(key: str, minutes: float) -> None:
        prefix.put(f"{key}.wal", minutes, write(WAL, tmp_path / key.replace("/", "-"), key, codec="none"))

    for number in range(20):
        put(f"a/{number:02}", 0)
    place = {"endpoint": prefix.store.endpoint, "region": "us-east-1"}
    query = Query(WAL, path=prefix.address(), fullListingInterval="10m", **place)
    assert len(together(query)) == 20
    put("a/20", 100)
    put("b/00", 100)
    assert together(query) == ["a/20", "b/00"]
    put("a/07-late", 101)
    put("b/01", 101)
    before = prefix.store.listings()
    assert together(query) == ["b/01"]
    # Two listings of only the last page; everything would be several pages.
    assert prefix.store.listings() - before == 2
    clock.seconds += INTERVAL.total_seconds()
    assert together(query) == ["a/07-late"]
    # Another process knows only the checkpoint.
    put("a/03-late", 102)
    query.restart()
    assert together(query) == ["a/03-late"]


def test_hosts_that_go_on_in_folders_of_their_own(prefix: Prefix, clock: Clock) -> None:
    """Of many folders, only those with recent files are listed."""
    for host in range(8):
        for number in range(12):
            prefix.put(f"host-{host}/{number:03}", 60 if host in (2, 5) and number == 11 else 0)
    listing = IncrementalListing([prefix.address()], INTERVAL)
    everything, _ = prefix.keys(listing)
    assert prefix.keys(listing) == (everything, 3)
    for host in (2, 5, 9):
        prefix.put(f"host-{host}/030", 61)
    found, pages = prefix.keys(listing)
    assert set(found) - set(everything) == {"host-2/030", "host-5/030", "host-9/030"}
    assert pages == 3
    # A replaced or deleted file is noticed beside other recent ones.
    prefix.put("host-5/030", 62, b"longer")
    prefix.store.client.delete_object(Bucket=BUCKET, Key=f"{prefix.name}/host-2/030")
    there = {each.address: each.size for each in listing.expand(prefix.address(), prefix.location)}
    assert there[prefix.address("host-5/030")] == 6
    assert prefix.address("host-2/030") not in there


@pytest.mark.parametrize("seed", [0, *(pytest.param(each, marks=pytest.mark.thorough) for each in (1, 2))])
def test_any_names(seed: int, prefix: Prefix, clock: Clock) -> None:
    """Whatever is added: only existing files are listed, with at most as many pages as a full listing and one for the
    end; files that sort last or next to the newest are found, and all files in the next full listing."""
    make = random.Random(seed)
    here: dict[str, float] = {}
    found: list[str] = []
    listing = IncrementalListing([prefix.address("{x,y}*.log")], INTERVAL)
    for turn in range(12):
        known = found
        for _ in range(make.choice((0, 1, 4, 15))):
            name = f"{make.choice('xy')}{make.randrange(1000):03}.{make.choice(('log', 'log', 'txt'))}"
            if name not in here:
                here[name] = turn * make.choice((1, 20))
                prefix.put(name, here[name])
        if turn % 5 == 4:
            clock.seconds += INTERVAL.total_seconds()
        wanted = sorted(each for each in here if each.endswith(".log"))
        found, pages = prefix.keys(listing, "{x,y}*.log")
        assert found == sorted(set(found)) == [each for each in wanted if each in found]
        if turn % 5 == 4:
            assert found == wanted
        else:
            # Two patterns, each with the requests that distinguish a folder from a glob.
            assert pages <= 2 * (len(here) // 5 + 2)
            assert set(known) <= set(found)
            for letter in "xy":
                old = [each for each in known if each[0] == letter]
                new = [each for each in wanted if each[0] == letter]
                newest = max((here[each] for each in old), default=0.0)
                lately = [each for each in old if here[each] > newest - 10]
                assert {each for each in new if not old or _is_beside(each, old, lately)} <= set(found)


def _is_beside(name: str, old: list[str], lately: list[str]) -> bool:
    """Return whether a name is next to one of ``lately`` in a listing, or last."""
    place = bisect(old, name)
    return place == len(old) or not set(old[max(0, place - 1) : place + 1]).isdisjoint(lately)


def test_one_object_and_none(prefix: Prefix, clock: Clock) -> None:
    alone = IncrementalListing([prefix.address("a.log")], INTERVAL)
    assert prefix.keys(alone, "a.log")[0] == []
    for minutes in (0, 1):
        prefix.put("a.log", minutes)
        prefix.put("a.log.1", minutes)
        assert prefix.keys(alone, "a.log")[0] == ["a.log"]


@pytest.mark.usefixtures("single_attempts")
def test_what_is_refused(tmp_path: Path) -> None:
    query = Query(WAL, path=tmp_path, fullListingInterval="10m")
    with pytest.raises(UnsupportedError, match=r"fullListingInterval is an option of s3://: leave it out"):
        query.plan()
    for text in ("10", "soon", "-1m", "1.5h"):
        with pytest.raises(WireloomError, match=r"option fullListingInterval is '.*': expected a time, such as"):
            query.restart(fullListingInterval=text)
    nowhere: dict[str, Any] = {"endpoint": "http://127.0.0.1:9", "region": "us-east-1"}
    with pytest.raises(WireloomError, match="the object store refused the request"):
        IncrementalListing(["s3://bucket/logs"], INTERVAL).expand("s3://bucket/logs", Location(**nowhere))
