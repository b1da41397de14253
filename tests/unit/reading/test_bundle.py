"""Folders of small files: the result of reading them together is that of reading each alone."""

import gzip
import threading
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
import wireloom
import zstandard
from hypothesis import example, given
from hypothesis import strategies as st
from wireloom import Scanner, engine
from wireloom.input.expansion import expand
from wireloom.reading import small_file_loading
from wireloom.reading.request import scan_request

from . import samples
from .segments import BAD, SEGMENT

RULES = b"\xaa" * 13
COLUMNS = ["payload", "_offset", "_path", "segment", "tenant", "_error", "_corrupt_record"]

kinds = st.sampled_from(["good", "bad", "rules", "torn", "empty", "noise", "nested", "zstd", "gzip", "zeros", "broken"])
files = st.lists(st.tuples(kinds, st.integers(1, 90), st.integers(0, 1 << 16)), min_size=1, max_size=9)


def content(kind: str, rows: int, seed: int) -> bytes:
    payloads = [bytes([seed % 256]) * (seed * number % 50) for number in range(rows)]
    data: bytes = samples.frames(payloads)
    at = seed % len(data)
    match kind:
        case "bad":
            return data[:at] + bytes([data[at] ^ 1 << seed % 8]) + data[at + 1 :]
        case "rules":
            return samples.frames(payloads, padding=RULES)
        case "torn":
            return data[:at]
        case "empty":
            return b""
        case "noise":
            return data[:at] + b"\xff\x00" * (seed % 40)
        case "nested":
            return samples.frames([RULES[: seed % 14] + data, b"x"])
        case "zstd":
            return zstandard.compress(data)
        case "gzip":
            return gzip.compress(data)
        case "zeros":
            return data + bytes(seed % 100)
        case "broken":
            return zstandard.compress(data)[:-3]
    return data


def alone(folder: Path, **options: Any) -> tuple[list[dict[str, Any]], list[Any]]:
    rows, reports = [], []
    for path in sorted(folder.iterdir()):
        table, report = wireloom.read_with_report("edgemq_segment", path, **options)
        rows += table.to_pylist()
        reports += report.to_dict()["files"]
    return rows, reports


def together(folder: Path, **options: Any) -> tuple[list[dict[str, Any]], list[Any]]:
    columns, kept = options.pop("columns"), {name: options.pop(name) for name in list(options) if name != "stride"}
    checked = scan_request("edgemq_segment", columns=columns, **kept, **options)
    scanner = Scanner(checked, expand(folder), mixes_inputs=True)
    rows = scanner.read_all().to_pylist()
    return rows, list(scanner.report.to_dict()["files"])


@pytest.mark.slow
@example(found=[("good", 50, 0), ("good", 3, 0)], options={})
@given(found=files, options=st.sampled_from([{}, {"recover": True}, {"stride": "rules"}, {"stride": "layout"}]))
def test_whatever_is_in_them(
    tmp_path_factory: pytest.TempPathFactory, found: list[tuple[str, int, int]], options: dict[str, Any]
) -> None:
    folder = tmp_path_factory.mktemp("bundle")
    for number, each in enumerate(found):
        (folder / f"seg-{number:08d}.wal").write_bytes(content(*each))
    asked = {"columns": COLUMNS, "batch_rows": 50, "check_format": False, **options}
    expected = alone(folder, **asked)
    assert together(folder, **asked) == expected
    table, report = wireloom.read_with_report("edgemq_segment", folder, **asked)
    assert (table.to_pylist(), list(report.to_dict()["files"])) == expected


@pytest.mark.skipif(not engine.available, reason="only the engine reads several files with one call")
def test_several_files_make_a_batch_where_that_is_asked_for(tmp_path: Path) -> None:
    for number in range(20):
        (tmp_path / f"{number:02d}.wal").write_bytes(SEGMENT)
    scanner = Scanner(scan_request("edgemq_segment", columns=["_path"]), expand(tmp_path), mixes_inputs=True)
    [batch] = list(scanner)
    assert batch.num_rows == scanner.report.rows == 6000
    paths = batch.column(0).to_pylist()
    assert paths == sorted(paths)
    assert paths.count(str(tmp_path / "07.wal")) == 300
    with wireloom.scan("edgemq_segment", tmp_path, columns=["_path"]) as apart:
        assert [len(set(each.column(0).to_pylist())) for each in apart] == [1] * 20


@pytest.mark.slow
@pytest.mark.skipif(not engine.available, reason="only the engine reads several files with one call")
def test_a_thread_reads_the_next_files_and_ends(tmp_path: Path) -> None:
    def threads() -> int:
        return [each.name for each in threading.enumerate()].count("wireloom-files")

    block = SEGMENT * (600_000 // len(SEGMENT))
    for number in range(9):
        (tmp_path / f"{number}.wal").write_bytes(block if number != 4 else block[:-1])
    asked = scan_request("edgemq_segment", columns=["_path", "_offset", "payload"])
    apart = Scanner(replace(asked, prefetch=False), expand(tmp_path)).read_all()
    with closing(Scanner(asked, expand(tmp_path))) as scanner:
        first = next(scanner)
        assert threads() == 1
        assert pa.Table.from_batches([first, *scanner]).equals(apart)
        assert threads() == 0
    scanner = Scanner(asked, expand(tmp_path))
    next(scanner)
    scanner.close()
    assert threads() == 0


@pytest.mark.skipif(not engine.available, reason="only the engine reads several files with one call")
def test_a_thread_that_fails_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(9):
        (tmp_path / f"{number}.wal").write_bytes(SEGMENT * (600_000 // len(SEGMENT)))

    def fail(*_: object) -> None:
        raise MemoryError

    monkeypatch.setattr(small_file_loading.Loads, "_load", fail)
    with pytest.raises(wireloom.WireloomError, match="reading failed: MemoryError"):
        Scanner(scan_request("edgemq_segment"), expand(tmp_path)).read_all()


def test_a_damaged_file_among_good_ones(tmp_path: Path) -> None:
    for number in range(9):
        (tmp_path / f"{number}.wal").write_bytes(BAD if number == 4 else SEGMENT)
    table, report = wireloom.read_with_report("edgemq_segment", tmp_path)
    assert table.num_rows == 9 * 300 - 1
    assert [each.clean for each in report.files] == [number != 4 for number in range(9)]
    with pytest.raises(wireloom.DamagedInputError, match=r"4\.wal"):
        wireloom.read("edgemq_segment", tmp_path, mode="failfast")


def test_files_that_do_not_fit_together(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(small_file_loading, "MEMORY", 2 * len(SEGMENT) + 10)
    for number in range(7):
        (tmp_path / f"{number}.wal").write_bytes(SEGMENT)
    (tmp_path / "5.wal").write_bytes(zstandard.compress(4 * SEGMENT))
    (tmp_path / "6.wal").write_bytes(3 * SEGMENT)
    told: list[tuple[int, int | None]] = []
    with wireloom.scan("edgemq_segment", tmp_path, codec="auto", progress=lambda *now: told.append(now)) as scanner:
        assert scanner.read_all().num_rows == 300 * (5 + 4 + 3)
        size = sum(each.stat().st_size for each in tmp_path.iterdir())
        assert scanner.progress == told[-1] == (size, size)
    assert [Path(each.path or "").name for each in scanner.report.files] == [f"{number}.wal" for number in range(7)]


def test_a_file_that_is_gone_or_another_one_when_it_is_read(tmp_path: Path) -> None:
    for number in range(4):
        (tmp_path / f"{number}.wal").write_bytes(SEGMENT)
    inputs = expand(tmp_path)
    with open(tmp_path / "1.wal", "ab") as grown:
        grown.write(SEGMENT)
    (tmp_path / "2.wal").unlink()
    scanner = Scanner(scan_request("edgemq_segment"), inputs)
    with pytest.raises(wireloom.WireloomError, match=r"2\.wal.*cannot be opened"):
        scanner.read_all()
    assert [(each.rows, each.tail) for each in scanner.report.files] == [
        (300, "clean"),
        (600, "clean"),
        *[(0, "unread")] * 2,
    ]


def test_a_shrunk_file_is_an_error_that_names_it(tmp_path: Path) -> None:
    for number in range(3):
        (tmp_path / f"{number}.wal").write_bytes(SEGMENT)
    inputs = expand(tmp_path)
    (tmp_path / "1.wal").write_bytes(SEGMENT[:-1])
    scanner = Scanner(scan_request("edgemq_segment"), inputs)
    assert scanner.read_all().num_rows == 899
    assert "the input ended at stored byte" in (scanner.report.files[1].error or "")
