"""``wireloom reference``: what a message about a spec refers to exists wherever wireloom is installed."""

from __future__ import annotations

import doctest
import importlib
import re
from pathlib import Path

import pytest
from click.testing import CliRunner
from wireloom.codegen.spec.lookup import lookup, names
from wireloom.codegen.spec.tables import TABLES
from wireloom.command import main


def run(*arguments: str, code: int = 0) -> str:
    result = CliRunner().invoke(main, ["reference", *arguments])
    assert result.exit_code == code, result.output
    return result.output


def test_every_entry_has_text_and_every_entry_that_is_named_is_one() -> None:
    known = set(names())
    assert {"attribute", "attribute.size", "types", "expressions", "limits"} <= known
    for name in known:
        text = lookup(name)
        assert len(text.splitlines()) > 1, name
        assert all(len(line) <= 110 for line in text.splitlines() if "wireloom reference" not in line), name
        assert set(re.findall(r"wireloom reference ([a-z][a-z.-]*[a-z])", text)) <= known, name
        assert "](#" not in text


def test_what_an_error_names_can_be_printed(tmp_path: Path) -> None:
    spec = tmp_path / "bad.ksy"
    spec.write_text(
        "meta: {id: bad}\nseq:\n  - {id: a, size: b}\n  - {id: c, typ: u1}\n  - {id: d, type: u1, enum: x}\n"
    )
    said = CliRunner().invoke(main, ["check", str(spec)]).stdout
    commands = re.findall(r"= see: wireloom reference (\S+)", said)
    assert commands == ["attribute.size", "attribute", "attribute.enum"]
    for each in commands:
        assert run(each).startswith(("attribute", "An attribute"))


def test_a_key_alone_a_table_and_everything() -> None:
    assert re.findall(r"^\S*\.size$", run("size"), re.MULTILINE) == ["attribute.size", "instance.size"]
    assert "  over\n      Required." in run("checksum")
    assert "field-extensions.checksum" in run("checksum")
    assert run("--", "-wireloom").startswith("-wireloom in ")
    whole = run()
    assert all(f"({name})" in whole for name in TABLES)


@pytest.mark.parametrize(("name", "near"), [("atribute.siz", "attribute.size"), ("chekcsum", "checksum")])
def test_an_unknown_one_names_the_nearest(name: str, near: str) -> None:
    assert f"did you mean '{near}'?" in run(name, code=2)


def test_the_shell_completes_them() -> None:
    from wireloom.command import entries

    found = [each.value for each in entries(None, None, "framing.")]  # type: ignore[arg-type]
    assert found == ["framing.delimiter", "framing.stuffing"]


@pytest.mark.parametrize("name", ["spec.lookup", "spec.expectations", "spec.diagnostics", "spec.name_conflicts"])
def test_examples(name: str) -> None:
    result = doctest.testmod(importlib.import_module(f"wireloom.codegen.{name}"))
    assert result.attempted
    assert not result.failed
