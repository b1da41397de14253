"""Completion in text that need not be valid YAML yet."""

import pytest
from wireloom.codegen.spec.completion import completions, entry_at
from wireloom.codegen.spec.lookup import lookup


@pytest.mark.parametrize(
    ("text", "offered", "not_offered"),
    [
        ("", "meta", "repeat"),
        ("meta:\n  id: a\n  en", "endian", "seq"),
        ("meta:\n  endian: ", "be", "u4"),
        ("seq:\n  - id: a\n    re", "repeat", "meta"),
        ("seq:\n- id: a\n  re", "repeat", "meta"),
        ("seq:\n- {id: a, ty", "type", "types"),
        ("seq:\n- {id: a, type: ", "u4", "type"),
        ("meta: {id: x, -wireloom: {ro", "rows", "endian"),
        ("seq:\n  - id: a\n    -wireloom:\n      checksum:\n        alg", "algorithm", "over"),
        ("seq:\n  - id: len\n    type: u4\n  - id: body\n    size: l", "len", "le"),
        ("types:\n  foo:\n    seq:\n      - id: x\n        type: f", "foo", "u4"),
        ("types:\n  foo: {}\n  bar:\n    seq:\n      - id: x\n        type: ", "bar", "id"),
        ("enums:\n  colours:\n    1:\n      d", "doc", "members"),
        ("enums:\n  colours:\n    1: red\nseq:\n  - id: a\n    enum: ", "colours", "red"),
    ],
)
def test_what_is_offered(text: str, offered: str, not_offered: str) -> None:
    found = completions(text, len(text))
    labels = [each["label"] for each in found["options"]]
    assert offered in labels
    assert not_offered not in labels


def test_places_count_as_browsers_count() -> None:
    text = "doc: 🙂\nmeta:\n  en"
    found = completions(text, len(text) + 1)
    assert found["from"] == len(text) + 1 - 2
    assert "endian" in [each["label"] for each in found["options"]]


def test_comments_are_left_alone() -> None:
    assert completions("meta:\n  # en", 12)["options"] == []


SPEC = """\
meta:
  id: log
  endian: le
  imports: [common]  # endian
  -wireloom: {rows: readings}
seq:
  - {id: readings, type: reading, repeat: eos}
types:
  reading:
    doc: |
      The size of a reading.
    seq:
      - id: value
        type: f4
        wrong: 1
    -wireloom:
      fields: {}
enums:
  colours:
    1: red
    2: {id: blue, doc: Like the sky.}
"""


@pytest.mark.parametrize(
    ("before", "name", "word"),
    [
        ("  end", "meta.endian", "endian"),
        ("endian: l", "meta.endian", "le"),
        ("imports: [com", "meta.imports", "common"),
        ("  -wire", "meta-extensions", "-wireloom"),
        ("{ro", "meta-extensions.rows", "rows"),
        ("{rows: read", "meta-extensions.rows", "readings"),
        ("type: rea", "attribute.type", "reading"),
        ("{id: readings, type: reading, rep", "attribute.repeat", "repeat"),
        ("types:\n  rea", "spec.types", "reading"),
        ("The si", "type.doc", "size"),
        ("type: f", "attribute.type", "f4"),
        ("\n        wr", None, None),
        ("# en", None, None),
        ("colours:\n    1: re", "spec.enums", "red"),
        ("2: {id: bl", "enum-member.id", "blue"),
        ("doc: Like", "enum-member.doc", "Like"),
    ],
)
def test_the_entry_about_a_position(before: str, name: str | None, word: str | None) -> None:
    found = entry_at(SPEC, SPEC.index(before) + len(before))
    assert found is None if name is None else found is not None
    if found is not None:
        assert (found[0], SPEC[found[1] : found[2]]) == (name, word)
        assert lookup(found[0])
