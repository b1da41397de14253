"""Modules as read by people: what a careful programmer would have written, without empty phrases."""

import inspect
from pathlib import Path
from typing import Any

import pytest
from wireloom.objects import ValidationNotEqualError

from .compiling import Compiled


def compiled(folder: Path, body: str, meta: str = "endian: le") -> Compiled:
    return Compiled(folder, f"meta: {{id: made, {meta}}}\n{body}")


def text_of(found: Compiled) -> str:
    return (found.folder / "made.py").read_text()


def test_numbers_stay_as_they_were_written(tmp_path: Path) -> None:
    text = text_of(
        compiled(
            tmp_path,
            """
seq: [{id: a, type: u1}]
instances:
  high: {value: a & 0xf0}
  flags: {value: a & 0b1100_0000}
  mode: {value: a & 0o17}
  mixed: {value: (a - 1 << 4) | (a >> 2)}
  sum: {value: 0x10 + 2}
""",
        )
    )
    assert "return self.a & 0xf0" in text
    assert "return self.a & 0b1100_0000" in text
    assert "return self.a & 0o17" in text
    assert "= ((self.a - 1) << 4) | (self.a >> 2)" in text
    assert "return 18" in text


def test_docstrings_are_those_of_the_spec(tmp_path: Path) -> None:
    body = """
doc: What it is.
doc-ref: https://example.com/made
seq:
  - {id: a, type: inner, doc: An attribute., doc-ref: [one, two]}
types:
  inner:
    seq: [{id: b, type: u1, enum: kind}]
    instances:
      c: {value: b, doc-ref: https://example.com/c}
      d: {value: 1}
enums:
  kind:
    1: {id: first, doc: The first., doc-ref: https://example.com/first}
"""
    found = compiled(tmp_path, body)
    text, made = text_of(found), found.made
    assert inspect.getdoc(made) == "What it is.\n\nSee also: https://example.com/made"
    assert '"""An attribute.\n\n    See also: one\n    See also: two\n    """' in text
    assert inspect.getdoc(made.Inner.c) == "See also: https://example.com/c"
    assert '"""The first.\n\n        See also: https://example.com/first\n        """' in text
    assert made.Inner.__dict__["d"].__doc__ is None
    assert "The instance" not in text
    assert "The type" not in text


def test_what_has_nothing_of_its_own_is_not_there(tmp_path: Path) -> None:
    found = compiled(tmp_path, "seq: [{id: a, type: empty}]\ntypes: {empty: {}}")
    assert "__init__" not in vars(found.made.Empty)
    assert "_read" not in vars(found.made.Empty)
    assert "pass" not in text_of(found)
    outer = found.made.from_bytes(b"")
    assert outer.a._parent is outer._root is outer


def test_a_switch_on_a_truth_is_a_condition(tmp_path: Path) -> None:
    body = """
seq:
  - {id: a, type: u1}
  - id: either
    type: {switch-on: a > 1, cases: {true: u1, false: u2}}
  - id: unless
    type: {switch-on: a > 1, cases: {false: u1}}
  - id: rest
    type: {switch-on: a > 1, cases: {true: u1, _: u2}}
"""
    found = compiled(tmp_path, body)
    assert "== True" not in text_of(found)
    assert "on_" not in text_of(found)
    large, small = found.made.from_bytes(b"\2\3\4"), found.made.from_bytes(b"\1\2\3\4\5\6")
    assert (large.either, hasattr(large, "unless"), large.rest) == (3, False, 4)
    assert (small.either, small.unless, small.rest) == (0x0302, 4, 0x0605)


def test_cases_of_one_byte_order_are_one_branch(tmp_path: Path) -> None:
    body = """
seq: [{id: mark, type: u1}, {id: body, type: body}]
types:
  body:
    meta: {endian: {switch-on: _root.mark, cases: {1: le, 2: le, 3: be, 4: be}}}
    seq: [{id: number, type: u2}]
"""
    found = compiled(tmp_path, body)
    assert "in (1, 2)" in text_of(found)
    assert "in (3, 4)" in text_of(found)
    assert [found.made.from_bytes(bytes((mark, 1, 2))).body.number for mark in (1, 2, 3, 4)] == [513, 513, 258, 258]


def test_a_type_and_an_enum_of_one_name(tmp_path: Path) -> None:
    body = """
seq: [{id: a, type: flags}]
types: {flags: {seq: [{id: b, type: u1, enum: flags}]}}
enums: {flags: {1: name, 2: value}}
"""
    made: Any = compiled(tmp_path, body).made
    assert made.from_bytes(b"\1").a.b is made.FlagsEnum.name_
    assert made.from_bytes(b"\2").a.b is made.FlagsEnum.value_
    assert made.FlagsEnum.name_.name == "name_"


def test_what_is_absent_equals_nothing(tmp_path: Path) -> None:
    body = """
seq: [{id: a, type: u1}]
instances:
  maybe: {value: a, if: a > 1}
  is_two: {value: maybe == 2}
  is_other: {value: maybe != 2}
  kind: {value: maybe, enum: kinds}
enums: {kinds: {2: two}}
"""
    made: Any = compiled(tmp_path, body).made
    there, absent = made.from_bytes(b"\2"), made.from_bytes(b"\1")
    assert (there.is_two, there.is_other, there.kind) == (True, False, made.Kinds.two)
    assert (absent.is_two, absent.is_other, absent.kind) == (False, True, None)


def test_computed_bytes(tmp_path: Path) -> None:
    body = """
seq: [{id: a, type: u1}]
instances:
  text: {value: '[a + 1, a + 2].as<bytes>.to_s("ASCII")'}
"""
    assert compiled(tmp_path, body).made.from_bytes(b"A").text == "BC"


def test_errors_have_a_place(tmp_path: Path) -> None:
    made: Any = compiled(tmp_path, "seq: [{id: a, type: u2}, {id: magic, contents: AB}]").made
    with pytest.raises(ValidationNotEqualError, match=r"^/seq/1: at pos 4: validation failed") as caught:
        made.from_bytes(b"\0\0XY")
    assert (caught.value.src_path, caught.value.io.pos()) == ("/seq/1", 4)
