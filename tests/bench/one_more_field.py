"""The files of the generator that one more field of a spec passes through: those that a reader of the code looks at to
follow a field."""

from __future__ import annotations

import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType
from typing import Any

import wireloom
from wireloom.codegen.backends import base
from wireloom.codegen.model.load import load_all
from wireloom.codegen.passes import with_facts
from wireloom.codegen.tree import Spec

from .measure import Figure

HEAD = """
meta: {id: readings, endian: be, -wireloom: {rows: items}}
seq: [{id: items, type: item, repeat: eos}]
types:
  item:
    seq:
"""


def load(folder: Path, fields: int) -> list[Spec]:
    """Return a spec with a number of fields, as backends get it."""
    path = folder / "readings.ksy"
    path.write_text(HEAD + "".join(f"      - {{id: f{number}, type: u4}}\n" for number in range(fields)))
    return [*map(with_facts, load_all([path]))]


def calls(work: Callable[[], object]) -> Counter[str]:
    """Return how often functions are entered, by their file of wireloom."""
    ours = tuple(str(Path(each).resolve()) for each in (*wireloom.__path__, str(Path(base.__file__).parents[1])))
    found: Counter[str] = Counter()

    def note(frame: FrameType, event: str, _: Any) -> None:
        if event == "call" and frame.f_code.co_filename.startswith(ours):
            found[frame.f_code.co_filename] += 1

    sys.setprofile(note)
    try:
        work()
    finally:
        sys.setprofile(None)
    return found


def files(work: Callable[[int], object]) -> int:
    """Return the number of files that are entered more often for one more field. What happens once in a process is
    done before."""
    work(3)
    return len(calls(lambda: work(5)) - calls(lambda: work(4)))


def figures() -> Iterator[Figure]:
    """Yield the number of files that load a field, and that make its column."""
    [columns] = [each for each in base.own_backends() if each.name == "columns"]
    with tempfile.TemporaryDirectory() as folder:
        specs = {fields: load(Path(folder), fields) for fields in (3, 4, 5)}

        def column_files(fields: int) -> list[str]:
            return [each.text for each in base.output_files(specs[fields], [columns]).values()]

        loaded = files(lambda fields: load(Path(folder), fields))
        yield Figure("one more field: files of the generator that load it", loaded, "", most=25)
        yield Figure("one more field: files of the generator that make its column", files(column_files), "", most=25)
