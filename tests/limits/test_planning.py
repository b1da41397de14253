"""Planning of many files: the driver's memory, and the files that it opens. ``tests.limits.planning`` has the
figures."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import pytest

from . import listing
from .children import needs_proc

pytestmark = needs_proc
FILES = 5_000


def planned(*arguments: str) -> Any:
    program = [sys.executable, "-m", "tests.limits.planning", *arguments]
    return json.loads(subprocess.run(program, stdout=subprocess.PIPE, check=True).stdout)


@pytest.mark.slow
def test_many_files() -> None:
    found = planned("--files", str(FILES), "--terabytes", "0.1")
    # A million files take less than 2 GB.
    assert found["megabytes"] < 20 + 2000 * FILES / 1_000_000
    assert found["opened"] == 0
    assert found["partition bytes"] < 400 * FILES
    assert found["read"] == 2000


def test_large_files() -> None:
    """Only files that are split are opened; those smaller than a partition are not."""
    few = planned("--format", "cobs_log", "--files", "20", "--terabytes", "0.02", "--ending", ".log")
    assert few["opened"] == 20
    assert few["partitions"] == 150
    many = planned("--format", "cobs_log", "--files", "200", "--terabytes", "0.002", "--ending", ".log")
    assert many["opened"] == 0


def test_listings_that_go_on(monkeypatch: pytest.MonkeyPatch) -> None:
    """Later listings request fewer pages than a listing of everything, which finds all objects."""
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "local")
    for layout in (listing.measure(each, 5000) for each in listing.LAYOUTS):
        assert layout["everything"] == {**layout["everything"], "objects": 5000, "requests": 5}
        assert layout["going on"]["requests"] < 5
        assert layout["everything again"]["objects"] == 5097
