"""Runs the model of rotated logs in ``query_beside_logs``: sequences that were wrong, and random ones."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis.stateful import run_state_machine_as_test

from ..examples import PROFILE, examples
from .query_beside_logs import QueryBesideLogs
from .rotated_logs import encoded

FOUND: dict[str, list[tuple[str, dict[str, Any]]]] = {
    "copied, read in part, compressed": [
        ("begin", {"size": 1}),
        ("append", {"count": 3}),
        ("batch", {}),
        ("copy_and_truncate", {}),
        ("batch", {}),
        ("compress", {"which": 1}),
    ],
    "read in part, renamed, compressed": [
        ("begin", {"size": 1, "pattern": "*.log"}),
        ("append", {"count": 3}),
        ("batch", {}),
        ("rename", {}),
        ("restart", {}),
        ("compress", {}),
    ],
    "read in part, removed": [
        ("begin", {"size": 1}),
        ("append", {"count": 3}),
        ("batch", {}),
        ("delete", {}),
    ],
    "waits, restart, renamed": [
        ("begin", {"files": 1, "pattern": "*.log"}),
        ("append", {"program": "b.log"}),
        ("append", {"program": "a.log"}),
        ("batch", {}),
        ("restart", {}),
        ("rename", {}),
    ],
    "copied, renamed": [
        ("begin", {}),
        ("append", {"count": 3}),
        ("batch", {}),
        ("copy_and_truncate", {}),
        ("append", {}),
        ("rename", {}),
    ],
    "renamed, no file matches": [
        ("begin", {"size": 1, "pattern": "*.log"}),
        ("append", {"count": 3}),
        ("batch", {}),
        ("rename", {}),
    ],
    "no complete row, renamed": [
        ("begin", {"pattern": "*.log"}),
        ("append", {"count": 1, "cut": 3}),
        ("plan", {}),
        ("rename", {}),
        ("append", {"late": 0}),
    ],
    "no complete row, compressed": [
        ("begin", {"pattern": "*.log"}),
        ("append", {"count": 1, "cut": 3}),
        ("plan", {}),
        ("compress", {}),
    ],
    "compressed, removed, another one": [
        ("begin", {"pattern": "*.gz"}),
        ("append", {"count": 3}),
        ("batch", {}),
        ("rename", {}),
        ("append", {}),
        ("compress", {"which": 1}),
        ("batch", {}),
        ("delete", {"which": 1}),
        ("rename", {}),
        ("append", {}),
        ("compress", {"which": 1}),
        ("batch", {}),
    ],
    "waits, removed, another one": [
        ("begin", {"pattern": "*.gz", "files": 1}),
        ("append", {"program": "b.log"}),
        ("compress", {}),
        ("append", {}),
        ("compress", {}),
        ("batch", {}),
        ("delete", {"which": 0}),
        ("append", {"count": 3}),
        ("compress", {}),
    ],
    "planned, compressed": [
        ("begin", {}),
        ("append", {"count": 3}),
        ("plan", {}),
        ("compress", {}),
    ],
    "planned, removed": [
        ("begin", {"strict": False}),
        ("append", {"count": 3}),
        ("plan", {}),
        ("delete", {}),
    ],
    "copied before the first batch": [
        ("begin", {}),
        ("append", {"count": 3}),
        ("copy", {}),
        ("batch", {}),
        ("append", {}),
    ],
    "being compressed before the first batch": [
        ("begin", {}),
        ("append", {"count": 3}),
        ("rename", {}),
        ("begin_compressing", {"share": 80}),
        ("batch", {}),
        ("settle", {}),
    ],
    "nothing is decompressed yet": [
        ("begin", {}),
        ("append", {"count": 3}),
        ("batch", {}),
        ("begin_compressing", {"codec": "zst", "share": 50}),
        ("plan", {}),
        ("settle", {}),
    ],
    "half a record, removed": [
        ("begin", {}),
        ("append", {"count": 1}),
        ("batch", {}),
        ("append", {"count": 1, "cut": 3}),
        ("plan", {}),
        ("run", {}),
        ("delete", {}),
    ],
    "replaced by a copy, whose copy gets its number": [
        ("begin", {}),
        ("append", {"count": 3}),
        ("batch", {}),
        ("replace", {}),
        ("copy", {"reuse": True}),
        ("batch", {}),
        ("append", {}),
    ],
    "preallocated, replaced by a copy": [
        ("begin", {"format": "edgemq_segment"}),
        ("append", {"count": 3}),
        ("batch", {}),
        ("copy_and_truncate", {}),
        ("allocate", {}),
        ("batch", {}),
        ("replace", {}),
        ("append", {}),
        ("batch", {}),
    ],
    "completed after it was listed": [
        ("begin", {}),
        ("append", {"count": 3}),
        ("batch", {}),
        ("begin_compressing", {"share": 80}),
        ("fix", {}),
        ("settle", {}),
        ("plan", {}),
    ],
}
"""Sequences that the machine has found."""

DEFAULTS: dict[str, dict[str, Any]] = {
    "begin": {"pattern": "", "files": 3, "size": 100_000, "latest": False, "strict": True, "dated": False},
    "append": {"program": "a.log", "late": 1, "count": 1, "cut": 0},
    "compress": {"which": 0, "codec": "gz"},
    "begin_compressing": {"which": 0, "codec": "gz", "share": 100},
    "copy": {"which": 0, "reuse": False},
    "allocate": {"which": 0, "size": 5000},
    **{each: {"which": 0} for each in ("rename", "copy_and_truncate", "replace", "delete", "cut", "reuse")},
}


def machine(name: str, folder: Path) -> type[QueryBesideLogs]:
    return type("RotationsOfOneFormat", (QueryBesideLogs,), {"format": name, "encoded": encoded(name, folder)})


@pytest.mark.parametrize("steps", FOUND.values(), ids=list(FOUND))
def test_rotations_that_were_wrong(steps: list[tuple[str, dict[str, Any]]], tmp_path: Path) -> None:
    _, first = steps[0]
    found = machine(first.get("format", "cobs_log"), tmp_path)()
    for name, how in steps:
        options = {**DEFAULTS.get(name, {}), **how}
        options.pop("format", None)
        getattr(found, name)(**options)
    found.teardown()


@pytest.mark.parametrize(
    "name",
    [
        "cobs_log",
        "edgemq_segment",
        "leveldb_log",
        pytest.param("word_stuffed_log", marks=pytest.mark.thorough),
    ],
)
def test_rotations(name: str, tmp_path: Path) -> None:
    run_state_machine_as_test(
        machine(name, tmp_path),
        settings=settings(
            max_examples=50 if PROFILE == "suite" else examples(2000),
            stateful_step_count=30,
            suppress_health_check=list(HealthCheck),
        ),
    )
