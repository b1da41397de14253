"""The house: what lies where. The directions of imports are import-linter's, see ``make lint``."""

import re
from graphlib import TopologicalSorter
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_the_root_of_the_runtime_holds_folders() -> None:
    files = {each.name for each in (ROOT / "runtime").iterdir() if each.is_file()}
    assert files == {"__init__.py", "py.typed"}


def test_no_circle_of_headers_and_sources() -> None:
    included = {
        file.name: re.findall(r'^#include "([^"]+)"', file.read_text(), re.MULTILINE)
        for file in (ROOT / "runtime" / "engine").glob("*.[ch]")
    }
    assert sum(map(len, included.values())) > 50
    # Raises CycleError, which names the files.
    TopologicalSorter(included).prepare()
