"""Readers in many threads, in the presence of forks, and without the interpreter's lock."""

from __future__ import annotations

import mmap
import struct
import subprocess
import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
import wireloom
import wireloom.engine
import zstandard
from wireloom.checksums import algorithm, function
from wireloom.engine import md5_many

from ..unit.reading.samples import cobs_log, frames, payloads, word_log
from ..waiting import SECONDS
from ..writing import bytes_of

CRC32C, CRC32 = (function(algorithm(each)) for each in ("crc32c", "crc32"))
SEGMENT = frames(payloads(500))
HIT = bytearray(SEGMENT)
HIT[10_000:10_004] = b"\xff" * 4
FRAME = b"\x00\x00\x0d\x00\x0a\x0a\x08%c\x10\x05\x22\x04body"
SESSION = b"".join(FRAME % (number % 100) for number in range(500))
BATCH = b"".join(b"\x0a\x06\x08\x01\x22\x02ab" for _ in range(300))
INPUTS: dict[str, tuple[str, bytes, dict[str, Any]]] = {
    "segment": ("edgemq_segment", SEGMENT, {}),
    "compressed": ("edgemq_segment", zstandard.ZstdCompressor().compress(SEGMENT), {"prefetch": True}),
    "damaged": ("edgemq_segment", bytes(HIT), {"recover": True, "columns": ["_offset", "payload", "_error"]}),
    "word-stuffed": ("word_stuffed_log", word_log(payloads(500)), {}),
    "cobs": ("cobs_log", cobs_log(payloads(500)), {}),
    "session": ("s2_session", SESSION, {}),
    "message": ("s2_messages", BATCH, {}),
    "not aggregated": ("kpl_aggregated_record", b"some record", {}),
}
THREADS = 8
LOCKED: bool = getattr(sys, "_is_gil_enabled", lambda: True)()
"""Whether only one thread at a time runs Python code."""


def read(name: str) -> tuple[pa.Table, Any]:
    format, content, options = INPUTS[name]
    table, report = wireloom.read_with_report(format, content, **options)
    return table, report.to_dict()


def in_eight_threads(calls: dict[str, Callable[[], Any]]) -> None:
    """Let each thread make all calls, in its own order; the results must be the same as in a single thread."""
    expected = {name: call() for name, call in calls.items()}
    begin = threading.Barrier(THREADS)

    def all_of_them(first: int) -> list[str]:
        begin.wait()
        turn = first % len(calls)
        names = [*list(calls)[turn:], *list(calls)[:turn]] * 2
        return [name for name in names if calls[name]() != expected[name]]

    with ThreadPoolExecutor(THREADS) as pool:
        assert list(pool.map(all_of_them, range(THREADS))) == [[]] * THREADS


def test_the_same_rows_in_eight_threads() -> None:
    assert all(read(name)[0].num_rows for name in INPUTS)
    in_eight_threads({name: partial(read, name) for name in INPUTS})


EVENTS = pa.table(
    {
        "fmt": pa.array([0] * 500, pa.uint8()),
        "tenant": pa.array(range(500), pa.uint32()),
        "ts": pa.array(range(500), pa.timestamp("ms", "UTC")),
        "payload": pa.array(payloads(500), pa.binary()),
    }
)
RECORDS = EVENTS.select(["payload"]).append_column("generation", EVENTS["tenant"])


def test_the_same_bytes_in_eight_threads() -> None:
    session, message = (read(name)[0].select(["seq_num", "body"]) for name in ("session", "message"))
    in_eight_threads(
        {
            "segment": partial(bytes_of, "edgemq_segment", EVENTS, codec="none"),
            "compressed": partial(bytes_of, "edgemq_segment", EVENTS, codec="zstd"),
            "word-stuffed": partial(bytes_of, "word_stuffed_log", RECORDS),
            "cobs": partial(bytes_of, "cobs_log", RECORDS.select(["payload"])),
            "session": partial(bytes_of, "s2_session", session),
            "message": partial(bytes_of, "s2_messages", message),
        }
    )


def test_the_same_rows_found_in_eight_threads(tmp_path: Path) -> None:
    path = tmp_path / "sorted.log"
    path.write_bytes(bytes_of("word_stuffed_log", RECORDS))
    places = wireloom.read("word_stuffed_log", path, columns=["_offset"])["_offset"].to_pylist()
    keys = range(0, 500, 60)
    in_eight_threads(
        {
            **{f"key {key}": partial(wireloom.search, "word_stuffed_log", path, key, key="generation") for key in keys},
            **{f"row {key}": partial(wireloom.first_row, "word_stuffed_log", path, places[key]) for key in keys},
        }
    )


def test_the_same_blobs_in_eight_threads() -> None:
    column = pa.array([BATCH, b"", None, BATCH[:100]] * 20, pa.binary())
    in_eight_threads(
        {
            "messages": partial(wireloom.from_wire, column, "s2_messages"),
            "aggregates": partial(wireloom.from_wire, column, "kpl_aggregated_record"),
        }
    )


FORKS = """
import os, sys, threading
from tests.limits.test_threads import INPUTS, read

expected = {name: read(name) for name in INPUTS}
stop = threading.Event()

def reading():
    while not stop.is_set():
        for name in INPUTS:
            read(name)

threads = [threading.Thread(target=reading, daemon=True) for _ in range(2)]
for each in threads:
    each.start()
for _ in range(3):
    child = os.fork()
    if child == 0:
        os._exit(0 if all(read(name) == expected[name] for name in INPUTS) else 1)
    _, status = os.waitpid(child, 0)
    assert status == 0, status
stop.set()
for each in threads:
    each.join()
"""


@pytest.mark.skipif(not LOCKED, reason="a free-threaded Python 3.13 hangs in dict.get after such a fork, by itself")
def test_forks_while_threads_read() -> None:
    subprocess.run([sys.executable, "-W", "ignore", "-c", FORKS], check=True, timeout=SECONDS)


# Within this time, a thread gets the interpreter's lock only if another one releases it.
NEVER = 1000.0
TRIES = 50
LARGE = bytes(range(256)) * (1 << 15)
ZEROS = memoryview(mmap.mmap(-1, 1 << 29, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS))
"""Nothing has written to them, so they take no memory."""


class Watched:
    """Whether another thread runs during a function, although nothing takes the interpreter's lock by force."""

    def __init__(self) -> None:
        self.seen = False

    def call(self, function: Callable[..., Any], *arguments: Any, **keywords: Any) -> Any:
        """Call the function, while another thread only has to run to be noticed."""
        ran: list[bool] = []
        wanted = threading.Lock()
        wanted.acquire()

        def run() -> None:
            with wanted:
                ran.append(True)

        beside = threading.Thread(target=run)
        before = sys.getswitchinterval()
        # Before the start, after which it could ask for the interpreter's lock with the other interval.
        sys.setswitchinterval(NEVER)
        try:
            beside.start()
            wanted.release()
            result = function(*arguments, **keywords)
            self.seen = self.seen or bool(ran)
        finally:
            sys.setswitchinterval(before)
        beside.join()
        return result


def _call(name: str, number: int) -> Any:
    """Make the ``number``-th call: later ones take longer, for machines with other load."""
    engine = wireloom.engine
    zeros = ZEROS[: 1 << min(22 + number // 4, 29)]
    size = struct.pack("=Q", min(len(zeros), 1 << 25))
    times = 1 + number // 4
    calls: dict[str, Callable[[], Any]] = {
        "crc32c": lambda: CRC32C(zeros),
        "crc32": lambda: CRC32(zeros),
        "find_delimiter": lambda: engine.find_delimiter(zeros, 0, len(zeros), b"\xfe\xfd"),
        "stuff": lambda: engine.stuff(LARGE * times, b"\2"),
        "unstuff": lambda: engine.unstuff(STUFFED * times, b"\2", 1 << 30),
        "md5_many": lambda: md5_many(zeros, bytes(8), size),
        "fill": lambda: wireloom.read("edgemq_segment", SEGMENT * 20 * times, codec="none"),
        "resync": lambda: wireloom.read(
            "edgemq_segment", b"\xff" * 4 + LARGE[: times << 16], codec="none", recover=True, check_format=False
        ),
        "fill_messages": lambda: wireloom.read("s2_messages", BATCH * 100 * times),
        "encode": lambda: bytes_of("word_stuffed_log", pa.concat_tables([RECORDS] * 20 * times)),
    }
    return calls[name]()


STUFFED = cobs_log([LARGE[: 1 << 20]])[:-1] * 4


INSIDE = ("fill", "resync", "fill_messages", "encode")


@pytest.mark.skipif(not wireloom.engine.available, reason="the engine is not there")
@pytest.mark.parametrize(
    "name",
    ["crc32c", "crc32", "find_delimiter", "stuff", "unstuff", "md5_many", *INSIDE],
)
def test_the_engine_lets_other_threads_run(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    watched = Watched()
    for number in range(TRIES):
        if name in INSIDE:
            # Of everything that a read does, only the engine's call is observed.
            with monkeypatch.context() as patch:
                patched(patch, name, watched)
                _call(name, number)
        else:
            watched.call(_call, name, number)
        if watched.seen:
            return
    pytest.fail(f"in {TRIES} calls of {name} no other thread ran")


def patched(patch: pytest.MonkeyPatch, name: str, watched: Watched) -> None:
    # What a reader calls of the extension itself, and what through its Python interface.
    direct = {"fill": "fill_arena", "fill_messages": "fill_messages"}
    module: Any = wireloom.engine._engine if name in direct else wireloom.engine
    called = direct.get(name, name)
    original = getattr(module, called)
    patch.setattr(module, called, lambda *arguments, **keywords: watched.call(original, *arguments, **keywords))


@pytest.mark.skipif(not wireloom.engine.available, reason="the engine is not there")
@pytest.mark.skipif(not LOCKED, reason="where there is no lock it need not be released")
def test_what_does_not_let_go_is_found_out() -> None:
    watched = Watched()
    for _ in range(TRIES):
        watched.call(sum, range(100_000))
    assert not watched.seen
