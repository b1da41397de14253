"""The engine's decoder beyond its agreement with the objects: vectors, growing memory, and batches."""

from __future__ import annotations

import threading
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from wireloom import WireloomError, engine
from wireloom.format.message_program import FieldSource, MessageProgram
from wireloom.format.message_rules import FieldKind, FieldRule, Label, MessageRule, MessageSet
from wireloom.rows.messages.repetition import most_repeated

from .hand_made import RECORDS_FORMAT, decoder_of, enveloped, format_of, record, rows_of
from .units import placed
from .wire_inputs import delimited

pytestmark = pytest.mark.skipif(not engine.available, reason="the engine is not there")


# Vectors -------------------------------------------------------------------------------------------------------------


# Memory and batches --------------------------------------------------------------------------------------------------


@pytest.mark.slow
@given(
    sizes=st.lists(st.lists(st.integers(0, 40), max_size=60), min_size=1, max_size=6),
    keys=st.lists(st.text(max_size=30), min_size=1, max_size=3),
    capacity=st.integers(1, 50),
)
def test_batches_end_with_units_and_memory_grows(sizes: list[list[int]], keys: list[str], capacity: int) -> None:
    units = [
        enveloped(
            b"".join(delimited(1, key.encode()) for key in keys)
            + b"".join(record(number % len(keys), bytes(size)) for number, size in enumerate(each))
        )
        for each in sizes
    ]
    decoder = decoder_of(RECORDS_FORMAT)
    source, begins, lengths = placed(units)
    rows: list[dict[str, Any]] = []
    first = 0
    while first < len(units):
        decoded = decoder.decode(source, begins, lengths, first, capacity=capacity)
        counts = decoded.counts.to_pylist()
        assert counts == [len(each) for each in sizes[first : first + decoded.units]]
        assert sum(counts[:-1]) < capacity
        first += decoded.units
        rows += rows_of(RECORDS_FORMAT, decoded)
    expected = [(keys[number % len(keys)], bytes(size)) for each in sizes for number, size in enumerate(each)]
    assert [(row["partition_key"], row["data"]) for row in rows] == expected


def test_a_batch_ends_after_about_four_mebibytes() -> None:
    unit = enveloped(delimited(1, b"k") + record(0, bytes(1 << 20)))
    decoded = decoder_of(RECORDS_FORMAT).decode(*placed([unit] * 9), capacity=1 << 20)
    assert decoded.units == 4
    assert decoded.rows == 4


def test_rows_that_are_much_smaller_than_guessed() -> None:
    """Two bytes per row at first, none at last: the estimate of the memory is wrong in both directions."""
    plain = MessageProgram(
        types=MessageSet(
            (
                MessageRule("Unit", (FieldRule("rows", 1, FieldKind.MESSAGE, Label.REPEATED, message=1),)),
                MessageRule("Row", (FieldRule("number", 1, FieldKind.UINT32, Label.IMPLICIT),)),
            )
        ),
        columns=(FieldSource((1,)),),
        rows=(1,),
    )
    format = format_of(plain, pa.schema([("number", pa.uint32())]))
    decoder = decoder_of(format)
    for unit, rows in ((delimited(1, b"") * 100_000, 100_000), (delimited(9, bytes(100_000)), 0)):
        decoded = decoder.decode(*placed([unit]), capacity=1)
        assert decoded.rows == rows
        assert decoded.arrays[0].to_pylist() == [0] * rows


@pytest.mark.slow
def test_look_ups_do_not_multiply_without_bound() -> None:
    unit = enveloped(delimited(1, b"k" * 200_000) + record(0, b"") * 50_000)
    decoded = decoder_of(RECORDS_FORMAT).decode(*placed([unit]), capacity=1 << 20)
    assert decoded.wholes == []
    assert [each.reason for each in decoded.problems] == ["limit"]
    assert decoded.rows == most_repeated(len(unit)) // 200_000


def test_no_units_give_no_rows() -> None:
    decoded = decoder_of(RECORDS_FORMAT).decode(*placed([]), capacity=1)
    assert (decoded.units, decoded.rows, rows_of(RECORDS_FORMAT, decoded)) == (0, 0, [])


def test_units_must_be_within_the_source() -> None:
    begins, sizes = pa.array([0, 3], pa.uint64()), pa.array([2, 1 << 63], pa.uint64())
    with pytest.raises(WireloomError, match="unit 1 is not within the source"):
        decoder_of(RECORDS_FORMAT).decode(b"abcdef", begins, sizes, capacity=1 << 20)


def test_sliced_arrays_of_places() -> None:
    source, begins, sizes = placed([b"no", enveloped(delimited(1, b"k") + record(0, b"x")), b"neither"])
    decoded = decoder_of(RECORDS_FORMAT).decode(source, begins.slice(1, 1), sizes.slice(1, 1), capacity=1)
    assert [row["data"] for row in rows_of(RECORDS_FORMAT, decoded)] == [b"x"]


def test_threads_share_the_engine() -> None:
    unit = enveloped(delimited(1, b"k") + b"".join(record(0, bytes(100)) for _ in range(500)))
    source, begins, sizes = placed([unit] * 20)
    found: list[int] = []

    def work() -> None:
        decoder = decoder_of(RECORDS_FORMAT)
        found.extend(decoder.decode(source, begins, sizes, capacity=1 << 20).rows for _ in range(5))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert found == [10_000] * 20
