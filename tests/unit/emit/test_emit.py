import re
import subprocess
import sys
import textwrap

import pytest
from wireloom import SpecError, WireloomError
from wireloom.base.errors import MissingExtraError
from wireloom.codegen import emit
from wireloom.codegen.backends.base import FILTERS, HEADER_START, backends, header, is_generated, refuse
from wireloom.codegen.emit import generate
from wireloom.codegen.model.load import load
from wireloom.codegen.passes import with_facts
from wireloom.codegen.spec.position import Position

ONE = """
meta:
  id: one
  endian: le
  -wireloom: {rows: items, columns: [number]}
seq: [{id: items, type: item, repeat: eos}]
types: {item: {seq: [{id: number, type: u4}]}}
"""
TWO = "meta: {id: two, imports: [part]}\nseq: [{id: part, type: part}]\n"
PART = "meta: {id: part}\nseq: [{id: x, type: u1}]\n"


@pytest.fixture
def specs(tmp_path):
    folder = tmp_path / "specs"
    folder.mkdir()
    for name, text in (("one", ONE), ("two", TWO), ("part", PART)):
        (folder / f"{name}.ksy").write_text(textwrap.dedent(text))
    return [folder / "one.ksy", folder / "two.ksy"]


def tree(folder):
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.slow
def test_everything_is_written_once(specs, tmp_path):
    out = tmp_path / "out"
    changes = generate(specs, out)
    made = tree(out)
    assert set(changes.written) == set(made)
    assert {
        "__init__.py",
        "one/__init__.py",
        "one/parser.py",
        "one/columns.py",
        "two/parser.py",
        "part/parser.py",
    } <= set(made)
    assert all(is_generated(text.decode()) for text in made.values())
    assert all(str(tmp_path) not in text.decode() for text in made.values())
    times = {path: path.stat().st_mtime_ns for path in out.rglob("*.py")}
    again = generate(specs, out)
    assert again.clean
    assert not again.diff
    assert set(again.unchanged) == set(made)
    assert {path: path.stat().st_mtime_ns for path in out.rglob("*.py")} == times


@pytest.mark.slow
def test_an_interrupt_leaves_no_file_in_part(specs, tmp_path, monkeypatch):
    out = tmp_path / "out"
    generate(specs, out)
    before = tree(out)
    specs[0].write_text(specs[0].read_text().replace("u4", "u2"))

    def interrupted(self, target):
        raise KeyboardInterrupt

    monkeypatch.setattr(type(out), "replace", interrupted)
    with pytest.raises(KeyboardInterrupt):
        generate(specs, out)
    assert tree(out) == before


@pytest.mark.slow
def test_the_order_of_the_specs_does_not_matter(specs, tmp_path):
    generate(specs, tmp_path / "a")
    generate(specs[::-1], tmp_path / "b")
    assert tree(tmp_path / "a") == tree(tmp_path / "b")


@pytest.mark.slow
def test_check_writes_nothing_and_shows_every_difference(specs, tmp_path):
    out = tmp_path / "out"
    assert not generate(specs, out, check=True).clean
    assert not out.exists()
    generate(specs, out)
    assert generate(specs, out, check=True).clean

    parser = out / "one" / "parser.py"
    good = parser.read_text()
    parser.write_text(good.replace("number", "numbr", 1))
    (out / "two" / "parser.py").unlink()
    (out / "gone").mkdir()
    (out / "gone" / "parser.py").write_text(f"{HEADER_START}from specs/gone.ksy\n")
    (out / "notes.txt").write_text("by hand")
    before = tree(out)
    changes = generate(specs, out, check=True)
    assert tree(out) == before
    assert changes.written == ("one/parser.py", "two/parser.py")
    assert changes.removed == ("gone/parser.py",)
    assert changes.foreign == ("notes.txt",)
    place = out.as_posix().lstrip("/")
    for expected in ("--- a/{}/one/parser.py", "+++ b/{}/two/parser.py", "--- a/{}/gone/parser.py\n+++ /dev/null"):
        assert expected.format(place) in changes.diff
    assert "notes.txt" in changes.diff

    generate(specs, out)
    assert parser.read_text() == good
    assert not (out / "gone").exists()
    assert (out / "notes.txt").read_text() == "by hand"


@pytest.mark.slow
def test_what_python_cached_goes_with_the_file(specs, tmp_path):
    out = tmp_path / "out"
    generate(specs, out)
    cache = out / "two" / "__pycache__"
    cache.mkdir()
    (cache / "parser.cpython-311.pyc").write_bytes(b"")
    changes = generate(specs[:1], out)
    assert set(changes.removed) >= {"two/parser.py", "part/parser.py"}
    assert not (out / "two").exists()
    assert generate(specs[:1], out, check=True).clean


@pytest.mark.slow
def test_a_file_that_was_not_generated_is_not_overwritten(specs, tmp_path):
    out = tmp_path / "out"
    (out / "one").mkdir(parents=True)
    (out / "one" / "parser.py").write_text("mine = 1\n")
    with pytest.raises(WireloomError, match="not overwritten"):
        generate(specs, out)
    assert tree(out) == {"one/parser.py": b"mine = 1\n"}


def test_nothing_is_written_where_a_spec_is_refused(specs, tmp_path):
    specs[1].write_text("meta: {id: two}\nseq: [{id: a, type: nothing}]\n")
    with pytest.raises(SpecError, match=r"two.ksy:2:\d+: error"):
        generate(specs, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_one_id_for_two_specs_is_refused(specs, tmp_path):
    other = tmp_path / "other.ksy"
    other.write_text("meta: {id: one}\nseq: []\n")
    with pytest.raises(SpecError, match="the id 'one' is already used by"):
        generate([*specs, other], tmp_path / "out")


@pytest.mark.slow
def test_progress_names_each_spec(specs, tmp_path):
    seen = []
    generate(specs, tmp_path / "out", progress=seen.append)
    assert seen == ["one", "part", "two"]


def test_without_the_formatter_it_is_said_what_is_missing(specs, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "ruff", None)
    with pytest.raises(MissingExtraError, match=re.escape("needs the package ruff: pip install 'wireloom[generate]'")):
        generate(specs, tmp_path / "out")
    assert not (tmp_path / "out").exists()


@pytest.mark.slow
def test_code_that_a_project_formats_itself_is_unchanged(specs, tmp_path):
    """Other versions of the formatter, and other formatters, format code in other ways."""
    generate(specs, tmp_path / "out")
    options = ("--isolated", "--line-length=60", "--config", "format.quote-style='single'")
    modules = tmp_path.rglob("*.py")
    subprocess.run([sys.executable, "-m", "ruff", "format", *options, *modules], check=True)
    changes = generate(specs, tmp_path / "out", check=True)
    assert changes.clean, changes.diff
    place = tmp_path / "out" / "one" / "parser.py"
    place.write_text(f"{place.read_text()}\n# A comment\n")
    assert generate(specs, tmp_path / "out", check=True).written == ("one/parser.py",)


def test_code_that_cannot_be_formatted_is_a_fault_of_the_backend():
    with pytest.raises(WireloomError, match="a backend generated code with a syntax error"):
        emit.formatted({"a.py": "def :\n"})


@pytest.mark.slow
def test_imported_types_work_across_modules(specs, tmp_path, monkeypatch):
    generate(specs, tmp_path / "made_formats")
    (tmp_path / "made_formats" / "__init__.py").touch()
    monkeypatch.syspath_prepend(tmp_path)
    from made_formats.two.parser import Two

    value = Two.from_bytes(b"\5")
    assert value.part.x == 5
    assert value.part._root is value.part
    assert Two.from_bytes(value.to_bytes()) == value


def test_the_header_names_the_spec_and_no_machine(specs):
    spec = load(specs[0])
    text = header(with_facts(spec))
    assert text.startswith(HEADER_START)
    assert "specs/one.ksy" in text
    assert spec.sha256 in text
    assert all(len(line) <= 120 for line in text.splitlines())


def test_a_backend_is_a_folder():
    assert [each.name for each in backends()] == sorted(each.name for each in backends())
    assert {"python", "columns", "spark"} <= {each.name for each in backends()}


def test_refusals_have_their_place():
    with pytest.raises(SpecError, match=r"^a.ksy:2:3: error: no$"):
        refuse(Position("a.ksy", 2, 3), "no")
    with pytest.raises(SpecError, match=r"^error: no$"):
        refuse(None, "no")


@pytest.mark.parametrize("text", ["plain", "it's", 'say "no"', "back\\slash", "€ and \n lines", '"""', "ends with \\"])
def test_quoted_text_is_what_it_was(text):
    assert eval(FILTERS["quote"](text)) == text
    assert eval(FILTERS["docstring"](text)).strip() == text.strip()
