"""Diagnostics as a whole; ``test_mistakes`` has those of each mistake."""

from __future__ import annotations

import pickle

import pytest
from wireloom import SpecError
from wireloom.codegen.model.load import analyse, load
from wireloom.codegen.spec.diagnostics import MAX_DIAGNOSTICS, InvalidSpecError

from tests.unit.frontend.specs import diagnostics


def test_all_are_raised_together() -> None:
    text = "meta: {id: x}\nseq:\n  - {id: a, tpye: u1}\n  - {id: b, size: 1 +}\n"
    with pytest.raises(SpecError) as caught:
        load("dir/x.ksy", text, display_name="x.ksy")
    assert isinstance(caught.value, InvalidSpecError)
    assert [line for line in str(caught.value).split("\n") if not line.startswith(" ")] == [
        "x.ksy:3:13: error: unknown key 'tpye' in an attribute; did you mean 'type'?",
        "x.ksy:4:22: error: expected a value, found the end of the expression",
    ]
    first = caught.value.diagnostics[0]
    assert (first.file, first.line, first.column, first.severity) == ("x.ksy", 3, 13, "error")


def test_the_errors_survive_pickling() -> None:
    with pytest.raises(InvalidSpecError) as caught:
        load("x.ksy", "meta: {}\n")
    again = pickle.loads(pickle.dumps(caught.value))
    assert str(again) == str(caught.value)
    assert again.diagnostics == caught.value.diagnostics


@pytest.mark.slow
def test_no_more_than_a_hundred() -> None:
    lines = "".join(f"  - {{id: a{n}, typo: u1}}\n" for n in range(500))
    result = analyse("x.ksy", f"meta: {{id: x}}\nseq:\n{lines}")
    assert result.spec is None
    assert len(result.diagnostics) == MAX_DIAGNOSTICS


def test_warnings_do_not_hide_errors() -> None:
    lines = "".join(f"  - {{id: a{n}, type: strz, encoding: utf8}}\n" for n in range(200))
    result = analyse("x.ksy", f"meta: {{id: x}}\nseq:\n{lines}  - {{id: z, size: nothing}}\n")
    assert result.spec is None
    assert sum(each.severity == "error" for each in result.diagnostics) == 1


def test_hostile_text_stays_on_its_line() -> None:
    (found,) = diagnostics('"bad\\nkey\\e[31m": 1\nseq: []\n')
    assert found.path == "/bad\\x0akey\\x1b[31m"
    (found,) = diagnostics('enums: {"bad\\nkey\\e[31m": {1: a}}\n')
    assert found.message == "invalid enum ID: 'bad\\x0akey\\x1b[31m', expected /^[a-z][a-z0-9_]*$/"


def test_names_on_lines_of_their_own_have_the_help_of_their_list() -> None:
    text = (
        "meta:\n  id: x\n  -wireloom:\n    rows: rows\n    columns:\n      - a\n      - c\n      -\n"
        "seq: [{id: rows, type: row, repeat: eos}]\ntypes: {row: {seq: [{id: a, type: u1}]}}\n"
    )
    for each in analyse("x.ksy", text).diagnostics:
        assert each.help.startswith("'columns' takes a list, each a name"), each
        assert each.reference == "wireloom reference meta-extensions.columns"
    text = text.replace("      -\n", "")
    (unknown,) = analyse("x.ksy", text).diagnostics
    assert (unknown.line, unknown.help[:23]) == (7, "'columns' takes a list,")


def test_a_column_of_the_rows_and_of_the_root() -> None:
    text = (
        "meta: {id: x, -wireloom: {rows: rows, columns: [a], parent-columns: [a]}}\n"
        "seq: [{id: a, type: u1}, {id: rows, type: row, repeat: eos}]\ntypes: {row: {seq: [{id: a, type: u1}]}}\n"
    )
    (found,) = analyse("x.ksy", text).diagnostics
    assert found.message == (
        "the column 'a' already exists in 'parent-columns': rename one attribute, which does not change the bytes"
    )
