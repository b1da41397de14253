"""What is shown below a diagnostic's first line."""

from __future__ import annotations

import re
from itertools import pairwise

import pytest
from wireloom import SpecError
from wireloom.codegen.model.load import analyse, load
from wireloom.codegen.spec.diagnostic import Diagnostic
from wireloom.codegen.spec.diagnostics import MAX_WIDTH, InvalidSpecError, excerpt, rendered

TEXT = """\
meta:
  id: x
  endian: big
seq:
  - {id: a, tpye: u1}
  - id: b
    size: a + 1 +
"""


def shown(text: str) -> str:
    with pytest.raises(SpecError) as caught:
        load("x.ksy", text, display_name="x.ksy")
    return str(caught.value)


def underlined(text: str) -> list[str]:
    """Return what the carets of each diagnostic underline."""
    lines = shown(text).split("\n")
    found = []
    for above, line in pairwise(lines):
        if carets := re.fullmatch(r" +\| +(\^+)", line):
            found.append(above[carets.start(1) : carets.end(1)])
    return found


def test_the_whole_of_it() -> None:
    assert shown(TEXT).split("\n") == [
        "x.ksy:3:11: error: unable to parse endianness: `le`, `be` or calculated endianness map is expected",
        "  3 |   endian: big",
        "    |           ^^^",
        "    = at /meta/endian",
        "    = 'endian' takes le, be, or a mapping with switch-on and cases. Byte order of integers and floats.",
        "    = see: wireloom reference meta.endian",
        "x.ksy:5:13: error: unknown key 'tpye' in an attribute; did you mean 'type'?",
        "  5 |   - {id: a, tpye: u1}",
        "    |             ^^^^",
        "    = at /seq/0/tpye",
        "    = an attribute takes the keys id, doc, doc-ref, type, contents, size, size-eos, if, repeat, repeat-expr, "
        "repeat-until, terminator, include, consume, eos-error, pad-right, encoding, enum, parent, process and valid.",
        "    = see: wireloom reference attribute",
        "x.ksy:7:18: error: expected a value, found the end of the expression",
        "  7 |     size: a + 1 +",
        "    |                  ^",
        "    = at /seq/1/size",
        "    = 'size' takes an expression. The size in bytes.",
        "    = see: wireloom reference attribute.size",
    ]


@pytest.mark.parametrize(
    ("line", "part"),
    [
        ("{id: b, size: a + nothing * 2}", "nothing"),
        ('{id: b, size: "a + nothing"}', "nothing"),
        ("{id: b, size: 'a * (1.5 + a)'}", "a * (1.5 + a)"),
        ("{id: b, type: nowhere}", "nowhere"),
        ("{id: b, type: u2, -wireloom: {checksum: {algorithm: crc32c, over: a}}}", "{algorithm: crc32c, over: a}"),
        ("{id: b, type: u4, -wireloom: {checksum: {over: a}}}", "{over: a}"),
        ("{id: b, size: 1, terminator: 0x1ff}", "0x1ff"),
        ("{id: b, size: 1, repeat: sometimes}", "sometimes"),
    ],
)
def test_the_place_is_underlined(line: str, part: str) -> None:
    text = f"meta: {{id: x, endian: le}}\nseq:\n  - {{id: a, type: u1}}\n  - {line}\n"
    assert underlined(text) == [part]


def test_a_mapping_over_several_lines_is_underlined_where_it_begins() -> None:
    text = "meta: {id: x}\nseq:\n  - id: b\n    type: u4le\n    -wireloom:\n      checksum:\n        over: b\n"
    assert underlined(text) == ["over"]
    (found,) = analyse("x.ksy", text).diagnostics
    assert found.reference.endswith(" field-extensions.checksum")


def test_a_problem_of_a_whole_mapping_is_not_explained_by_its_first_key() -> None:
    text = (
        "meta: {id: x}\nseq:\n  - {id: a, type: u1}\n  - id: b\n    type: u2le\n    -wireloom:\n      checksum:\n"
        "        algorithm: crc32c\n        over: a\n"
    )
    (found,) = analyse("x.ksy", text).diagnostics
    assert found.reference.endswith(" field-extensions.checksum")


@pytest.mark.parametrize("text", ["meta: [", "meta: {id: x}\nseq: \x01\n", "meta: {id: x}\n--- \n{}\n", "", "a: *b"])
def test_broken_yaml_is_shown_too(text: str) -> None:
    first, *more = shown(text).split("\n")
    assert first.startswith("x.ksy:")
    assert all(line.startswith("  ") for line in more)


def test_hostile_lines_stay_one_line() -> None:
    shows = shown('meta: {id: x, "a\\e[31m": 1, b\u202e: \u0085 2}\nseq: []\n')
    assert all(line.isprintable() for line in shows.split("\n"))
    assert "\x1b" not in shows


def test_wide_and_combining_characters_and_tabs_keep_the_place() -> None:
    assert excerpt("\tsize: 名前", 8, 10) == ("    size: 名前", 10, 4)
    assert excerpt("e\u0301: x", 5, 6) == ("e\u0301: x", 3, 1)
    assert excerpt("short", 9, 9) == ("short", 5, 1)


def test_of_a_long_line_the_part_around_the_place_is_shown() -> None:
    text, indent, width = excerpt("a" * 500 + "wrong" + "b" * 500, 501, 506)
    assert len(text) == MAX_WIDTH + 2
    assert (text[0], text[-1], text[indent : indent + width]) == ("…", "…", "wrong")


def test_colours_only_where_they_are_asked_for() -> None:
    found = Diagnostic("a.ksy", 1, 1, "error", "no", 2, "x", "help", "page")
    plain, coloured = rendered(found), rendered(found, colour=True)
    assert "\x1b" not in plain
    assert re.sub(r"\x1b\[[0-9;]*m", "", coloured) == plain
    with pytest.raises(InvalidSpecError) as caught:
        load("x.ksy", TEXT)
    assert "\x1b[1;31m^^^\x1b[0m" in caught.value.rendered(colour=True)
