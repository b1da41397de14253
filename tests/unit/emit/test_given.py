"""What must be given to a writer, since it cannot be derived: the spec says so, or its objects are read-only."""

import io
import json
from pathlib import Path
from typing import Any

import pytest
import wireloom
from click.testing import CliRunner, Result
from wireloom import UnsupportedError
from wireloom.codegen.emit import generate
from wireloom.codegen.model.load import load
from wireloom.codegen.passes import unsolved_of as unsolved
from wireloom.codegen.passes import with_facts
from wireloom.command import main

GRID = """meta: {id: grid}
seq:
  - {id: width, type: u1}
  - {id: height, type: u1}
  - {id: cells, size: width * height}
"""
GIVEN = GRID.replace("type: u1}", "type: u1, -wireloom: {given: true}}")


def spec(folder: Path, text: str) -> Path:
    path = folder / "grid.ksy"
    path.write_text(text)
    return path


def run(*arguments: object) -> Result:
    return CliRunner().invoke(main, [*map(str, arguments)])


def test_what_does_not_follow_is_read_and_not_written(tmp_path: Path) -> None:
    path = spec(tmp_path, GRID)
    said = (
        "objects of 'grid' cannot be written: 'width' and 'height' cannot be derived from the size of 'cells'; "
        "'-wireloom: {given: true}' on an integer makes it a value that the caller provides"
    )
    for result in (run("check", "--writing", path), run("generate", "-o", tmp_path / "made", path)):
        assert result.exit_code == 0
        assert f"grid.ksy:3:10: note: {said}\n" in result.output
    names: dict[str, Any] = {}
    exec((tmp_path / "made/grid/parser.py").read_text(), names)
    read = names["Grid"].from_bytes(b"\2\3abcdef")
    assert (read.width, read.height, read.cells) == (2, 3, b"abcdef")
    with pytest.raises(UnsupportedError) as caught:
        read.to_bytes()
    assert str(caught.value) == said


def test_the_object_that_needs_it_is_only_read(tmp_path: Path) -> None:
    """The header, whose integers are used in the sizes of another object, can be written."""
    text = (
        "meta: {id: a}\nseq: [{id: head, type: head}, {id: data, size: head.bits / 8},"
        " {id: more, size: head.n, repeat: expr, repeat-expr: head.bits / 2}]\n"
        "types: {head: {seq: [{id: bits, type: u1}, {id: n, type: u1}]}}\n"
    )
    generate([spec(tmp_path, text)], tmp_path / "made")
    names: dict[str, Any] = {}
    exec((tmp_path / "made/a/parser.py").read_text(), names)
    read = names["A"].from_bytes(b"\x08\1zabcd")
    assert read.head.to_bytes() == b"\x08\1"
    needed = (
        "'bits' of 'head' cannot be derived from the size of 'data', 'n' of 'head' cannot be derived from the size of"
    )
    with pytest.raises(UnsupportedError, match=needed):
        read.to_bytes()


def test_the_spec_says_that_it_is_given(tmp_path: Path) -> None:
    generate([spec(tmp_path, GIVEN)], tmp_path / "made")
    names: dict[str, Any] = {}
    exec((tmp_path / "made/grid/parser.py").read_text(), names)
    assert names["Grid"](width=2, height=3, cells=b"abcdef").to_bytes() == b"\2\3abcdef"


def test_what_is_given_is_not_solved_for(tmp_path: Path) -> None:
    text = "meta: {id: a}\nseq: [{id: n, type: u1, -wireloom: {given: true}}, {id: b, size: n}]\n"
    generate([spec(tmp_path, text)], tmp_path / "made")
    assert "self.n = len(" not in (tmp_path / "made/a/parser.py").read_text()


@pytest.mark.parametrize("kind", ["str, size: 2, encoding: ASCII", "u1, repeat: eos", "f4le", "b1"])
def test_only_integers_are_given(kind: str, tmp_path: Path) -> None:
    text = f"meta: {{id: a}}\nseq: [{{id: n, type: {kind}, -wireloom: {{given: true}}}}]\n"
    result = run("check", "--writing", spec(tmp_path, text))
    assert result.exit_code == 1
    assert "'given' requires an integer, found " in result.output


TABLE = """meta:
  id: grid
  -wireloom: {rows: rows, columns: COLUMNS, selectable: []}
seq: [{id: rows, type: row, repeat: eos}]
types:
  row:
    seq: [{id: bits, type: u1}, {id: body, size: (bits + 7) / 8}]
"""


@pytest.mark.slow
def test_a_column_gives_its_attribute(tmp_path: Path) -> None:
    path = spec(tmp_path, TABLE.replace("COLUMNS", "[bits, body]"))
    assert unsolved(with_facts(load(path))) == ()
    path = spec(tmp_path, TABLE.replace("COLUMNS", "[body]"))
    said = "objects of 'row' cannot be written: 'bits' cannot be derived from the size of 'body'"
    for result in (run("check", "--writing", path), run("generate", "-o", tmp_path / "made", path)):
        assert (result.exit_code, f"note: {said}" in result.output) == (0, True)
    assert wireloom.read(path, b"\x0cab").to_pylist() == [{"body": b"ab"}]
    with pytest.raises(UnsupportedError, match=said):
        wireloom.write(path, [{"body": b"ab"}], io.BytesIO())


@pytest.mark.slow
@pytest.mark.parametrize(
    ("rows", "fields", "why", "place"),
    [
        ("items.rows", "", "no column contains item.body", "6:16"),
        ("items", "columns: [body], ", "no column contains item.rows", "5:35"),
    ],
)
def test_tables_that_are_only_read(rows: str, fields: str, why: str, place: str, tmp_path: Path) -> None:
    text = (
        f"meta: {{id: a, -wireloom: {{{fields}rows: {rows}}}}}\nseq: [{{id: items, type: item, repeat: eos}}]\n"
        "types:\n  item:\n    seq: [{id: n, type: u1}, {id: rows, type: row, repeat: expr, repeat-expr: n},\n"
        "          {id: body, type: {switch-on: n, cases: {0: row, 1: other}}}]\n"
        "  row: {seq: [{id: x, type: u1}]}\n  other: {seq: [{id: y, type: u1}]}\n"
    )
    path = spec(tmp_path, text)
    said = (
        f"tables of a cannot be written, since {why}: give it a 'default' in the spec, or name it in 'columns', "
        "'selectable' or 'parent-columns'; or make objects of A and write these with to_bytes()"
    )
    for result in (run("check", "--writing", path), run("generate", "-o", tmp_path / "made", path)):
        assert (result.exit_code, f"grid.ksy:{place}: note: {said}\n" in result.output) == (0, True)
    with pytest.raises(UnsupportedError) as caught:
        wireloom.write(path, [{"x": 1}], io.BytesIO())
    assert str(caught.value) == said


JOURNAL = """
meta: {id: a, -wireloom: {rows: records.body.as<note>.notes}}
seq: [{id: records, type: record, repeat: eos, -wireloom: {begins-with: [OBJECT]}}]
types:
  record:
    seq: [{id: kind, type: u1}, {id: body, type: {switch-on: kind, cases: {1: head, 2: note}}}]
  head: {seq: [{id: version, type: u1}]}
  note: {seq: [{id: n, type: u1}, {id: notes, type: line, repeat: expr, repeat-expr: n}]}
  line: {seq: [{id: text, type: strz, encoding: ASCII}]}
"""
SUMMED = """
meta: {id: a, endian: le, -wireloom: {rows: rows}}
seq: [{id: rows, type: row, repeat: eos}]
types:
  row:
    seq: [{id: n, type: u1}, {id: crc, type: u4, KEY: VALUE}]
    instances: {sum: {-wireloom: {checksum: {algorithm: crc32, over: n}}}, twice: {value: sum + 1}}
"""
OPTIONAL = """
meta: {id: a, -wireloom: {rows: rows}}
seq: [{id: rows, type: row, repeat: eos}]
types:
  row: {seq: [{id: n, type: u1}, {id: more, type: part, if: n > 1}]}
  part: {seq: [{id: x, type: u1}]}
"""


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (JOURNAL.replace("OBJECT", "{kind: 1, body: {version: 3}}"), ""),
        (JOURNAL.replace("OBJECT", "{kind: 1, body: {}}"), "no column contains head.version (in 'begins-with')"),
        (JOURNAL.replace("OBJECT", "{kind: 1}"), "no column contains record.body (in 'begins-with')"),
        (JOURNAL.replace("OBJECT", "{kind: 300, body: '[1]'}"), "the value does not fit: 300 is not between 0 and 255"),
        (SUMMED.replace("KEY: VALUE", "valid: sum"), "crc depends on a checksum that is computed from bytes"),
        (SUMMED.replace("KEY: VALUE", "if: twice > 0"), "crc depends on a checksum that is computed from bytes"),
        (SUMMED.replace("KEY: VALUE", "-wireloom: {default: 7}"), ""),
        (
            SUMMED.replace("KEY: VALUE", "-wireloom: {default: -1}"),
            "the value does not fit: -1 is not between 0 and 4294967295",
        ),
        (OPTIONAL, "rows of a with row.more cannot be written, since no column contains what is there under a condit"),
    ],
)
def test_what_cannot_be_written_is_said(text: str, said: str, tmp_path: Path) -> None:
    output = run("check", "--writing", spec(tmp_path, text)).output
    assert said in output
    assert bool(said) == ("cannot be written" in output or "does not fit" in output)


def test_what_reaches_a_size_by_argument(tmp_path: Path) -> None:
    text = (
        "meta: {id: a}\nseq: [{id: n, type: u1}, {id: b, type: 'body(n)'}]\n"
        "types: {body: {params: [{id: m, type: u1}], seq: [{id: x, size: m}]}}\n"
    )
    assert [each.field for each in unsolved(with_facts(load(spec(tmp_path, text))))] == ["n"]
    assert unsolved(with_facts(load(spec(tmp_path, text))), in_place=True) == ()
    text = text.replace("body(n)", "body(n / 2)")
    assert [each.field for each in unsolved(with_facts(load(spec(tmp_path, text))), in_place=True)] == ["n"]


@pytest.mark.slow
def test_with_kaitais_api_it_is_a_note_unless_asked_otherwise(tmp_path: Path) -> None:
    path, output = spec(tmp_path, GRID.replace("width *", "width * width *")), tmp_path / "made"
    common = ("generate", "--kaitai", "--read-write", "-o", output, path)
    result = run(*common)
    assert result.exit_code == 0
    assert (
        "grid.ksy:3:10: note: a writer requires a value of 'width', which cannot be derived from the size"
        in result.stderr
    )
    (output / "grid.py").unlink()
    result = run(*common, "--strict-writing")
    assert result.exit_code == 2
    assert "grid.ksy:3:10: error: a writer requires a value of 'width', which cannot be derived from" in result.stderr
    assert "= at /seq/0/id" in result.stderr
    assert not (output / "grid.py").exists()
    spec(tmp_path, GIVEN.replace("width *", "width * width *"))
    assert run(*common, "--strict-writing").exit_code == 0
    assert run("generate", "--kaitai", "--strict-writing", "-o", output, path).exit_code == 2


def test_positions_count_as_well(tmp_path: Path) -> None:
    path = spec(tmp_path, "meta: {id: a}\nseq: [{id: n, type: u1}]\ninstances: {b: {pos: n / 2, type: u1}}\n")
    result = run("generate", "--kaitai", "--read-write", "--strict-writing", "-o", tmp_path / "made", path)
    assert (result.exit_code, "'n', which cannot be derived from the position of 'b'" in result.stderr) == (2, True)


def test_checks_for_machines(tmp_path: Path) -> None:
    said = json.loads(run("check", "--json", spec(tmp_path, GRID)).stdout)
    assert [each["severity"] for each in said] == ["note"] * 2
    assert said[1]["message"].startswith("objects of 'grid' cannot be written: 'width' and 'height' cannot be derived")


@pytest.mark.slow
def test_types_that_are_only_read(tmp_path: Path) -> None:
    path = spec(tmp_path, "meta: {id: a}\nseq: [{id: n, type: u1}]\ninstances: {b: {pos: n, type: u1}}\n")
    said = "objects of 'a' cannot be written: b has an explicit position; the classes of 'wireloom generate "
    for result in (run("check", "--writing", path), run("generate", "-o", tmp_path / "made", path)):
        assert result.exit_code == 0
        assert f"grid.ksy:3:13: note: {said}--kaitai --read-write'" in result.output
    names: dict[str, Any] = {}
    exec((tmp_path / "made/a/parser.py").read_text(), names)
    with pytest.raises(UnsupportedError, match=said):
        names["A"].from_bytes(b"\0").to_bytes()
    assert "cannot be written" not in run("generate", "--kaitai", "-o", tmp_path / "with_kaitais_api", path).output
