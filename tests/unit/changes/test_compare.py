"""The effect of a change of a spec on readers: one edit each, and its lines."""

from pathlib import Path

import pytest
from wireloom.codegen.changes.change import Severity, severity_of
from wireloom.codegen.changes.compare import compare
from wireloom.codegen.model.load import load
from wireloom.codegen.tree import Spec

ROOT = Path(__file__).parents[3]

SPEC = """
meta:
  id: log
  endian: le
  -wireloom:
    rows: events
    columns: [kind, at, note]
    selectable: [len, crc, level]
    path: "{site}/{day}.log"
    max-record: 1000
    options: {stride: {padding: {plain: 0, wide: 4}, default: plain}}
seq:
  - {id: version, type: u1, valid: 1}
  - {id: events, type: event, repeat: eos}
types:
  event:
    doc: One thing.
    seq:
      - {id: len, type: u2, valid: {min: 10, max: 500}}
      - {id: crc, type: u4, -wireloom: {checksum: {algorithm: crc32, over: [kind, note]}}}
      - {id: kind, type: u1, enum: kinds, -wireloom: {labels: true}}
      - {id: level, type: u1, valid: {any-of: [1, 2]}}
      - {id: at, type: u8, -wireloom: {timestamp: ms}}
      - {id: note, size: len - 10, type: str, encoding: UTF-8}
enums:
  kinds: {1: opened, 2: closed}
"""


def spec(text: str) -> Spec:
    return load("log.ksy", text=text)


def lines(old: str, new: str) -> list[str]:
    """Return all changes except those that follow from a column being added or removed."""
    return [f"{each.severity.name.lower()} {each.area} {each}" for each in compare(spec(old), spec(new))]


def edited(*pairs: tuple[str, str]) -> list[str]:
    new = SPEC
    for old, by in pairs:
        assert new.count(old) == 1, old
        new = new.replace(old, by)
    return lines(SPEC, new)


OPTION = """
meta:
  id: log
  -wireloom: {rows: events, options: {unit: {variable: unit, values: {second: 1, hour: 3600}}}}
seq: [{id: events, type: event, repeat: eos}]
instances:
  unit: {value: 1, -wireloom: {variable: true}}
  other: {value: 1, -wireloom: {variable: true}}
types:
  event: {seq: [{id: at, type: u1}]}
"""
EDITS = [
    ("hour: 3600", "hour: 60", "breaking settings option unit: the number of hour changed: 3600 → 60"),
    ("second: 1, ", "", "breaking settings option unit: the value second was removed"),
    ("variable: unit", "variable: other", "breaking settings option unit: what it sets changed"),
    ("second: 1, hour: 3600", "hour: 3600, second: 1", None),
    (
        ", options: {unit: {variable: unit, values: {second: 1, hour: 3600}}}",
        "",
        "breaking settings option unit: was removed",
    ),
]


@pytest.mark.parametrize(("old", "new", "line"), EDITS)
def test_an_option_of_a_variable(old: str, new: str, line: str | None) -> None:
    assert lines(OPTION, OPTION.replace(old, new)) == ([] if line is None else [line])
    if line is not None and "removed" in line and "options" in old:
        assert lines(OPTION.replace(old, new), OPTION) == [
            "compatible settings option unit: was added; its default is auto"
        ]


def test_a_spec_and_itself_have_no_differences() -> None:
    assert edited() == []
    assert edited(("meta:\n", "# a comment\nmeta:\n")) == []


def test_bytes_after_the_attributes() -> None:
    sized = SPEC.replace("type: event,", "type: event, size: 99,")
    refused = sized.replace("doc: One thing.\n", "doc: One thing.\n    -wireloom: {trailing-bytes: refuse}\n")
    assert lines(sized, refused) == ["breaking checks event: bytes after its attributes are now refused"]
    assert lines(refused, sized) == ["compatible checks event: bytes after its attributes are now skipped"]


def test_words_are_harmless() -> None:
    assert edited(("One thing.", "Something.")) == ["harmless words event: its documentation changed"]


ONE_LINE = [
    # columns
    ("[kind, at, note]\n", "[kind, at]\n", "breaking columns note: this column was removed (utf8)"),
    ("[len, crc, level]", "[len, crc]", "breaking columns level: this column was removed (uint8)"),
    ("[kind, at, note]\n", "[at, kind, note]\n", "compatible columns columns: their order changed: "),
    ("timestamp: ms", "timestamp: us", "breaking columns at: this column's type: timestamp[ms, UTC] → timestamp[us"),
    (
        "timestamp: ms",
        "timestamp: {unit: ms, absent: 0}",
        "breaking columns at: the numbers of no time in this column: none → 0",
    ),
    (", -wireloom: {labels: true}", "", "breaking columns kind: this column's type: dictionary[utf8] → "),
    ("{1: opened, 2: closed}", "{1: opened, 2: shut}", "breaking columns kinds: 2 was renamed: closed → shut"),
    ("{1: opened, 2: closed}", "{1: opened}", "breaking columns kinds: 2 (closed) no longer has a name"),
    ("{1: opened, 2: closed}", "{1: opened, 2: closed, 3: hid}", "compatible columns kinds: 3 now has a name: hid"),
    # wire
    ("{id: at, type: u8", "{id: at, type: u8be", "breaking wire event.at: byte order: little-endian → big-endian"),
    ("len - 10", "len - 11", "breaking wire event.note: size: len - 10 → len - 11"),
    ("UTF-8", "ISO-8859-1", "breaking wire event.note: type: text in UTF-8 → text in ISO-8859-1"),
    ("{id: level, type: u1,", "{id: level, type: s1,", "breaking wire event.level: type: u1 → s1"),
    ("{id: version, type: u1, valid: 1}", "{id: version, contents: [1]}", "breaking wire version: contents: none → 01"),
    # checks
    ("min: 10", "min: 9", "compatible checks event.len: valid: from 10 to 500 → from 9 to 500: more values are accept"),
    (
        "min: 10",
        "min: 11",
        "breaking checks event.len: valid: from 10 to 500 → from 11 to 500: previously valid values ",
    ),
    ("min: 10, max: 500", "min: 9, max: 400", "breaking checks event.len: valid: from 10 to 500 → from 9 to 400: "),
    ("any-of: [1, 2]", "any-of: [1, 2, 3]", "compatible checks event.level: valid: one of 1, 2 → one of 1, 2, 3: more"),
    ("any-of: [1, 2]", "min: 1, max: 2", "compatible checks event.level: "),
    ("any-of: [1, 2]", "any-of: [2]", "breaking checks event.level: "),
    (
        "any-of: [1, 2]",
        "expr: _ < 3",
        "breaking checks event.level: valid: one of 1, 2 → where _ < 3: previously valid values ",
    ),
    (", valid: {any-of: [1, 2]}", "", "compatible checks event.level: valid: one of 1, 2 → anything: more values are"),
    (
        "over: [kind, note]}",
        "over: [kind, note], stored: _ + 1}",
        "breaking checks event.crc: checksum: crc32 over kind…note → crc32 over kind…note, stored",
    ),
    (
        "max: 500}}",
        "max: 500}, -wireloom: {size-of: [crc, note]}}",
        "breaking checks event.len: is now the size of crc…note, and is compared",
    ),
    ("algorithm: crc32,", "algorithm: crc32c,", "breaking checks event.crc: checksum: crc32 over kind…note → crc32c"),
    # settings
    ("max-record: 1000", "max-record: 2000", "compatible settings max-record: 1000 → 2000: larger rows"),
    ("max-record: 1000", "max-record: 500", "breaking settings max-record: 1000 → 500: previously valid rows may be"),
    (
        "max-record: 1000",
        "max-record: 1000\n    nonempty: true",
        "breaking settings nonempty: an input without bytes is now",
    ),
    ("max-record: 1000", "max-record: 1000\n    codec: zstd", "compatible settings codec: none → zstd"),
    ("default: plain", "default: wide", "breaking settings option stride: its default: plain → wide"),
    ("wide: 4", "wide: 5", "breaking settings option stride: the unused bytes of wide changed: 4 → 5"),
    ("wide: 4", "wide: 4, huge: 8", "compatible settings option stride: the value huge was added"),
    ("id: log", "id: logs", "breaking settings id: the format was renamed: log → logs"),
]


@pytest.mark.parametrize(("old", "new", "expected"), ONE_LINE, ids=[each[2][:60] for each in ONE_LINE])
def test_one_edit(old: str, new: str, expected: str) -> None:
    found = edited((old, new))
    assert [line for line in found if line.startswith(expected)], found
    # What follows from it has no more weight.
    assert found[0].split()[0] == expected.split()[0]
    assert len(found) <= 3


def test_a_field_that_came() -> None:
    field = "      - {id: room, type: u2}\n"
    found = edited(("      - {id: note", f"{field}      - {{id: note"))
    assert found == ["breaking wire event.room: was added (u2le); older files do not contain it"]


def test_a_field_that_went() -> None:
    found = edited(("      - {id: level, type: u1, valid: {any-of: [1, 2]}}\n", ""), (", level]", "]"))
    assert found == [
        "breaking columns level: this column was removed (uint8)",
        "breaking wire event.level: was removed (u1); the following fields move",
    ]


def test_fields_that_changed_places() -> None:
    level = "      - {id: level, type: u1, valid: {any-of: [1, 2]}}\n"
    found = edited((level, ""), ("      - {id: note", f"{level}      - {{id: note"))
    assert found == ["breaking wire event: the order of its fields changed: len, crc, kind, at, level, note"]


def test_a_field_of_another_name() -> None:
    found = edited(("{id: level, ", "{id: grade, "), (", level]", "]"))
    assert "breaking wire event.level: was renamed to grade; its position is unchanged" in found
    assert not [line for line in found if "was added (" in line and "wire" in line]


def test_a_checksum_that_came_or_went() -> None:
    rule = ", -wireloom: {checksum: {algorithm: crc32, over: [kind, note]}}"
    without = SPEC.replace(rule, "")
    assert [line for line in lines(SPEC, without) if "checks" in line] == [
        "compatible checks event.crc: is no longer a checksum, and is not verified"
    ]
    assert [line for line in lines(without, SPEC) if "checks" in line] == [
        "breaking checks event.crc: is now a checksum: crc32 over kind…note"
    ]


def test_a_table_that_came_or_went() -> None:
    plain = "meta: {id: log, endian: le}\nseq: [{id: events, type: u2, repeat: eos}]\n"
    assert "breaking columns rows: the format is no longer a table" in lines(SPEC, plain)
    assert "compatible columns rows: the format is a table now" in lines(plain, SPEC)


def test_several_tables() -> None:
    tables = """
meta:
  id: log
  -wireloom:
    tables:
      calls:
        rows: calls
        look-ups: {place: {table: sites, key: site, match: id, value: name}}
      errors: {rows: calls, where: code > 3}
      sites: {rows: calls.site_data}
seq:
  - {id: calls, type: call, repeat: eos}
types:
  call: {seq: [{id: code, type: u1}, {id: site, type: u1}, {id: site_data, type: site}]}
  site: {seq: [{id: id, type: u1}, {id: name, type: u1}]}
"""

    def changed(old: str, new: str) -> list[str]:
        assert old in tables
        return lines(tables, tables.replace(old, new))

    assert changed("code > 3", "code > 4") == [
        "breaking columns errors.where: the condition of the rows changed: code > 3 → code > 4"
    ]
    assert changed("errors: {", "mistakes: {") == [
        "breaking settings option table: the value errors was removed",
        "compatible settings option table: the value mistakes was added",
    ]
    assert changed("match: id, value: name", "match: name, value: id") == [
        "breaking columns calls.place: the source of this column changed: name of sites, where id is site → id"
        " of sites, where name is site"
    ]
    first = "      errors: {rows: calls, where: code > 3}\n"
    moved = tables.replace(first, "").replace("    tables:\n", f"    tables:\n{first}")
    assert lines(tables, moved) == ["breaking settings option table: the default changed: calls → errors"]


def test_paths() -> None:
    found = edited(("{site}/{day}.log", "{site}/{hour}.log"))
    assert [line.split(": ")[1] for line in found if "column" in line] == [
        "the column day was removed",
        "the column hour was added",
    ]


def test_types_that_nothing_uses_and_renamed_ones() -> None:
    assert edited(("types:\n", "types:\n  spare: {seq: [{id: a, type: u1}]}\n")) == [
        "compatible wire spare: this type was added"
    ]
    assert edited(("type: event,", "type: happening,"), ("  event:\n", "  happening:\n")) == [
        "compatible wire event: this type and its class were renamed to happening"
    ]


SWITCH = """
meta: {id: s, endian: le}
seq:
  - {id: kind, type: u1}
  - id: body
    size: 4
    type: {switch-on: kind, cases: {1: one, 2: two}}
types:
  one: {seq: [{id: a, type: u1}]}
  two: {seq: [{id: b, type: u2}]}
"""


def test_switches() -> None:
    added = SWITCH.replace("2: two}", "2: two, 3: one}")
    # With a size, what no case names is bytes.
    assert lines(SWITCH, added) == ["breaking wire body: the case 3 was added (one)"]
    one, other = (text.replace("    size: 4\n", "") for text in (SWITCH, added))
    assert lines(one, other) == ["compatible wire body: the case 3 was added (one)"]
    assert "breaking wire body: the case 3 was removed" in lines(added, SWITCH)
    assert lines(SWITCH, SWITCH.replace("type: u2}", "type: u4}")) == ["breaking wire two.b: type: u2le → u4le"]


def test_framing() -> None:
    text = (ROOT / "specs" / "cobs_log.ksy").read_text()
    [line] = lines(text, text.replace("delimiter: [0]", "delimiter: [1]"))
    assert line == "breaking wire records: framing: between 00, cobs → between 01, cobs"


def test_what_a_writer_adds() -> None:
    text = """
meta: {id: log, -wireloom: {rows: records, columns: [kind, size]}}
seq:
  - id: records
    type: record
    repeat: eos
    -wireloom:
      begins-with: [{kind: 1}]
      ends-with: [{kind: 9, size: {for-each: _.kind == 2, total: 1}}]
types: {record: {seq: [{id: kind, type: u1}, {id: size, type: u1, -wireloom: {default: 5}}]}}
"""
    start = "compatible wire "
    assert lines(text, text.replace("default: 5", "default: 6")) == [
        f"{start}record.size: default: 5 → 6: a writer writes other values"
    ]
    assert lines(text, text.replace("[{kind: 1}]", "[{kind: 3}]")) == [
        f"{start}records: begins-with changed: a writer writes other items there"
    ]
    for old, new in (("_.kind == 2", "_.kind == 3"), ("total: 1", "total: _.size"), ("total", "largest")):
        assert lines(text, text.replace(old, new)) == [
            f"{start}records: ends-with changed: a writer writes other items there"
        ]
    assert lines(text, text.replace("      begins-with", "      indexer: a:B\n      begins-with")) == [
        f"{start}records: indexer changed: a writer writes other items between these"
    ]


def test_what_has_no_name_is_not_harmless() -> None:
    from dataclasses import replace

    old = spec(SPEC)
    assert old.root.attributes[1].anonymous is False
    events = replace(old.root.attributes[1], anonymous=True)
    new = replace(old, root=replace(old.root, attributes=(old.root.attributes[0], events)))
    assert severity_of(compare(old, new)) == Severity.BREAKING


COMPARED = ("edgemq_segment", "kafka_log", "otlp_logs")


@pytest.mark.slow
@pytest.mark.parametrize(
    "path",
    # One of frames, one of messages, and one with most of the other constructs.
    [
        pytest.param(path, id=path.stem, marks=[] if path.stem in COMPARED else [pytest.mark.thorough])
        for path in sorted((ROOT / "specs").glob("*.ksy"))
    ],
)
def test_the_formats_in_the_box_are_what_they_are(path: Path) -> None:
    model = load(path)
    assert compare(model, model) == ()
