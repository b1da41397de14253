"""Reads and writes the suite's own files, which must not change; in a process whose current folder is the suite."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import unittest
from collections.abc import Iterator, Mapping
from io import BytesIO
from pathlib import Path
from typing import Any

from kaitaistruct import KaitaiStream

from .suite import Suite

METHOD = "test_read_write_roundtrip"


class WatchedStream(KaitaiStream):  # type: ignore[misc] - the package has no types
    """A stream of a given size that records which of its bytes are written."""

    def __init__(self, size: int) -> None:
        self.written = bytearray(size)
        super().__init__(BytesIO(bytes(size)))

    def _write_bytes_not_aligned(self, buf: bytes) -> None:
        begin = self._io.tell()
        super()._write_bytes_not_aligned(buf)
        self.written[begin : begin + len(buf)] = b"\1" * len(buf)


def score(suite: Suite, reasons: Mapping[str, str]) -> dict[str, Any]:
    """Return how many round trips pass, and in how many files the written bytes equal the original ones.

    ``reasons``: why the tests of the part do not pass, by name.
    """
    trips = [not reason for name, reason in reasons.items() if name.endswith(METHOD)]
    bytes_written = outcomes(suite)
    others = {name: outcome for name, outcome in sorted(bytes_written.items()) if outcome}
    return {
        "round_trips": {"passed": sum(trips), "total": len(trips)},
        "bytes_as_before": {"files": len(bytes_written) - len(others), "total": len(bytes_written), "others": others},
    }


def outcomes(suite: Suite) -> dict[str, str]:
    """Return the outcome for each file that can be read: where the bytes begin to differ, or an empty text."""
    path = os.pathsep.join((str(Path(__file__).parents[2]), *suite.python_path))
    done = subprocess.run(
        (sys.executable, "-m", __name__),
        cwd=suite.folder,
        env={**os.environ, "PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise RuntimeError(f"the files could not be written: {done.stderr}")
    found: dict[str, str] = json.loads(done.stdout)
    return found


def _tests(suite: unittest.TestSuite) -> Iterator[Any]:
    for each in suite:
        if isinstance(each, unittest.TestSuite):
            yield from _tests(each)
        elif each.id().endswith(METHOD) and hasattr(each, "struct_class"):
            yield each


def _outcome(test: Any) -> str | None:
    """Return why the bytes differ; empty if they are equal, and ``None`` for a file that cannot be read."""
    source = Path(test.src_filename).read_bytes()
    value = test.struct_class(KaitaiStream(BytesIO(source)))
    try:
        value._read()
        value._fetch_instances()
    except Exception:
        return None
    stream = WatchedStream(len(source))
    try:
        value._check()
        value._write(stream)
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    result = stream.to_byte_array()
    wrong = [at for at, mark in enumerate(stream.written) if mark and source[at] != result[at]]
    return f"bytes from {wrong[0]} on" if wrong else ""


def main() -> None:
    """Print the outcome of each test."""
    sys.path.insert(0, "spec/python")
    tests = unittest.defaultTestLoader.discover("spec/python/specwrite", top_level_dir="spec/python")
    found = {type(each).__module__.rpartition(".")[2]: _outcome(each) for each in _tests(tests)}
    print(json.dumps({name: outcome for name, outcome in found.items() if outcome is not None}))


if __name__ == "__main__":
    main()
