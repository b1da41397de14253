"""Lengths and counts that a writer solves for, if a size consists of more than one field and a constant."""

import pytest
from kaitaistruct import ConsistencyError
from wireloom.codegen.model.load import load
from wireloom.codegen.passes import unsolved_of as unsolved
from wireloom.codegen.passes import with_facts

from .compiling import made


def test_a_total_follows_from_its_parts() -> None:
    kind = made(
        """
        seq:
          - {id: total, type: u1}
          - {id: len_head, type: u1}
          - {id: head, size: len_head}
          - {id: body, size: total - len_head}
        """
    )
    assert kind(head=b"ab", body=b"cde").to_bytes() == b"\5\2abcde"


def test_what_cannot_be_solved_for_is_known() -> None:
    kind = made(
        """
        seq:
          - {id: has_tail, type: u1, -wireloom: {given: true}}
          - {id: len, type: u1}
          - {id: body, size: 'len - (has_tail == 1 ? 2 : 0)'}
        """
    )
    assert kind(has_tail=1, body=b"abc").to_bytes() == b"\1\5abc"
    assert kind(has_tail=0, body=b"abc").to_bytes() == b"\0\3abc"


def test_one_length_of_two_fields() -> None:
    kind = made("seq: [{id: len, type: u1}, {id: a, size: len}, {id: b, size: len}]")
    assert kind(a=b"ab", b=b"cd").to_bytes() == b"\2abcd"
    with pytest.raises(ConsistencyError, match=r"^Check failed: b \(size\), expected: 2, actual: 3$"):
        kind(a=b"ab", b=b"cde").to_bytes()


def test_of_two_factors_none_follows() -> None:
    numbers = ", ".join(f"{{id: {name}, type: u1, -wireloom: {{given: true}}}}" for name in "wh")
    kind = made(f"seq: [{numbers}, {{id: pixels, size: w * h}}]")
    assert kind(w=2, h=3, pixels=b"abcdef").to_bytes() == b"\2\3abcdef"
    with pytest.raises(AttributeError):
        kind(pixels=b"abcdef").to_bytes()


def test_what_has_to_be_given() -> None:
    spec = load(
        "made.ksy",
        text="meta: {id: made}\nseq: [{id: len, type: u1}, {id: a, size: len}, {id: bits, type: u1}, "
        "{id: b, size: (bits + 7) / 8}, {id: w, type: u1}, {id: h, type: u1}, {id: c, size: w * h}]",
    )
    assert [each.field for each in unsolved(with_facts(spec))] == ["bits", "w", "h"]
    assert unsolved(with_facts(spec))[0].message.startswith(
        "a writer requires a value of 'bits', which cannot be derived from the size of 'b': pass it, or"
    )


NOTES = """
seq:
  - {id: len, type: u1}
  - {id: note, size: len, type: note}
types:
  note:
    seq:
      - {id: kind, type: u1}
      - {id: more, type: last}
  last:
    seq: [{id: mark, type: u2, if: _parent._parent.len > LEAST}]
"""


def test_an_object_whose_own_length_says_what_is_in_it() -> None:
    kind = made(NOTES.replace("LEAST", "2"))
    for good in (b"\1\7", b"\3\7\x08\x09"):
        assert kind.from_bytes(good).to_bytes() == good
    assert kind.from_bytes(b"\5\7\x08\x09\0\0").to_bytes() == b"\3\7\x08\x09"
    # Three bytes, which do not exist if there are no more than three.
    kind = made(NOTES.replace("LEAST", "3"))
    assert kind.from_bytes(b"\3\7\0\0").to_bytes() == b"\1\7"
    with pytest.raises(ConsistencyError, match=r"^Check failed: note, expected: 'the same value with the computed"):
        kind.from_bytes(b"\5\7\x08\x09\0\0").to_bytes()


def test_arguments_that_are_filled_in_follow() -> None:
    kind = made(
        """
        seq: [{id: len, type: u1}, {id: note, size: len, type: note(len)}]
        types: {note: {params: [{id: room, type: u1}], seq: [{id: kind, type: u1}, {id: more, type: u1, if: room > 2}]}}
        """
    )
    assert kind.from_bytes(b"\1\7").to_bytes() == b"\1\7"
    value = kind(note=kind.Note(2, kind=7))
    assert value.to_bytes() == b"\1\7"
    assert value.note.room == 1
    with pytest.raises(ConsistencyError, match=r"^Check failed: note, "):
        kind.from_bytes(b"\4\7\x08\0\0").to_bytes()
