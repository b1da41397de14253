"""Specs that import others."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest
from wireloom.codegen.expression.types import EnumType, UserType
from wireloom.codegen.model.load import analyse, load


def write(folder: Path, name: str, body: str = "", imports: str = "") -> Path:
    path = folder / f"{name}.ksy"
    path.parent.mkdir(parents=True, exist_ok=True)
    head = f"meta:\n  id: {Path(name).name}\n  endian: le\n" + (f"  imports: [{imports}]\n" if imports else "")
    path.write_text(head + body)
    return path


def test_relative_imports(tmp_path: Path) -> None:
    write(tmp_path, "other", "types: {inner: {seq: []}}\nenums: {e: {1: one}}\n")
    write(tmp_path, "deep/more", "seq: [{id: a, type: last}]\n", imports="../deep/last")
    write(tmp_path, "deep/last")
    path = write(
        tmp_path,
        "main",
        "seq:\n  - {id: a, type: other}\n  - {id: b, type: 'other::inner'}\n  - {id: c, type: more}\n"
        "  - {id: d, type: u1, enum: 'other::e'}\ninstances: {x: {value: 'other::e::one'}}\n",
        imports="other, deep/more",
    )
    spec = load(path)
    assert [each.type for each in spec.root.attributes[:3]] == [
        UserType(("other",)),
        UserType(("other", "inner")),
        UserType(("more",)),
    ]
    assert isinstance(spec.root.attributes[3].type, EnumType)
    assert [each.name for each in spec.imports] == ["other", "more", "last"]
    assert spec.struct(("other", "inner")).path == ("other", "inner")
    assert spec.imports[0].root.parents == (), "a use by another spec makes no parent"


def test_absolute_imports(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path / "library", "common/thing")
    path = write(tmp_path / "own", "main", "seq: [{id: a, type: thing}]\n", imports="/common/thing")
    monkeypatch.delenv("KSPATH", raising=False)
    assert analyse(path).spec is None
    assert load(path, import_paths=[tmp_path / "library"]).imports[0].name == "thing"
    monkeypatch.setenv("KSPATH", str(tmp_path / "library"))
    assert load(path).imports[0].name == "thing"


def test_mutual_imports(tmp_path: Path) -> None:
    one = write(tmp_path, "one", "seq: [{id: a, type: two, if: false}]\n", imports="two")
    write(tmp_path, "two", "seq: [{id: b, type: one}]\n", imports="one")
    spec = load(one)
    assert [each.name for each in spec.imports] == ["two"]
    assert spec.imports[0].imports == ()


def test_errors_name_the_file_that_has_them(tmp_path: Path) -> None:
    write(tmp_path, "bad", "seq: [{id: a, size: nothing}]\n")
    path = write(tmp_path, "main", imports="bad")
    (found,) = analyse(path).diagnostics
    assert (found.file, found.line) == (str(tmp_path / "bad.ksy"), 4)


def test_two_specs_of_one_name(tmp_path: Path) -> None:
    write(tmp_path, "a/same")
    write(tmp_path, "b/same")
    path = write(tmp_path, "main", imports="a/same, b/same")
    (found,) = analyse(path).diagnostics
    assert (
        found.message
        == f"the id 'same' is already used by {tmp_path / 'a' / 'same.ksy'}: change the id of one of the two specs"
    )


@pytest.mark.parametrize("name", ["nowhere", "../nowhere", "a" * 2000, '"a\\0b"', "/etc", "."])
def test_imports_that_are_not_there(tmp_path: Path, name: str) -> None:
    path = write(tmp_path, "main", imports=name)
    (found,) = analyse(path).diagnostics
    assert found.message.startswith("cannot find the import")


def test_a_missing_file_is_an_error_of_its_own(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        load(tmp_path / "nowhere.ksy")


def test_bytes_that_are_no_text(tmp_path: Path) -> None:
    path = tmp_path / "bad.ksy"
    path.write_bytes(b"meta:\n  id: b\xffd\n")
    (found,) = analyse(path).diagnostics
    assert str(found) == f"{path}:2:8: error: this byte is not valid UTF-8: save the file as UTF-8"


def test_names_and_digests(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(tmp_path, "specs/main")
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    monkeypatch.chdir(tmp_path)
    assert load("specs/main.ksy").file == "specs/main.ksy"
    spec = load(path)
    assert (spec.file, spec.sha256) == ("specs/main.ksy", digest)
    assert load(path, display_name="x.ksy").file == "x.ksy"
    monkeypatch.chdir(tmp_path / "specs")
    assert load(path).file == "main.ksy"
    text = load("elsewhere.ksy", path.read_text())
    assert (text.file, text.sha256) == ("elsewhere.ksy", digest)


def test_a_byte_order_mark_is_no_part_of_the_text(tmp_path: Path) -> None:
    path = tmp_path / "x.ksy"
    path.write_bytes(b"\xef\xbb\xbfmeta: {id: x}\n")
    assert load(path).name == "x"


def test_rows_are_inside_of_types_of_the_spec(tmp_path: Path) -> None:
    """They may be of an imported type; the types around them may not."""
    write(
        tmp_path,
        "other",
        "types:\n  list: {seq: [{id: items, type: item, repeat: eos}]}\n  item: {seq: [{id: a, type: u1}]}\n",
    )
    text = "  -wireloom: {{rows: {}}}\nseq:\n  - {{id: part, type: 'other::{}', size: 2, repeat: eos}}\n"
    path = write(tmp_path, "main", text.format("part", "item"), imports="other")
    assert load(path).tables
    write(tmp_path, "main", text.format("part.items", "list"), imports="other")
    [message] = [each.message for each in analyse(path).diagnostics if each.severity == "error"]
    assert message == "rows cannot be inside objects of the imported type other::list: declare the type in this spec"
