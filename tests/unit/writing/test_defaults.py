"""The key ``default``: what a writer writes if a table, or the creator of an object, gives no value."""

import pytest
import wireloom
from wireloom import Format

from ...writing import bytes_of
from ..specs import format_of

SPEC = """
meta:
  id: captures
  endian: le
  -wireloom: {rows: packets, columns: [at, note, data], selectable: [seconds, millis, link, zone]}
seq:
  - {id: magic, type: u2, valid: {any-of: [7, 8]}, -wireloom: {default: 8}}
  - {id: head, type: head}
  - {id: packets, type: packet, repeat: eos}
types:
  head:
    seq:
      - {id: link, type: u1, -wireloom: {default: 1}}
      - {id: zone, type: s1, -wireloom: {default: 0 - 1}}
      - {id: kind, type: u1, enum: kinds, -wireloom: {default: "kinds::wired"}}
      - {id: name, size: 2, -wireloom: {default: "[0x61, 0x62]"}}
  packet:
    seq:
      - {id: seconds, type: u4, -wireloom: {default: at / 1000}}
      - {id: millis, type: u2, -wireloom: {default: at % 1000}}
      - {id: len_note, type: s1, -wireloom: {default: -1}}
      - {id: note, size: len_note, type: str, encoding: UTF-8, if: len_note >= 0}
      - {id: len_data, type: u1}
      - {id: data, size: len_data}
      - {id: full_size, type: u1, -wireloom: {default: data.size}}
    instances:
      at: {value: seconds * 1000 + millis}
      link: {value: _root.head.link}
      zone: {value: _root.head.zone}
enums: {kinds: {3: wired, 4: radio}}
"""
HEAD = bytes.fromhex("0800 01ff03 6162")
ROWS = [{"at": 5007, "note": "hi", "data": b"abc"}, {"at": 999, "note": None, "data": b""}]
WIRE = HEAD + bytes.fromhex("05000000 0700 02 6869 03 616263 03" + "00000000 e703 ff 00 00")


@pytest.fixture
def format() -> Format:
    return format_of(SPEC)


def test_what_the_table_lacks_is_the_default(format: Format) -> None:
    assert bytes_of(format, ROWS) == WIRE
    assert wireloom.read(format, WIRE).to_pylist() == ROWS


def test_a_column_goes_before_the_default(format: Format) -> None:
    # The value of `at` is not needed if the table has what it is computed from.
    rows = [{**each, "seconds": 9, "millis": each["at"] % 1000} for each in ROWS]
    found = wireloom.read(format, bytes_of(format, rows), columns=["seconds", "at"]).to_pylist()
    assert found == [{"seconds": 9, "at": 9007}, {"seconds": 9, "at": 9999}]


def test_a_column_may_not_contradict_one_of_which_others_are_computed(format: Format) -> None:
    rows = [{**each, "seconds": 9} for each in ROWS]
    with pytest.raises(wireloom.WireloomError, match="column at is 5007, and what is written says 9007"):
        bytes_of(format, rows)


def test_a_column_that_shows_the_attribute_of_an_object_gives_it(format: Format) -> None:
    rows = [{**each, "link": 6, "zone": 2} for each in ROWS]
    assert wireloom.read(format, bytes_of(format, rows), columns=["link", "zone"]).to_pylist() == [
        {"link": 6, "zone": 2},
        {"link": 6, "zone": 2},
    ]
    with pytest.raises(wireloom.WireloomError, match=r"row 1, column head\.link: 7 after 6, and a file has one value"):
        bytes_of(format, [rows[0], {**rows[1], "link": 7}])


def test_a_value_that_does_not_fit_is_refused_with_its_row(format: Format) -> None:
    with pytest.raises(wireloom.WireloomError, match="row 1"):
        bytes_of(format, [ROWS[0], {**ROWS[1], "at": 2**50}])


def test_objects_have_the_defaults_too(format: Format) -> None:
    made = format.row_class(seconds=1, millis=2, data=b"x")
    assert made.to_bytes() == bytes.fromhex("01000000 0200 ff 01 78 01")
    assert format.class_of("Captures")(packets=[]).to_bytes() == HEAD
