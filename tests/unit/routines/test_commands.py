"""``--allow-module`` on every command that takes a spec, and what ``check`` says about routines."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ..commands import run
from .conftest import Canary

COMMANDS = {
    "decode": ("SPEC", "DATA"),
    "extract": ("SPEC", "DATA"),
    "verify": ("SPEC", "DATA"),
    "inspect": ("SPEC", "DATA"),
    "encode": ("SPEC", "ROWS", "-o", "OUT"),
    "generate": ("SPEC", "-o", "OUT"),
}


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_that_takes_a_spec(canary: Canary, tmp_path: Path, name: str) -> None:
    (tmp_path / "data").write_bytes(b"abcdef")
    (tmp_path / "rows.ndjson").write_text('{"word":"616263"}\n')
    places = {
        "SPEC": str(canary.table(f"{Canary.name}.turn")),
        "DATA": str(tmp_path / "data"),
        "ROWS": str(tmp_path / "rows.ndjson"),
        "OUT": str(tmp_path / "out"),
    }
    arguments = [name, *(places.get(each, each) for each in COMMANDS[name])]
    assert f"--allow-module {Canary.name}" in run(*arguments, code=2).stderr
    assert not canary.sang
    run(*arguments, "--allow-module", Canary.name)


def test_ingest_asks_before_spark_starts(canary: Canary, tmp_path: Path) -> None:
    (tmp_path / "data").write_bytes(b"abc")
    spec = str(canary.table(f"{Canary.name}.turn"))
    refused = run("ingest", spec, str(tmp_path / "data"), "--table", str(tmp_path / "table"), code=2)
    assert f"--allow-module {Canary.name}" in refused.stderr
    assert not canary.sang


@pytest.mark.slow
def test_a_project_says_what_its_specs_may_name(
    canary: Canary, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "project" / "specs").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "project")
    canary.table(f"{Canary.name}.turn").rename("specs/words.ksy")
    file = Path("pyproject.toml")
    file.write_text('[tool.wireloom]\nallow-modules = ["other"]\n')
    assert "--allow-module" in run("generate", code=2).stderr
    file.write_text(f'[tool.wireloom]\nallow-modules = ["{Canary.name}"]\n')
    run("generate")
    run("generate", "--check")
    file.write_text('[tool.wireloom]\nallow-modules = "other"\n')
    assert "allow-modules must be a list of names, not 'other'" in run("generate", code=2).stderr


def test_check_says_what_is_to_be_allowed_and_runs_nothing(canary: Canary) -> None:
    spec = canary.table(f"{Canary.name}.turn(1)")
    said = run("check", str(spec)).stdout
    assert f"'process: {Canary.name}.turn' is the class Turn of the module '{Canary.name}'" in said
    assert f"must allow (--allow-module {Canary.name}" in said
    assert not canary.sang
    assert (
        "Turn of the module 'wireloom_canary', which is allowed"
        in run("check", str(spec), "--allow-module", Canary.name).stdout
    )


def test_check_says_what_is_registered(canary: Canary) -> None:
    canary.registers(turned=f"{Canary.name}:Turn")
    assert "which is registered" in run("check", str(canary.table("turned"))).stdout


@pytest.mark.parametrize(
    ("process", "allowed", "message"),
    [
        ("wireloom_no_such_module.turn", (), "there is no such module: install it"),
        (f"{Canary.name}.other.turn", (), "there is no such module: install it"),
        ("wireloom_no_such_module", ("wireloom_no_such_module",), "there is no such module: install it"),
        (f"{Canary.name}.nothing", (Canary.name,), "has no class Nothing"),
        (f"{Canary.name}.undoable", (Canary.name,), "it has no method decode(data)"),
    ],
)
def test_check_finds_what_is_missing(canary: Canary, process: str, allowed: tuple[str, ...], message: str) -> None:
    spec = canary.table(process)
    options = [each for name in allowed for each in ("--allow-module", name)]
    said = run("check", str(spec), *options, code=1).stdout
    assert said.startswith(f"{spec}:4:")
    assert ": error: 'process: " in said
    assert message in said
    assert canary.sang == (Canary.name in allowed)
    # Without rows no reading fails yet: a warning.
    spec.write_text(spec.read_text().replace(", -wireloom: {rows: rows}", ""))
    [warning, *_] = json.loads(run("check", "--json", str(spec), *options).stdout)
    assert (warning["severity"], message in warning["message"]) == ("warning", True)


def test_check_names_the_modules_of_types_that_are_nowhere_defined(tmp_path: Path) -> None:
    spec = tmp_path / "outer.ksy"
    spec.write_text(
        "meta: {id: outer, ks-opaque-types: true}\nseq: [{id: a, type: elsewhere}, {id: b, type: elsewhere}]\n"
    )
    said = run("check", str(spec)).stdout
    assert said.count("'generate --kaitai' imports it from the module of that name") == 1
