"""Property tests, repeated with new examples in every run."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from .targets import REPORT, ROOT, Outcome, Target

TESTS = (
    "tests/unit/reading/test_row_readers.py",
    "tests/unit/reading/test_journal.py",
    "tests/unit/reading/test_codecs.py",
    "tests/unit/frontend/test_hostile.py",
    "tests/unit/frontend/test_mutated_specs.py",
    "tests/unit/writing/test_write.py",
    "tests/unit/objects/test_stuffing.py",
    "tests/unit/columns_backend/test_agreement.py",
    "tests/engine/test_fill.py",
    "tests/unit/messages/test_decoders_agree.py",
    "tests/spark/test_stream_property.py",
)
DIFFERENTIAL = ("tests/differential",)


def fuzz(target: Target, seconds: float, report: Path = REPORT) -> Outcome:
    """Run at least once; each run counts as an execution."""
    tests: Sequence[str] = DIFFERENTIAL if target.kind == "differential" else TESTS
    outcome = Outcome(target.name, target.kind, executions=0)
    environment = {**os.environ, "WIRELOOM_HYPOTHESIS": "fuzz"}
    begin = time.monotonic()
    while not outcome.executions or (time.monotonic() - begin < seconds and not outcome.findings):
        command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", *tests]
        done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
        outcome.executions = (outcome.executions or 0) + 1
        if done.returncode:
            log = report / "findings" / f"{target.name}.log"
            log.parent.mkdir(parents=True, exist_ok=True)
            log.write_text(done.stdout + done.stderr)
            # Failed examples are in the database, and come first in the next run.
            outcome.findings.append(f"WIRELOOM_HYPOTHESIS=fuzz {' '.join(command[1:])}")
    outcome.seconds = time.monotonic() - begin
    return outcome
