"""Routines of others that raise any error or return invalid values: the resulting errors."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
import wireloom
from click.testing import CliRunner
from wireloom import DamagedInputError, RoutineError, WireloomError
from wireloom.command import main
from wireloom.format import routines
from wireloom.units.framing import Units

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
UNIT = b"\n\1a"
FILE = (b"\3" + UNIT) * 3


@pytest.fixture(autouse=True)
def healthy(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(faulty, "FROM", 0)
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


def refused(call: Callable[[], Any], name: str, error: BaseException | None = None) -> RoutineError:
    """Return the error of a call that a routine ends. ``error``: what the routine raises."""
    with pytest.raises(RoutineError) as caught:
        call()
    assert f"{MODULE}:{name}" in str(caught.value)
    if error is not None:
        assert type(error).__name__ in str(caught.value)
        assert caught.value.__cause__ is error
    return caught.value


@pytest.mark.parametrize("error", ERRORS, ids=lambda each: type(each).__name__)
@pytest.mark.parametrize("method", ["Framing.__init__", "Framing.decoded", "Framing.facts"])
def test_a_framing_that_raises(
    notes: Callable[..., wireloom.Format], tmp_path: Path, method: str, error: Exception
) -> None:
    format = notes(framing="Framing")
    (tmp_path / "file").write_bytes(FILE)
    assert wireloom.read(format, FILE)["text"].to_pylist() == ["a"] * 3
    faulty.FAULTS[method] = error
    found = refused(lambda: wireloom.read(format, tmp_path / "file"), "Framing", error)
    if method != "Framing.__init__":
        assert found.path == str(tmp_path / "file")
        assert method.replace(".", "Framing.", 1)[7:] in str(found)
    if method == "Framing.decoded":
        assert found.offset == 0


@pytest.mark.parametrize("error", ERRORS, ids=lambda each: type(each).__name__)
def test_a_framing_that_cannot_go_on_ends_its_input(
    notes: Callable[..., wireloom.Format], monkeypatch: pytest.MonkeyPatch, tmp_path: Path, error: Exception
) -> None:
    format = notes(framing="Framing")
    monkeypatch.setattr(faulty, "FROM", 8)
    faulty.FAULTS["Framing.take"] = error
    paths = [tmp_path / "a", tmp_path / "b"]
    for path in paths:
        path.write_bytes(FILE)
    table, report = wireloom.read_with_report(format, paths)
    assert table["text"].to_pylist() == ["a"] * 4
    for each in report.files:
        limited = isinstance(error, MemoryError | RecursionError)
        assert (each.tail, each.tail_offset, each.tail_size) == ("limit" if limited else "invalid_value", 8, 4)
        assert f"{MODULE}:Framing.take raised {type(error).__name__}" in str(each.error)
    with pytest.raises(DamagedInputError, match=r"Framing\.take raised") as caught:
        wireloom.read(format, paths, mode="failfast")
    assert (caught.value.path, caught.value.offset) == (str(paths[0]), 8)
    assert caught.value.__cause__ is error


@pytest.mark.parametrize(
    "units",
    [
        None,
        Units(b"abc", consumed=99),
        Units(b"abc", consumed=-1),
        Units(b"abc", needed=-1),
        Units(b"abc", ended=None),
        Units(b"abc", [0], [4], [0], [4]),
        Units(b"abc", [-1], [1], [0], [1]),
        Units(b"abc", [2**64 - 1], [1], [0], [1]),
        Units(b"abc", [0], [1], [0], []),
        Units(b"abc", [None], [1], [0], [1]),
        Units(None, [0], [1], [0], [1]),
        Units(b"abc", damages=[(0, 1)]),
        Units(b"abc", details=[]),
        Units(b"abc", consumed="so"),
    ],
)
def test_a_framing_that_gives_what_it_must_not(
    notes: Callable[..., wireloom.Format], monkeypatch: pytest.MonkeyPatch, units: Any
) -> None:
    format = notes(framing="Framing")
    monkeypatch.setattr(faulty, "FROM", 4)
    faulty.FAULTS["Framing.take"] = units
    scanner = wireloom.scan(format, FILE)
    assert next(scanner)["text"].to_pylist() == ["a"]
    assert refused(lambda: next(scanner), "Framing.take").offset == 4


@pytest.mark.parametrize("facts", [None, 7, {"a": object()}, {(): 1}])
def test_facts_that_are_none(notes: Callable[..., wireloom.Format], facts: Any) -> None:
    for name in ("Framing", "Hooks"):
        format = notes(**{name.lower(): name})
        faulty.FAULTS[f"{name}.facts"] = facts
        refused(lambda format=format: wireloom.read(format, FILE if format.message.framing != "whole" else UNIT), name)


@pytest.mark.parametrize("error", ERRORS, ids=lambda each: type(each).__name__)
@pytest.mark.parametrize("method", ["__init__", "decoded", "facts"])
def test_hooks_that_raise(notes: Callable[..., wireloom.Format], tmp_path: Path, method: str, error: Exception) -> None:
    format = notes(hooks="Hooks")
    (tmp_path / "file").write_bytes(UNIT)
    faulty.FAULTS[f"Hooks.{method}"] = error
    found = refused(lambda: wireloom.read(format, tmp_path / "file"), "Hooks", error)
    if method != "__init__":
        assert found.path == str(tmp_path / "file")
    refused(lambda: wireloom.from_wire(pa.array([UNIT]), format), "Hooks", error)


@pytest.mark.parametrize("found", [None, 7, Units(b"")])
def test_hooks_that_give_what_they_must_not(notes: Callable[..., wireloom.Format], found: Any) -> None:
    format = notes(hooks="Hooks")
    faulty.FAULTS["Hooks.decoded"] = found
    assert refused(lambda: wireloom.read(format, UNIT), "Hooks.decoded").offset == 0
    refused(lambda: wireloom.from_wire(pa.array([UNIT]), format), "Hooks.decoded")


@pytest.mark.parametrize("change", ["rows", "counts", "arrays", "types", "problems"])
def test_hooks_whose_rows_do_not_fit(
    notes: Callable[..., wireloom.Format], monkeypatch: pytest.MonkeyPatch, change: str
) -> None:
    from dataclasses import replace

    from wireloom.rows.messages import UnitProblem

    changes: dict[str, dict[str, Any]] = {
        "rows": {"rows": 2},
        "counts": {"counts": pa.array([1, 0], pa.int32())},
        "arrays": {"arrays": {}},
        "types": {"arrays": {0: pa.array([1])}},
        "problems": {"problems": [UnitProblem(9, 0, "value", "", 0)]},
    }
    format = notes(hooks="Hooks")
    monkeypatch.setattr(faulty.Hooks, "decoded", lambda _, __, decoded: replace(decoded, **changes[change]))
    refused(lambda: wireloom.read(format, UNIT), "Hooks.decoded")


@pytest.mark.parametrize("needs", [7, (7,), ValueError("so")])
def test_hooks_that_need_what_is_no_column(notes: Callable[..., wireloom.Format], needs: Any) -> None:
    format = notes(hooks="Hooks")
    faulty.FAULTS["Hooks.needs"] = needs
    refused(lambda: wireloom.read(format, UNIT), "Hooks")


@pytest.mark.parametrize("error", [*ERRORS, None, 7], ids=repr)
@pytest.mark.parametrize(
    "method", ["Packing.__init__", "Packing.pack", "Framing.__init__", "Framing.framed", "Framing.finish"]
)
def test_writing(notes: Callable[..., wireloom.Format], tmp_path: Path, method: str, error: Any) -> None:
    format = notes(packing="Packing", framing="Framing")
    rows = [{"text": "a"}]
    wireloom.write(format, rows, tmp_path / "file")
    assert (tmp_path / "file").read_bytes() == b"\3" + UNIT
    if error is None and method == "Packing.pack":
        error = 8
    faulty.FAULTS[method] = error
    if method.endswith("__init__") and not isinstance(error, Exception):
        return
    raised = error if isinstance(error, Exception) else None
    refused(lambda: wireloom.write(format, rows, tmp_path / "other"), method.partition(".")[0], raised)
    assert not (tmp_path / "other").exists()
    if method.startswith("Packing"):
        refused(lambda: wireloom.to_wire(rows, format), "Packing", raised)


def test_what_rows_raise_while_they_are_packed_is_theirs(notes: Callable[..., wireloom.Format], tmp_path: Path) -> None:
    def rows() -> Iterator[dict[str, str]]:
        yield {"text": "a"}
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        wireloom.write(notes(packing="Packing"), rows(), tmp_path / "file")


@pytest.mark.parametrize("key", ["framing", "hooks", "packing"])
@pytest.mark.parametrize("name", ["Empty", "Misnamed"])
def test_a_class_that_is_no_routine(notes: Callable[..., wireloom.Format], tmp_path: Path, key: str, name: str) -> None:
    format = notes(**{key: name})
    call = wireloom.write if key == "packing" else wireloom.read
    arguments = ([{"text": "a"}], tmp_path / "file") if key == "packing" else (UNIT,)
    refused(lambda: call(format, *arguments), name)
    if key == "framing" and name == "Empty":
        refused(lambda: wireloom.write(format, [{"text": "a"}], tmp_path / "file"), name)


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
    assert refused(lambda: wireloom.read(words, tmp_path / "file"), "Process").path == str(tmp_path / "file")


@pytest.mark.parametrize("command", ["decode", "verify", "inspect"])
@pytest.mark.parametrize("method", ["__init__", "take", "decoded", "facts", "described"])
def test_commands(notes: Callable[..., wireloom.Format], tmp_path: Path, command: str, method: str) -> None:
    notes(framing="Framing")
    (tmp_path / "file").write_bytes(FILE)
    faulty.FAULTS[f"Framing.{method}"] = ZeroDivisionError("so")
    arguments = [command, str(tmp_path / "notes.ksy"), str(tmp_path / "file"), "--allow-module", MODULE]
    result = CliRunner().invoke(main, arguments)
    assert result.exception is None or isinstance(result.exception, SystemExit)
    if (method == "described") == (command == "inspect") or method not in ("described", "facts"):
        assert f"{MODULE}:Framing" in result.output
        assert "ZeroDivisionError: so" in result.output
        # A user who inspects damaged bytes is shown them.
        assert result.exit_code or (command, method) == ("inspect", "take")


def test_the_command_that_writes(notes: Callable[..., wireloom.Format], tmp_path: Path) -> None:
    notes(packing="Packing")
    (tmp_path / "rows.ndjson").write_text(json.dumps({"text": "a"}))
    faulty.FAULTS["Packing.pack"] = KeyError("so")
    paths = [str(tmp_path / each) for each in ("notes.ksy", "rows.ndjson")]
    result = CliRunner().invoke(main, ["encode", *paths, "-o", str(tmp_path / "out"), "--allow-module", MODULE])
    assert result.exit_code == 2
    assert f"{MODULE}:Packing.pack raised KeyError: 'so'" in result.stderr


def test_a_module_that_ends_python(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "routines_that_exit.py").write_text("raise SystemExit(3)")
    (tmp_path / "routines_that_ask.py").write_text("def __getattr__(name): raise ValueError(name)")
    monkeypatch.syspath_prepend(tmp_path)
    for module in ("routines_that_exit", "routines_that_ask"):
        with pytest.raises(WireloomError, match=f"{module}.*(SystemExit: 3|ValueError: Class)"):
            routines.load(f"{module}:Class")
        sys.modules.pop(module, None)
