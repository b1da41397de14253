"""Objects at the end of a file that refer to the items before them."""

import re
from pathlib import Path
from typing import Any

import pytest
import wireloom

SPEC = """
meta:
  id: indexed
  endian: le
  -wireloom:
    tables:
      notes:
        rows: records.body.as<chunk>.rows
        columns: [author, n]
        look-ups: {name: {table: authors, key: author, match: id, value: name}}
      authors: {rows: records.body.as<author>, columns: [id, name]}
seq:
  - {id: magic, contents: LOG}
  - id: records
    type: record
    repeat: eos
    -wireloom:
      begins-with: [{kind: 1, body: {version: 3}}]
      ends-with:
        - kind: 9
          body: BODY
types:
  record:
    seq:
      - {id: kind, type: u1}
      - {id: len, type: u1}
      - {id: body, size: len, type: {switch-on: kind, cases: {1: head, 2: chunk, 3: author, 9: index}}}
  head: {seq: [{id: version, type: u1}]}
  author: {seq: [{id: id, type: u1}, {id: name, type: str, encoding: ASCII, size-eos: true}]}
  chunk: {seq: [{id: rows, type: row, repeat: eos}]}
  row: {seq: [{id: author, type: u1}, {id: n, type: u1}]}
  index:
    seq:
      - {id: begin, type: u1}
      - {id: count, type: u1}
      - {id: total, type: u1}
      - {id: largest, type: u1}
      - {id: smallest, type: u1}
      - {id: entries, type: entry, repeat: eos}
  entry: {seq: [{id: kind, type: u1}, {id: begin, type: u1}, {id: size, type: u1}]}
"""
CHUNK = "for-each: _.kind == 2"
ENTRIES = "[{for-each: _.kind == 2 or _.kind == 3, item: {kind: _.kind, begin: _offset, size: _size}}]"
BODY = (
    f"{{begin: _offset, count: _count, total: {{{CHUNK}, total: _.body.as<chunk>.rows.size}}, "
    f"largest: {{{CHUNK}, largest: _.body.as<chunk>.rows.last.n, otherwise: 99}}, "
    f"smallest: {{{CHUNK}, smallest: _.body.as<chunk>.rows.first.n, otherwise: 98}}, entries: {ENTRIES}}}"
)


def format_of(folder: Path, body: str) -> wireloom.Format:
    spec = folder / "indexed.ksy"
    spec.write_text(SPEC.replace("BODY", body))
    return wireloom.load_spec(spec)


def written(format: wireloom.Format, rows: list[dict[str, Any]], path: Path, **options: Any) -> bytes:
    wireloom.write(format, rows, path, **options)
    return path.read_bytes()


def test_items_of_all_tables_are_noted_with_their_places(tmp_path: Path) -> None:
    format = format_of(tmp_path, BODY)
    rows = [{"author": number % 2, "n": 10 + number, "name": "ab"[number % 2]} for number in range(5)]
    content = written(format, rows, tmp_path / "a.log", unit_rows=2)
    pieces = [b"\2\4\0\n\1\x0b", b"\2\4\0\x0c\1\x0d", b"\2\2\0\x0e"]
    authors = [b"\3\2\0a", b"\3\2\1b"]
    # The magic, the head, the authors that the first chunk needs, and the chunks.
    parts = [b"LOG", b"\1\1\3", *authors, *pieces]
    begins = [sum(map(len, parts[:number])) for number in range(2, 8)]
    entries = b"".join(
        bytes([each[0], begin, len(each)]) for begin, each in zip(begins, [*authors, *pieces], strict=False)
    )
    body = bytes([begins[-1], 5, 5, 14, 10]) + entries
    assert content == b"".join(parts) + bytes([9, len(body)]) + body
    assert wireloom.read(format, content, columns=["author", "n", "name"]).to_pylist() == rows
    # Another file begins anew; one without rows has the values for no items.
    assert written(format, rows, tmp_path / "b.log", unit_rows=2) == content
    assert written(format, [], tmp_path / "c.log") == b"LOG\1\1\3" + bytes([9, 5, 6, 0, 0, 99, 98])
    others = written(format, [{"id": 7, "name": "x"}], tmp_path / "d.log", table="authors")
    assert others == b"LOG\1\1\3\3\2\7x" + bytes([9, 8, 10, 1, 0, 99, 98, 3, 6, 4])


def test_attributes_of_the_root(tmp_path: Path) -> None:
    """They have values for items of all tables, also for those that look-ups need."""
    of_three = "{for-each: _.kind + magic.length == 6, total: _.kind * _root.magic.length}"
    format = format_of(tmp_path, f"{{begin: 0, count: 0, total: {of_three}, largest: 0, smallest: 0, entries: []}}")
    rows = [{"author": number, "n": number, "name": "a"} for number in range(2)]
    assert written(format, rows, tmp_path / "a.log")[-3:] == b"\x12\0\0"


def test_no_items_and_no_value_for_that(tmp_path: Path) -> None:
    body = BODY.replace(", otherwise: 99", "")
    with pytest.raises(wireloom.WireloomError, match="the end of a file of indexed cannot be written: index 0 is out"):
        wireloom.write(format_of(tmp_path, body), [], tmp_path / "a.log")
    rows = [{"author": 0, "n": 0, "name": "a"}] * 300
    with pytest.raises(wireloom.WireloomError, match="the end of a file of indexed cannot be written: "):
        wireloom.write(format_of(tmp_path, BODY), rows, tmp_path / "a.log", unit_rows=100)


def test_an_item_that_the_end_cannot_describe_is_an_error(tmp_path: Path) -> None:
    """It is not written with fewer rows instead, without the authors that it needs and with two notes."""
    body = BODY.replace("total: _.body.as<chunk>.rows.size", "total: 9 / (4 - _.body.as<chunk>.rows.size)")
    rows = [{"author": number, "n": number, "name": "a"} for number in range(6)]
    path = tmp_path / "a.log"
    said = "what the end of a file of indexed says of row 0 cannot be written: division by zero"
    format = format_of(tmp_path, body)
    with pytest.raises(wireloom.WireloomError, match=said):
        wireloom.write(format, rows, path, unit_rows=4)
    assert not path.exists()


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("{entries: [{for-each: _.kind, item: {kind: 1}}]}", "'for-each' must be a boolean, found u1"),
        ("{entries: [{for-each: _.knd == 2, item: {kind: 1}}]}", "unable to access 'knd' in indexed::record context"),
        ("{entries: [{for-each: true, item: {knd: 1}}]}", "indexed::entry has no attribute 'knd'; did you mean"),
        ("{entries: [{for-each: true, total: 1}]}", "expected the type indexed::entry, found an integer"),
        ("{entries: [{for-each: true}]}", "'for-each' requires 'item' in a list, otherwise exactly one of 'total'"),
        ("{total: {for-each: true, item: {kind: 1}}}", "'for-each' requires 'item' in a list, otherwise exactly one"),
        ("{total: {for-each: true, total: 1, largest: 2}}", "'for-each' requires 'item' in a list, otherwise exactly"),
        ("{total: {for-each: true, total: '\"x\"'}}", "expected u1, found text"),
        ("{total: {for-each: true, totl: 1}}", "unknown key 'totl' in for-each; did you mean 'total'?"),
        ("{total: _size}", "'_size' is only available in 'for-each'"),
        ("{entries: [{for-each: true, item: {kind: _count}}]}", "'_count' is only available in 'ends-with', outside"),
        (
            "{entries: [{for-each: true, item: {kind: {for-each: true, total: 1}}}]}",
            "'for-each' is only available in 'ends-with', and not in itself",
        ),
        ("{entries: [{for-each: true, item: {kind: 1}, total: 1}]}", "'for-each' requires 'item' in a list, otherwise"),
        ("{total: {for-each: true, total: 1, otherwise: 2}}", "'otherwise' requires 'largest' or 'smallest'"),
        (
            "{entries: [{for-each: true, item: {kind: 1}, otherwise: 2}]}",
            "'otherwise' requires 'largest' or 'smallest'",
        ),
        ("{begin: _io.pos}", "'_io' is not available in 'begins-with' and 'ends-with'"),
        ("{total: {for-each: _io.eof, total: 1}}", "'_io' is not available in 'begins-with' and 'ends-with'"),
    ],
)
def test_mistakes(body: str, said: str, tmp_path: Path) -> None:
    with pytest.raises(wireloom.SpecError, match=re.escape(said)):
        format_of(tmp_path, body)


def test_it_belongs_to_the_end(tmp_path: Path) -> None:
    spec = tmp_path / "indexed.ksy"
    early = "begins-with: [{for-each: true, item: {kind: 1, body: {version: 3}}}]"
    text = SPEC.replace("BODY", BODY).replace("begins-with: [{kind: 1, body: {version: 3}}]", early)
    spec.write_text(text)
    with pytest.raises(wireloom.SpecError, match="'for-each' is only available in 'ends-with'"):
        wireloom.load_spec(spec)
    spec.write_text(text.replace(early, "begins-with: [{kind: 1, body: {version: _io.pos}}]"))
    with pytest.raises(wireloom.SpecError, match="'_io' is not available in 'begins-with' and 'ends-with'"):
        wireloom.load_spec(spec)
    spec.write_text(text.replace(early, "begins-with: [{kind: _offset, body: {version: 3}}]"))
    with pytest.raises(wireloom.SpecError, match="'_offset' is only available in 'ends-with'"):
        wireloom.load_spec(spec)
