"""Message types of specs as generated classes."""

import hashlib
import importlib
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from wireloom.codegen.backends.python import BACKEND
from wireloom.codegen.emit import formatted
from wireloom.codegen.model.load import load_all
from wireloom.codegen.passes import with_facts
from wireloom.objects import ChecksumError, ConsistencyError, ExpressionError, reason_of
from wireloom.objects.messages import FieldKind, FieldRule, Label, MessageError, MessageRule

from tests.unit.objects.compiling import made

ROOT = Path(__file__).parents[3]
DOCUMENTED = '"""A package."""\n'

ENVELOPE = """
meta: {id: envelope, title: A message between marks, endian: be}
seq:
  - {id: magic, contents: [0xca, 0xfe]}
  - {id: message, type: batch, size: _io.size - _io.pos - 16}
  - id: digest
    size: 16
    -wireloom: {checksum: {algorithm: md5, over: message}}
enums:
  color: {0: none, 1: red, 5: blue}
types:
  batch:
    doc: Keys, and records that refer to them.
    -wireloom:
      message:
        syntax: proto2
        fields:
          - {id: keys, number: 1, type: string, label: repeated, doc: The keys.}
          - {id: records, number: 2, type: record, label: repeated}
          - {id: tail, number: 3, type: place}
  record:
    -wireloom:
      message:
        syntax: proto2
        max-depth: 7
        fields:
          - {id: key, number: 1, type: uint64, label: required}
          - {id: other, number: 2, type: uint64}
          - {id: data, number: 3, type: bytes, label: required}
          - {id: color, number: 4, type: color, default: blue}
          - {id: colors, number: 5, type: color, label: repeated, packed: true}
          - {id: places, number: 6, type: place, map-key: string}
          - {id: counts, number: 7, type: sint64, map-key: bool}
          - {id: ratio, number: 8, type: double, default: -1.5}
          - {id: at, number: 9, type: place, oneof: where}
          - {id: name, number: 10, type: string, oneof: where}
          - {id: list, number: 11, type: int32, label: repeated}
          - {id: dict, number: 12, type: bool, default: true}
          - {id: type, number: 13, type: string, default: "none of them"}
          - {id: get, number: 14, type: fixed32}
          - {id: class, number: 15, type: bytes, default: [1, 2]}
    instances:
      key_text: {value: "_parent.keys[key & 0xffffffff]"}
      other_text:
        value: _parent.keys[other & 0xffffffff]
        -wireloom: {text: integer}
      x_of_place: {value: at.x + 1}
      x_of_x: {value: x_of_place * 2}
      tail_x: {value: _parent.tail.x}
      word:
        value: data.to_s("UTF-8")
        if: list.size == 1 and other == 0
      is_blue: {value: "color == color::blue"}
  place:
    -wireloom:
      message:
        wire-types: refuse
        fields:
          - {id: x, number: 1, type: int32}
          - {id: y, number: 2, type: int32, label: optional}
"""

OTHER = """
meta: {id: other, imports: [envelope], endian: be}
seq:
  - {id: size, type: u1}
  - {id: first, type: 'envelope::place', size: size}
  - {id: rest, type: holder, size-eos: true}
types:
  holder:
    -wireloom:
      message:
        fields:
          - {id: place, number: 1, type: 'envelope::place'}
          - {id: holders, number: 2, type: holder, map-key: int32}
          - {id: message, number: 3, type: message, label: repeated}
  message:
    doc: Its class would hide another.
    -wireloom: {message: {fields: []}}
"""


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Yield both specs as modules of a package on disk."""
    folder = tmp_path_factory.mktemp("messages")
    paths = [folder / "envelope.ksy", folder / "other.ksy"]
    for path, text in zip(paths, (ENVELOPE, OTHER), strict=True):
        path.write_text(text)
    texts = {each.path: each.text for spec in load_all(paths) for each in BACKEND.files(with_facts(spec))}
    root = folder / "emitted_messages"
    for name, text in formatted(texts).items():
        place = root / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)
        (place.parent / "__init__.py").write_text(DOCUMENTED)
    (root / "__init__.py").write_text(DOCUMENTED)
    sys.path.insert(0, str(folder))
    yield root
    sys.path.remove(str(folder))


@pytest.fixture(scope="module")
def envelope(package: Path) -> Any:
    return importlib.import_module("emitted_messages.envelope.parser")


@pytest.fixture(scope="module")
def other(package: Path) -> Any:
    return importlib.import_module("emitted_messages.other.parser")


@pytest.mark.slow
def test_the_linter_has_nothing_to_say(package: Path) -> None:
    command = [sys.executable, "-m", "ruff", "check", "--no-cache", "--config", ROOT / "pyproject.toml", package]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


@pytest.mark.slow
@pytest.mark.xdist_group("type checker")
def test_the_type_checker_has_nothing_to_say(package: Path, mypy: Callable[..., str]) -> None:
    found = mypy(package.parent, "-p", package.name)
    assert not [line for line in found.splitlines() if line.startswith(package.name)], found


def test_rules(envelope: Any) -> None:
    kinds, labels = FieldKind, Label
    batch, record, place = envelope.MESSAGES.messages
    assert batch == MessageRule(
        "Envelope.Batch",
        (
            FieldRule("keys", 1, kinds.STRING, labels.REPEATED),
            FieldRule("records", 2, kinds.MESSAGE, labels.REPEATED, message=1),
            FieldRule("tail", 3, kinds.MESSAGE, labels.OPTIONAL, message=2),
        ),
        check_text=False,
    )
    fields = {each.name: each for each in record.fields}
    assert record.max_depth == 7
    assert fields["color"] == FieldRule("color", 4, kinds.ENUM, labels.OPTIONAL, default=5, values=(0, 1, 5))
    assert fields["places"] == FieldRule("places", 6, kinds.MESSAGE, labels.REPEATED, message=2, key=kinds.STRING)
    assert fields["at"].oneof == "where"
    assert fields["class_"].default == b"\x01\x02"
    assert fields["get_"].kind is kinds.FIXED32
    assert place.strict
    assert place.check_text
    assert envelope.Envelope.Record._rule is record


def test_documentation(envelope: Any) -> None:
    assert envelope.Envelope.Batch.__doc__ == "Keys, and records that refer to them."
    assert envelope.Envelope.Record.key_text.__doc__ == "The instance ``key_text``."


def whole(envelope: Any, **fields: Any) -> Any:
    kind = envelope.Envelope
    record = kind.Record(key=1, data=b"d\xff", **fields)
    return kind(message=kind.Batch(keys=["k", "12", "+x"], records=[record], tail=kind.Place(x=3)))


def test_round_trip(envelope: Any) -> None:
    kind = envelope.Envelope
    found = whole(
        envelope,
        color=kind.Color.red,
        colors=[5, kind.Color.none],
        places={"b": kind.Place(x=1, y=0), "a": kind.Place()},
        counts={True: -5},
        ratio=0.0,
        name="n",
        list=[1],
        get_=9,
    )
    data = found.to_bytes()
    assert data[:2] == b"\xca\xfe"
    assert data[-16:] == hashlib.md5(data[2:-16]).digest() == found.digest
    again = kind.from_bytes(data)
    assert again == found
    record = again.message.records[0]
    assert record.color is kind.Color.red
    assert record.colors[0] is kind.Color.blue
    assert (record.at, record.name, record.dict) == (None, "n", None)
    assert (record.get("dict"), record.get("type"), record.get("class_")) == (True, "none of them", b"\x01\x02")
    assert kind.Record().get("color") is kind.Color.blue
    assert record._root is again
    assert again.message._parent is again
    assert record.places["b"]._parent is record
    assert again.to_bytes() == data


def test_digests(envelope: Any) -> None:
    data = whole(envelope).to_bytes()
    with pytest.raises(ChecksumError) as caught:
        envelope.Envelope.from_bytes(data[:-1] + bytes((data[-1] ^ 1,)))
    assert reason_of(caught.value) == "digest"
    assert data[-16:].hex() in str(caught.value)


def test_value_instances(envelope: Any) -> None:
    record = envelope.Envelope.from_bytes(whole(envelope).to_bytes()).message.records[0]
    assert record.key_text == "12"
    assert (record.other_text, record.x_of_place, record.x_of_x, record.word) == (None,) * 4
    assert record.is_blue, "the declared default stands for the absent field"
    assert record.tail_x == 3
    place = envelope.Envelope.Place(x=4)
    again = envelope.Envelope.from_bytes(whole(envelope, other=1, at=place, list=[1], color=5).to_bytes())
    record = again.message.records[0]
    assert (record.other_text, record.x_of_place, record.x_of_x, record.is_blue) == ("12", 5, 10, True)
    assert record.word is None, "the condition is false"
    record = envelope.Envelope.from_bytes(whole(envelope, other=0, list=[1]).to_bytes()).message.records[0]
    assert record.word == "d\ufffd"


@pytest.mark.parametrize(("index", "reason"), [(2, "value"), (0, "value")])
def test_text_that_must_be_an_integer(envelope: Any, index: int, reason: str) -> None:
    record = envelope.Envelope.from_bytes(whole(envelope, other=index).to_bytes()).message.records[0]
    with pytest.raises(ExpressionError, match="is not an integer") as caught:
        _ = record.other_text
    assert reason_of(caught.value) == reason


def test_an_index_after_the_end(envelope: Any) -> None:
    record = envelope.Envelope.from_bytes(whole(envelope, other=3).to_bytes()).message.records[0]
    with pytest.raises(ExpressionError, match="index 3 is out of range: there are 3"):
        _ = record.other_text


def test_errors_name_the_field(envelope: Any) -> None:
    kind = envelope.Envelope
    with pytest.raises(MessageError) as caught:
        kind.Batch.from_bytes(b"\x0a\x01k\x12\x02\x08\x01")
    assert (caught.value.field, caught.value.offset) == ("records[0].data", 7)
    found = whole(envelope, list=[1, 1 << 31])
    with pytest.raises(MessageError, match=r"records\[0\].list\[1\]: 2147483648 does not fit"):
        found.to_bytes()


def test_types_of_another_spec(envelope: Any, other: Any) -> None:
    place = envelope.Envelope.Place
    holder = other.Other.Holder
    inner = holder(place=place(y=0))
    found = other.Other(size=4, first=place(x=1, y=2), rest=holder(place=place(x=5), holders={-1: inner}))
    found.rest.message.append(other.Other.Message())
    data = found.to_bytes()
    assert data == bytes.fromhex("04 0801 1002 0a02 0805 1211 08ffffffffffffffffff01 1204 0a02 1000 1a00")
    again = other.Other.from_bytes(data)
    assert again == found
    assert again.rest.place._root is again.rest.place
    assert again.rest.holders[-1]._root is again
    assert again.rest.holders[-1].place._parent is again.rest.holders[-1]
    assert [each.name for each in other.MESSAGES.messages] == ["Other.Holder", "Other.Message", "Envelope.Place"]
    with pytest.raises(MessageError, match="does not match") as caught:
        other.Other.from_bytes(b"\x00\x0a\x05\x0d1234")
    assert caught.value.field == "place.x"


def test_sizes_are_not_filled_up() -> None:
    kind = made(
        """
        seq: [{id: message, type: inner, size: 4}]
        types:
          inner: {-wireloom: {message: {fields: [{id: value, number: 1, type: uint32}]}}}
        """
    )
    assert kind(message=kind.Inner(value=1 << 20)).to_bytes() == b"\x08\x80\x80\x40"
    with pytest.raises(ConsistencyError):
        kind(message=kind.Inner(value=1)).to_bytes()


def test_a_subclass_of_a_generated_class(envelope: Any) -> None:
    class Mine(envelope.Envelope.Batch):  # type: ignore[misc, name-defined]
        __slots__ = ()

    found = Mine.from_bytes(b"\x1a\x02\x08\x01")
    assert type(found) is Mine
    assert found.tail.x == 1
    assert found.tail._root is found
