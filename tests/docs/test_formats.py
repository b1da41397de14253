"""The page and the picture of each format: the examples run unchanged, and the picture is valid and fits."""

from __future__ import annotations

import re
import textwrap
from functools import cache
from pathlib import Path
from xml.etree import ElementTree

import pyarrow as pa
import pytest
import wireloom
from wireloom.codegen.backends.docs.examples import sample_name
from wireloom.codegen.backends.docs.picture import CHARACTER, MARGIN, WIDTH, folded, shortened
from wireloom.codegen.emit import generate
from wireloom.codegen.model.load import load_all
from wireloom.codegen.tree import Spec
from wireloom.format.registry import get

from ..vectors.peers import cases as peer_cases
from .blocks import Page

ROOT = Path(__file__).parents[2]
# Some specs contain only types, for others to import.
NAMES = sorted({each.stem for each in (ROOT / "specs").glob("*.ksy")} & set(wireloom.formats()))
NUMBERS = pa.array([1, 2], pa.uint64())
BYTES = pa.array([b"one", b"\xfe\xfd\0two"], pa.binary())
ROWS = {
    "edgemq_segment": {"fmt": [0, 0], "tenant": [1, 2], "ts_millis": NUMBERS, "payload": BYTES},
    "word_stuffed_log": {"generation": [1, 1], "payload": BYTES},
    "cobs_log": {"payload": BYTES},
    "kpl_aggregated_record": {"partition_key": ["a", "a"], "data": BYTES},
    "s2_messages": {"seq_num": NUMBERS, "timestamp": NUMBERS, "body": BYTES},
    "s2_session": {"seq_num": NUMBERS, "timestamp": NUMBERS, "body": BYTES},
}
SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture
def page(request: pytest.FixtureRequest, tmp_path: Path) -> Page:
    """Return the page of a format, in a folder with the sample that its examples read."""
    return page_of(request.param, tmp_path)


@cache
def spec_of(name: str) -> Spec:
    """Return the spec of a format, loaded together with those that it imports."""
    return next(each for each in load_all([ROOT / "specs" / f"{name}.ksy"]) if each.name == name)


def page_of(name: str, tmp_path: Path) -> Page:
    sample = tmp_path / sample_name(spec_of(name))
    if name in ROWS:
        wireloom.write(name, pa.table(ROWS[name]), sample)
    else:
        sample.write_bytes(next(each.content for each in peer_cases() if each.format == name and not each.table))
    return Page((ROOT / "generated" / name / "README.md").read_text(), tmp_path)


@pytest.mark.parametrize("page", NAMES, indirect=True)
def test_the_examples_without_spark(page: Page) -> None:
    page.all = [each for each in page.all if "spark" not in each.text]
    assert page.run() >= 2
    rows = page.namespace["table"].num_rows
    assert rows >= 2
    assert "flat" not in page.namespace or page.namespace["flat"].num_rows == rows
    [command] = [each.text for each in page.all if each.kind == "sh"]
    printed, errors = page.command(command.strip())
    assert errors == ""
    assert printed.count("\n") >= 3


@pytest.mark.parametrize("name", NAMES)
def test_all_columns_are_in_the_page(name: str) -> None:
    text = (ROOT / "generated" / name / "README.md").read_text()
    format = get(name)
    for column in format.columns:
        marked = "yes" if column.default else ""
        assert f"| `{column.name}` | {marked} | `{column.type}` |" in text


@pytest.mark.parametrize("name", NAMES)
def test_the_spark_types_of_the_page_are_those_of_the_source(name: str) -> None:
    pytest.importorskip("pyspark")
    from wireloom.spark import source_of

    text = (ROOT / "generated" / name / "README.md").read_text()
    for field in source_of(get(name)).wire_schema:
        type = field.dataType.simpleString()
        assert re.search(rf"\| `{field.name}` \|[^|]*\|[^|]*\| `{re.escape(type)}` \|", text), type


@pytest.mark.parametrize("name", NAMES)
def test_the_picture_is_well_formed_and_its_text_fits(name: str) -> None:
    check_picture((ROOT / "generated" / name / "layout.svg").read_text())


def check_picture(text: str) -> None:
    root = ElementTree.fromstring(text)
    height = int(root.attrib["height"])
    for box in root.iter(f"{SVG}rect"):
        if box.attrib["class"] != "page":
            assert int(box.attrib["x"]) >= MARGIN
            assert int(box.attrib["x"]) + int(box.attrib["width"]) <= WIDTH - MARGIN
            assert int(box.attrib["y"]) + int(box.attrib["height"]) < height
    for line in root.iter(f"{SVG}text"):
        assert line.text
        width = len(line.text) * CHARACTER
        left = int(line.attrib["x"]) - (width / 2 if line.attrib["text-anchor"] == "middle" else 0)
        assert left >= 0, line.text
        assert left + width <= WIDTH, line.text
        assert int(line.attrib["y"]) < height


HOSTILE = """
meta:
  id: odd
  title: A < B & "C"
  endian: le
  -wireloom: {rows: items, columns: [number, a_name_that_is_longer_than_any_name_that_anybody_should_give_to_a_field]}
doc: "Bars | and <b>tags</b> -- and dashes."
seq:
  - {id: magic, contents: [1, 2, 3]}
  - {id: items, type: item, repeat: eos}
types:
  item:
    doc: "One | item <of> many: WORD"
    seq:
      - {id: number, type: u4, doc: "a | b"}
      - id: a_name_that_is_longer_than_any_name_that_anybody_should_give_to_a_field
        size: "number > 5 and number < 100 ? number * 2 + number : (number + 1) * (number + 2) * (number + 3)"
      - {id: x, type: u1, if: number & 1 == 1, repeat: expr, repeat-expr: number % 4}
      - {id: text, type: strz, encoding: UTF-8}
""".replace("WORD", "w" * 300)


def test_whatever_a_spec_says_the_picture_holds(tmp_path: Path) -> None:
    spec = tmp_path / "odd--name.ksy"
    spec.write_text(textwrap.dedent(HOSTILE))
    generate([spec], tmp_path / "out")
    check_picture((tmp_path / "out" / "odd" / "layout.svg").read_text())
    page = (tmp_path / "out" / "odd" / "README.md").read_text()
    assert "a \\| b" in page
    assert generate([spec], tmp_path / "out", check=True).clean


def test_a_page_that_was_changed_or_that_no_spec_accounts_for_is_found(tmp_path: Path) -> None:
    specs = [ROOT / "specs" / "cobs_log.ksy"]
    generate(specs, tmp_path / "out")
    picture = tmp_path / "out" / "cobs_log" / "layout.svg"
    picture.write_text(picture.read_text().replace("FFFFFF", "").replace("payload", "load"))
    stray = tmp_path / "out" / "gone" / "README.md"
    stray.parent.mkdir()
    stray.write_text("<!-- Generated by wireloom from specs/gone.ksy -->\n")
    (tmp_path / "out" / "NOTES.md").write_text("by hand")
    found = generate(specs, tmp_path / "out", check=True)
    assert found.written == ("cobs_log/layout.svg",)
    assert found.removed == ("gone/README.md",)
    assert found.foreign == ("NOTES.md",)


def test_lines_are_folded_and_shortened() -> None:
    assert folded("one two three", 7) == ["one two", "three"]
    assert folded("a" * 9, 4) == ["aaa…"]
    assert shortened("abcdef", 4) == "abc…"
