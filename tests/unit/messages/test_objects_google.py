"""Compared with Google's protobuf: random messages of random types, and random bytes."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from google.protobuf.message import DecodeError
from hypothesis import given, strategies
from wireloom.objects.messages import FieldKind, FieldRule, Label, MessageError, MessageRule, MessageSet, write_varint

from .classes import KPL, classes_of, tag
from .google_peer import (
    COLORS,
    KEYS,
    fill,
    google_classes,
    message_sets,
    ours,
    same,
    same_bytes,
    values_of_type,
)

Kind, Of = FieldKind, Label
ROOT = Path(__file__).parents[3]


@pytest.mark.slow
@given(strategies.data())
def test_same_values_and_same_bytes(data: Any) -> None:
    messages = data.draw(message_sets())
    values = values_of_type(data.draw, messages, 0)
    message = ours(classes_of(messages), messages, 0, values)
    peer = fill(google_classes(messages)["M0"](), messages, 0, values)
    assert same_bytes(message, peer, messages, 0)
    written = message.to_bytes()
    again = type(message).from_bytes(written)
    assert again == message
    assert again.to_bytes() == written
    assert same(again, peer, messages, 0)
    assert type(peer).FromString(written) == peer


def everything(proto2: bool) -> MessageSet:
    """Return all kinds, singular, repeated and as values of maps, and messages in every place."""
    fields: list[FieldRule] = []
    values = COLORS if proto2 else None

    def add(kind: FieldKind, label: Label, **settings: Any) -> None:
        number = len(fields) + 1
        known = values if kind is Kind.ENUM else None
        message = 0 if kind is Kind.MESSAGE else -1
        fields.append(FieldRule(f"f{number}", number, kind, label, values=known, message=message, **settings))

    for kind in Kind:
        add(kind, Of.OPTIONAL)
    for kind in Kind:
        add(kind, Of.REPEATED, packed=kind in (Kind.INT32, Kind.ENUM, Kind.DOUBLE))
    for kind in (Kind.STRING, Kind.MESSAGE, Kind.ENUM):
        add(kind, Of.OPTIONAL, oneof="o")
    for kind in (Kind.STRING, Kind.ENUM, Kind.MESSAGE, Kind.SINT64):
        add(kind, Of.REPEATED, key=Kind.INT32)
    return MessageSet((MessageRule("M0", tuple(fields), check_text=not proto2),))


SETS = [everything(False), everything(True)]
OURS = [classes_of(each)["M0"] for each in SETS]
PEERS = [google_classes(each)["M0"] for each in SETS]

VARINTS = strategies.integers(0, (1 << 64) - 1).map(write_varint) | strategies.sampled_from(
    [b"\x00", b"\x01", b"\x05", b"\x80\x00", b"\x82\x80\x80\x00", b"\xff" * 9 + b"\x7f", b"\xff" * 10]
)


def fields_of(content: strategies.SearchStrategy[bytes]) -> strategies.SearchStrategy[bytes]:
    """Return one field or several, with any number, known or not, and any wire type."""
    # Not the maps: in C, Google's protobuf treats an entry with an unknown field as unknown.
    numbers = strategies.integers(1, FIRST_MAP - 1) | strategies.integers(50, 60)
    tags = strategies.tuples(numbers, strategies.integers(0, 3))
    plain = strategies.tuples(tags, VARINTS, strategies.binary(min_size=8, max_size=8), content).map(_field)
    return strategies.lists(plain, max_size=6).map(b"".join)


def _field(parts: tuple[tuple[int, int], bytes, bytes, bytes]) -> bytes:
    (number, wire_type), varint, fixed, content = parts
    match wire_type:
        case 0:
            return tag(number, 0) + varint
        case 1:
            return tag(number, 1) + fixed
        case 2:
            return tag(number, 2) + write_varint(len(content)) + content
    return tag(number, 5) + fixed[:4]


FIRST_MAP = min(each.number for each in SETS[0].messages[0].fields if each.key is not None)
WIRE = strategies.recursive(strategies.binary(max_size=6) | VARINTS, fields_of, max_leaves=12)


@pytest.mark.slow
@given(WIRE, strategies.booleans())
def test_same_verdict_on_any_bytes(data: bytes, proto2: bool) -> None:
    _compare(data, proto2)


def _compare(data: bytes, proto2: bool) -> None:
    try:
        peer = PEERS[proto2].FromString(data)
    except DecodeError:
        peer = None
    try:
        message = OURS[proto2].from_bytes(data)
    except MessageError:
        message = None
    assert (message is None) == (peer is None)
    if message is not None:
        assert same(message, peer, SETS[proto2], 0)
        # Google keeps unknown fields, wireloom does not: they are ignored on both sides.
        peer.DiscardUnknownFields()
        assert same_bytes(message, peer, SETS[proto2], 0)


@pytest.mark.slow
@given(strategies.data(), strategies.booleans())
def test_same_maps(data: Any, proto2: bool) -> None:
    """Keys and values in any order, missing and several times, closed enums with unknown values."""
    wire = b""
    for _ in range(data.draw(strategies.integers(0, 4))):
        number = data.draw(strategies.integers(FIRST_MAP, FIRST_MAP + 3))
        is_varint = number - FIRST_MAP in (1, 3)
        entry = b""
        parts = data.draw(strategies.lists(strategies.booleans(), max_size=4))
        if proto2 and number == FIRST_MAP + 1:
            # In C, a value that the enum does not have counts, even if a known one follows.
            parts = sorted(set(parts))
        for is_key in parts:
            if is_key:
                entry += tag(1, 0) + data.draw(VARINTS)
            elif is_varint:
                entry += tag(2, 0) + data.draw(VARINTS)
            else:
                content = data.draw(WIRE)
                entry += tag(2, 2) + write_varint(len(content)) + content
        wire += tag(number, 2) + write_varint(len(entry)) + entry
    _compare(wire, proto2)


@pytest.mark.slow
@given(WIRE)
def test_nothing_but_message_errors(data: bytes) -> None:
    for strict in (False, True):
        rule = MessageRule("M0", SETS[1].messages[0].fields, strict=strict)
        try:
            message = classes_of(MessageSet((rule,)))["M0"].from_bytes(data)
        except MessageError as error:
            assert error.offset is not None  # noqa: PT017 - most inputs are refused, and some are not
            assert 0 <= error.offset <= len(data)  # noqa: PT017
        else:
            assert type(message).from_bytes(message.to_bytes()) == message or _has_nan(message)


def _has_nan(message: Any) -> bool:
    return "nan" in repr(message)


def test_kpl_as_google_writes_it() -> None:
    messages = MessageSet(KPL.messages)
    peer = google_classes(messages)["AggregatedRecord"]()
    peer.partition_key_table.append("a")
    record = peer.records.add(partition_key_index=0, data=b"x")
    record.tags.add(key="k", value="v")
    found = classes_of(messages)["AggregatedRecord"].from_bytes(peer.SerializeToString())
    assert found.records[0].tags[0].value == "v"
    assert found.to_bytes() == peer.SerializeToString(deterministic=True)


def keys_of(kind: FieldKind) -> list[Any]:
    if kind is Kind.STRING:
        return ["b", "", "ab", "a", "\ue000", "\U00010000"]
    if kind is Kind.BOOL:
        return [True, False]
    return [5, 0, 300, 1, 2, *([-1, -300] if kind.name.startswith("S") or kind.name.startswith("INT") else [])]


def map_of(kind: FieldKind) -> MessageSet:
    return MessageSet((MessageRule("M0", (FieldRule("f1", 1, Kind.BOOL, Of.REPEATED, key=kind),)),))


def ordered_maps() -> dict[str, str]:
    """Return maps with keys of each kind as Google's protobuf writes them."""
    made = {}
    for kind in KEYS:
        values = {"f1": dict.fromkeys(keys_of(kind), True)}
        peer = fill(google_classes(map_of(kind))["M0"](), map_of(kind), 0, values)
        made[kind.name] = peer.SerializeToString(deterministic=True).hex()
    return made


@pytest.mark.slow
def test_order_of_maps() -> None:
    """The order of Google's implementation in Python, which a process is told to use."""
    script = (
        "import json; from tests.unit.messages.test_objects_google import ordered_maps as f; print(json.dumps(f()))"
    )
    environment = {**os.environ, "PROTOCOL_BUFFERS_PYTHON_IMPLEMENTATION": "python"}
    command = [sys.executable, "-c", script]
    done = subprocess.run(command, env=environment, cwd=ROOT, capture_output=True, text=True, check=True)
    for name, expected in json.loads(done.stdout).items():
        kind = Kind[name]
        message = classes_of(map_of(kind))["M0"](f1=dict.fromkeys(keys_of(kind), True))
        assert message.to_bytes().hex() == expected, name


def nestings() -> list[tuple[FieldRule, bytes, int]]:
    """Return messages that are nested as deeply as Google's protobuf allows, by field, with that depth."""
    found = []
    for rule in SETS[0].messages[0].fields:
        if rule.kind is not Kind.MESSAGE:
            continue
        data, depth = b"", 0
        while True:
            inner = tag(2, 2) + write_varint(len(data)) + data if rule.key is not None else data
            deeper = tag(rule.number, 2) + write_varint(len(inner)) + inner
            try:
                PEERS[0].FromString(deeper)
            except DecodeError:
                break
            data, depth = deeper, depth + 1
        found.append((rule, data, depth))
    return found


def test_same_depth() -> None:
    found = nestings()
    assert [depth for _, _, depth in found] == [100, 100, 100, 50]
    for rule, data, _ in found:
        OURS[0].from_bytes(data)
        inner = tag(2, 2) + write_varint(len(data)) + data if rule.key is not None else data
        with pytest.raises(MessageError, match="deep"):
            OURS[0].from_bytes(tag(rule.number, 2) + write_varint(len(inner)) + inner)
