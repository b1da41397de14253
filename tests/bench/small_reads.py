"""How many functions of wireloom a small read calls, and how many of its modules it imports: what a reader of the code
passes through, and what a first read waits for."""

from __future__ import annotations

import pickle
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType
from typing import Any

import wireloom

from .data import segment
from .measure import Figure, missing

FORMAT = "edgemq_segment"
PROGRAM = f"""
import sys, wireloom
wireloom.read({FORMAT!r}, sys.argv[1])
print(sum(each.partition(".")[0] == "wireloom" for each in sys.modules))
"""


def calls(work: Callable[[], object]) -> tuple[int, int]:
    """Return the number of functions, comprehensions included, and of their files, that the second call of ``work``
    enters in any thread."""
    work()
    entered: set[tuple[str, str]] = set()
    ours = {str(Path(each).resolve()) for each in (*wireloom.__path__, *wireloom.formats.__path__)}

    def note(frame: FrameType, event: str, _: Any) -> None:
        code = frame.f_code
        if event == "call" and any(code.co_filename.startswith(each) for each in ours):
            entered.add((code.co_filename, code.co_qualname))

    threading.setprofile(note)
    sys.setprofile(note)
    try:
        work()
    finally:
        sys.setprofile(None)
        threading.setprofile(None)  # type: ignore[arg-type]  # None ends it
    return len(entered), len({file for file, _ in entered})


def task(path: Path) -> Callable[[], object]:
    """Return the work of a task of Spark that reads a file."""
    from wireloom.spark import sources

    [kind] = [each for each in sources() if each.name() == FORMAT]
    source = kind({"path": str(path)})
    reader = source.reader(source.schema())
    [partition] = reader.partitions()
    sent = pickle.dumps((reader, partition))

    def work() -> object:
        mine, part = pickle.loads(sent)
        return [*mine.read(part)]

    return work


def figures() -> Iterator[Figure]:
    """Yield the numbers for a file of about 200 rows."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "small.wal"
        path.write_bytes(segment(35_000))
        functions, files = calls(lambda: wireloom.read(FORMAT, path))
        yield Figure("second read of 200 rows: functions", functions, "", most=120)
        yield Figure("second read of 200 rows: files of these functions", files, "", most=30)
        if not missing("pyspark"):
            functions, files = calls(task(path))
            yield Figure("second Spark task of 200 rows: functions", functions, "", most=130)
            yield Figure("second Spark task of 200 rows: files of these functions", files, "", most=35)
        done = subprocess.run([sys.executable, "-c", PROGRAM, str(path)], capture_output=True, text=True, check=True)
        yield Figure("first read: modules of wireloom", int(done.stdout), "", most=90)
