"""``wireloom check --json``, and the output of other commands for an invalid spec."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import wireloom
from click.testing import CliRunner
from wireloom.command import main, wants_colours

ROOT = Path(__file__).parents[3]
BAD = "meta:\n  id: bad\n  -wireloom: {rows: a}\nseq:\n  - id: a\n    sise: 4\n  - id: b\n    typ: u1\n"


@pytest.fixture
def bad(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "bad.ksy"
    path.write_text(BAD)
    return path


def checked(*arguments: str, code: int = 0) -> list[dict[str, Any]]:
    result = CliRunner().invoke(main, ["check", "--json", *arguments])
    assert result.exit_code == code, result.output
    found: list[dict[str, Any]] = json.loads(result.stdout)
    return found


def test_problems_as_json_in_order(bad: Path) -> None:
    first, second = checked(str(bad), code=1)
    assert first == {
        "file": "bad.ksy",
        "line": 6,
        "column": 5,
        "end_column": 9,
        "severity": "error",
        "path": "/seq/0/sise",
        "message": "unknown key 'sise' in an attribute; did you mean 'size'?",
        "help": first["help"],
        "reference": "wireloom reference attribute",
    }
    assert first["help"].startswith("an attribute takes the keys id, ")
    assert second["line"] == 8


def test_help_in_a_spec_with_a_varint(tmp_path: Path) -> None:
    """The keys that ``varint`` stands for have the lines of no file."""
    path = tmp_path / "bad.ksy"
    path.write_text(
        """meta:
  id: bad
  endian: le
  -wireloom:
    rows: items
    columns: [kind, flag]
seq:
  - {id: items, type: item, repeat: eos}
types:
  number: {-wireloom: {varint: le}}
  item: {seq: [{id: kind, type: number}, {id: flags, type: u1}]}
"""
    )
    (problem,) = checked(str(path), code=1)
    assert problem["message"].endswith("no attribute or instance 'flag'; did you mean 'flags'?")
    assert problem["help"].startswith("'columns' takes a list, ")
    assert problem["reference"] == "wireloom reference meta-extensions.columns"


def test_what_reads_the_rows_as_json(tmp_path: Path) -> None:
    plain = tmp_path / "plain.ksy"
    plain.write_text("meta: {id: plain}\nseq: [{id: a, type: u1}]\n")
    engine, none = checked(str(ROOT / "specs" / "cobs_log.ksy"), str(plain))
    assert (engine["severity"], engine["spec"], engine["engine"]) == ("note", "cobs_log", "columns")
    assert engine["message"] == "the engine reads its rows"
    assert (none["spec"], none["engine"]) == ("plain", None)


ROWS_INSIDE = """
meta: {id: inside, -wireloom: {rows: PATH}}
seq:
SEQ
types:
  item: {seq: [{id: len, type: u1}, {id: text, size: len}]}
  part: {seq: [{id: count, type: u1}, {id: items, type: item, repeat: expr, repeat-expr: count}]}
"""
WHOLE = "; an input is in memory as a whole, up to max_record bytes"


@pytest.mark.parametrize(
    ("path", "seq", "said"),
    [
        ("items", "  - {id: items, type: item, repeat: eos}", ""),
        (
            "parts.items",
            "  - {id: parts, type: part, repeat: eos}",
            "; each item of 'parts' is in memory as a whole, up to max_record bytes",
        ),
        (
            "items",
            "  - {id: items, type: item, repeat: until, repeat-until: _.len == 0}\n  - {id: end, type: u1}",
            WHOLE,
        ),
        ("block.items", "  - {id: head, type: u1}\ninstances: {block: {pos: 1, type: part}}", WHOLE),
    ],
)
def test_what_is_in_memory(tmp_path: Path, path: str, seq: str, said: str) -> None:
    spec = tmp_path / "inside.ksy"
    spec.write_text(ROWS_INSIDE.replace("PATH", path).replace("SEQ", seq))
    note, *_ = checked(str(spec))
    assert note["message"].startswith("the engine reads its rows")
    assert note["message"].endswith(said)
    assert ("memory" in note["message"]) == ("memory" in said)


LEFT_OUT = """
meta: {id: variants, endian: le, -wireloom: {rows: rows, columns: [kind, body, tree]}}
seq: [{id: rows, type: row, repeat: eos}]
types:
  row:
    seq:
      - {id: kind, type: u1}
      - {id: len, type: u1}
      - {id: body, size: len, type: {switch-on: kind, cases: {1: named, 2: ping}}}
      - {id: tree, type: node}
  named: {seq: [{id: x, type: u4}, {id: mark, type: ping}]}
  ping: {}
  node: {seq: [{id: n, type: u1}, {id: children, type: node, repeat: expr, repeat-expr: n}]}
"""


def test_what_columns_leave_out_is_said(tmp_path: Path) -> None:
    path = tmp_path / "variants.ksy"
    path.write_text(LEFT_OUT)
    said = [(each["line"], each["message"]) for each in checked(str(path)) if "leaves out" in each["message"]]
    assert said == [
        (11, "the column 'body' leaves out 'mark', which has no attribute that a column can show"),
        (9, "the column 'body' leaves out the case 'ping' of 'body', which has no attribute that a column can show"),
        (13, "the column 'tree' leaves out 'children', which contains itself: Arrow has no recursive types"),
    ]
    assert "children" not in str(wireloom.load_spec(path).schema)


def test_warnings_come_with_the_note(tmp_path: Path) -> None:
    path = tmp_path / "warned.ksy"
    path.write_text("meta: {id: warned}\nseq: [{id: a, type: strz, encoding: utf8}]\n")
    warning, note = checked(str(path))
    assert (warning["severity"], note["severity"]) == ("warning", "note")


def test_a_column_without_arrow_type_is_shown_in_its_line(tmp_path: Path) -> None:
    path = tmp_path / "void.ksy"
    path.write_text(
        "meta: {id: void, -wireloom: {rows: rows, columns: [void]}}\nseq: [{id: rows, type: row, repeat: eos}]\n"
        "types:\n  row:\n    seq:\n      - {id: more, type: u1}\n      - {id: void, type: nothing}\n"
        "  nothing: {seq: []}\n"
    )
    result = CliRunner().invoke(main, ["check", str(path)])
    assert result.exit_code == 1
    first, shown, carets, *_ = result.stdout.split("\n")
    assert ": error: " in first
    assert shown.startswith("  ")
    assert set(carets.strip()) == {"|", " ", "^"}


def test_all_specs_of_a_folder_and_below(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("specs/a", "specs/deeper/b", ".venv/c"):
        path = tmp_path / f"{name}.ksy"
        path.parent.mkdir(parents=True)
        path.write_text(f"meta: {{id: {path.stem}}}\nseq: [{{id: a, type: u1}}]\n")
    assert [each["file"] for each in checked(".")] == ["specs/a.ksy", "specs/deeper/b.ksy"]
    (tmp_path / "none").mkdir()
    result = CliRunner().invoke(main, ["check", "none"])
    assert (result.exit_code, result.stderr) == (
        2,
        "wireloom: error: none: no specs (*.ksy) in this folder: give a folder with specs, or a spec file\n",
    )


def test_a_spec_that_cannot_be_read_is_in_the_json_and_hides_no_other(bad: Path) -> None:
    missing, *others = checked("nope.ksy", str(bad), code=2)
    assert (missing["file"], missing["severity"]) == ("nope.ksy", "error")
    assert missing["message"] == "no such spec file: check the path and the folder it is relative to"
    assert set(missing) == set(others[0])
    assert [each["line"] for each in others] == [6, 8]
    result = CliRunner().invoke(main, ["check", "nope.ksy", "bad.ksy"])
    assert result.exit_code == 2
    assert (
        result.stderr
        == "wireloom: error: nope.ksy: no such spec file: check the path and the folder it is relative to\n"
    )
    assert "bad.ksy:6:5: error" in result.stdout


def test_the_file_of_a_problem_can_be_opened_from_where_one_is(bad: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (bad.parent / "inside").mkdir()
    monkeypatch.chdir(bad.parent / "inside")
    assert {each["file"] for each in checked("../bad.ksy", code=1)} == {"../bad.ksy"}
    assert {each["file"] for each in checked(str(bad), code=1)} == {str(bad)}


def test_generate_and_load_spec_show_the_same(bad: Path) -> None:
    said = CliRunner().invoke(main, ["check", str(bad)]).stdout
    result = CliRunner().invoke(main, ["generate", "-o", "out", str(bad)])
    assert (result.exit_code, result.stdout, result.stderr) == (2, "", said)
    with pytest.raises(wireloom.SpecError) as caught:
        wireloom.load_spec(bad)
    assert f"{caught.value}\n" == said


def test_who_gets_colours(monkeypatch: pytest.MonkeyPatch) -> None:
    class Terminal:
        def isatty(self) -> bool:
            return True

    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    terminal: Any = Terminal()
    assert wants_colours(terminal)
    with open("/dev/null") as file:
        assert not wants_colours(file)
    monkeypatch.setenv("NO_COLOR", "1")
    assert not wants_colours(terminal)


def test_absolute_imports_are_looked_for_where_one_says(tmp_path: Path) -> None:
    (tmp_path / "shared").mkdir()
    (tmp_path / "shared" / "pair.ksy").write_text("meta: {id: pair}\nseq: [{id: a, type: u1}, {id: b, type: u1}]\n")
    path = tmp_path / "pairs.ksy"
    path.write_text("meta: {id: pairs, imports: [/pair]}\nseq: [{id: all, type: pair, repeat: eos}]\n")
    (missing,) = checked(str(path), code=1)
    assert (missing["path"], missing["severity"]) == ("/meta/imports/0", "error")
    (note,) = checked("-I", str(tmp_path / "shared"), str(path))
    assert (note["path"], note["severity"]) == ("", "note")


def test_the_path_is_shown_in_text_too(bad: Path) -> None:
    shown = CliRunner().invoke(main, ["check", str(bad)]).stdout.split("\n")
    assert [line.strip() for line in shown if " = at " in line] == ["= at /seq/0/sise", "= at /seq/1/typ"]
