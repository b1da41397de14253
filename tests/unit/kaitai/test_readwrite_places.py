"""Positions that need not be given: what is located there gets a place."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from .writing import read, there_and_back, writable, written

FOLDER = """
seq:
  - {id: num_entries, type: u1}
  - {id: entries, type: entry, repeat: expr, repeat-expr: num_entries}
  - {id: note, type: strz}
types:
  entry:
    seq: [{id: ofs, type: u2}, {id: len, type: u1}]
    instances: {body: {io: _root._io, pos: ofs, size: len}}
"""


def folder(kind: Any, note: str, *bodies: bytes) -> Any:
    value = kind()
    value.note, value.entries = note, []
    for body in bodies:
        entry = kind.Entry()
        entry.body = body
        value.entries.append(entry)
    return value


def test_what_has_no_place_yet_gets_one(tmp_path: Path) -> None:
    kind = writable(tmp_path, FOLDER)
    data = there_and_back(kind, folder(kind, "hi", b"one", b"", b"three"))
    assert data == b"\3\x0d\0\3\x10\0\0\x10\0\5hi\0onethree"


def test_places_make_room_for_what_grows(tmp_path: Path) -> None:
    kind = writable(tmp_path, FOLDER)
    value = read(kind, written(folder(kind, "hi", b"one", b"two")))
    value.note = "a longer note"
    added = kind.Entry()
    added.body = b"new"
    value.entries.insert(0, added)
    data = written(value)
    again = read(kind, data)
    assert [each.body for each in again.entries] == [b"new", b"one", b"two"]
    assert again.note == "a longer note"
    assert len({each.ofs for each in again.entries}) == 3


def test_places_that_hold_stay(tmp_path: Path) -> None:
    kind = writable(tmp_path, FOLDER)
    data = b"\1\x0a\0\3hi\0\0\0\0one"
    value = read(kind, data)
    value.entries[0].body = b"two"
    assert written(value) == data[:10] + b"two"


def test_places_that_are_given_stay(tmp_path: Path) -> None:
    kind = writable(tmp_path, FOLDER)
    value = folder(kind, "hi", b"one")
    value.entries[0].ofs = 12
    assert written(value) == b"\1\x0c\0\3hi\0\0\0\0\0\0one"


def test_places_are_multiples_of_what_the_spec_says(tmp_path: Path) -> None:
    kind = writable(
        tmp_path,
        "seq: [{id: sector, type: u1}, {id: text, type: strz}]\ninstances: {body: {pos: sector * 8 + 4, type: u2}}",
    )
    value = kind()
    value.text, value.body = "hello", 3
    assert there_and_back(kind, value) == b"\1hello\0" + bytes(5) + b"\3\0"
