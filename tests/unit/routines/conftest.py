"""Modules that leave a trace when they are imported, and specs that name their content."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from wireloom.format import routines

ROUTINES = """
import pathlib
import subprocess
from subprocess import Popen

pathlib.Path(__file__).with_suffix(".imported").touch()


class Turn:
    def __init__(self, *given):
        self.given = given

    def decode(self, data):
        return data[::-1]

    encode = decode


class Undoable:
    pass


class Hooks:
    OPTIONS = ()

    def decoded(self, units, decoded):
        return decoded


class Packing:
    OPTIONS = ()

    def __init__(self, format, *, max_record):
        from wireloom.writing.messages.row_packing import RowPacking

        self._rows = RowPacking(format, max_record=max_record)

    def pack(self, rows):
        return self._rows.pack(rows)


def no_class(data):
    return data
"""
"""The text of a module of routines."""

MESSAGES = """
meta:
  id: notes
  -wireloom: {{message: {{type: note, {key}: {place}}}}}
types:
  note:
    -wireloom: {{message: {{fields: [{{id: text, number: 1, type: string}}]}}}}
"""
TABLE = """
meta: {{id: words, endian: le, -wireloom: {{rows: rows}}}}
seq: [{{id: rows, type: row, repeat: eos}}]
types: {{row: {{seq: [{{id: word, size: 3, process: '{process}'}}]}}}}
"""


class Canary:
    """A package with routines, in a folder on Python's path."""

    name = "wireloom_canary"

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        package = folder / self.name
        (package / "inner").mkdir(parents=True)
        (package / "__init__.py").write_text(ROUTINES)
        (package / "inner" / "__init__.py").write_text(ROUTINES)

    @property
    def sang(self) -> bool:
        """Return whether anything of it was imported."""
        marks = list(self.folder.rglob("*.imported"))
        return bool(marks) or any(each.partition(".")[0] == self.name for each in sys.modules)

    def table(self, process: str) -> Path:
        """Return a spec with rows whose bytes are processed."""
        path = self.folder / "words.ksy"
        path.write_text(TABLE.format(process=process))
        return path

    def messages(self, key: str, place: str) -> Path:
        """Return a spec of messages with a class of its own."""
        path = self.folder / "notes.ksy"
        path.write_text(MESSAGES.format(key=key, place=place))
        return path

    def registers(self, **points: str) -> None:
        """Make it an installed package with these entry points."""
        info = self.folder / f"{self.name}-1.0.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {self.name}\nVersion: 1.0\n")
        lines = "\n".join(f"{name} = {place}" for name, place in points.items())
        (info / "entry_points.txt").write_text(f"[{routines.GROUP}]\n{lines}\n")
        routines.registered.cache_clear()


@pytest.fixture
def canary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Canary]:
    folder = tmp_path / "path"
    folder.mkdir()
    monkeypatch.syspath_prepend(folder)
    yield Canary(folder)
    for name in [each for each in sys.modules if each.partition(".")[0] == Canary.name]:
        del sys.modules[name]
    routines.load.cache_clear()
    routines.registered.cache_clear()
