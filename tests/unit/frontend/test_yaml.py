"""YAML: nodes, positions, and what is refused before keys are examined."""

from pathlib import Path

import pytest
from wireloom.codegen.model.load import analyse
from wireloom.codegen.spec import reader
from wireloom.codegen.spec.diagnostics import Diagnostics
from wireloom.codegen.spec.reader import MAX_DEPTH, read_yaml
from wireloom.codegen.spec.tree import Mapping, Scalar, Sequence, YamlNode


def read(text: str) -> YamlNode:
    diagnostics = Diagnostics()
    node = read_yaml(text, "x.ksy", diagnostics)
    assert diagnostics.found == []
    assert node is not None
    return node


def refusal(text: str) -> str:
    diagnostics = Diagnostics()
    assert read_yaml(text, "x.ksy", diagnostics) is None
    (only,) = diagnostics.found
    return str(only)


def scalar(text: str) -> Scalar:
    node = read(text)
    assert isinstance(node, Mapping)
    value = node.entries[0][1]
    assert isinstance(value, Scalar)
    return value


def test_nodes_know_their_places() -> None:
    node = read("a:\n  - x\n  - {k: v}\n")
    assert isinstance(node, Mapping)
    key, items = node.entries[0]
    assert (key.text, key.position.line, key.position.column) == ("a", 1, 1)
    assert isinstance(items, Sequence)
    assert [(each.position.line, each.position.column) for each in items.items] == [(2, 5), (3, 5)]


@pytest.mark.parametrize(
    ("text", "offset", "place"),
    [
        ("a: one + two", 6, (1, 10)),
        ("a: 'one + two'", 6, (1, 11)),
        ("a: '''x'' + two'", 6, (1, 13)),
        ('a: "one + two"', 6, (1, 11)),
        (r'a: "\"x\" + two"', 6, (1, 13)),
        (r'a: "\x41\u0042 + two"', 5, (1, 18)),
        ("a: |\n  one + two\n", 6, (1, 4)),
        ("a: >-\n  one\n  + two\n", 4, (1, 4)),
        ("a: one\n  + two\n", 4, (1, 4)),
    ],
)
def test_places_inside_scalars(text: str, offset: int, place: tuple[int, int]) -> None:
    found = scalar(text).place(offset)
    assert (found.line, found.column) == place


def test_tags_that_a_spec_may_use() -> None:
    assert scalar("a: !!str 12").value == "12"
    assert scalar("a: !!int '12'").value == 12
    assert scalar("a: ! 12").text == "12"


def test_aliases_are_the_same_nodes() -> None:
    node = read("a: &one [1]\nb: *one\n")
    assert isinstance(node, Mapping)
    assert node.entries[0][1] is node.entries[1][1]


def merged(text: str) -> dict[str, object]:
    """Return the last entry's mapping, as texts."""
    node = read(text)
    assert isinstance(node, Mapping)
    last = node.entries[-1][1]
    assert isinstance(last, Mapping)
    return {key.text: value.value for key, value in last.entries if isinstance(value, Scalar)}


def test_merged_mappings() -> None:
    assert merged("a: &a {x: 1, y: 2}\nb: {<<: *a, y: 3, z: 4}\n") == {"y": 3, "z": 4, "x": 1}
    assert merged("a: &a {x: 1}\nb: &b {x: 2, y: 2}\nc: {<<: [*a, *b]}\n") == {"x": 1, "y": 2}
    assert merged("a: {'<<': text}\n") == {"<<": "text"}


@pytest.mark.parametrize(
    "text", ["a:\tb\tc", "a: \tb\tc\t# d", "a: b\tc\n\t\n", "\t# d\na: b\tc\t\n \n", "{a:\tb\tc\t}\t"]
)
def test_tabs_between_words_and_tokens(text: str) -> None:
    assert scalar(text).value == "b\tc"


@pytest.mark.parametrize(("text", "line"), [("a:\n\t- b", 2), ("\ta: b", 1), ("a: {\n  \tb: c}\nd: 1\n\te: 2", 2)])
def test_tabs_in_an_indentation(text: str, line: int) -> None:
    diagnostics = Diagnostics()
    assert read_yaml(text, "x.ksy", diagnostics) is None
    (only,) = diagnostics.found
    assert only.line == line
    assert only.help == "YAML does not allow tabs for indentation: use spaces"


def test_an_expression_with_a_colon_and_a_space_stands_in_quotes() -> None:
    diagnostics = Diagnostics()
    assert read_yaml("a:\n  - b: c == 0 ? 1 : 2\n", "x.ksy", diagnostics) is None
    (only,) = diagnostics.found
    assert (only.line, only.help) == (2, "text that contains a colon and a space, such as '? :', must be quoted")


def test_byte_order_mark_and_line_ends() -> None:
    text = "meta:\r\n  id: x\r\nseq: [{id: a, type: u1}]\r\n"
    assert analyse("x.ksy", "\ufeff" + text).diagnostics == ()
    (found,) = analyse("x.ksy", text.replace("u1", "u9")).diagnostics
    assert (found.line, found.column, found.source) == (3, 21, "seq: [{id: a, type: u9}]")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a: {<<: 1}", "x.ksy:1:9: error: the key '<<' requires mappings, found the number 1"),
        ("", "x.ksy:1:1: error: the file is empty: expected a mapping with the key 'meta'"),
        ("# only a comment\n", "x.ksy:1:1: error: the file is empty: expected a mapping with the key 'meta'"),
        ("a: 1\nb: 2\na: 3\n", "x.ksy:3:1: error: found duplicate key a"),
        ("a: {x: 1, x: 2}", "x.ksy:1:11: error: found duplicate key x"),
        (
            "a: 1\n---\nb: 2\n",
            "x.ksy:2:1: error: a spec file must contain a single YAML document, but this is a second one",
        ),
        ("? [a]\n: 1\n", "x.ksy:1:3: error: a key must be a single value, found a list"),
        ("a: &x 1\n*x : 2\n", "x.ksy:2:1: error: a key cannot be an alias: write it out"),
        ("a: &a [*a]", "x.ksy:1:8: error: the alias *a is inside the value that it refers to: remove it"),
        ("a: *b", "x.ksy:1:4: error: unknown alias *b: no value before it has the anchor &b"),
        ("a: !!timestamp 1", "x.ksy:1:4: error: unknown YAML tag 'tag:yaml.org,2002:timestamp'"),
        ("a: !!int x", "x.ksy:1:4: error: 'x' does not match its YAML tag"),
        ("a: !mine [1]", "x.ksy:1:4: error: unknown YAML tag '!mine'"),
        ('a: "\\ud800"', "x.ksy:1:4: error: an unpaired surrogate is not a valid character"),
        (
            "a: b\0c",
            "x.ksy:1:5: error: the character U+0000 is not allowed in YAML: remove or escape it",
        ),
        ("a: b: c", "x.ksy:1:5: error: mapping values are not allowed here"),
        ("[" * (MAX_DEPTH + 1), f"x.ksy:1:{MAX_DEPTH + 1}: error: nested too deeply: more than {MAX_DEPTH} levels"),
    ],
)
def test_refused(text: str, message: str) -> None:
    assert refusal(text) == message


def test_a_small_file_that_stands_for_a_huge_one() -> None:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 12)]
    assert "too large" in refusal("\n".join(lines))


def test_impossible_numbers_in_yaml_itself() -> None:
    assert "YAML" in refusal("%YAML " + "9" * 5000 + ".1\n---\na: 1\n")
    assert "YAML" in refusal('a: "\\UFFFFFFFF"')


def placed(node):
    """Return a tree with the places of its nodes."""
    place = (node.position.line, node.position.column, node.position.width, node.position.source)
    match node:
        case Mapping(entries=entries):
            return (place, [(placed(key), placed(value)) for key, value in entries])
        case Sequence(items=items):
            return (place, [placed(each) for each in items])
    return (place, node.text, node.value, node.style, node.source)


@pytest.mark.parametrize(
    "path", sorted((Path(__file__).parents[3] / "specs").glob("*.ksy")), ids=lambda path: path.stem
)
def test_libyaml_reads_what_the_other_parser_reads(path, monkeypatch):
    text = path.read_text()
    monkeypatch.setattr(reader.yaml, "__with_libyaml__", False)
    slow = placed(read_yaml(text, "x.ksy", Diagnostics()))
    monkeypatch.setattr(reader.yaml, "__with_libyaml__", True)
    monkeypatch.setattr(reader, "_Loader", None)
    assert placed(read_yaml(text, "x.ksy", Diagnostics())) == slow


def test_mistakes_have_the_same_words_with_libyaml(monkeypatch):
    found = []
    for with_libyaml in (False, True):
        monkeypatch.setattr(reader.yaml, "__with_libyaml__", with_libyaml)
        diagnostics = Diagnostics()
        assert read_yaml("meta:\n  id: x\n a: [\n", "x.ksy", diagnostics) is None
        found.append(diagnostics.found)
    assert found[0] == found[1]
    assert found[0]
