"""Reading ahead in a thread: it ends with the scan, and does not outlive a fork."""

import gc
import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest
import wireloom
import zstandard

from ...waiting import SECONDS
from . import samples


def threads() -> list[str]:
    """Return the names of the threads that read; the pool, which other tests have used, remains."""
    names = [each.name for each in threading.enumerate()]
    return [each for each in names if each.startswith("wireloom") and not each.startswith("wireloom-pool")]


LARGE = zstandard.ZstdCompressor(level=1).compress(samples.frames(samples.payloads(40_000, largest=600)))


@pytest.mark.slow
@pytest.mark.parametrize("how", ["to the end", "close", "forget", "fail"])
def test_the_thread_ends_with_the_scan(how: str) -> None:
    scanner: Any = wireloom.scan("edgemq_segment", LARGE, batch_rows=10)
    assert threads() == []
    next(scanner)
    assert threads() == ["wireloom-prefetch"]
    if how == "to the end":
        assert sum(batch.num_rows for batch in scanner) == 39_990
    elif how == "close":
        scanner.close()
    elif how == "forget":
        del scanner
        gc.collect()
    else:
        with pytest.raises(RuntimeError), scanner:
            raise RuntimeError
    assert threads() == []


@pytest.mark.slow
def test_a_scan_does_not_go_on_in_a_forked_process() -> None:
    script = """
import os, sys
import wireloom
scanner = wireloom.scan("edgemq_segment", sys.argv[1], batch_rows=10)
next(scanner)
child = os.fork()
if child == 0:
    try:
        for _ in scanner: pass
    except wireloom.WireloomError as error:
        os._exit(7 if "fork" in str(error) else 8)
    os._exit(9)
_, status = os.waitpid(child, 0)
assert os.waitstatus_to_exitcode(status) == 7, status
assert sum(batch.num_rows for batch in scanner) == 39990
child = os.fork()
if child == 0:
    with wireloom.scan("edgemq_segment", sys.argv[1]) as again:
        os._exit(0 if sum(batch.num_rows for batch in again) == 40000 else 1)
_, status = os.waitpid(child, 0)
assert status == 0, status
"""
    path = Path(os.environ.get("TMPDIR", "/tmp")) / f"wireloom-fork-{os.getpid()}.wal.zst"
    path.write_bytes(LARGE)
    try:
        subprocess.run([sys.executable, "-c", script, str(path)], check=True, timeout=SECONDS)
    finally:
        path.unlink()
