"""Routines of others: they are called as they are, and the errors of a process are damage of its row."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import wireloom
from click.testing import CliRunner
from wireloom import DamagedInputError, RoutineError, WireloomError
from wireloom.command import main
from wireloom.format import routines
from wireloom.units.units import Units

from . import faulty

MODULE = faulty.__name__
ERRORS = (
    ValueError("so"),
    KeyError("so"),
    TypeError("so"),
    ZeroDivisionError("so"),
    AttributeError("so"),
    OSError("so"),
    RecursionError("so"),
    MemoryError("so"),
    faulty.UnsaidError(),
)
NOTES = """
meta:
  id: notes
  -wireloom: {{message: {{type: note, {keys}}}}}
types:
  note:
    -wireloom: {{message: {{fields: [{{id: text, number: 1, type: string}}]}}}}
"""
WORDS = """
meta: {{id: words, endian: le, -wireloom: {{rows: rows}}}}
seq: [{{id: rows, type: row, repeat: eos}}]
types: {{row: {{seq: [{{id: word, size: 3, process: '{process}'}}]}}}}
"""


@pytest.fixture(autouse=True)
def healthy() -> Iterator[None]:
    faulty.FAULTS.clear()
    yield
    faulty.FAULTS.clear()
    routines.load.cache_clear()


@pytest.fixture
def notes(tmp_path: Path) -> Callable[..., wireloom.Format]:
    def made(**keys: str) -> wireloom.Format:
        path = tmp_path / "notes.ksy"
        path.write_text(NOTES.format(keys=", ".join(f"{key}: '{MODULE}:{name}'" for key, name in keys.items())))
        return wireloom.load_spec(path, allow_modules=[MODULE])

    return made


@pytest.fixture
def words(tmp_path: Path) -> wireloom.Format:
    path = tmp_path / "words.ksy"
    path.write_text(WORDS.format(process=f"{MODULE}.process"))
    return wireloom.load_spec(path, allow_modules=[MODULE])


def test_a_framing_hooks_and_a_packing_of_others(notes: Callable[..., wireloom.Format], tmp_path: Path) -> None:
    format = notes(framing="Framing", hooks="Hooks", packing="Packing")
    rows, path = [{"text": "a"}, {"text": "b"}], tmp_path / "file"
    wireloom.write(format, rows, path)
    assert path.read_bytes() == b"\3\n\1a\3\n\1b"
    table, report = wireloom.read_with_report(format, path)
    assert table.to_pylist() == rows
    assert report.files[0].facts == {"messages": 2, "framed": True}
    shown = CliRunner().invoke(main, ["inspect", str(tmp_path / "notes.ksy"), str(path), "--allow-module", MODULE])
    assert "text" in shown.output


@pytest.mark.parametrize("name", ["Framing.take", "Hooks.decoded", "Packing.pack"])
def test_what_they_raise_is_theirs(notes: Callable[..., wireloom.Format], tmp_path: Path, name: str) -> None:
    format, error = notes(framing="Framing", hooks="Hooks", packing="Packing"), ZeroDivisionError("so")
    wireloom.write(format, [{"text": "a"}], tmp_path / "file")
    faulty.FAULTS[name] = error
    call = (
        (lambda: wireloom.write(format, [{"text": "a"}], tmp_path / "other"))
        if name == "Packing.pack"
        else (lambda: wireloom.read(format, tmp_path / "file"))
    )
    with pytest.raises(ZeroDivisionError) as caught:
        call()
    assert caught.value is error
    assert not (tmp_path / "other").exists()


def test_a_unit_outside_of_its_bytes(notes: Callable[..., wireloom.Format], monkeypatch: pytest.MonkeyPatch) -> None:
    def take(_: Any, view: memoryview, base: int, at_end: bool) -> Units:
        return Units(view, [0], [len(view) + 1], [base], [1], consumed=len(view))

    monkeypatch.setattr(faulty.Framing, "take", take)
    with pytest.raises(WireloomError, match="unit 0 is not within the source"):
        wireloom.read(notes(framing="Framing"), b"\3\n\1a")


@pytest.mark.parametrize("error", ERRORS, ids=lambda each: type(each).__name__)
@pytest.mark.parametrize("method", ["__init__", "decode", "encode"])
def test_a_process_that_raises(words: wireloom.Format, tmp_path: Path, method: str, error: Exception) -> None:
    faulty.FAULTS[f"Process.{method}"] = error
    if method != "encode":
        table, report = wireloom.read_with_report(words, b"abcdef", columns=["word", "_error"])
        assert table["word"].to_pylist() == [None, None]
        limited = isinstance(error, MemoryError | RecursionError)
        assert [each.reason for each in report.files[0].damaged] == ["limit" if limited else "value"] * 2
        with pytest.raises(DamagedInputError):
            wireloom.read(words, b"abcdef", mode="failfast")
    if method != "decode":
        with pytest.raises(WireloomError, match=rf"row 0 .*{MODULE}:Process: {type(error).__name__}"):
            wireloom.write(words, [{"word": b"abc"}], tmp_path / "other")


def test_a_process_that_gives_no_bytes(words: wireloom.Format, tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"abcdef")
    faulty.FAULTS["Process.decode"] = "text"
    with pytest.raises(RoutineError, match=f"{MODULE}:Process") as caught:
        wireloom.read(words, tmp_path / "file")
    assert caught.value.path == str(tmp_path / "file")


def test_a_module_that_ends_python(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "routines_that_exit.py").write_text("raise SystemExit(3)")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(WireloomError, match=r"routines_that_exit.*SystemExit: 3"):
        routines.load("routines_that_exit:Class")
