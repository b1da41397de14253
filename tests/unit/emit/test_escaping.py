"""Whatever the texts of a spec and its file name contain, generated files have the same code as those of a plain
spec."""

from __future__ import annotations

import ast
import builtins
import json
import os
import re
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

import pytest
import wireloom
import yaml
from click.testing import CliRunner
from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token
from wireloom.base.text import markup
from wireloom.codegen.backends.base import Target
from wireloom.codegen.backends.escaping import markdown, markdown_code, python_comment, python_docstring, xml_comment
from wireloom.codegen.backends.python.names import Api
from wireloom.codegen.emit import generate, render
from wireloom.codegen.kaitai.generate import modules
from wireloom.codegen.loading import load_format
from wireloom.codegen.model.load import load_all
from wireloom.codegen.passes import with_facts
from wireloom.codegen.protobuf.importing import import_proto
from wireloom.codegen.spec.kinds import Kind, ListKind, TextKind
from wireloom.codegen.spec.tables import TABLES
from wireloom.command import main

from ...differential.pairs.keys import keys_in

PLAIN = "plain"
RUN = "import builtins; builtins.pwned = True"
NAMES = [
    f"a\n{RUN}\n#.ksy".encode(),
    f"a\r{RUN}\r#.ksy".encode(),
    f"a\x0c{RUN}\x0c\\\n#.ksy".encode(),
    f"a\u2028{RUN}#.ksy".encode(),
    b"\xff\xfe.ksy",
    b"a\x1b[31m.ksy",
    b"a--->.ksy",
    b'a""".ksy',
    "ä\u202e.ksy".encode(),
]
TEXTS = [
    '"""\n' + RUN + '\n"""',
    f"x\n{RUN}\n",
    f"x\r{RUN}\r",
    f"\\\n{RUN}",
    "ends with \\",
    "<script>alert(1)</script>",
    "\\<script>alert(1)</script>",
    "`code\n` <script>alert(1)</script> `",
    "`a|b` <script>alert(1)</script>",
    "[here](javascript:alert(1)) ![there](https://example.com/a.png)\n\n[x]: javascript:alert(1)\n\n[x]",
    "<javascript:alert(1)>",
    "--> <script>alert(1)</script>",
    "]]></title></svg><script>alert(1)</script>",
    "\x1b[2J\x00\x07\x85\u2028\ud7ff\ufffe",
    '"); import os; os.system("true") #',
    "bin; touch pwned",
    "'''\n```\n",
]
SPEC = """
meta:
  id: readings
  title: TEXT
  license: TEXT
  endian: le
  file-extension: TEXT
  -wireloom:
    rows: readings
    advice: TEXT
    options:
      stride: {default: auto, doc: TEXT, padding: {layout: 0, rules: 3}}
      unit: {variable: unit, values: {second: 1}, doc: TEXT}
doc: TEXT
doc-ref: [TEXT, TEXT]
seq:
  - {id: readings, type: reading, repeat: eos, doc: TEXT, doc-ref: TEXT}
instances:
  unit: {value: 0, -wireloom: {variable: true}, doc: TEXT}
types:
  reading:
    doc: TEXT
    doc-ref: TEXT
    seq:
      - {id: len, type: u1, doc: TEXT}
      - {id: kind, type: u1, enum: kind, doc: TEXT, doc-ref: TEXT}
      - {id: note, size: SIZE, type: str, encoding: ASCII, doc: TEXT}
    instances:
      words: {value: WORDS, doc: TEXT, doc-ref: TEXT}
  limit:
    params: [{id: least, type: u1, doc: TEXT, doc-ref: TEXT}]
enums:
  kind: {1: {id: one, doc: TEXT, doc-ref: TEXT}}
"""


ELSEWHERE = {
    **{("enum-member", key): "in the spec too, in which enums are values of any kind" for key in ("doc", "doc-ref")},
    ("meta", "imports"): "names of files, which are found or refused",
    ("meta-extensions", "path"): "a pattern, which is checked",
    ("meta-extensions", "xor-key-file"): "the name of a file, which is checked, and a literal in Python",
    **{("type-meta", key): "as in meta" for key in ("title", "license", "file-extension", "imports")},
    ("table", "doc"): "the text of the module of a table, as that of a spec",
    ("message-field", "doc"): "as that of an attribute",
    ("message-field", "doc-ref"): "as that of an attribute",
}
"""Keys that take text and are not in the spec, and why."""


def test_each_key_that_takes_text_has_one() -> None:
    taken = {(name, key) for name, table in TABLES.items() for key, each in table.keys.items() if is_text(each.kind)}
    assert taken - keys_in(yaml.safe_load(SPEC)) == ELSEWHERE.keys()


def is_text(kind: Kind) -> bool:
    """Return whether a key of a kind takes any text, or a list of texts."""
    item = kind.item if isinstance(kind, ListKind) else kind
    return isinstance(item, TextKind) and item == TextKind(empty=item.empty)


@pytest.fixture(autouse=True)
def _nothing_was_run() -> Iterator[None]:
    yield
    assert not hasattr(builtins, "pwned")


def spec_with(folder: Path, text: str) -> Path:
    path = folder / "readings.ksy"
    literal = json.dumps(text)
    given = {"WORDS": json.dumps(literal), "SIZE": json.dumps(f"len - 1 - {literal}.length * 0"), "TEXT": literal}
    path.write_text(re.sub("[A-Z]{4,}", lambda found: given.get(found[0], found[0]), SPEC), encoding="utf-8")
    return path


def code_of(files: dict[str, str]) -> dict[str, str]:
    """Return the syntax trees of modules, without their texts and the numbers of their characters."""
    return {path: shape(text) for path, text in files.items() if path.endswith(".py")}


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, str], str]:
    """Return the syntax trees of the modules of a spec with plain names and texts, and that of its Kaitai module."""
    path = spec_with(tmp_path_factory.mktemp("plain"), PLAIN)
    return code_of(render(map(with_facts, load_all([path])))), kaitai_module(path)


def shape(text: str) -> str:
    return re.sub(r"value=(?:'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"|\d+)", "value=…", ast.dump(ast.parse(text)))


def kaitai_module(path: Path) -> str:
    return shape(modules([path], (), Api.KAITAI, "").texts["readings"])


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_a_file_name_is_a_name(name: bytes, tmp_path: Path, plain: tuple[dict[str, str], str]) -> None:
    path = spec_with(tmp_path, PLAIN).rename(tmp_path / os.fsdecode(name))
    found = load_format(path)
    assert wireloom.read(found, b"\4\1abc").to_pylist() == [{"len": 4, "kind": 1, "note": "abc", "words": PLAIN}]
    wanted, module = plain
    files = render(map(with_facts, load_all([path])))
    assert code_of(files) == wanted
    ElementTree.fromstring(files["readings/layout.svg"])
    assert not markup_of(files["readings/README.md"])
    assert kaitai_module(path) == module


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_commands_take_any_name(name: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    spec = os.fsdecode(name)
    spec_with(tmp_path, PLAIN).rename(spec)
    Path("a.bin").write_bytes(b"\4\1abc")
    commands = [
        ["check", spec],
        ["check", "--json", spec],
        ["decode", spec, "a.bin"],
        ["verify", spec, "a.bin"],
        ["inspect", spec, "a.bin"],
        ["generate", spec],
        ["generate", "--kaitai", "-o", "modules", spec],
        ["diff", spec, spec],
    ]
    for command in commands:
        result = CliRunner().invoke(main, command)
        assert result.exit_code == 0, (command, result.output, result.exception)
        assert all(each.isprintable() for each in result.output.replace("\n", "")), command


@pytest.mark.slow
@pytest.mark.parametrize("text", TEXTS)
def test_texts_are_texts(text: str, tmp_path: Path, plain: tuple[dict[str, str], str]) -> None:
    path = spec_with(tmp_path, text)
    files = render(map(with_facts, load_all([path])))
    assert code_of(files) == plain[0]
    assert load_format(path).root_class.from_bytes(b"\4\1abc").readings[0].words == text
    assert generate([path], tmp_path / "out").written

    picture = ElementTree.fromstring(files["readings/layout.svg"])
    tags = {each.tag.rpartition("}")[2] for each in picture.iter()}
    assert tags == {"svg", "title", "style", "rect", "text"}

    page = files["readings/README.md"]
    assert not markup_of(page)
    examples = [each.content for each in MarkdownIt("commonmark").parse(page) if each.type == "fence"]
    for each in examples:
        assert "system" not in each
        assert "touch" not in each


def test_the_folder_of_the_specs_is_a_name(tmp_path: Path) -> None:
    target = Target(specs=f"a\n{RUN}\n#")
    for path, text in render(map(with_facts, load_all([spec_with(tmp_path, PLAIN)])), target=target).items():
        assert path.endswith((".md", ".svg")) or "builtins" not in shape(text).replace("value=…", "")


def test_a_spec_from_a_proto_file_of_any_name(tmp_path: Path) -> None:
    path = tmp_path / "a\nseq: [{id: x}]\n#.proto"
    path.write_text('syntax = "proto3"; message M { int32 a = 1; }')
    assert import_proto(path, name="m").text.startswith("# Made from a\\x0aseq")


# Guarantees of the functions ------------------------------------------------------------------------------------------


def tokens_of(text: str) -> list[Token]:
    found = []
    for each in MarkdownIt("commonmark").enable("table").parse(text):
        found += [each, *(each.children or [])]
    return found


def markup_of(page: str) -> list[str]:
    """Return what is HTML in a page (except the comment at its beginning), a picture of others, or a link outside the
    web."""
    found = []
    for each in tokens_of(page):
        if each.type in ("html_block", "html_inline") and not each.content.startswith("<!-- Generated"):
            found += re.findall(r"<(?!/?code>)[^>]*>?", each.content)
        elif each.type == "link_open" and not str(each.attrs["href"]).startswith(("http://", "https://")):
            found.append(str(each.attrs["href"]))
        elif each.type == "image" and each.attrs["src"] != "layout.svg":
            found.append(str(each.attrs["src"]))
    return found


hostile = st.text(alphabet="`<>ab/!?[]():|\\ \n-~#*_&;\"'jx=1\t", max_size=60)


@given(hostile)
@example("`a\nb` <b> `")
@example("\\`<b>`")
@example("``` <b>\n```")
@example("a|`b\n-|-\n`|<b>`")
@example("~~~\n`\n~~~\n<b> `")
def test_documentation_brings_no_markup(text: str) -> None:
    assert not markup_of(markdown(text))
    assert not markup_of(f"| a |\n|---|\n| {' '.join(markdown(text).split())} |")


@given(hostile)
def test_code_in_a_page_is_code(text: str) -> None:
    made = markdown_code(text)
    assert "\n" not in made
    [paragraph] = [each for each in tokens_of(f"x {made} y") if each.type == "inline"]
    assert not markup_of(f"x {made} y")
    assert next(each.content for each in paragraph.children or [] if each.type == "text") == "x "


def test_documentation_keeps_its_markup() -> None:
    text = "One `Vec<u8>` of *n*, if a < b; see [the page](https://example.com/).\n\n- `a[0]`\n- **b**"
    assert markdown(text) == text


@given(st.text())
def test_comments_stay_on_their_line(text: str) -> None:
    assert ast.dump(ast.parse(f"x = 1  # {python_comment(text)}\n")) == ast.dump(ast.parse("x = 1"))


@given(st.text())
def test_docstrings_are_their_text(text: str) -> None:
    wanted = text.replace("\r\n", "\n").strip()
    assert ast.literal_eval(python_docstring(text)).strip() == wanted.strip()


@given(st.text(), st.text())
def test_xml_holds_any_text(text: str, comment: str) -> None:
    tree = ElementTree.fromstring(f'{xml_comment(comment)}<a b="{markup(text)}">{markup(text)}</a>')
    assert not list(tree)
