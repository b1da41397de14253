"""``dump``, and ``inspect`` of specs that declare no rows."""

import base64
import json
import struct
import zlib
from pathlib import Path
from typing import Any

import pytest
import wireloom
import yaml

from ..commands import run

SHELF = """
meta: {id: shelf, endian: le, encoding: UTF-8}
seq:
  - {id: magic, contents: SHLF}
  - {id: num_books, type: u2}
  - {id: books, type: book, repeat: expr, repeat-expr: num_books}
  - {id: label, type: label, size: 6}
types:
  book:
    seq:
      - {id: title, type: strz}
      - {id: genre, type: u1, enum: genre}
      - {id: pages, type: u2, if: genre == genre::novel}
    instances:
      is_long: {value: pages > 500, if: genre == genre::novel}
  label:
    seq: [{id: x, type: u4}, {id: "y", type: s2}]
instances:
  first: {pos: 6, type: u1}
  shelf: {value: label}
enums:
  genre: {1: novel, 2: class}
"""
BOOKS = b"SHLF\2\0Emma\0\1\x60\1World\0\2"
WHOLE = BOOKS + struct.pack("<Ih", 9, -1)
VALUES = {
    "magic": b"SHLF".hex(),
    "num_books": 2,
    "books": [
        {"title": "Emma", "genre": "novel", "pages": 352, "is_long": False},
        {"title": "World", "genre": "class"},
    ],
    "label": {"x": 9, "y": -1},
    "first": ord("E"),
    "shelf": {"x": 9, "y": -1},
}


@pytest.fixture
def shelf(tmp_path: Path) -> Path:
    return spec(tmp_path, SHELF)


def spec(folder: Path, text: str) -> Path:
    path = folder / "given.ksy"
    path.write_text(text)
    return path


def dumped(path: Path, data: bytes, *options: Any, code: int = 0) -> Any:
    return json.loads(run("dump", path, "-", *options, input=data, code=code).stdout)


def test_json_and_yaml(shelf: Path) -> None:
    said = run("dump", shelf, "-", input=WHOLE).stdout
    assert json.loads(said) == VALUES
    assert said == json.dumps(VALUES, indent=2) + "\n"
    assert yaml.safe_load(run("dump", shelf, "-", "-f", "yaml", input=WHOLE).stdout) == VALUES


def test_a_file_is_read_as_it_is_stored_and_a_pipe_too(shelf: Path, tmp_path: Path) -> None:
    file, out = tmp_path / "a.shelf", tmp_path / "a.yaml"
    file.write_bytes(WHOLE)
    assert json.loads(run("dump", shelf, file).stdout) == VALUES
    run("dump", shelf, file, "-o", out)
    assert yaml.safe_load(out.read_text()) == VALUES
    packed = zlib.compress(WHOLE, wbits=31)
    assert "expected b'SHLF'" in run("dump", shelf, "-", input=packed, code=1).stderr
    assert dumped(shelf, packed, "--option", "codec=auto") == VALUES


def test_bytes_of_a_kind(tmp_path: Path) -> None:
    path = spec(tmp_path, "meta: {id: raw}\nseq: [{id: a, size-eos: true}]")
    data = b"a\0\xff\n"
    assert dumped(path, data)["a"] == data.hex()
    assert base64.b64decode(dumped(path, data, "--bytes", "base64")["a"]) == data
    assert dumped(path, data, "--bytes", "utf8")["a"] == "a\0�\n"


NUMBERS = """
meta: {id: numbers, endian: le}
seq: [{id: no, type: f8, repeat: eos}]
instances:
  large: {value: LARGE}
  text: {value: '"no"'}
  ends: {value: '"a\\u0085b"'}
"""


def test_values_that_json_and_yaml_write_differently(tmp_path: Path) -> None:
    path, data = (
        spec(tmp_path, NUMBERS.replace("LARGE", str(1 << 3000))),
        struct.pack("<4d", 1e20, float("inf"), float("-inf"), float("nan")),
    )
    found = dumped(path, data)
    assert found["no"] == [1e20, "Infinity", "-Infinity", "NaN"]
    assert (found["large"], found["text"], found["ends"]) == (1 << 3000, "no", "a\x85b")
    found = yaml.safe_load(run("dump", path, "-", "-f", "yaml", input=data).stdout)
    assert found["no"][:3] == [1e20, float("inf"), float("-inf")]
    assert found["no"][3] != found["no"][3]
    assert (found["text"], found["ends"]) == ("no", "a\x85b")
    assert "\x85" not in run("dump", path, "-", input=data).stdout


def test_what_was_read_before_the_end_is_printed(shelf: Path) -> None:
    result = run("dump", shelf, "-", input=WHOLE[:-1], code=1)
    assert json.loads(result.stdout) == {key: VALUES[key] for key in ("magic", "num_books", "books")}
    assert result.stderr.startswith("wireloom: error: standard input at byte 21, field label: requested 6 bytes")
    result = run("dump", shelf, "-", input=BOOKS[:-2], code=1)
    assert json.loads(result.stdout)["books"] == [VALUES["books"][0], {}]
    assert ", field books[1].title: " in result.stderr


def test_a_part_of_a_size_of_its_own(tmp_path: Path) -> None:
    path = spec(tmp_path, SHELF.replace("size: 6", "size: 5"))
    result = run("dump", path, "-", input=WHOLE, code=1)
    assert json.loads(result.stdout)["label"] == {}
    assert "standard input at byte 21, field label.y: requested 6 bytes, but only 5" in result.stderr


LISTS = """
meta: {id: lists}
seq: [{id: parts, type: part, repeat: expr, repeat-expr: 2}, {id: after, type: after}]
types:
  part: {seq: [{id: a, type: u1}, {id: b, type: u1, valid: {max: 9}}]}
  after: {seq: [{id: a, type: u1}, {id: b, type: strz, encoding: ASCII}]}
instances:
  far: {pos: 2, type: after}
  none: {value: 'parts[5].a'}
"""


def test_an_object_after_a_list_is_not_an_item_of_it(tmp_path: Path) -> None:
    path = spec(tmp_path, LISTS)
    result = run("dump", path, "-", input=bytes((1, 2, 3, 4, 5, 6)), code=1)
    assert json.loads(result.stdout) == {"parts": [{"a": 1, "b": 2}, {"a": 3, "b": 4}], "after": {"a": 5}}
    assert ", field after.b: " in result.stderr
    fields = json.loads(run("inspect", path, "-", "--json", input=bytes((1, 2, 3, 4, 5, 6))).stdout)[0]["fields"]
    assert [each["field"] for each in fields][-3:] == ["after", "after.a", "after.b"]


def test_instances_and_values_that_are_refused(tmp_path: Path) -> None:
    result = run("dump", spec(tmp_path, LISTS), "-", input=bytes((1, 20, 3, 4, 5, 6, 0)), code=1)
    values = json.loads(result.stdout)
    assert values["parts"][0] == {"a": 1, "b": 20}
    assert values["far"] == {"a": 3, "b": "\4\5\6"}
    assert "none" not in values
    said = result.stderr.splitlines()
    refused = "standard input: /types/part/seq/1 before byte 2 of its stream: not in range, max 9, but got 20"
    assert said == [
        f"wireloom: error: {refused}",
        "wireloom: error: standard input, field none: index 5 is out of range: there are 2 items",
    ]
    result = run("dump", spec(tmp_path, LISTS.replace("pos: 2", "pos: 6")), "-", input=b"\1\2\3\4\5\0\7", code=1)
    assert json.loads(result.stdout)["far"] == {"a": 7}
    assert "at byte 7, field far.b: end of stream" in result.stderr


LOOPS = """
meta: {id: loops}
seq: [{id: a, type: u1}, {id: inner, type: inner}]
types: {inner: {instances: {around: {value: _parent}, io: {value: _io}, size: {value: _io.size}}}}
instances: {INSTANCE}
"""


def test_instances_without_end_are_bounded(tmp_path: Path) -> None:
    path = spec(tmp_path, LOOPS.replace("INSTANCE", "again: {value: inner}"))
    assert dumped(path, b"\1") == {"a": 1, "inner": {"size": 1}, "again": {"size": 1}}
    path = spec(tmp_path, LOOPS.replace("INSTANCE", "again: {pos: 0, type: loops}, twice: {pos: 0, type: loops}"))
    out = tmp_path / "out.json"
    said = run("dump", path, "-", "-o", out, "--max-output", 10**6, input=b"\1", code=2).stderr
    assert "more than 1,000,000 characters of text: raise --max-output to print them" in said
    assert not out.exists()
    shown = run("dump", path, "-", "--max-output", 100, input=b"\1", code=2)
    assert len(shown.stdout) <= 101
    assert shown.stdout.endswith("\n")
    assert shown.stderr.startswith("wireloom: error: the values are more than 100 characters")


def test_objects_nested_deeper_than_calls_of_functions(tmp_path: Path) -> None:
    text = "meta: {id: nested}\nseq: [{id: a, type: u1}, {id: r, type: nested, if: a != 0}]"
    path = spec(tmp_path, text)
    value, depth = dumped(path, b"\1" * 150 + b"\0"), 0
    while "r" in value:
        value, depth = value["r"], depth + 1
    assert depth == 150
    assert "objects are nested too deeply" in run("dump", path, "-", input=b"\1" * 100_000, code=1).stderr


def test_many_errors_are_counted(tmp_path: Path) -> None:
    path = spec(tmp_path, "meta: {id: many}\nseq: [{id: a, type: u1, repeat: eos, valid: 7}]")
    result = run("dump", path, "-", input=bytes(1000), code=1)
    assert json.loads(result.stdout) == {"a": [0] * 1000}
    *named, last = result.stderr.splitlines()
    assert len(named) == 20
    assert last == "wireloom: error: standard input: 980 more values"


def test_formats_with_rows_are_dumped_too(tmp_path: Path) -> None:
    path = tmp_path / "seg.wal.zst"
    wireloom.write("edgemq_segment", [{"fmt": 0, "tenant": 5, "ts_millis": 7, "payload": b"x"}], path)
    [frame] = json.loads(run("dump", "edgemq_segment", path).stdout)["frames"]
    assert (frame["tenant"], frame["ts_millis"], frame["payload"]) == (5, 7, "78")
    said = run("dump", "edgemq_segment", path, "--option", "stride=rules", code=2).stderr
    assert "stride applies to rows" in said
    said = run("dump", "edgemq_segment", path, "--option", "max_record=10", code=2).stderr
    assert "larger than 10 bytes: raise max_record to read it" in said
    assert "'wireloom decode' prints its rows" in run("dump", "s2_messages", path, code=2).stderr


def test_imports_and_kspath(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    common = tmp_path / "all" / "common"
    common.mkdir(parents=True)
    (common / "pair.ksy").write_text("meta: {id: pair}\nseq: [{id: from, type: u1}, {id: to, type: u1}]")
    path = spec(tmp_path, "meta: {id: given, imports: [/common/pair]}\nseq: [{id: pair, type: pair}]")
    monkeypatch.setenv("KSPATH", str(tmp_path / "all"))
    assert dumped(path, b"\1\2") == {"pair": {"from": 1, "to": 2}}


def test_inspect_shows_the_whole_input(shelf: Path) -> None:
    said = run("inspect", shelf, "-", input=WHOLE).stdout
    assert said.startswith("the input  bytes 0 to 27 (27 bytes)  ✓ ok\n")
    [whole] = json.loads(run("inspect", shelf, "-", "--json", input=WHOLE).stdout)
    assert whole["kind"] == "input"
    assert [(each["field"], each["at"]) for each in whole["fields"] if each["field"].startswith("label")] == [
        ("label", 21),
        ("label.x", 21),
        ("label.y", 25),
    ]
    [rest] = json.loads(run("inspect", shelf, "-", "--at", 22, "--json", input=WHOLE).stdout)
    assert (rest["begin"], rest["bytes"]) == (22, WHOLE[22:].hex())
    assert [each["field"] for each in rest["fields"] if each["at"] != -1] == ["label", "label.x", "label.y"]
    assert "has 27 bytes" in run("inspect", shelf, "-", "--at", 27, input=WHOLE, code=2).stderr
    assert "there is one" in run("inspect", shelf, "-", "--record", 2, input=WHOLE, code=2).stderr


def test_inspect_makes_a_page_of_it(shelf: Path, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    run("inspect", shelf, "-", "--at", 22, "--html", page, input=WHOLE)
    assert '"name":"label","parent":-1,"begin":0,"size":5' in page.read_text()


def test_other_commands_say_what_a_table_needs(shelf: Path) -> None:
    for arguments in (("decode", shelf, "-"), ("encode", shelf, "-", "-o", "-"), ("verify", shelf, "-")):
        assert "no rows are declared" in run(*arguments, input=WHOLE, code=2).stderr
