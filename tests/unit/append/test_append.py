"""The append writer beyond the reference: torn delimiters, buffering, syncing, publishing, several writers."""

import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pytest
import wireloom
from hypothesis import given
from hypothesis import strategies as st
from wireloom import UnknownNameError, UnsupportedError, WireloomError
from wireloom.append import AppendError, AppendWriter, SystemCalls, publish

from ...waiting import SECONDS

FORMATS = ("word_stuffed_log", "cobs_log")


def values(format: str, payload: bytes) -> dict[str, object]:
    return {"payload": payload} | ({"generation": 7} if format == "word_stuffed_log" else {})


def payloads(format: str, source: object) -> list[bytes]:
    found: list[bytes] = wireloom.read(format, source)["payload"].to_pylist()
    return found


class Answers(SystemCalls):
    """Real calls, but each write first asks the next answer how many bytes may be written."""

    def __init__(self, *answers: int | OSError | None) -> None:
        self.answers = list(answers)
        self.syncs = 0

    def write(self, descriptor: int, data: bytes) -> int:
        answer = self.answers.pop(0) if self.answers else None
        if isinstance(answer, OSError):
            raise answer
        return os.write(descriptor, data if answer is None else data[:answer])

    def sync(self, descriptor: int) -> None:
        self.syncs += 1


@pytest.mark.parametrize("format", FORMATS)
def test_what_is_appended_is_read(format: str, tmp_path: Path) -> None:
    path = tmp_path / "log"
    records = [b"", b"a", b"\xfe\xfd\x00" * 100, bytes(range(256)) * 4]
    for record in records:
        with AppendWriter(path, format) as writer:
            writer.append(**values(format, record))
    assert payloads(format, path) == records
    assert wireloom.read_with_report(format, path)[1].clean


@pytest.mark.parametrize("format", FORMATS)
def test_appending_gives_the_same_bytes_as_writing(format: str, tmp_path: Path) -> None:
    table = pa.Table.from_pylist([values(format, b"x" * size) for size in range(0, 600, 7)])
    wireloom.write(format, table, tmp_path / "written")
    with AppendWriter(tmp_path / "appended", format) as writer:
        assert writer.append_rows(table) == table.num_rows
    assert (tmp_path / "appended").read_bytes() == (tmp_path / "written").read_bytes()


def complete_file(tmp_path: Path) -> Path:
    path = tmp_path / "log"
    with AppendWriter(path) as writer:
        writer.append(generation=1, payload=b"first")
    return path


def test_a_torn_delimiter_costs_no_record(tmp_path: Path) -> None:
    path = complete_file(tmp_path)
    os.truncate(path, path.stat().st_size - 1)
    assert path.read_bytes().endswith(b"\xfe")
    with AppendWriter(path) as writer:
        writer.append(generation=2, payload=b"second")
    assert payloads("word_stuffed_log", path) == [b"first", b"second"]
    assert wireloom.read_with_report("word_stuffed_log", path)[1].clean


def test_separating_a_torn_delimiter_costs_a_record_as_in_the_reference(tmp_path: Path) -> None:
    path = complete_file(tmp_path)
    os.truncate(path, path.stat().st_size - 1)
    with AppendWriter(path, torn_delimiter="separate") as writer:
        writer.append(generation=2, payload=b"second")
    assert payloads("word_stuffed_log", path) == [b"second"]


@given(cut=st.integers(0, 40))
def test_a_file_cut_anywhere_keeps_its_whole_records(tmp_path_factory: pytest.TempPathFactory, cut: int) -> None:
    path = tmp_path_factory.mktemp("cut") / "log"
    with AppendWriter(path) as writer:
        ends = []
        for index in range(3):
            writer.append(generation=index, payload=b"\xfe" * index)
            ends.append(path.stat().st_size)
    size = max(0, ends[-1] - cut)
    os.truncate(path, size)
    with AppendWriter(path) as writer:
        writer.append(generation=9, payload=b"after")
    # A record is complete if all but its delimiter exists.
    whole = [b"\xfe" * index for index, end in enumerate(ends) if end - 2 <= size]
    assert payloads("word_stuffed_log", path) == [*whole, b"after"]


def test_a_delimiter_that_is_owed_comes_before_the_next_record(tmp_path: Path) -> None:
    path = tmp_path / "log"
    broken = OSError(5, "broken")
    # Three torn attempts, and the delimiter after them is not written either.
    with AppendWriter(path, calls=Answers(5, 5, 5, broken)) as writer:
        with pytest.raises(AppendError):
            writer.append(generation=1, payload=b"lost")
        writer.append(generation=2, payload=b"kept")
    assert payloads("word_stuffed_log", path) == [b"kept"]


def test_an_error_names_the_file_and_its_cause(tmp_path: Path) -> None:
    path = tmp_path / "log"
    full = OSError(28, "No space left on device")
    with AppendWriter(path, calls=Answers(full, full, full)) as writer:
        with pytest.raises(AppendError, match=r"No space left") as caught:
            writer.append(generation=1, payload=b"")
        assert caught.value.path == str(path)
        assert caught.value.__cause__ is full
    assert path.read_bytes() == b""


def test_a_buffer_is_written_at_once(tmp_path: Path) -> None:
    path = tmp_path / "log"
    with AppendWriter(path, buffer=1000) as writer:
        writer.append(generation=1, payload=b"a")
        writer.append(generation=2, payload=b"b")
        assert path.read_bytes() == b""
        writer.flush()
        assert payloads("word_stuffed_log", path) == [b"a", b"b"]
        writer.append(generation=3, payload=b"c" * 2000)
        assert len(payloads("word_stuffed_log", path)) == 3
        writer.append(generation=4, payload=b"d")
    assert payloads("word_stuffed_log", path) == [b"a", b"b", b"c" * 2000, b"d"]


@pytest.mark.slow
@given(answers=st.lists(st.one_of(st.none(), st.integers(0, 60), st.just(OSError(5, "broken"))), max_size=8))
def test_a_buffer_loses_and_repeats_nothing(
    tmp_path_factory: pytest.TempPathFactory, answers: list[int | OSError | None]
) -> None:
    path = tmp_path_factory.mktemp("buffer") / "log"
    calls = Answers()
    with AppendWriter(path, buffer=1 << 20, calls=calls) as writer:
        for index in range(4):
            writer.append(generation=index, payload=b"%d" % index)
        calls.answers = list(answers)
        for _ in range(20):
            try:
                writer.flush()
                break
            except AppendError:
                continue
    generations = wireloom.read("word_stuffed_log", path)["generation"].to_pylist()
    # A record whose delimiter was torn may exist twice, one after the other.
    assert list(dict.fromkeys(generations)) == [0, 1, 2, 3]
    assert generations == sorted(generations)


@pytest.mark.parametrize(("sync", "expected"), [("never", 0), ("always", 3), (3600, 1)])
def test_when_it_is_synced(sync: str | float, expected: int, tmp_path: Path) -> None:
    calls = Answers()
    with AppendWriter(tmp_path / "log", sync=sync, calls=calls) as writer:
        for index in range(3):
            writer.append(generation=index, payload=b"")
    assert calls.syncs == expected


def test_syncing_on_a_timer_also_writes_the_buffer(tmp_path: Path) -> None:
    path = tmp_path / "log"
    synced = threading.Event()

    class Noticed(SystemCalls):
        def sync(self, descriptor: int) -> None:
            synced.set()

    with AppendWriter(path, buffer=1000, sync=0.01, calls=Noticed()) as writer:
        writer.append(generation=1, payload=b"a")
        assert synced.wait(SECONDS)
        assert payloads("word_stuffed_log", path) == [b"a"]


def test_an_error_of_the_timer_is_raised_by_the_next_call(tmp_path: Path) -> None:
    tried = threading.Event()

    class Failing(SystemCalls):
        def sync(self, descriptor: int) -> None:
            tried.set()
            raise OSError(5, "broken")

    writer = AppendWriter(tmp_path / "log", sync=0.01, calls=Failing())
    writer.append(generation=1, payload=b"a")
    assert tried.wait(SECONDS)
    with pytest.raises(AppendError, match="may not be on the disk"):
        writer.close()
    writer.close()


def test_syncing_on_demand(tmp_path: Path) -> None:
    calls = Answers()
    with AppendWriter(tmp_path / "log", buffer=1000, calls=calls) as writer:
        writer.append(generation=1, payload=b"a")
        writer.sync()
        assert payloads("word_stuffed_log", tmp_path / "log") == [b"a"]
    assert calls.syncs == 1


def test_threads_share_a_writer(tmp_path: Path) -> None:
    path = tmp_path / "log"
    with AppendWriter(path, buffer=100) as writer:

        def run(number: int) -> None:
            for index in range(200):
                writer.append(generation=number, payload=b"%d" % index)

        threads = [threading.Thread(target=run, args=(number,)) for number in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    table, report = wireloom.read_with_report("word_stuffed_log", path)
    assert report.clean
    for number in range(4):
        mine = [row["payload"] for row in table.to_pylist() if row["generation"] == number]
        assert mine == [b"%d" % index for index in range(200)]


PROCESS = """
import sys
from wireloom.append import AppendWriter
with AppendWriter(sys.argv[1]) as writer:
    for index in range(300):
        writer.append(generation=int(sys.argv[2]), payload=b"%d" % index * 20)
"""


@pytest.mark.slow
def test_processes_share_a_file(tmp_path: Path) -> None:
    path = complete_file(tmp_path)
    os.truncate(path, path.stat().st_size - 1)
    running = [subprocess.Popen([sys.executable, "-c", PROCESS, str(path), str(number)]) for number in (2, 3)]
    assert [process.wait() for process in running] == [0, 0]
    table, report = wireloom.read_with_report("word_stuffed_log", path)
    assert report.clean
    assert table.num_rows == 601


def test_a_descriptor_stays_open(tmp_path: Path) -> None:
    descriptor = os.open(tmp_path / "log", os.O_RDWR | os.O_CREAT | os.O_APPEND)
    try:
        with AppendWriter(descriptor, "cobs_log") as writer:
            writer.append(payload=b"a")
        os.write(descriptor, b"")
    finally:
        os.close(descriptor)
    assert payloads("cobs_log", tmp_path / "log") == [b"a"]


def test_a_published_file_appears_whole(tmp_path: Path) -> None:
    path = tmp_path / "log"
    with publish(path, "cobs_log", buffer=100) as writer:
        writer.append(payload=b"a")
        assert not path.exists()
    assert payloads("cobs_log", path) == [b"a"]
    assert os.listdir(tmp_path) == ["log"]


def test_a_failed_publication_leaves_what_was_there(tmp_path: Path) -> None:
    path = tmp_path / "log"
    path.write_bytes(b"old")

    def interrupted() -> Iterator[dict[str, object]]:
        yield values("cobs_log", b"a")
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt), publish(path, "cobs_log") as writer:
        writer.append_rows(interrupted())
    assert path.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["log"]


def test_records_that_are_too_large(tmp_path: Path) -> None:
    path = tmp_path / "log"
    with AppendWriter(path, "cobs_log", max_record=10) as writer:
        writer.append(payload=b"123456789")
        with pytest.raises(WireloomError, match=r"^the record has 11 bytes when written, more than max_record"):
            writer.append(payload=b"1234567890")
    assert payloads("cobs_log", path) == [b"123456789"]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"payload": b""}, "without the column generation"),
        ({"payload": b"", "generation": None}, "generation is None"),
        ({"payload": b"", "generation": -1}, "the record cannot be written"),
        ({"payload": b"", "generation": 2**32}, "the record cannot be written"),
        ({"payload": "text", "generation": 1}, "the record cannot be written"),
        ({"payload": b"", "generaton": 1}, "did you mean 'generation'"),
    ],
)
def test_values_that_a_record_cannot_hold(given: dict[str, object], message: str, tmp_path: Path) -> None:
    path = tmp_path / "log"
    with AppendWriter(path) as writer, pytest.raises(WireloomError, match=message):
        writer.append(**given)
    assert path.read_bytes() == b""


def test_what_cannot_be_opened(tmp_path: Path) -> None:
    with pytest.raises(WireloomError, match="No such file or directory") as caught:
        AppendWriter(tmp_path / "missing" / "log")
    assert caught.value.path == str(tmp_path / "missing" / "log")
    with pytest.raises(UnsupportedError, match="no delimiters"):
        AppendWriter(tmp_path / "log", "edgemq_segment")
    with pytest.raises(UnknownNameError, match="torn_delimiter"):
        AppendWriter(tmp_path / "log", torn_delimiter="maybe")
    with pytest.raises(WireloomError, match="sync must be"):
        AppendWriter(tmp_path / "log", sync="sometimes")
    assert os.listdir(tmp_path) == []


def test_a_closed_writer(tmp_path: Path) -> None:
    writer = AppendWriter(tmp_path / "log")
    writer.close()
    writer.close()
    with pytest.raises(WireloomError, match="closed"):
        writer.append(generation=1, payload=b"")
