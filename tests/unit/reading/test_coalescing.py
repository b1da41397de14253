"""Small batches are merged in order, and none is lost, even if the source fails."""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from wireloom.reading.batching import ENOUGH_BYTES, ENOUGH_ROWS, coalesced


def batch(start: int, rows: int, size: int = 1) -> pa.RecordBatch:
    numbers = pa.array(range(start, start + rows), pa.int64())
    return pa.record_batch({"number": numbers, "payload": pa.array([b"x" * size] * rows, pa.binary())})


def numbered(sizes: list[int]) -> list[pa.RecordBatch]:
    starts = [sum(sizes[:each]) for each in range(len(sizes))]
    return [batch(start, rows) for start, rows in zip(starts, sizes, strict=True)]


@given(st.lists(st.integers(0, 2 * ENOUGH_ROWS), max_size=12))
def test_all_rows_in_order_and_few_batches(sizes: list[int]) -> None:
    found = list(coalesced(numbered(sizes), 4 * ENOUGH_ROWS))
    assert [value for each in found for value in each.column("number").to_pylist()] == list(range(sum(sizes)))
    assert all(each.num_rows >= ENOUGH_ROWS for each in found[:-1])


@given(st.lists(st.integers(0, 100), max_size=12), st.integers(100, 300))
def test_no_more_rows_than_are_wanted(sizes: list[int], most: int) -> None:
    found = list(coalesced(numbered(sizes), most))
    assert sum(each.num_rows for each in found) == sum(sizes)
    assert all(each.num_rows <= most for each in found)


def test_many_bytes_are_enough_and_a_large_batch_stays_what_it_is() -> None:
    large = batch(0, 1, ENOUGH_BYTES)
    assert next(coalesced([large, batch(1, 1)], ENOUGH_ROWS)) is large


def test_what_came_before_a_failure_comes_out_first() -> None:
    def failing() -> Iterator[pa.RecordBatch]:
        yield from numbered([2, 3])
        raise ValueError("no more")

    found = coalesced(failing(), ENOUGH_ROWS)
    assert next(found).num_rows == 5
    with pytest.raises(ValueError, match="no more"):
        next(found)


def test_an_eager_consumer_gets_the_first_rows_at_once() -> None:
    asked = 0

    def counted() -> Iterator[pa.RecordBatch]:
        nonlocal asked
        for each in numbered([1] * 100):
            asked += 1
            yield each

    found = coalesced(counted(), ENOUGH_ROWS, eager=True)
    assert (next(found).num_rows, asked) == (1, 1)
    assert [each.num_rows for each in found] == [2, 4, 8, 16, 16, 16, 16, 16, 5]
