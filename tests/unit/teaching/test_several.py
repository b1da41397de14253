"""Mistakes of different kinds in one run, each reported once, without those that only follow from another."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from wireloom.codegen.model.load import analyse
from wireloom.codegen.spec.diagnostics import Diagnostics
from wireloom.codegen.spec.reader import read_yaml
from wireloom.codegen.spec.tree import Mapping, Scalar, Sequence, YamlNode

from ...examples import strided

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[3]
SPECS = [
    *(ROOT / "specs" / f"{name}.ksy" for name in ("edgemq_segment", "word_stuffed_log", "cobs_log")),
    *(ROOT / "specs" / f"{name}.ksy" for name in ("kpl_aggregated_record", "s2_messages")),
    ROOT / "tests" / "unit" / "reading" / "specs" / "journal.ksy",
]

SPEC = """
meta:
  id: demo
  endian: le
  encoding: UTF-8
  -wireloom: {rows: rows, columns: [len, kind, colour, payload, total], path: "{day}.bin"}
seq:
  - {id: version, type: u2, valid: {min: 1, max: 3}}
  - {id: rows, type: row(version), repeat: eos}
types:
  row:
    params:
      - {id: of, type: u2}
    seq:
      - {id: len, type: u4}
      - {id: kind, type: u1}
      - {id: colour, type: u1, enum: colours, valid: colours::red}
      - {id: crc, type: u4, -wireloom: {checksum: {algorithm: crc32c, over: [payload, tail]}}}
      - {id: payload, size: len - 4, if: colour == colours::red}
      - {id: tail, type: {switch-on: kind, cases: {1: point, 2: u4, _: end(_root.version)}}, size: sizeof<point>}
    instances:
      total: {value: len + crc}
      first: {value: _parent.version}
  point:
    seq: [{id: x, type: f4}, {id: y, type: f4}]
  end:
    params: [{id: version, type: u2}]
    seq: [{id: text, type: strz, if: version > 1}, {id: rest, size-eos: true}]
enums:
  colours: {1: red, 2: {id: blue, doc: As the sky}}
"""


def errors(text: str) -> list[str]:
    found = analyse("demo.ksy", text, display_name="demo.ksy").diagnostics
    return [f"{each.line}:{each.column}: {each.message}" for each in found if each.severity == "error"]


def test_the_spec_itself_is_fine() -> None:
    assert errors(SPEC) == []


def test_an_unknown_key_a_wrong_type_and_a_wrong_column_are_said_together() -> None:
    text = SPEC.replace("{id: len, type: u4}", "{id: len, typ: u4}")
    text = text.replace("{id: kind, type: u1}", "{id: kind, type: uint8}").replace(
        "colour, payload,", "color, payload,"
    )
    assert errors(text) == [
        "6:48: demo::row with its enclosing objects has no attribute or instance 'color'; did you mean 'colour'?",
        "15:19: unknown key 'typ' in an attribute; did you mean 'type'?",
        "16:26: unable to find type 'uint8', searching from demo::row; did you mean 'u1'?",
    ]


def test_a_wrong_type_beside_an_unknown_key_of_the_same_attribute() -> None:
    text = SPEC.replace("{id: kind, type: u1}", "{id: kind, type: u9, docs: x}")
    assert [each.partition(";")[0] for each in errors(text)] == [
        "16:26: unable to find type 'u9', searching from demo::row",
        "16:30: unknown key 'docs' in an attribute",
    ]


def test_a_column_may_be_wrong_although_other_expressions_are() -> None:
    text = SPEC.replace("size: len - 4", "size: lenn - 4").replace("total]", "totall]")
    assert [each.partition(" ")[0] for each in errors(text)] == ["6:65:", "19:29:"]


def test_a_parameter_is_no_column_and_its_error_is_not_lost() -> None:
    assert errors(SPEC.replace("[len, kind", "[of, kind")) == [
        "6:37: demo::row with its enclosing objects has no attribute or instance 'of'; it is a parameter: add a value"
        " instance of another name, '{value: of}'"
    ]


def test_types_of_an_import_that_is_not_there() -> None:
    text = SPEC.replace("  endian: le", "  imports: [other]\n  endian: le").replace("type: row(version)", "type: other")
    assert errors(text) == ["4:13: cannot find the import 'other.ksy' beside this file"]
    assert errors(text.replace("kind, type: u1", "kind, type: uint8"))[1:] == [
        "17:26: unable to find type 'uint8', searching from demo::row; did you mean 'u1'?"
    ]


def test_an_import_with_errors_does_not_hide_those_of_the_importing_spec(tmp_path: Path) -> None:
    (tmp_path / "other.ksy").write_text("meta: {id: other}\nseq: [{id: a, typ: u1}]\n")
    path = tmp_path / "demo.ksy"
    path.write_text("meta: {id: demo, imports: [other]}\nseq: [{id: a, type: other}, {id: b, type: u3}]\n")
    found = [each.message.partition(";")[0] for each in analyse(path).diagnostics]
    assert found == ["unable to find type 'u3', searching from demo", "unknown key 'typ' in an attribute"]


def test_an_id_that_is_none_does_not_hide_other_errors() -> None:
    text = SPEC.replace("id: demo", "id: Demo").replace("kind, type: u1", "kind, type: u3")
    assert [each.partition(" ")[0] for each in errors(text)] == ["3:7:", "16:26:"]


def scalars(node: YamlNode) -> Iterator[tuple[Scalar, bool]]:
    """Yield all scalars, and whether each is a key."""
    if isinstance(node, Mapping):
        for key, value in node.entries:
            yield key, True
            yield from scalars(value)
    elif isinstance(node, Sequence):
        for each in node.items:
            yield from scalars(each)
    else:
        yield node, False


def spoilt(text: str, keys: bool, replacement: str) -> Iterator[tuple[str, int, int]]:
    """Yield the spec with one key or value after the other replaced (``{}`` is the original), and its position."""
    root = read_yaml(text, "demo.ksy", Diagnostics())
    assert root is not None
    lines = text.split("\n")
    for scalar, is_key in scalars(root):
        place = scalar.position
        if is_key != keys or scalar.style in ("|", ">"):
            continue
        line = lines[place.line - 1]
        begin, end = place.column - 1, place.column - 1 + place.width
        changed = line[:begin] + replacement.replace("{}", line[begin:end]) + line[end:]
        yield "\n".join([*lines[: place.line - 1], changed, *lines[place.line :]]), place.line, place.column


@pytest.mark.parametrize("text", [SPEC, *(path.read_text() for path in SPECS)])
@pytest.mark.parametrize(("keys", "replacement"), [(True, "x{}"), (False, "[[7]]"), (False, "'1 + '"), (False, "~")])
def test_one_mistake_is_one_error(text: str, keys: bool, replacement: str) -> None:
    tried = 0
    places = list(spoilt(text, keys, replacement))
    for changed, line, column in (places[each] for each in strided(range(len(places)), len(places) // 14)):
        found = errors(changed)
        here = [each for each in found if each.startswith(f"{line}:")]
        if not here or any(": unable to access" in each or ": unable to find type" in each for each in found):
            # No mistake, or a valid name in the place of another, whose every use is one now.
            continue
        assert found == here[:1], (changed.split("\n")[line - 1], column)
        tried += bool(found)
    assert tried > 5
