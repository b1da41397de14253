"""The decoder of units with the generated classes: rows, nulls, problems of a unit, and what is valid nevertheless."""

from __future__ import annotations

import pyarrow as pa
import pytest
from wireloom import Format, WireloomError
from wireloom.rows.messages.object_decoder import ObjectDecoder

from ..columns_backend.message_specs import AGGREGATE, STREAM
from ..columns_backend.specs import format_of
from .units import Outcome, enveloped, outcome, placed


def decoded(format: Format, *units: bytes, **options: bool) -> Outcome:
    wanted = range(len(format.columns))
    return outcome(ObjectDecoder(format, wanted, **options), format, wanted, units)


def aggregate(
    *records: dict[str, object], keys: tuple[str, ...] = ("a", "b"), hashes: tuple[str, ...] = ("7",)
) -> bytes:
    """Return a complete unit of the aggregate format."""
    batch = format_of(AGGREGATE).message_class
    record = batch._types()["records"]  # type: ignore[attr-defined]
    message = batch(keys=list(keys), hashes=list(hashes), records=[record(**each) for each in records])
    return enveloped(message.to_bytes())


@pytest.mark.parametrize("text", ["0", "+5", "-5", "007", "1" * 40])
def test_decimal_integers(text: str) -> None:
    found = decoded(format_of(AGGREGATE), aggregate({"key_index": 0, "hash_index": 0, "data": b""}, hashes=(text,)))
    assert [each["hash"] for each in found.rows] == [text]


@pytest.mark.parametrize("text", ["", "+", "1 ", " 1", "1_0", "0x1", "--1", "1.0", "²"])
def test_text_that_is_no_decimal_integer(text: str) -> None:
    found = decoded(format_of(AGGREGATE), aggregate({"key_index": 0, "hash_index": 0, "data": b""}, hashes=(text,)))
    assert [each.reason for each in found.problems] == ["value"]


def test_digests_are_not_computed_unless_requested() -> None:
    unit = aggregate({"key_index": 0, "data": b"x"})[:-1] + b"\0"
    assert decoded(format_of(AGGREGATE), unit).rows[0]["whole"] is False
    found = decoded(format_of(AGGREGATE), unit, verify=False)
    assert found.rows[0]["whole"] is True
    assert found.problems == []


def test_depth_is_limited() -> None:
    format = format_of(STREAM)
    record = b"\x0a\4\x1a\2\x0a\0"
    assert decoded(format, record).problems == []
    found = outcome(ObjectDecoder(format, (0,), max_depth=1), format, (0,), [record])
    assert [each.reason for each in found.problems] == ["limit"]


def test_units_outside_of_the_source_are_refused() -> None:
    source, begins, _ = placed([b"ab"])
    decoder = ObjectDecoder(format_of(STREAM), (0,))
    with pytest.raises(WireloomError, match="outside of"):
        decoder.decode(source, begins, pa.array([3], pa.uint64()), capacity=1)
