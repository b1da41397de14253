"""An interrupt wherever a file is opened, closed or named: all files are closed, and none is incomplete."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest
import wireloom
from wireloom.append import AppendWriter, publish, target
from wireloom.append import publish as publishing
from wireloom.writing import output

from ..unit.reading.samples import frames, payloads, word_log
from .children import needs_proc
from .interrupting import interrupt, interrupted_everywhere, open_below

pytestmark = needs_proc
TABLE = wireloom.read("edgemq_segment", frames(payloads(20)))
RECORDS = payloads(3)
PUBLISHED = word_log(RECORDS)


def test_a_file_that_is_written(tmp_path: Path) -> None:
    path = tmp_path / "a.wal.zst"

    def check() -> None:
        assert open_below(tmp_path) == []
        assert all(each == path for each in tmp_path.iterdir())
        if path.exists():
            assert wireloom.read("edgemq_segment", path) == TABLE
            path.unlink()

    functions = [output._local.__wrapped__, output.replacing.__wrapped__, output._File.__init__]  # type: ignore[attr-defined]  # contextlib sets it
    places = interrupted_everywhere(lambda: wireloom.write("edgemq_segment", TABLE, path), functions, check)
    assert places > 100


def test_a_log_that_is_published(tmp_path: Path) -> None:
    path = tmp_path / "a.log"

    def work() -> None:
        with publish(path) as log:
            for number, payload in enumerate(RECORDS):
                log.append(generation=number, payload=payload)

    def check() -> None:
        assert open_below(tmp_path) == []
        assert all(each == path for each in tmp_path.iterdir())
        if path.exists():
            assert path.read_bytes() == PUBLISHED
            path.unlink()

    functions = [publishing.__wrapped__, target.open_for_append, AppendWriter.close]  # type: ignore[attr-defined]
    assert interrupted_everywhere(work, functions, check) > 50


@pytest.mark.parametrize("sync", ["never", 60])
def test_a_log_that_is_appended_to(sync: str | float, tmp_path: Path) -> None:
    def work() -> None:
        with AppendWriter(tmp_path / "a.log", sync=sync) as log:
            log.append(generation=1, payload=b"a")

    def check() -> None:
        assert open_below(tmp_path) == []

    functions = [target.open_for_append, target.Target.__init__, AppendWriter.__init__]
    assert interrupted_everywhere(work, functions, check) > 50
    # What was appended before and after is complete.
    assert set(wireloom.read("word_stuffed_log", tmp_path / "a.log")["payload"].to_pylist()) == {b"a"}


def test_a_timer_that_cannot_be_stopped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log = AppendWriter(tmp_path / "a.log", sync=60)
    log.append(generation=1, payload=b"a")
    timers = [each for each in threading.enumerate() if isinstance(each, threading.Timer)]
    with monkeypatch.context() as patched:
        patched.setattr(threading.Timer, "cancel", interrupt)
        with pytest.raises(KeyboardInterrupt):
            log.close()
    # The timer still refers to the writer, and it may be long until it fires.
    assert open_below(tmp_path) == []
    for each in timers:
        each.cancel()


def test_a_timer_that_was_not_started_is_started_by_the_next_record(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[threading.Thread] = []
    with AppendWriter(tmp_path / "a.log", sync=60) as log:
        with monkeypatch.context() as patched:
            patched.setattr(threading.Thread, "start", interrupt)
            with pytest.raises(KeyboardInterrupt):
                log.append(generation=1, payload=b"a")
        monkeypatch.setattr(threading.Thread, "start", lambda thread: started.append(thread))
        log.append(generation=2, payload=b"b")
    assert len(started) == 1
