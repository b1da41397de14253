"""What others do to a log while it is appended to: between a writer's check of its end and its write, or endlessly."""

from __future__ import annotations

import errno
import fcntl
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest import mock

import pytest
import wireloom
from hypothesis import example, given, settings
from hypothesis import strategies as st
from wireloom import Format, UnsupportedError, WireloomError
from wireloom.append import AppendWriter, SystemCalls, target
from wireloom.format.registry import get
from wireloom.writing import RowEncoder

from ...examples import examples

BARE = """
meta: {{id: bare_log, -wireloom: {{rows: records}}}}
seq:
  - {{id: records, type: record, repeat: eos, -wireloom: {{framing: {{delimiter: {delimiter}, stuffing: {stuffing}}}}}}}
types:
  record: {{seq: [{{id: payload, size-eos: true}}]}}
"""


@pytest.fixture(scope="module")
def formats(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Format]:
    folder = tmp_path_factory.mktemp("specs")
    found = {name: get(name) for name in ("word_stuffed_log", "cobs_log")}
    others = (("crlf", [13, 10], "none"), ("blank_lines", [10, 10], "none"), ("slip", 0xC0, "slip"))
    for name, delimiter, stuffing in others:
        path = folder / f"{name}.ksy"
        path.write_text(BARE.format(delimiter=delimiter, stuffing=stuffing))
        found[name] = wireloom.load_spec(path)
    return found


NAMES = ["word_stuffed_log", "cobs_log", "crlf", "slip"]
"""Formats whose delimiter can be found after any torn bytes."""


def values(format: Format, payload: bytes) -> dict[str, Any]:
    return {"payload": payload} | ({"generation": 7} if format.name == "word_stuffed_log" else {})


def wire(format: Format, payload: bytes) -> bytes:
    return RowEncoder(format).encode_one(values(format, payload))


def payloads(format: Format, path: Path) -> list[bytes]:
    found: list[bytes] = wireloom.read(format, path)["payload"].to_pylist()
    return found


class Disturbed(SystemCalls):
    """Before each check and before each write another writer appends the next bytes; writes are cut off as often as
    there are answers."""

    def __init__(self, path: Path, looks: list[bytes], writes: list[bytes], answers: list[int | None]) -> None:
        self._path = path
        self.looks, self.writes, self.answers = looks, writes, answers

    def _other(self, pieces: list[bytes]) -> None:
        with self._path.open("ab") as file:
            file.write(pieces.pop(0) if pieces else b"")

    def size(self, descriptor: int) -> int | None:
        self._other(self.looks)
        return super().size(descriptor)

    def write(self, descriptor: int, data: bytes) -> int:
        self._other(self.writes)
        answer = self.answers.pop(0) if self.answers else None
        return super().write(descriptor, data if answer is None else data[:answer])


@contextmanager
def without_locks() -> Iterator[None]:
    def flock(descriptor: int, operation: int) -> None:
        raise OSError(errno.ENOLCK, os.strerror(errno.ENOLCK))

    with mock.patch.object(target.fcntl, "flock", flock):
        yield


PIECES = st.lists(st.tuples(st.integers(0, 40), st.integers(0, 60)), max_size=6)


@pytest.mark.parametrize("locks", [True, False])
@pytest.mark.parametrize("buffer", [0, 1000])
@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=examples(50))
@given(looks=PIECES, writes=PIECES, answers=st.lists(st.none() | st.integers(0, 90), max_size=6))
@example(looks=[], writes=[(5, 3)], answers=[])
def test_what_is_accepted_is_read_whatever_others_tear(
    name: str,
    buffer: int,
    locks: bool,
    looks: list[tuple[int, int]],
    writes: list[tuple[int, int]],
    answers: list[int | None],
    formats: dict[str, Format],
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    """Others that take no lock may leave any part of a record at any time."""
    format, path = formats[name], tmp_path_factory.mktemp("others") / "log"

    def torn(pieces: list[tuple[int, int]]) -> list[bytes]:
        # Any part, from nothing to all of it.
        return [wire(format, b"o" * size)[:part] if size else b"" for size, part in pieces]

    calls = Disturbed(path, torn(looks), torn(writes), list(answers))
    accepted: list[bytes] = []
    with (
        without_locks() if not locks else nullcontext(),
        AppendWriter(path, format, buffer=buffer, calls=calls) as log,
    ):
        for number in range(6):
            payload = b"own %d" % number * (number + 1)
            try:
                log.append(**values(format, payload))
            except WireloomError:
                continue
            accepted.append(payload)
        calls.answers = []
        log.flush()
    found = payloads(format, path)
    assert [each for each in accepted if each not in found] == []


@pytest.mark.parametrize("cut", range(1, 13))
@pytest.mark.parametrize("name", NAMES)
def test_a_record_that_is_seen_half_written_is_not_spoilt(
    name: str, cut: int, formats: dict[str, Format], tmp_path: Path
) -> None:
    format, path = formats[name], tmp_path / "log"
    other = wire(format, b"o" * 10)
    cut = min(cut, len(other) - 1) if cut < 12 else len(other) - 1
    path.write_bytes(wire(format, b"first"))
    calls = Disturbed(path, [other[:cut]], [other[cut:]], [])
    with without_locks(), AppendWriter(path, format, calls=calls) as log:
        log.append(**values(format, b"own"))
    table, report = wireloom.read_with_report(format, path)
    assert table["payload"].to_pylist() == [b"first", b"o" * 10, b"own"]
    # The delimiter that was written in case the rest had not arrived makes an empty frame at most.
    assert report.clean
    assert report.files[0].skipped_bytes in (0, len(format.delimiter))


@pytest.mark.parametrize("name", NAMES)
def test_a_record_that_became_part_of_a_torn_one_is_written_again(
    name: str, formats: dict[str, Format], tmp_path: Path
) -> None:
    format, path = formats[name], tmp_path / "log"
    calls = Disturbed(path, [], [b"", wire(format, b"torn")[:3]], [])
    with AppendWriter(path, format, buffer=1000, calls=calls) as log:
        log.append(**values(format, b"one"))
        log.flush()
        log.append(**values(format, b"two"))
        log.append(**values(format, b"three"))
    found = payloads(format, path)
    # Only the second write's first record.
    assert [each for each in found if each in (b"one", b"two", b"three")] == [b"one", b"three", b"two"]


@pytest.mark.parametrize("name", [*NAMES, "blank_lines"])
@pytest.mark.parametrize("part", range(1, 9))
def test_what_is_torn_before_the_look_costs_nothing_else(
    name: str, part: int, formats: dict[str, Format], tmp_path: Path
) -> None:
    format, path = formats[name], tmp_path / "log"
    calls = Disturbed(
        path, [b"", wire(format, b"torn\n")[:part] if name != "blank_lines" else b"torn\n"[:part]], [], []
    )
    with AppendWriter(path, format, calls=calls) as log:
        for payload in (b"one", b"two", b"three"):
            log.append(**values(format, payload))
    found = payloads(format, path)
    assert [each for each in found if each in (b"one", b"two", b"three")] == [b"one", b"two", b"three"]
    _, report = wireloom.read_with_report(format, path)
    assert report.damaged <= 1


def test_who_keeps_the_lock_is_waited_for_once(
    formats: dict[str, Format], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, pauses = tmp_path / "log", [0.0]
    # Not the functions of the module "time", which other threads of the process use, too.
    monkeypatch.setattr(target, "time", SimpleNamespace(monotonic=lambda: sum(pauses), sleep=pauses.append))
    with AppendWriter(path) as log, path.open("rb") as other:
        fcntl.flock(other, fcntl.LOCK_EX)
        log.append(generation=1, payload=b"a")
        assert sum(pauses) == pytest.approx(target.PATIENCE)
        count = len(pauses)
        log.append(generation=2, payload=b"b")
        assert len(pauses) == count
        fcntl.flock(other, fcntl.LOCK_UN)
        log.append(generation=3, payload=b"c")
        # Its current holder has not been waited for yet.
        fcntl.flock(other, fcntl.LOCK_EX)
        log.append(generation=4, payload=b"d")
        assert len(pauses) > count
    table, report = wireloom.read_with_report("word_stuffed_log", path)
    assert table["payload"].to_pylist() == [b"a", b"b", b"c", b"d"]
    assert report.clean


def test_the_lock_is_free_after_each_write(tmp_path: Path) -> None:
    path = tmp_path / "log"
    with AppendWriter(path) as log, path.open("rb") as other:
        for number in range(3):
            log.append(generation=number, payload=b"a")
            fcntl.flock(other, fcntl.LOCK_EX | fcntl.LOCK_NB)
            fcntl.flock(other, fcntl.LOCK_UN)


def in_child(work: Callable[[], None]) -> int:
    """Run ``work`` in a forked process; return its exit code."""
    child = os.fork()
    if not child:
        try:
            work()
        except BaseException:
            os._exit(1)
        os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def test_processes_that_inherited_a_descriptor_append_to_it(tmp_path: Path) -> None:
    path = tmp_path / "log"
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND)
    try:
        with AppendWriter(descriptor) as own:
            own.append(generation=0, payload=b"parent")

            def work() -> None:
                with AppendWriter(descriptor) as log:
                    for number in range(20):
                        log.append(generation=1, payload=b"%d" % number)

            assert in_child(work) == 0
            own.append(generation=0, payload=b"parent")
    finally:
        os.close(descriptor)
    table, report = wireloom.read_with_report("word_stuffed_log", path)
    assert (table.num_rows, report.clean) == (22, True)


@pytest.mark.parametrize("name", NAMES)
def test_a_descriptor_that_cannot_be_opened_again(
    name: str, formats: dict[str, Format], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each write then begins with a delimiter, whatever others do in between."""
    format, path = formats[name], tmp_path / "log"
    monkeypatch.setattr("wireloom.append.target.reopened", lambda descriptor: None)
    torn = wire(format, b"torn")[:4]
    with (
        path.open("ab") as file,
        AppendWriter(file.fileno(), format, calls=Disturbed(path, [], [b"", torn, b"", torn], [])) as log,
    ):
        for payload in (b"one", b"two", b"three", b"four"):
            log.append(**values(format, payload))
    found = payloads(format, path)
    assert [each for each in found if each != b"torn"[: len(each)]] == [b"one", b"two", b"three", b"four"]


class Unreadable(Disturbed):
    """A file that may only be written."""

    def tail(self, descriptor: int, size: int) -> bytes | None:
        return None

    def read(self, descriptor: int, offset: int, size: int) -> bytes | None:
        return None


@pytest.mark.parametrize("name", NAMES)
def test_a_file_that_cannot_be_read(name: str, formats: dict[str, Format], tmp_path: Path) -> None:
    format, path = formats[name], tmp_path / "log"
    torn = wire(format, b"torn")[:4]
    with AppendWriter(path, format, calls=Unreadable(path, [], [torn, b"", torn], [])) as log:
        for payload in (b"one", b"two", b"three"):
            log.append(**values(format, payload))
    found = payloads(format, path)
    assert set(found) >= {b"one", b"two", b"three"}


def test_a_delimiter_that_overlaps_itself_needs_the_end_of_the_file(
    formats: dict[str, Format], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("wireloom.append.target.reopened", lambda descriptor: None)
    with (tmp_path / "log").open("ab") as file, pytest.raises(UnsupportedError, match="the delimiter 0a0a overlaps"):
        AppendWriter(file.fileno(), formats["blank_lines"])


def test_a_forked_process_does_not_write_what_its_parent_has_buffered(tmp_path: Path) -> None:
    path = tmp_path / "log"
    with AppendWriter(path, buffer=1000) as log:
        log.append(generation=1, payload=b"a")

        def work() -> None:
            for call in (log.flush, log.sync, log.begin, lambda: log.append(generation=2, payload=b"b")):
                with pytest.raises(WireloomError, match="open another one here"):
                    call()
            log.close()

        assert in_child(work) == 0
        assert path.read_bytes() == b""
    assert payloads(get("word_stuffed_log"), path) == [b"a"]


def test_a_pipe_gets_one_delimiter_first() -> None:
    reading, writing = os.pipe()
    try:
        with AppendWriter(writing, "cobs_log") as log:
            log.append(payload=b"a")
            log.append(payload=b"b")
        assert os.read(reading, 100) == b"\0\x02a\0\x02b\0"
    finally:
        os.close(reading)
        os.close(writing)
