"""Arrow arrays of any type in any column are written, or refused by a ``WireloomError`` that names the column."""

import datetime
import decimal
import io
import struct
from collections.abc import Iterator
from contextlib import suppress

import pyarrow as pa
import pytest
import wireloom
from wireloom import WireloomError
from wireloom.format.registry import get as format_of


def text(kind: pa.DataType, offsets: str) -> pa.Array:
    """Return text that is not UTF-8, which Arrow creates without a check."""
    data = [None, pa.py_buffer(struct.pack(offsets, 0, 2)), pa.py_buffer(b"\xff\xfe")]
    return pa.Array.from_buffers(kind, 1, data)


def without_offsets() -> pa.Array:
    """Return a list of no lists, which have no offsets then, as in what Java's Arrow writes. Bytes of something else
    follow."""
    nothing = pa.py_buffer(b"\xff\xff\xff\x7f" * 16).slice(16, 0)
    words = pa.Array.from_buffers(pa.string(), 0, [None, nothing, nothing])
    inner = pa.Array.from_buffers(pa.list_(pa.string()), 0, [None, nothing], children=[words])
    return pa.ListArray.from_arrays(pa.array([0, 0], pa.int32()), inner)


def arrays() -> Iterator[pa.Array]:
    yield from (pa.array([each]) for each in (1, -1, "x", b"x", None, True, 1.5, float("nan"), 2**63 - 1))
    yield from (pa.array([each]) for each in ([1], ["a"], {"a": 1}, [{"a": 1}], [], decimal.Decimal("1.5")))
    yield from (pa.array([each]) for each in (datetime.date(2020, 1, 1), datetime.time(1), datetime.timedelta(1)))
    yield pa.array([2**62], pa.timestamp("ns"))
    yield pa.array([None], pa.int32())
    yield pa.array([2**64 - 1], pa.uint64())
    yield pa.array([1.5], pa.float16())
    yield pa.array(["x"]).dictionary_encode()
    yield from (pa.array(["x"], kind) for kind in (pa.string_view(), pa.large_string()))
    yield from (pa.array([b"x"], kind) for kind in (pa.binary_view(), pa.large_binary(), pa.binary(1)))
    yield from (pa.array([[1]], kind) for kind in (pa.large_list(pa.int64()), pa.list_(pa.int64(), 1)))
    yield pa.array([[("a", 1)]], pa.map_(pa.string(), pa.int64()))
    yield pa.array([(1, 2, 3)], pa.month_day_nano_interval())
    yield pa.RunEndEncodedArray.from_arrays(pa.array([1], pa.int32()), pa.array([1]))
    yield pa.UnionArray.from_sparse(pa.array([0], pa.int8()), [pa.array([1])])
    yield without_offsets()
    broken = text(pa.string(), "<ii")
    yield from (broken, text(pa.large_string(), "<qq"))
    yield pa.DictionaryArray.from_arrays(pa.array([0], pa.int32()), broken)
    yield pa.ListArray.from_arrays(pa.array([0, 1], pa.int32()), broken)
    yield pa.StructArray.from_arrays([broken], ["key"])


@pytest.mark.slow
@pytest.mark.parametrize("name", wireloom.formats())
def test_any_array_in_any_column(name: str) -> None:
    for column in (each.name for each in format_of(name).columns if not each.derived):
        for array in arrays():
            with suppress(WireloomError):
                wireloom.write(name, pa.table({column: array}), io.BytesIO())


@pytest.mark.parametrize(("name", "column"), [("leveldb_log", "data"), ("cobs_log", "payload")])
def test_the_error_names_row_and_column(name: str, column: str) -> None:
    with pytest.raises(WireloomError, match=f"row 0, column {column}: 1 does not fit binary"):
        wireloom.write(name, pa.table({column: pa.array([1, 2])}), io.BytesIO())
    broken = pa.concat_arrays([pa.array(["good"]), text(pa.string(), "<ii")])
    with pytest.raises(WireloomError, match=f"row 1, column {column}: the text is not valid UTF-8"):
        wireloom.write(name, pa.table({column: broken}), io.BytesIO())
