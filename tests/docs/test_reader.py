"""A third backend of code: its output, derived from the plan alone, reads what others have written."""

import ast
import io
from pathlib import Path
from typing import Any

import pytest
import wireloom
import zstandard
from wireloom import SpecError
from wireloom.codegen.backends.base import backends
from wireloom.codegen.emit import generate
from wireloom.codegen.model.load import load
from wireloom.codegen.passes import with_facts

from ..vectors.cases import rows
from . import reader

ROOT = Path(__file__).parents[2]
VECTORS = ROOT / "tests" / "vectors" / "edgemq"
CASES = {each["case"]: each for each in rows("edgemq", "cases.jsonl")}

PARTS = """
meta: {id: parts, endian: be}
seq:
  - {id: magic, contents: PT}
  - {id: count, type: u1, valid: {min: 1, max: 9}}
  - {id: note, type: strz, encoding: UTF-8, if: has_note}
  - {id: parts, type: part, repeat: expr, repeat-expr: count}
  - {id: marks, type: s2le, repeat: until, repeat-until: _ < 0}
  - {id: rest, size-eos: true}
instances:
  has_note: {value: count > 1}
  total: {value: rest.size + count * 10}
types:
  part:
    seq:
      - {id: kind, type: u1, enum: kind, valid: {in-enum: true}}
      - {id: len, type: u1}
      - id: body
        size: len
        type: {switch-on: kind, cases: {'kind::text': text, 'kind::number': number}}
    enums: {kind: {1: text, 2: number, 3: raw}}
  text: {seq: [{id: value, type: str, size-eos: true, encoding: ASCII}]}
  number: {seq: [{id: value, type: u4}, {id: of, type: u1, valid: _parent.len}]}
"""
DATA = b"PT\3" + "é\0".encode() + b"\1\2hi" + b"\2\5\0\0\1\0\5" + b"\3\1!" + b"\7\0\xff\xff" + b"rest"


def reading(path: Path, text: str | None = None) -> dict[str, Any]:
    """Return the module that the backend generates from a spec."""
    (file,) = reader.BACKEND.files(with_facts(load(path, text=text)))
    names: dict[str, Any] = {}
    exec(compile(file.text, file.path, "exec"), names)
    return names


def content(name: str) -> bytes:
    file = VECTORS / CASES[name]["file"]
    return zstandard.ZstdDecompressor().stream_reader(io.BytesIO(file.read_bytes())).read()


@pytest.mark.parametrize("name", ["plain_200", "single", "payload_shapes", "extremes"])
def test_it_reads_what_others_wrote(name: str) -> None:
    read = reading(ROOT / "specs" / "edgemq_segment.ksy")["read"]
    frames = read(content(name))["frames"]
    found = [(each["fmt"], each["tenant"], each["ts_millis"], len(each["payload"])) for each in frames]
    assert found == [
        (each["fmt"], each["tenant"], each["ts_ms"], each["payload_len"]) for each in CASES[name]["records"]
    ]
    table = wireloom.read("edgemq_segment", VECTORS / CASES[name]["file"], columns=["payload"])
    assert [each["payload"] for each in frames] == table["payload"].to_pylist()


def test_damage_has_its_place() -> None:
    made = reading(ROOT / "specs" / "edgemq_segment.ksy")
    for name, reason, place in (
        ("crc_payload_flip", "checksum", "/types/frame/seq/1"),
        ("len_zeroed_mid", "length", "/types/frame/seq/0"),
    ):
        with pytest.raises(made["Refused"]) as caught:
            made["read"](content(name))
        assert caught.value.args == (reason, place)


def test_every_kind_of_field() -> None:
    found = reading(Path("parts.ksy"), PARTS)["read"](DATA)
    bodies = [each["body"] for each in found["parts"]]
    assert bodies == [{"value": "hi"}, {"value": 256, "of": 5}, b"!"]
    assert (found["note"], found["marks"], found["rest"], found["total"]) == ("é", [7, -1], b"rest", 34)


def test_what_has_no_form_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SpecError, match="framing has no form here"):
        reading(ROOT / "specs" / "cobs_log.ksy")


def test_it_is_generated_beside_the_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("wireloom.codegen.emit.backends", lambda: (*backends(), reader.BACKEND))
    spec = ROOT / "specs" / "edgemq_segment.ksy"
    assert "edgemq_segment/reader.py" in generate([spec], tmp_path / "generated").written
    assert generate([spec], tmp_path / "generated", check=True).clean


def test_it_knows_nothing_of_the_model() -> None:
    for path in Path(reader.__file__).parent.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ImportFrom):
                assert not (node.module or "").startswith(("wireloom.codegen.model", "wireloom.codegen.spec"))
