"""An interrupt at the worst moment: all files are closed, no thread waits, and it is raised as an interrupt."""

from __future__ import annotations

import _thread
import gc
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import wireloom
from wireloom import codecs
from wireloom.base import threads
from wireloom.input import window
from wireloom.input.stored import Stored
from wireloom.reading import opening

from ..unit.reading.samples import frames, payloads
from ..waiting import SECONDS
from .children import needs_proc
from .interrupting import interrupt, open_below

pytestmark = needs_proc
ROWS = 4_000


@pytest.fixture
def log(tmp_path: Path) -> Path:
    """Return a log that is large enough for a thread of its own."""
    path = tmp_path / "a.wal.zst"
    wireloom.write("edgemq_segment", wireloom.read("edgemq_segment", frames(payloads(ROWS, largest=1_000))), path)
    return path


@pytest.fixture(autouse=True)
def _nothing_left(tmp_path: Path) -> Iterator[None]:
    # The threads of a pool that other tests have used remain.
    before = {*threading.enumerate()}
    yield
    gc.collect()
    assert open_below(tmp_path) == []
    left = {*threading.enumerate()} - before
    assert [each.name for each in left if each.name.startswith("wireloom")] == []


def test_before_the_thread_has_started(log: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(threading.Thread, "start", interrupt)
    with pytest.raises(KeyboardInterrupt):
        wireloom.read("edgemq_segment", log)
    # The interrupt, with its traceback, still exists.
    assert open_below(log.parent) == []


def test_when_the_thread_has_just_started(log: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    begun: list[threading.Thread] = []

    def start(thread: threading.Thread) -> None:
        begun.append(thread)
        real(thread)
        raise KeyboardInterrupt

    real = threading.Thread.start
    monkeypatch.setattr(threading.Thread, "start", start)
    with pytest.raises(KeyboardInterrupt):
        wireloom.read("edgemq_segment", log)
    for each in begun:
        each.join(SECONDS)
    assert len(begun) == 1


def test_where_python_raises_over_it(log: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def start(_: threading.Thread) -> None:
        try:
            raise KeyboardInterrupt
        finally:
            threading.Lock().release()

    monkeypatch.setattr(threading.Thread, "start", start)
    with pytest.raises(KeyboardInterrupt):
        wireloom.read("edgemq_segment", log)


def test_a_thread_that_cannot_start(log: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def start(_: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", start)
    with pytest.raises(RuntimeError, match="can't start new thread"):
        wireloom.read("edgemq_segment", log)


def test_where_the_thread_is_told_to_end(log: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stored = Stored(log.open("rb", buffering=0), None)
    blocks = window.PrefetchedBlocks(codecs.decoder("none", stored), 4096)
    assert blocks.next() is not None
    [begun] = [each for each in threading.enumerate() if each.name == "wireloom-prefetch"]
    with monkeypatch.context() as patched:
        patched.setattr(threads, "_halt", interrupt)
        with pytest.raises(KeyboardInterrupt):
            blocks.close()
    assert begun.is_alive()
    # Clearing the blocks notifies it.
    del blocks
    gc.collect()
    begun.join(SECONDS)
    stored.close()


@pytest.mark.parametrize("place", [(codecs, "detect"), (codecs, "decoder"), (opening, "StreamWindow")])
def test_while_it_is_opened(place: tuple[Any, str], log: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(*place, interrupt)
    with pytest.raises(KeyboardInterrupt):
        wireloom.read("edgemq_segment", log)
    assert open_below(log.parent) == []


def test_just_before_the_wait_for_the_thread() -> None:
    """As if Ctrl-C came between Python's check for signals and the wait: the flag is set, no system call returns."""
    released, waited_out = threading.Event(), []

    def work(_: None) -> None:
        _thread.interrupt_main()
        waited_out.append(not released.wait(60))

    read_ahead = threads.Ahead("wireloom-test", work, lambda: [None])
    try:
        with pytest.raises(KeyboardInterrupt):
            read_ahead.next()
    finally:
        released.set()
        read_ahead.close()
    assert waited_out == [False]
