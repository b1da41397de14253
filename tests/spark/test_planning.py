"""Partitions: every byte exactly once, with the requested sizes."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st
from wireloom.input.inputs import FileInput, Input, Stream
from wireloom.spark.read.split_planning import EXPANSION, LAST, Candidate, plan


class StoredElsewhere(Input):
    """An input that is not a local file, so that opening it has its full cost. Plans are made without opening any."""

    def open(self) -> Stream:
        raise AssertionError("a plan opens nothing")


files = st.lists(
    st.builds(
        lambda size, splittable, compressed: (size, splittable and not compressed, compressed),
        st.none() | st.integers(0, 3_000),
        st.booleans(),
        st.booleans(),
    ),
    max_size=30,
)


def candidates(found: list[tuple[int | None, bool, bool]]) -> list[Candidate]:
    return [
        Candidate(StoredElsewhere(f"file-{number}", size), splittable=splittable, compressed=compressed)
        for number, (size, splittable, compressed) in enumerate(found)
    ]


@settings(deadline=None)
@given(files, st.integers(1, 5_000), st.integers(0, 500), st.integers(1, 20))
def test_every_byte_is_in_one_slice(
    found: list[tuple[int | None, bool, bool]], largest: int, open_cost: int, least: int
) -> None:
    planned = plan(candidates(found), max_partition_bytes=largest, open_cost=open_cost, min_partitions=least)
    slices = [piece for partition in planned for piece in partition]
    assert all(planned)
    for candidate in candidates(found):
        own = sorted((each for each in slices if each.input == candidate.input), key=lambda each: each.begin)
        assert own[0].begin == 0
        if len(own) == 1:
            assert own[0].byte_range is None
            continue
        assert candidate.splittable
        for one, after in pairwise(own):
            assert one.end == after.begin
        assert own[-1].end == LAST
        assert sum(each.cost for each in own) == candidate.input.size


@settings(deadline=None)
@given(files, st.integers(1, 5_000), st.integers(0, 500))
def test_partitions_are_no_larger_than_they_must_be(
    found: list[tuple[int | None, bool, bool]], largest: int, open_cost: int
) -> None:
    for partition in plan(candidates(found), max_partition_bytes=largest, open_cost=open_cost, min_partitions=1):
        assert len(partition) == 1 or sum(each.cost for each in partition) <= largest


def test_small_files_share_partitions() -> None:
    small = [Candidate(StoredElsewhere(f"{number}", 1000)) for number in range(1000)]
    assert len(plan(small, max_partition_bytes=128 << 20, open_cost=4 << 20, min_partitions=1)) == 1000 * 4 // 128 + 1
    assert len(plan(small, max_partition_bytes=128 << 20, open_cost=0, min_partitions=1)) == 1


def test_files_that_are_read_together_are_opened_for_little() -> None:
    def partitions(together: bool) -> int:
        small = [Candidate(FileInput(f"{number}", 250_000), together=together) for number in range(1000)]
        return len(plan(small, max_partition_bytes=128 << 20, open_cost=4 << 20, min_partitions=1))

    assert (partitions(True), partitions(False)) == (2, 3)


def test_a_compressed_file_is_one_slice_and_counts_for_more() -> None:
    large = [Candidate(StoredElsewhere(f"{number}", 100 << 20), compressed=True) for number in range(3)]
    planned = plan(large, max_partition_bytes=128 << 20, open_cost=4 << 20, min_partitions=1)
    assert [len(each) for each in planned] == [1, 1, 1]
    assert planned[0][0].cost == EXPANSION * 100 << 20


def test_work_for_every_core() -> None:
    raw = [Candidate(StoredElsewhere("log", 64 << 20), splittable=True)]
    assert len(plan(raw, max_partition_bytes=128 << 20, open_cost=4 << 20, min_partitions=8)) == 8


def test_nothing_to_read() -> None:
    assert plan([], max_partition_bytes=1, open_cost=1, min_partitions=1) == []
