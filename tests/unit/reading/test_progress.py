"""The progress of a scanner, even if it returns nothing."""

import threading
from pathlib import Path

import pytest
import wireloom


def test_progress_of_several_inputs(tmp_path: Path) -> None:
    for name in ("a", "b"):
        wireloom.write("cobs_log", [{"payload": b"x" * 100}] * 1000, tmp_path / f"{name}.log")
    total = 2 * (tmp_path / "a.log").stat().st_size
    told: list[tuple[int, int | None]] = []
    with wireloom.scan(
        "cobs_log", tmp_path, batch_rows=100, progress=lambda done, all: told.append((done, all))
    ) as scanner:
        assert scanner.progress == (0, total)
        seen = [scanner.progress for _ in scanner]
        assert scanner.progress == (total, total) == told[-1]
    assert seen == sorted(seen)
    assert len(seen) == 20


@pytest.mark.slow
def test_another_thread_may_ask_while_nothing_comes_out(tmp_path: Path) -> None:
    path = tmp_path / "rubbish.log"
    path.write_bytes(b"\x05\xff\x00" * 60_000)
    with wireloom.scan("cobs_log", path, check_format=False) as scanner:
        work = threading.Thread(target=lambda: list(scanner))
        work.start()
        seen = []
        while work.is_alive():
            seen.append(scanner.progress)
            work.join(0.01)
    assert all(total == 180_000 for _, total in seen)
    assert scanner.progress == (180_000, 180_000)
    assert scanner.report.rows == 0
