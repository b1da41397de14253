"""Tables of rows inside records in pieces: the mistakes."""

import pytest
from wireloom.codegen.model.load import analyse

SPEC = """
meta:
  id: demo
  endian: {endian}
  -wireloom:
    tables:
      records: {{rows: pieces, fragments: {{kind: kind, data: data, first: 1, last: 2{fragments}}}}}
      inner: {{{inner}}}
seq:
  - {{id: pieces, type: piece, repeat: eos}}
types:
  piece:
    seq:
      - {{id: kind, type: u1}}
      - {{id: len, type: u1}}
      - {{id: data, size: len}}
      - {{id: name, type: strz, encoding: UTF-8}}
      - {{id: number, type: u1, enum: numbers, -wireloom: {{labels: true}}}}
  batch:
    seq:
      - {{id: notes, type: note, repeat: eos}}
  note:
    seq:
      - {{id: at, type: u2}}
      - {{id: marks, type: mark, repeat: expr, repeat-expr: at}}
  mark: {{seq: [{{id: mark, type: u1}}]}}
  rooted:
    seq: [{{id: at, type: u1, if: _root.pieces.size > 0}}]
enums: {{numbers: {{0: zero}}}}
"""


def said(*, endian: str = "le", fragments: str = "", inner: str = "rows: pieces.data.as<batch>.notes") -> list[str]:
    result = analyse("demo.ksy", SPEC.format(endian=endian, fragments=fragments, inner=inner))
    return [f"{each.line}:{each.column}: {each.message}" for each in result.diagnostics]


def test_what_is_right() -> None:
    assert said() == []
    assert said(inner="rows: pieces.data.as<batch>", fragments=", codec: {switch-on: len, cases: {1: zstd}}") == []
    marks = "rows: pieces.data.as<batch>.notes.marks"
    assert said(inner=f"{marks}, unit: pieces") == []
    assert said(inner=f"{marks}, unit: pieces.data.notes, where: mark > 0") == []


@pytest.mark.parametrize(
    ("inner", "message"),
    [
        ("rows: pieces.data.as<btch>.notes", "8:21: unable to find type 'btch'; did you mean 'batch'?"),
        ("rows: pieces.data.as<batch>.note", "8:21: demo::batch has no attribute 'note'; did you mean 'notes'?"),
        (
            "rows: pieces.data.notes",
            "8:21: each attribute on the path to the rows must have a user-defined type, which 'data' does not",
        ),
        (
            "rows: pieces.data.as<rooted>",
            "8:21: demo::rooted uses '_root', which is not available in joined records",
        ),
        (
            "rows: pieces.data.as<batch>.notes, fragments: {kind: at, data: at, first: 1, last: 2}",
            "8:78: 'data' must be bytes, which 'at' is not",
        ),
        (
            "rows: pieces.data.as<batch>.notes.marks, unit: pieces.notes",
            "8:62: 'unit' must name a repeated attribute on the path to the rows: 'pieces' or 'pieces.data.notes'; "
            "found 'pieces.notes'; did you mean 'pieces.data.notes'?",
        ),
        (
            "rows: pieces.data.as<batch>.notes, columns: [kind]",
            "8:60: demo::note with its enclosing objects has no attribute or instance 'kind'",
        ),
    ],
)
def test_mistakes_in_the_way(inner: str, message: str) -> None:
    assert message in said(inner=inner)


def test_pieces_of_pieces() -> None:
    found = said(inner="rows: pieces.data.as<piece>, fragments: {kind: kind, data: data, first: 1, last: 2}")
    assert "'fragments' cannot be used for rows that are inside joined records" in found[0]


def test_a_byte_order_of_the_file() -> None:
    (found,) = said(endian="{switch-on: _io.size, cases: {1: le}}", inner="rows: pieces.data.as<batch>")
    assert "demo::batch has the byte order of its file, which is not known in joined records" in found


def test_mistakes_in_the_log() -> None:
    assert said(fragments=", log: len") == []
    assert "demo::piece has no attribute or instance 'lan'; did you mean 'len'?" in said(fragments=", log: lan")[0]
    assert "'log' must be an integer, which 'name' is not" in said(fragments=", log: name")[0]


@pytest.mark.parametrize(
    ("codec", "message"),
    [
        ("switch-on: lan, cases: {1: zstd}", "demo::piece has no attribute or instance 'lan'; did you mean 'len'?"),
        ("switch-on: name, cases: {1: zstd}", "'switch-on' of 'codec' must be an integer, which 'name' is not"),
        ("switch-on: number, cases: {1: zstd}", "'switch-on' of 'codec' must be an integer, which 'number' is not"),
        ("switch-on: len, cases: {}", "'codec' requires at least one case"),
        ("switch-on: len, cases: {kind: zstd}", "a case of 'codec' must be an integer"),
        ("switch-on: len, cases: {1: lz4-block}", "got 'lz4-block'"),
        ("switch-on: len, cases: {1: zstd}, size: 3", "unknown key found, expected: cases, max-expanded, switch-on"),
    ],
)
def test_mistakes_in_the_codec(codec: str, message: str) -> None:
    assert any(message in each for each in said(fragments=f", codec: {{{codec}}}"))


STREAM = """
meta:
  id: demo
  endian: {endian}
  -wireloom:
    tables:
      inner: {{{inner}}}
      containers: {{rows: containers, {containers}}}
seq:
  - {{id: containers, type: container, repeat: eos}}
types:
  container:
    seq:
      - {{id: len, type: u1}}
      - {{id: data, size: len}}
      - {{id: parts, type: u1, repeat: expr, repeat-expr: 2}}
  log:
    seq:
      - {{id: head, type: u1}}
      - {{id: notes, type: note, repeat: eos}}
    types:
      inner: {{seq: [{{id: notes, type: note, repeat: eos}}]}}
  note:
    seq: [{{id: at, type: u2}}]
  rooted:
    seq: [{{id: notes, type: note, repeat: eos, if: _root.containers.size > 0}}]
"""


def said_of_stream(
    *, endian: str = "le", inner: str = "rows: containers.data.as<log>.notes", containers: str = "stream: data"
) -> list[str]:
    result = analyse("demo.ksy", STREAM.format(endian=endian, inner=inner, containers=containers))
    return [f"{each.line}:{each.column}: {each.message}" for each in result.diagnostics]


def test_what_is_right_in_a_stream() -> None:
    assert said_of_stream() == []
    assert said_of_stream(inner="rows: containers.data.as<log::inner>.notes, where: at > 0") == []
    assert said_of_stream(inner="rows: containers.data.as<log>.notes, parent-columns: [head]") == []
    assert said_of_stream(containers="stream: {data: data, begins: len}") == []


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"inner": "rows: containers.data.as<lg>.notes"},
            "7:21: unable to find type 'lg'; did you mean 'log'?",
        ),
        (
            {"inner": "rows: containers.data.as<log>.note"},
            "7:21: demo::log has no attribute 'note'; did you mean 'notes'?",
        ),
        (
            {"inner": "rows: containers.data.as<log>"},
            "7:21: each attribute on the path to the rows must have a user-defined type, which 'data' does not",
        ),
        (
            {"inner": "rows: containers.data.as<rooted>.notes"},
            "7:21: demo::rooted uses '_root', which is not available in a joined stream",
        ),
        (
            {"inner": "rows: containers.data.as<log>.notes, stream: at"},
            "7:60: 'stream' must be bytes, which 'at' is not",
        ),
        (
            {"containers": "stream: dat"},
            "8:46: demo::container has no attribute 'dat'; did you mean 'data'?",
        ),
        ({"containers": "stream: parts"}, "8:46: 'stream' must be bytes, which 'parts' is not"),
        (
            {"containers": "stream: {data: data, begins: data}"},
            "8:67: 'begins' must be true or false, or an integer, which 'data' is not",
        ),
        (
            {"containers": "stream: {data: data, begins: begin}"},
            "8:67: demo::container has no attribute or instance 'begin'",
        ),
        (
            {"containers": "stream: data, distinct: true"},
            "8:38: 'stream' and 'distinct' cannot be used together",
        ),
    ],
)
def test_mistakes_in_a_stream(options: dict[str, str], message: str) -> None:
    assert message in said_of_stream(**options)
