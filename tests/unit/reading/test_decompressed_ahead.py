"""Blocks inside files that threads decompress before their rows are read."""

from __future__ import annotations

import random
import struct
import threading
from concurrent.futures import Future, ThreadPoolExecutor
from types import SimpleNamespace
from typing import Any

import pytest
import wireloom
import zstandard
from wireloom import engine
from wireloom.rows import block_decompression, decompression_ahead

from ..specs import format_of

pytestmark = pytest.mark.skipif(not engine.available, reason="the engine is asked for blocks")

SPEC = """
meta: {id: ahead, endian: le, -wireloom: {rows: units.body.rows, unit: units}}
seq: [{id: units, type: unit, repeat: eos}]
types:
  unit:
    seq:
      - {id: len, type: u4}
      - {id: body, type: body, size: len, -wireloom: {codec: zstd}}
  body: {seq: [{id: rows, type: row, repeat: eos}]}
  row:
    seq:
      - {id: number, type: u4}
      - {id: len, type: u1}
      - {id: noise, size: len}
"""
NUMBERS = random.Random(8)


def unit(first: int, rows: int, *, states_size: bool = True) -> bytes:
    """Return a unit of rows of noise, which cannot be compressed."""
    content = b"".join(struct.pack("<IB", first + each, 200) + NUMBERS.randbytes(200) for each in range(rows))
    stored = zstandard.ZstdCompressor(write_content_size=states_size).compress(content)
    return struct.pack("<I", len(stored)) + stored


UNITS = [unit(1000 * number, 100 + number) for number in range(12)]
DATA = b"".join(UNITS)


class AtOnce:
    """A pool that runs each call at once, in place of threads."""

    def __init__(self) -> None:
        self.calls = 0

    def submit(self, call: Any, *arguments: Any) -> Future[Any]:
        self.calls += 1
        future: Future[Any] = Future()
        future.set_running_or_notify_cancel()
        try:
            future.set_result(call(*arguments))
        except Exception as error:
            future.set_exception(error)
        return future


class Busy:
    """A pool whose threads begin nothing."""

    def __init__(self) -> None:
        self.futures: list[Future[Any]] = []

    def submit(self, *_call: Any) -> Future[Any]:
        self.futures.append(Future())
        return self.futures[-1]


@pytest.fixture
def pool(monkeypatch: pytest.MonkeyPatch) -> AtOnce:
    found = AtOnce()
    monkeypatch.setattr(decompression_ahead, "processors", lambda: 2)
    monkeypatch.setattr(decompression_ahead, "pool", lambda: found)
    return found


def numbers(table: Any) -> list[int]:
    found: list[int] = table.column("number").to_pylist()
    return found


class Counting:
    """A function that decompresses blocks, and notes them."""

    def __init__(self, module: Any) -> None:
        self.blocks: list[bytes] = []
        self._expand = module.expand_block

    def __call__(self, codecs: tuple[str, ...], chosen: int, data: memoryview, *limits: Any) -> bytes:
        self.blocks.append(bytes(data))
        content: bytes = self._expand(codecs, chosen, data, *limits)
        return content


@pytest.mark.parametrize("states_size", [True, False])
def test_all_but_the_first_two_are_there(states_size: bool, pool: AtOnce, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(decompression_ahead, "ENOUGH", 96 * 1024 if states_size else 512 * 1024)
    data = b"".join(unit(1000 * number, 100 + number, states_size=states_size) for number in range(12))
    expand = Counting(block_decompression)
    monkeypatch.setattr(block_decompression, "expand_block", expand)
    table = wireloom.read(format_of(SPEC), data)
    assert numbers(table) == [1000 * number + each for number in range(12) for each in range(100 + number)]
    assert (len(expand.blocks), pool.calls) == (2, 1)


@pytest.mark.parametrize("states_size", [True, False])
def test_a_block_of_several_frames_is_read_to_its_end(states_size: bool, pool: AtOnce) -> None:
    """Of such a block, a thread decompresses the first frame only."""
    units = [unit(1000 * number, 100 + number, states_size=states_size) for number in range(12)]
    joined = [units[number][4:] + units[number + 1][4:] for number in range(0, 12, 2)]
    blocks = [block for pair in zip((each[4:] for each in units[::2]), joined, strict=True) for block in pair]
    table = wireloom.read(format_of(SPEC), b"".join(struct.pack("<I", len(each)) + each for each in blocks))
    pieces = [number for first in range(0, 12, 2) for number in (first, first, first + 1)]
    assert numbers(table) == [1000 * number + each for number in pieces for each in range(100 + number)]
    assert pool.calls


def test_each_block_is_decompressed_once_if_no_thread_begins(monkeypatch: pytest.MonkeyPatch) -> None:
    pool = Busy()
    monkeypatch.setattr(decompression_ahead, "processors", lambda: 2)
    monkeypatch.setattr(decompression_ahead, "pool", lambda: pool)
    expand, ahead = Counting(block_decompression), Counting(decompression_ahead)
    monkeypatch.setattr(block_decompression, "expand_block", expand)
    monkeypatch.setattr(decompression_ahead, "expand_block", ahead)
    table = wireloom.read(format_of(SPEC), DATA)
    assert numbers(table) == [1000 * number + each for number in range(12) for each in range(100 + number)]
    assert pool.futures
    assert sorted(expand.blocks + ahead.blocks) == sorted(each[4:] for each in UNITS)


def test_the_reader_decompresses_other_blocks_while_a_thread_is_at_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    begun, helped, reader = threading.Event(), threading.Event(), threading.current_thread()
    module: Any = decompression_ahead
    expand = module.expand_block

    def waiting(*arguments: Any) -> bytes:
        if threading.current_thread() is reader:
            helped.set()
        else:
            begun.set()
            assert helped.wait(900)
        content: bytes = expand(*arguments)
        return content

    with ThreadPoolExecutor(1) as thread:

        def submit(*call: Any) -> Future[Any]:
            future = thread.submit(*call)
            assert begun.wait(900)
            return future

        monkeypatch.setattr(decompression_ahead, "processors", lambda: 2)
        monkeypatch.setattr(decompression_ahead, "pool", lambda: SimpleNamespace(submit=submit))
        monkeypatch.setattr(module, "expand_block", waiting)
        table = wireloom.read(format_of(SPEC), DATA)
    assert helped.is_set()
    assert numbers(table) == [1000 * number + each for number in range(12) for each in range(100 + number)]


def test_without_prefetching_or_a_second_processor(pool: AtOnce, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = wireloom.read(format_of(SPEC), DATA, prefetch=False)
    assert pool.calls == 0
    monkeypatch.setattr(decompression_ahead, "processors", lambda: 1)
    assert wireloom.read(format_of(SPEC), DATA).equals(expected)
    assert pool.calls == 0


def changed(place: int) -> bytes:
    data = bytearray(DATA)
    data[place] ^= 0x15
    return bytes(data)


BEGIN = len(b"".join(UNITS[:5]))
CASES = {
    "a frame's magic": changed(BEGIN + 4),
    "a frame's header": changed(BEGIN + 8),
    "the size of a content": changed(BEGIN + 9),
    "a frame's block": changed(BEGIN + 13),
    "the middle of a frame": changed(BEGIN + 9000),
    "the size of a block": changed(BEGIN + 1),
    "the size of a block that ends late": changed(BEGIN),
    "a cut": DATA[: BEGIN + 12_000],
    "two frames": b"".join((*UNITS[:4], struct.pack("<I", 2 * len(UNITS[4]) - 8), UNITS[4][4:] * 2, *UNITS[5:])),
    "a small block": b"".join((*UNITS[:4], unit(77, 3), *UNITS[4:])),
    "a content beyond the limit": b"".join((*UNITS[:4], unit(77, 50_000), *UNITS[4:])),
}


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("at_once", [True, False])
def test_damage_is_found_alike(case: str, at_once: bool, request: pytest.FixtureRequest) -> None:
    if at_once:
        request.getfixturevalue("pool")
    else:
        request.getfixturevalue("monkeypatch").setattr(decompression_ahead, "processors", lambda: 2)
    format = format_of(SPEC)
    expected, plain = wireloom.read_with_report(format, CASES[case], prefetch=False)
    table, report = wireloom.read_with_report(format, CASES[case])
    assert table.equals(expected)
    assert report.to_dict() == plain.to_dict()


def test_another_input_with_blocks_at_the_same_places(pool: AtOnce) -> None:
    format = format_of(SPEC)
    swapped = [unit(10**6 * number, 100 + number) for number in range(12)]
    assert list(map(len, swapped)) == list(map(len, UNITS))
    table = wireloom.read(format, [DATA[: BEGIN + 2], b"".join(swapped)])
    assert numbers(table)[-111:] == [11 * 10**6 + each for each in range(111)]


def test_few_blocks_wait_however_they_are_placed(monkeypatch: pytest.MonkeyPatch) -> None:
    pool = Busy()
    monkeypatch.setattr(decompression_ahead, "processors", lambda: 2)
    monkeypatch.setattr(decompression_ahead, "pool", lambda: pool)
    monkeypatch.setattr(decompression_ahead, "WORTH_A_THREAD", 10)
    view = memoryview(zstandard.ZstdCompressor().compress(b"some content").ljust(100, b"\0") * 60)
    window: Any = SimpleNamespace(view=view, base=0)
    ahead = decompression_ahead.DecompressionAhead()
    ahead.look_at(window)
    for between in range(1000, 2000, 50):
        # Each distance makes the next block be expected at another place.
        ahead.take(0, view[:100])
        ahead.take(100 + between, view[:100])
    assert pool.futures
    assert sum(not each.cancelled() for each in pool.futures) <= decompression_ahead.GROUPS_AHEAD


def test_blocks_at_about_the_same_distance(pool: AtOnce, monkeypatch: pytest.MonkeyPatch) -> None:
    expand = Counting(block_decompression)
    monkeypatch.setattr(block_decompression, "expand_block", expand)
    index = "      - {id: len_index, type: u4}\n      - {id: index, size: len_index}\n"
    format = format_of(SPEC.replace("  unit:\n    seq:\n", f"  unit:\n    seq:\n{index}"))
    sizes = [1000 + NUMBERS.randrange(-300, 300) for _ in UNITS]
    data = b"".join(struct.pack("<I", size) + bytes(size) + block for size, block in zip(sizes, UNITS, strict=True))
    table = wireloom.read(format, data, columns=["number"])
    assert numbers(table) == [1000 * number + each for number in range(12) for each in range(100 + number)]
    assert len(expand.blocks) == 2
