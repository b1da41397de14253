"""Batches in one piece of memory: their content, and that it is released when its last user is gone, and not before."""

from __future__ import annotations

import ctypes
import gc
import subprocess
import sys
import threading
import weakref
from typing import Any

import pyarrow as pa
import pytest
from wireloom.engine import _engine
from wireloom.rows.reader import Status

from .calls import ARENA, FRAMES, ROWS, export_arena, exported, fill_arena
from .harness import frame

PAYLOADS = [b"", b"one", b"x" * 40]


class Memory(bytearray):
    """Memory whose release can be observed."""


class ArrowArray(ctypes.Structure):
    """Arrow's C data interface, as used by another consumer."""


Released = ctypes.PYFUNCTYPE(None, ctypes.POINTER(ArrowArray))
ArrowArray._fields_ = [
    *((name, ctypes.c_int64) for name in ("length", "null_count", "offset", "n_buffers", "n_children")),
    ("buffers", ctypes.POINTER(ctypes.c_void_p)),
    ("children", ctypes.POINTER(ctypes.POINTER(ArrowArray))),
    ("dictionary", ctypes.c_void_p),
    ("release", ctypes.c_void_p),
    ("private_data", ctypes.c_void_p),
]


def watched() -> tuple[list[Any], list[weakref.ref[Memory]]]:
    """Return the arguments of an export, and references that show whether their memory still exists."""
    given = export_arena()
    arena, data = Memory(given[4]), Memory(given[5][0])
    given[4], given[5] = arena, (data,)
    return given, [weakref.ref(arena), weakref.ref(data)]


def are_gone(memory: list[weakref.ref[Memory]]) -> bool:
    # What the test has made: all objects of the suite would take a third of a second.
    gc.collect(1)
    return not any(each() is not None for each in memory)


def release(array: ArrowArray) -> None:
    Released(array.release)(ctypes.pointer(array))


def test_a_batch() -> None:
    batch = exported(*export_arena())
    batch.validate(full=True)
    assert batch.to_pydict() == {"payload": PAYLOADS, "millis": [1, 1, 1]}
    assert [column.null_count for column in batch.columns] == [0, 0]


def test_places_stand_first() -> None:
    given = fill_arena()
    rows, dropped, _, consumed, status, *_ = _engine.fill_arena(*given)
    assert (rows, dropped, consumed, status) == (3, 0, len(ROWS), Status.END)
    assert list(memoryview(given[10]).cast("Q")[:3]) == [0, 21, 45]


def test_nulls_and_memory_that_was_used_before() -> None:
    bad = bytearray(frame(b"bad"))
    bad[-1] ^= 1
    data = frame(b"good") + bytes(bad) + frame(b"last")
    given = fill_arena()
    given[1], given[3], given[17] = data, len(data), True
    given[10][:] = b"\xa5" * len(given[10])
    rows, *_, null_counts, used, _, _ = _engine.fill_arena(*given)
    assert (rows, null_counts[3:5], used[3]) == (3, (1, 1), 8)
    batch = exported(FRAMES, *ARENA, given[10], given[11], rows, null_counts)
    batch.validate(full=True)
    assert batch.to_pydict() == {"payload": [b"good", None, b"last"], "millis": [1, None, 1]}


def test_no_rows() -> None:
    given = fill_arena()
    given[3] = 0
    rows, *_, null_counts, _, _, _ = _engine.fill_arena(*given)
    batch = exported(FRAMES, *ARENA, given[10], given[11], rows, null_counts)
    batch.validate(full=True)
    assert batch.num_rows == 0


@pytest.mark.parametrize("kept", ["batch", "column", "slice", "buffer"])
def test_memory_lives_as_long_as_what_is_in_it(kept: str) -> None:
    given, memory = watched()
    batch = exported(*given)
    del given
    held = {
        "batch": batch,
        "column": batch.column(1),
        "slice": batch.slice(2),
        "buffer": batch.column(0).buffers()[2],
    }[kept]
    del batch
    assert not are_gone(memory)
    if kept != "buffer":
        assert "1" in str(held)
    del held
    assert are_gone(memory)


def test_batches_that_are_not_imported_are_freed() -> None:
    given, memory = watched()
    taken = _engine.export_arena(*given)
    del given
    assert not are_gone(memory)
    del taken
    assert are_gone(memory)


def test_a_schema_that_does_not_fit() -> None:
    given, memory = watched()
    owner, address = _engine.export_arena(*given)
    with pytest.raises(pa.ArrowInvalid):
        pa.RecordBatch._import_from_c(address, pa.schema([("payload", pa.binary())]))
    del given, owner
    assert are_gone(memory)


@pytest.mark.parametrize("number", [0, 1])
def test_a_child_that_is_moved_away(number: int) -> None:
    """The interface allows a consumer to take one child, release the parent, and use the child."""
    given, memory = watched()
    owner, address = _engine.export_arena(*given)
    del given
    parent = ArrowArray.from_address(address)
    child = ArrowArray()
    ctypes.memmove(ctypes.byref(child), parent.children[number], ctypes.sizeof(child))
    parent.children[number].contents.release = None
    release(parent)
    assert parent.release is None
    del owner
    assert not are_gone(memory)
    array = pa.Array._import_from_c(ctypes.addressof(child), [pa.binary(), pa.uint64()][number])
    assert array.to_pylist() == [PAYLOADS, [1, 1, 1]][number]
    del array
    assert are_gone(memory)


def test_threads_let_go() -> None:
    """Batches that are passed on are freed by their last user, which may be one of Arrow's own threads."""
    watch: list[weakref.ref[Memory]] = []
    batches = []
    for _ in range(200):
        given, memory = watched()
        watch += memory
        batches.append(exported(*given))
    del given
    table = pa.Table.from_batches(batches)
    threads = [threading.Thread(target=lambda part: part.clear(), args=(batches[i::4],)) for i in range(4)]
    batches.clear()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    del threads
    assert table.sort_by("millis").num_rows == 600
    del table
    assert are_gone(watch)


def test_python_ends_while_batches_live() -> None:
    code = (
        "from tests.engine.calls import export_arena, exported\n"
        "import builtins, pyarrow as pa\n"
        "builtins.kept = [exported(*export_arena()) for _ in range(10)]\n"
        "builtins.reader = pa.RecordBatchReader.from_batches(kept[0].schema, iter(kept)).read_next_batch()\n"
        "print(sum(each.num_rows for each in kept))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr, done.returncode) == ("30\n", "", 0)
