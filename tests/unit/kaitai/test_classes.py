"""Classes with Kaitai's API, as used by their users."""

import inspect
import io
from pathlib import Path

import pytest
from kaitaistruct import KaitaiStream, KaitaiStruct

from .compiling import Compiled

SHELF = """
meta: {id: shelf, endian: be, encoding: UTF-8}
doc: A row of books.
doc-ref: https://example.com/shelf
params: [{id: room, type: u1, doc: Where it stands.}]
seq:
  - {id: count, type: u1, doc: How many books there are.}
  - {id: books, type: book, repeat: expr, repeat-expr: count}
types:
  book:
    doc: A book.
    seq: [{id: title, type: strz}, {id: class, type: u1, enum: kind}]
    instances:
      letters: {value: title.length, doc: Without the end.}
      first: {pos: 0, type: u1, doc: "Ends with \\\\N and a quote\\""}
enums: {kind: {1: {id: novel, doc: Long.}, 2: class}}
"""
BYTES = b"\2one\0\1two\0\2"


@pytest.fixture
def shelf(tmp_path: Path) -> type[KaitaiStruct]:
    found: type[KaitaiStruct] = Compiled(tmp_path, SHELF).shelf
    return found


def test_the_constructor_takes_kaitais_arguments_and_reads(shelf: type[KaitaiStruct]) -> None:
    assert list(inspect.signature(shelf).parameters) == ["room", "_io", "_parent", "_root"]
    made = shelf(3, KaitaiStream(io.BytesIO(BYTES)))
    assert isinstance(made, KaitaiStruct)
    assert (made.room, made.count) == (3, 2)
    assert [each.title for each in made.books] == ["one", "two"]
    assert made._root is made
    assert made._parent is None
    assert made.books[1]._parent is made
    assert made.books[1].letters == 3


def test_names_that_python_has_are_escaped(shelf: type[KaitaiStruct]) -> None:
    book = shelf(1, KaitaiStream(io.BytesIO(BYTES))).books[1]
    assert book.class_ is shelf.Kind.class_


def test_names_of_decorators_and_types_are_free(tmp_path: Path) -> None:
    body = """
meta: {id: made}
seq: [{id: classmethod, type: u1}, {id: get, type: u1}, {id: close, type: u1}]
types: {part: {seq: [{id: property, type: u1}], instances: {int: {value: property + 1}, to_bytes: {value: int}}}}
instances: {property: {pos: 0, type: part}, list: {value: "[get, close]"}, str: {value: '"a"'}}
"""
    made = Compiled(tmp_path, body).made.from_bytes(b"\1\2\3")
    assert (made.classmethod, made.get, made.close_, made.list, made.str) == (1, 2, 3, b"\2\3", "a")
    assert (made.property.property, made.property.to_bytes) == (1, 2)


def test_objects_compare_and_show_what_they_hold(shelf: type[KaitaiStruct]) -> None:
    one, other, third = (shelf(1, KaitaiStream(io.BytesIO(data))) for data in (BYTES, BYTES, BYTES.replace(b"o", b"O")))
    assert one == other
    assert one != third
    assert repr(one.books[0]) == "Shelf.Book(title='one', class_=<Kind.novel: 1>)"


def test_docs_are_docstrings(shelf: type[KaitaiStruct]) -> None:
    assert inspect.getdoc(shelf.Book) == "A book."
    assert (inspect.getdoc(shelf) or "").startswith("A row of books.")
    assert inspect.getdoc(shelf.Book.letters) == "Without the end."
    assert inspect.getdoc(shelf.Book.first) == 'Ends with \\N and a quote"'


def test_slots_and_annotations(shelf: type[KaitaiStruct]) -> None:
    assert set(shelf.Book.__slots__) >= {"title", "class_"}
    assert shelf.__annotations__["books"] == "list[Shelf.Book]"
    assert shelf.Book.__annotations__["_parent"] == "Shelf"


def test_a_file_is_closed(tmp_path: Path) -> None:
    made = Compiled(tmp_path, "meta: {id: made}\nseq: [{id: a, type: u1}]\ninstances: {b: {pos: 1, type: u1}}").made
    file = tmp_path / "data"
    file.write_bytes(b"\1\2")
    with made.from_file(str(file)) as found:
        assert found.a == 1
        found._fetch_instances()
    assert found.b == 2
    with made.from_file(file) as found:
        pass
    with pytest.raises(ValueError, match="closed"):
        _ = found.b


def test_fetching_reads_all_that_belongs_to_an_object(tmp_path: Path) -> None:
    body = """
meta: {id: made}
seq: [{id: n, type: u1}, {id: parts, type: part, repeat: expr, repeat-expr: 2}]
types: {part: {instances: {placed: {pos: 0, type: leaf}}}, leaf: {instances: {deep: {pos: 1, type: u1}}}}
"""
    made = Compiled(tmp_path, body).made.from_bytes(b"\1\2")
    made._fetch_instances()
    assert [each._m_placed._m_deep for each in made.parts] == [2, 2]


def test_debug(tmp_path: Path) -> None:
    body = """
meta: {id: made, ks-debug: true}
seq: [{id: n, type: u1}, {id: parts, type: part, repeat: expr, repeat-expr: n}, {id: rest, size-eos: true}]
types: {part: {seq: [{id: a, type: u1}, {id: b, type: u1}]}}
instances: {placed: {pos: 1, size: 2}}
"""
    made = Compiled(tmp_path, body).made.from_bytes(b"\2abc")
    assert not hasattr(made, "n")
    with pytest.raises(EOFError):
        made._read()
    assert made.SEQ_FIELDS == ["n", "parts", "rest"]
    assert made._debug["n"] == {"start": 0, "end": 1}
    assert made._debug["parts"] == {"start": 1, "arr": [{"start": 1, "end": 3}, {"start": 3}]}
    assert [each.a for each in made.parts] == [ord("a"), ord("c")]
    assert not hasattr(made.parts[1], "b")
    assert made.placed == b"ab"
    assert made._debug["placed"] == {"start": 1, "end": 3}


def test_debug_is_that_of_each_file(tmp_path: Path) -> None:
    quiet = "meta: {id: quiet}\nseq: [{id: a, type: u1}]"
    body = "meta: {id: made, imports: [quiet], ks-debug: true}\nseq: [{id: q, type: quiet}]"
    made = Compiled(tmp_path, quiet, body).made.from_bytes(b"\1\2")
    made._read()
    assert made.q.a == 1
    assert made._debug["q"] == {"start": 0, "end": 1}
