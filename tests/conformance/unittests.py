"""The suite's own unit tests for Python, in a separate process whose current folder is the suite."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import unittest
from pathlib import Path
from typing import Any

from .suite import Suite


def run(suite: Suite, folder: str) -> dict[str, str]:
    """Run the tests below ``spec/python/FOLDER``; return for each, by name, why it does not pass, or an empty text."""
    path = os.pathsep.join((str(Path(__file__).parents[2]), *suite.python_path))
    done = subprocess.run(
        (sys.executable, "-m", __name__, folder),
        cwd=suite.folder,
        env={**os.environ, "PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise RuntimeError(f"the tests of {folder} could not be run: {done.stderr}")
    found: dict[str, str] = json.loads(done.stdout)
    return found


class Reasons(unittest.TestResult):
    """Why each test does not pass, by name."""

    def __init__(self) -> None:
        super().__init__()
        self.reasons: dict[str, str] = {}

    def startTest(self, test: unittest.TestCase) -> None:  # noqa: N802 - a name of unittest
        self.reasons[_name(test)] = ""

    def addError(self, test: unittest.TestCase, err: Any) -> None:  # noqa: N802
        self._add(test, err)

    def addFailure(self, test: unittest.TestCase, err: Any) -> None:  # noqa: N802
        self._add(test, err)

    def addSubTest(self, test: unittest.TestCase, subtest: unittest.TestCase, err: Any) -> None:  # noqa: N802
        if err is not None:
            self._add(test, err)

    def addSkip(self, test: unittest.TestCase, reason: str) -> None:  # noqa: N802
        del self.reasons[_name(test)]

    def _add(self, test: unittest.TestCase, err: Any) -> None:
        text = f"{err[0].__name__}: {err[1]}".strip()
        # The end of the text of a module that unittest could not import says why.
        self.reasons[_name(test)] = text.splitlines()[-1 if type(test).__name__ == "_FailedTest" else 0]


def _name(test: unittest.TestCase) -> str:
    if type(test).__name__ == "_FailedTest":
        # A module that cannot be imported; the name of the "method" is that of the module.
        return test.id().rpartition(".")[2]
    module, method = type(test).__module__.rpartition(".")[2], test.id().rpartition(".")[2]
    return module if method == module else f"{module}.{method}"


def main() -> None:
    """Run the tests of a folder and print the results."""
    folder = sys.argv[1]
    sys.path.insert(0, "spec/python")
    found = Reasons()
    unittest.defaultTestLoader.discover(f"spec/python/{folder}", top_level_dir="spec/python").run(found)
    print(json.dumps(found.reasons))


if __name__ == "__main__":
    main()
