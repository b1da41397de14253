"""A spec is data: the code that it names runs only if it is registered, or if the caller allows it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
import wireloom
from wireloom import SpecError, UnsupportedError, WireloomError
from wireloom.append import AppendWriter
from wireloom.codegen.backends.base import backends
from wireloom.codegen.emit import generate
from wireloom.codegen.model.load import load
from wireloom.codegen.passes import with_facts
from wireloom.format import routines

from .conftest import Canary

CALLS: dict[str, Callable[..., Any]] = {
    "load_spec": wireloom.load_spec,
    "read": lambda spec, **how: wireloom.read(spec, b"abc", **how),
    "read_with_report": lambda spec, **how: wireloom.read_with_report(spec, b"abc", **how),
    "scan": lambda spec, **how: wireloom.scan(spec, b"abc", **how).read_all(),
    "schema": lambda spec, **how: wireloom.schema(spec, **how),
    "write": lambda spec, **how: wireloom.write(spec, [{"word": b"abc"}], spec.with_suffix(".bin"), **how),
    "generate": lambda spec, **how: generate([spec], spec.parent / "out", **how),
}
MESSAGE_CALLS: dict[str, Callable[..., Any]] = {
    "load_spec": wireloom.load_spec,
    "from_wire": lambda spec, **how: wireloom.from_wire(pa.array([b"\n\1a"]), spec, **how),
    "from_wire_with_report": lambda spec, **how: wireloom.from_wire_with_report(pa.array([b"\n\1a"]), spec, **how),
    "to_wire": lambda spec, **how: wireloom.to_wire([{"text": "a"}], spec, **how),
    "explode": lambda spec, **how: wireloom.explode(pa.table({"blob": [b"\n\1a"]}), "blob", spec, **how),
    "read": lambda spec, **how: wireloom.read(spec, b"\n\1a", **how),
    "write": lambda spec, **how: wireloom.write(spec, [{"text": "a"}], spec.with_suffix(".bin"), **how),
}


@pytest.mark.parametrize("name", CALLS)
def test_a_process_runs_only_where_it_is_allowed(canary: Canary, name: str) -> None:
    spec = canary.table(f"{Canary.name}.turn")
    with pytest.raises(SpecError, match=r"words.ksy:4:.*neither registered.*--allow-module wireloom_canary"):
        CALLS[name](spec)
    with pytest.raises(SpecError, match="neither registered nor allowed"):
        CALLS[name](spec, allow_modules=["wireloom_canar", "canary", f"{Canary.name}.inner"])
    assert not canary.sang
    CALLS[name](spec, allow_modules=[Canary.name])


@pytest.mark.parametrize("name", MESSAGE_CALLS)
@pytest.mark.parametrize(("key", "kind"), [("hooks", "Hooks"), ("packing", "Packing")])
def test_classes_for_messages_run_only_where_they_are_allowed(canary: Canary, name: str, key: str, kind: str) -> None:
    spec = canary.messages(key, f"{Canary.name}.inner:{kind}")
    with pytest.raises(SpecError, match=rf"notes.ksy:4:\d+: error: '{key}: .* neither registered nor allowed"):
        MESSAGE_CALLS[name](spec)
    assert not canary.sang
    MESSAGE_CALLS[name](spec, allow_modules=[Canary.name])


def test_a_framing_is_a_class_too(canary: Canary) -> None:
    spec = canary.messages("framing", "subprocess:Popen")
    with pytest.raises(SpecError, match="'framing: subprocess:Popen' is the class Popen of the module 'subprocess'"):
        wireloom.load_spec(spec)


def test_a_log_and_its_search(canary: Canary, tmp_path: Path) -> None:
    spec = tmp_path / "lines.ksy"
    spec.write_text(
        "meta: {id: lines, endian: le, -wireloom: {rows: lines}}\n"
        "seq: [{id: lines, type: line, repeat: eos, -wireloom: {framing: {delimiter: [10], stuffing: none}}}]\n"
        f"types: {{line: {{seq: [{{id: text, size-eos: true, process: '{Canary.name}.turn'}}]}}}}\n"
    )
    log = tmp_path / "log"
    for call in (
        lambda **how: AppendWriter(log, str(spec), **how).append(text=b"abc"),
        lambda **how: wireloom.first_row(spec, log, **how),
        lambda **how: wireloom.search(spec, log, b"a", key="text", **how),
    ):
        with pytest.raises(SpecError, match="allow-module"):
            call()
        call(allow_modules=[Canary.name])


@pytest.mark.parametrize("command", ['subprocess.popen(["sh", "-c", "touch ran"])', "os.system", "builtins.exec"])
def test_no_command_runs(canary: Canary, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str) -> None:
    monkeypatch.chdir(tmp_path)
    spec = canary.table(command.replace("'", "''"))
    with pytest.raises(SpecError, match="allow-module"):
        wireloom.read(spec, b"abc")
    assert not (tmp_path / "ran").exists()


def test_backends_make_no_code_that_is_not_permitted(canary: Canary) -> None:
    """Regardless of the caller: it cannot be bypassed."""
    for path in (canary.table(f"{Canary.name}.turn"), canary.messages("hooks", f"{Canary.name}:Hooks")):
        for backend in backends():
            with pytest.raises(SpecError, match="allow-module"):
                backend.files(with_facts(load(path)))


def test_what_is_generated_needs_no_permission_any_more(canary: Canary, monkeypatch: pytest.MonkeyPatch) -> None:
    spec = canary.table(f"{Canary.name}.turn")
    generate([spec], canary.folder / "generated_words", allow_modules=[Canary.name])
    assert not canary.sang
    from generated_words.words import FORMAT  # type: ignore[import-not-found]

    assert wireloom.read(FORMAT, b"abc").to_pylist() == [{"word": b"cba"}]


def test_what_an_allowed_module_imports_is_not_allowed(canary: Canary) -> None:
    for process in ("popen", "calledprocesserror"):
        with pytest.raises(WireloomError, match=r"has no class|only imports"):
            wireloom.load_spec(canary.table(f"{Canary.name}.{process}"), allow_modules=[Canary.name])


def test_what_is_no_class_and_what_is_not_there(canary: Canary) -> None:
    allowed = {"allow_modules": [Canary.name, "wireloom_no_such_module"]}
    for process, match in (
        (f"{Canary.name}.nothing", "has no class Nothing"),
        (f"{Canary.name}.no_class", "has no class NoClass"),
        ("wireloom_no_such_module.turn", "needs the module wireloom_no_such_module: install it"),
    ):
        with pytest.raises(WireloomError, match=match):
            wireloom.load_spec(canary.table(process), **allowed)
    with pytest.raises(WireloomError, match="has no class no_class"):
        wireloom.load_spec(canary.messages("hooks", f"{Canary.name}:no_class"), **allowed)
    with pytest.raises(WireloomError, match=r"no method decode\(data\)"):
        wireloom.read(canary.table(f"{Canary.name}.undoable"), b"abc", **allowed)


def test_a_registered_routine_needs_no_permission(canary: Canary) -> None:
    canary.registers(turned=f"{Canary.name}.inner:Turn", watch=f"{Canary.name}:Hooks")
    for process in ("turned(1)", f"{Canary.name}.inner.turn"):
        assert wireloom.read(canary.table(process), b"abc").to_pylist() == [{"word": b"cba"}]
    assert wireloom.read(canary.messages("hooks", f"{Canary.name}:Hooks"), b"\n\1a").num_rows == 1
    # Another class of the same module is not registered.
    with pytest.raises(SpecError, match="neither registered nor allowed"):
        wireloom.load_spec(canary.table(f"{Canary.name}.inner.undoable"))


def test_wirelooms_own_routines_are_registered_one_by_one() -> None:
    assert all(routines.is_permitted(each, ()) and routines.load(each) for each in routines.BUILT_IN)
    assert not routines.is_permitted("wireloom.input.inputs:Location", ())


@pytest.mark.parametrize("given", ["os", ["os.path", "a b"], [""], ["a:B"], [1]])
def test_what_is_no_list_of_modules(canary: Canary, given: Any) -> None:
    with pytest.raises(WireloomError, match="allow_modules"):
        wireloom.load_spec(canary.table("zlib"), allow_modules=given)


def test_an_imported_spec_is_asked_too(canary: Canary) -> None:
    canary.table(f"{Canary.name}.turn")
    outer = canary.folder / "outer.ksy"
    outer.write_text(
        "meta: {id: outer, imports: [words], -wireloom: {rows: rows}}\n"
        "seq: [{id: rows, type: row, repeat: eos}]\ntypes: {row: {seq: [{id: all, type: words}]}}\n"
    )
    with pytest.raises(SpecError, match=r"words.ksy:4:.*allow-module"):
        wireloom.load_spec(outer)
    assert not canary.sang
    assert wireloom.load_spec(outer, allow_modules=[Canary.name]).name == "outer"


def test_a_type_of_ones_own_is_no_way_around(canary: Canary) -> None:
    spec = canary.folder / "opaque.ksy"
    spec.write_text(
        "meta: {id: opaque, ks-opaque-types: true, -wireloom: {rows: rows}}\n"
        "seq: [{id: rows, type: row, repeat: eos}]\n"
        f"types: {{row: {{seq: [{{id: all, type: {Canary.name}, size: 2}}]}}}}\n"
    )
    with pytest.raises((SpecError, UnsupportedError), match="not defined"):
        wireloom.load_spec(spec)
    assert not canary.sang


def test_modules_are_looked_for_without_running_them(canary: Canary) -> None:
    for there in (Canary.name, f"{Canary.name}.inner", "os.path", "subprocess", "wireloom.kpl.packing"):
        assert routines.is_installed(there)
    for missing in (f"{Canary.name}.other", f"{Canary.name}.inner.other", "wireloom_no_such.module", "subprocess.x"):
        assert not routines.is_installed(missing)
    assert not canary.sang
