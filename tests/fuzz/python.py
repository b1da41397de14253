"""The Python interfaces: each in a separate process, coverage-guided if atheris is installed."""

from __future__ import annotations

import importlib
import importlib.util
import sys
import tempfile
from pathlib import Path

from . import libfuzzer
from .targets import REPORT, Outcome, Target

MAX_LENGTH = 4096


def dictionary(words: set[str]) -> str:
    """Return words in libFuzzer's form."""
    lines = ["".join(f"\\x{byte:02x}" for byte in word.encode()) for word in sorted(words)]
    return "".join(f'"{line}"\n' for line in lines)


def fuzz(target: Target, seconds: float, report: Path = REPORT) -> Outcome:
    """Fuzz for that long, including the time for instrumentation."""
    outcome = Outcome(target.name, target.kind)
    if importlib.util.find_spec("atheris") is None:
        outcome.absent = "atheris is not installed"
        return outcome
    surface = importlib.import_module(f"tests.fuzz.surfaces.{target.name}")
    with tempfile.TemporaryDirectory() as temporary:
        options = [f"-max_len={MAX_LENGTH}"]
        if hasattr(surface, "words"):
            words = Path(temporary) / "words"
            words.write_text(dictionary(surface.words()))
            options.append(f"-dict={words}")
        command = [sys.executable, "-m", "tests.fuzz.guided", target.name]
        libfuzzer.run(command, outcome, seconds, report, *options)
    return outcome
