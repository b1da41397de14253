"""Compatible changes are not reported as breaking, and consequences of another change are not reported again."""

from __future__ import annotations

import pytest

from .test_compare import SPEC, SWITCH, edited, lines

RICH = """
meta: {id: rich, endian: le, -wireloom: {rows: rows, columns: [kind, name, total], selectable: [sum, len]}}
seq:
  - {id: rows, type: row(3), repeat: eos}
types:
  row:
    params: [{id: limit, type: u1}]
    seq:
      - {id: kind, type: u1, enum: kinds}
      - {id: len, type: u2, valid: {max: 100}}
      - {id: sum, type: u4, -wireloom: {checksum: {algorithm: crc32c, over: [name, spare]}}}
      - {id: name, size: len * 1, type: str, encoding: ASCII}
      - {id: spare, size: 4, if: kind == kinds::long}
      - {id: last, type: u1, terminator: 0, size: 4}
      - {id: body, size: limit, type: {switch-on: kind.to_i, cases: {1: one, _: row::two}}}
    instances:
      total: {value: len + 1}
      wide: {value: len * 2}
    types:
      two: {seq: [{id: at, type: u1}]}
  one: {seq: [{id: rest, size: sizeof<row::two>}]}
enums:
  kinds: {1: short, 2: long}
""".replace("{id: last, type: u1, terminator: 0, size: 4}", "{id: last, terminator: 0, size: 4}")


def rich(*pairs: tuple[str, str], start: str = RICH) -> list[str]:
    new = start
    for old, by in pairs:
        assert old in new, old
        new = new.replace(old, by)
    return lines(start, new)


@pytest.mark.slow
def test_text_in_a_larger_encoding() -> None:
    assert rich(("ASCII", "UTF-8")) == [
        "compatible wire row.name: type: text in ASCII → text in UTF-8: the same text, and more values are accepted"
    ]
    assert rich(("ASCII", "UTF-16LE")) == [
        "breaking wire row.name: type: text in ASCII → text in UTF-16LE",
    ]
    assert rich(("ASCII", "Shift_JIS")) == [
        "breaking wire row.name: type: text in ASCII → text in Shift_JIS",
        "compatible columns rows: the engine can no longer read the rows; the object parser reads them, more slowly:"
        ' the engine does not support the encoding Shift_JIS of "name"',
    ]
    [back] = lines(RICH.replace("ASCII", "UTF-8"), RICH)
    assert back.startswith("breaking wire")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("size: len * 1", "size: len * (3 - 2)"),
        ("size: 4, if", "size: 2 + 2, if"),
        ("value: len + 1", "value: len + (0 + 1)"),
        ("valid: {max: 100}", "valid: {max: 99 + 1}"),
        ("valid: {max: 100}", "valid: {min: 0, max: 100}"),
        ("type: row(3)", "type: row(2 + 1)"),
        ("{id: last, ", "{id: last, if: 1 < 2, "),
        ("kinds::long", "rich::kinds::long"),
    ],
)
def test_the_same_written_otherwise(old: str, new: str) -> None:
    assert rich((old, new)) == []


def test_a_type_of_another_name() -> None:
    assert rich(("two", "pair")) == ["compatible wire row::two: this type and its class were renamed to row::pair"]
    switched = SWITCH.replace("one", "first")
    assert lines(SWITCH, switched) == ["compatible wire one: this type and its class were renamed to first"]


def test_a_type_in_the_place_of_another_is_compared_with_it() -> None:
    alike = SWITCH + "  three: {seq: [{id: b, type: u2}]}\n"
    found = lines(alike, alike.replace("2: two", "2: three"))
    assert found == ["compatible wire three: replaces two"]
    found = lines(SWITCH, SWITCH.replace("2: two", "2: one"))
    assert "compatible wire one: replaces two" in found
    assert "breaking wire one.b: was removed (u2le)" in found
    assert not [each for each in found if "the case" in each]


def test_an_enum_of_another_name() -> None:
    assert rich(("kinds", "sorts")) == ["compatible wire kinds: this enum and its class were renamed to sorts"]


def test_a_label_of_another_name_is_said_once() -> None:
    assert rich(("short", "brief"), ("long", "large")) == [
        "breaking columns kinds: 1 was renamed: short → brief",
        "breaking columns kinds: 2 was renamed: long → large",
    ]


def test_names_for_values_that_had_none() -> None:
    plain = RICH.replace(", enum: kinds", "").replace("kind == kinds::long", "kind == 2").replace("kind.to_i", "kind")
    found = lines(plain, RICH)
    assert "compatible wire row.kind: its values now have names, those of kinds" in found
    assert "breaking wire row.kind: its values no longer have names" in lines(RICH, plain)


@pytest.mark.slow
def test_a_terminator_that_may_be_missing() -> None:
    loose = "terminator: 0, eos-error: false"
    assert rich(("terminator: 0", loose)) == [
        "compatible checks row.last: a missing terminator at the end is now accepted"
    ]
    assert lines(RICH.replace("terminator: 0", loose), RICH) == [
        "breaking checks row.last: a missing terminator at the end is now rejected"
    ]
    assert rich(("terminator: 0", "terminator: 1, eos-error: false"))[0].startswith(
        "breaking wire row.last: terminator"
    )


def test_a_renamed_field_is_said_once_whatever_names_it() -> None:
    renamed = rich(("len", "length"))
    assert [each for each in renamed if "columns len:" not in each] == [
        "breaking wire row.len: was renamed to length; its position is unchanged",
        "compatible columns length: this column was added (uint16, only if selected)",
    ]
    assert rich(("spare", "rest_of_it")) == [
        "breaking wire row.spare: was renamed to rest_of_it; its position is unchanged"
    ]
    assert rich(("limit", "most")) == ["compatible wire row.limit: this parameter was renamed to most"]


def test_two_renamed_fields_of_which_one_names_the_other() -> None:
    found = rich(("len", "length"), ("name", "label"))
    assert not [each for each in found if "size:" in each or "checksum" in each or "was added (text" in each]


def test_a_renamed_field_may_be_changed_too() -> None:
    start = RICH.replace(", selectable: [sum, len]", ", selectable: [sum]")
    narrow = ("{id: len, type: u2, valid: {max: 100}}", "{id: length, type: u2, valid: {max: 50}}")
    found = rich(narrow, ("len ", "length "), start=start)
    assert "breaking wire row.len: was renamed to length; its position is unchanged" in found
    assert any(each.startswith("breaking checks row.length: valid: to 100 → to 50") for each in found)


def test_a_field_that_is_given_a_name() -> None:
    plain = RICH.replace("{id: spare, ", "{").replace("over: [name, spare]", "over: name")
    named = plain.replace("{size: 4, if", "{id: spare, size: 4, if")
    found = [each for each in lines(plain, named) if " columns " not in each]
    assert found == ["compatible wire row.spare: now has a name; its position is unchanged"]


def test_computed_values_are_of_columns_unless_the_wire_stands_on_them() -> None:
    assert rich(("value: len + 1", "value: len + 2")) == ["breaking columns row.total: value: len + 1 → len + 2"]
    assert rich(("value: len * 2", "value: len * 3")) == ["breaking columns row.wide: value: len * 2 → len * 3"]
    framing = RICH.replace("size: len * 1", "size: total")
    assert "breaking wire row.total: value: len + 1 → len + 2" in rich(("len + 1", "len + 2"), start=framing)


@pytest.mark.slow
def test_a_computed_value_that_came_or_went_is_said_once() -> None:
    less = RICH.replace("      wide: {value: len * 2}\n", "")
    assert lines(RICH, less) == ["breaking columns row.wide: this instance was removed"]
    assert lines(less, RICH) == ["compatible columns row.wide: this instance was added"]
    less = RICH.replace("      total: {value: len + 1}\n", "").replace(", total]", "]")
    assert lines(RICH, less) == ["breaking columns total: this column was removed (int64)"]
    assert lines(less, RICH) == ["compatible columns total: this column was added (int64)"]


def test_a_computed_value_of_another_name() -> None:
    assert rich(("wide", "broad")) == ["breaking columns row.wide: was renamed to broad; its value is unchanged"]


def test_what_nothing_uses_may_go() -> None:
    spare = SPEC.replace("types:\n", "types:\n  spare: {seq: [{id: a, type: u1}]}\n")
    assert lines(spare, SPEC) == ["compatible wire spare: this type was removed"]
    assert edited(("enums:\n", "enums:\n  more: {1: a}\n")) == ["compatible wire more: this enum was added"]
    assert lines(SPEC.replace("enums:\n", "enums:\n  more: {1: a}\n"), SPEC) == [
        "compatible wire more: this enum was removed"
    ]
