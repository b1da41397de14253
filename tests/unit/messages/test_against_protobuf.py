"""The whole way from a .proto file: random files through ``import-proto`` and generated classes, against Google's
protobuf on the same messages.

Where Google's implementation in C differs from the others and from ours, by intention:

- maps: it writes their entries in an order of its own, others and we in that of the keys; and it takes an entry with an
  unknown field in it for unknown as a whole, so that maps in damaged messages are not compared;
- a missing required field: its ``FromString`` accepts it and ``IsInitialized`` says so, ours refuses it;
- a tag of more than five bytes: it refuses the message, Java's, Rust's and ours take it;
- a signalling NaN of 32 bits: Python's floats, and so our objects, make it a quiet one.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple
from unittest import mock

import pyarrow as pa
import pytest
import wireloom
from google.protobuf import descriptor_pool, message_factory
from google.protobuf.message import DecodeError
from wireloom import Format, engine
from wireloom.codegen.protobuf import importing
from wireloom.codegen.protobuf.importing import file_descriptors, import_proto
from wireloom.format.message_rules import Label
from wireloom.objects.messages import MessageError
from wireloom.rows.messages.decoding import Decoded, UnitProblem
from wireloom.rows.select import decoder_of

from ...differential.damage import WIRE, damaged
from ...examples import examples
from .random_protos import ProtoMaker
from .random_wire import Mutator, has_long_tag

pytestmark = pytest.mark.slow

SEEDS = range(examples(24))
MESSAGES = examples(40)
MESSAGE, ENUM, STRING, BYTES, BOOL, DOUBLE, FLOAT = 11, 14, 9, 12, 8, 1, 2
RANGES = {
    **dict.fromkeys((5, 17, 15), (-(2**31), 2**31 - 1)),
    **dict.fromkeys((3, 18, 16), (-(2**63), 2**63 - 1)),
    **dict.fromkeys((13, 7), (0, 2**32 - 1)),
    **dict.fromkeys((4, 6), (0, 2**64 - 1)),
}
"""Ranges of integers, by ``FieldDescriptor.TYPE_…``."""


@dataclass(frozen=True)
class Both:
    """The same message type twice: wireloom's and Google's."""

    format: Format
    ours: Any
    peer: Any


@cache
def both(seed: int, recursive: bool = True) -> Both:
    """Return the message ``Main`` of the random file of that seed."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / f"random_{seed}.proto"
        path.write_text(ProtoMaker(seed, recursive).file())
        pool = descriptor_pool.DescriptorPool()
        files = file_descriptors(path)
        for file in files.file:
            pool.Add(file)
        spec = path.with_suffix(".ksy")
        # A run of protoc takes most of the time of an import.
        with mock.patch.object(importing, "file_descriptors", return_value=files):
            spec.write_text(import_proto(path, message="Main").text)
        format = wireloom.load_spec(spec)
    peer = message_factory.GetMessageClass(pool.FindMessageTypeByName("random.protos.Main"))
    return Both(format, format.message_class, peer)


# Random values -------------------------------------------------------------------------------------------------------


def fill(message: Any, random: Random, depth: int = 0) -> None:
    """Set random fields of one of Google's messages, and all required ones; messages in each other become fewer with
    the depth."""
    for field in message.DESCRIPTOR.fields:
        inner = field.type == MESSAGE
        if (
            random.random() < 0.3 + (0.2 if inner else 0.15) * depth or (inner and depth > 3)
        ) and not field.is_required:
            continue
        if is_map(field):
            key, value = field.message_type.fields
            for _ in range(random.randint(0, 3)):
                held = getattr(message, field.name)
                if value.type == MESSAGE:
                    fill(held[scalar(key, random)], random, depth + 1)
                else:
                    held[scalar(key, random)] = scalar(value, random)
        elif field.is_repeated:
            for _ in range(random.randint(0, 4)):
                if inner:
                    fill(getattr(message, field.name).add(), random, depth + 1)
                else:
                    getattr(message, field.name).append(scalar(field, random))
        elif inner:
            getattr(message, field.name).SetInParent()
            fill(getattr(message, field.name), random, depth + 1)
        else:
            setattr(message, field.name, scalar(field, random))


def scalar(field: Any, random: Random) -> Any:
    """Return a value of a field; zeros and limits are frequent."""
    if field.type in RANGES:
        least, most = RANGES[field.type]
        return random.choice((0, 1, 127, 128, least, most, random.randint(least, most)))
    if field.type == ENUM:
        return random.choice([each.number for each in field.enum_type.values])
    if field.type == BOOL:
        return random.random() < 0.5
    if field.type == STRING:
        return "".join(random.choice("aß→🙂\0 ") for _ in range(random.randint(0, 4)))
    if field.type == BYTES:
        return random.randbytes(random.randint(0, 4))
    return random.choice((0.0, -0.0, 1.5, math.inf, -math.inf, math.nan, random.uniform(-1e6, 1e6)))


def is_map(field: Any) -> bool:
    return field.type == MESSAGE and field.message_type.GetOptions().map_entry


def made(both: Both, seed: int, count: int = MESSAGES) -> list[Any]:
    random = Random(seed)
    found = [both.peer() for _ in range(count)]
    for each in found:
        fill(each, random)
    return found


# Comparing -----------------------------------------------------------------------------------------------------------


class Pair(NamedTuple):
    """A field in both of its forms: the name of ours, and what Google's descriptor says."""

    name: str
    other_name: str
    full_name: str
    is_message: bool
    is_map: bool
    is_repeated: bool
    has_presence: bool


@cache
def pairs_of(ours: Any, peer: type) -> tuple[Pair, ...]:
    """Return the fields of a class of ours and of Google's for the same message."""
    rules = {each.number: each for each in ours._rule.fields}
    descriptors = peer.DESCRIPTOR.fields  # type: ignore[attr-defined]
    assert len(rules) == len(descriptors)
    found = []
    for field in descriptors:
        rule = rules[field.number]
        if not field.is_repeated:
            assert field.has_presence == (rule.label is not Label.IMPLICIT)
        shape = (field.type == MESSAGE, is_map(field), field.is_repeated, field.has_presence)
        found.append(Pair(rule.name, field.name, field.full_name, *shape))
    return tuple(found)


def difference(ours: Any, peer: Any, maps: bool = True) -> str:
    """Return the first field in which they differ, with both values; empty if they are the same. Without ``maps`` these
    are ignored."""
    for field in pairs_of(type(ours), type(peer)):
        value, held = getattr(ours, field.name), getattr(peer, field.other_name)
        if field.is_map:
            if not maps:
                continue
            problem = "" if set(value) == set(held) else f"{set(value)} and {set(held)}"
            problem = problem or next(filter(None, (unlike(value[key], held[key]) for key in value)), "")
        elif field.is_repeated:
            problem = "" if len(value) == len(held) else f"{value} and {held}"
            problem = problem or next(filter(None, (unlike(*each, maps) for each in zip(value, held, strict=True))), "")
        else:
            problem = unlike_single(ours, peer, field, maps)
        if problem:
            return f"{field.full_name}: {problem}"
    return ""


def unlike_single(ours: Any, peer: Any, field: Pair, maps: bool) -> str:
    value = getattr(ours, field.name)
    if not field.has_presence:
        return unlike(value, getattr(peer, field.other_name), maps)
    if peer.HasField(field.other_name) != (value is not None):
        return f"presence {value is not None} and {peer.HasField(field.other_name)}"
    if value is None and field.is_message:
        return ""
    return unlike(ours.get(field.name), getattr(peer, field.other_name), maps)


def unlike(value: Any, held: Any, maps: bool = True) -> str:
    if hasattr(held, "DESCRIPTOR"):
        return difference(value, held, maps)
    if isinstance(value, float) and isinstance(held, float):
        same = (math.isnan(value) and math.isnan(held)) or (
            value == held and math.copysign(1, value) == math.copysign(1, held)
        )
        return "" if same else f"{value!r} and {held!r}"
    if isinstance(held, bytes) and isinstance(value, str):
        # Text of proto2 that is not UTF-8.
        value = value.encode("utf-8", "surrogateescape")
    return "" if value == held else f"{value!r} and {held!r}"


def has_order(peer: Any) -> bool:
    """Return whether a map in it has several entries."""
    for field, value in peer.ListFields():
        if is_map(field):
            values = list(value.values()) if field.message_type.fields[1].type == MESSAGE else []
            if len(value) > 1 or any(map(has_order, values)):
                return True
        elif field.type == MESSAGE and any(map(has_order, value if field.is_repeated else [value])):
            return True
    return False


def has_maps(ours: Any) -> bool:
    """Return whether a map in it has entries."""
    for name in (each.name for each in ours._rule.fields):
        value = getattr(ours, name)
        inner = value if isinstance(value, list) else [value]
        if (isinstance(value, dict) and value) or any(has_maps(each) for each in inner if hasattr(each, "_rule")):
            return True
    return False


def check_written(ours: Any, peer: Any) -> None:
    written, other = ours.to_bytes(), peer.SerializeToString(deterministic=True)
    if written == other:
        return
    assert has_order(peer) or has_nan(ours), (written.hex(), other.hex())
    assert len(written) == len(other)
    assert difference(ours, type(peer).FromString(written)) == ""


def has_nan(ours: Any) -> bool:
    return "nan" in repr(ours)


# The tests -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", SEEDS)
def test_same_values_and_same_bytes(seed: int) -> None:
    pair = both(seed)
    for peer in made(pair, seed):
        ours = pair.ours.from_bytes(peer.SerializeToString())
        assert difference(ours, peer) == ""
        check_written(ours, peer)
        names = [each.name for each in ours._rule.fields]
        again = pair.ours(**{name: getattr(ours, name) for name in names})
        assert again.to_bytes() == ours.to_bytes()


@pytest.mark.parametrize("seed", SEEDS)
def test_other_forms_of_the_same_message(seed: int) -> None:
    pair, mutator = both(seed), Mutator(Random(seed))
    for peer in made(pair, seed + 1000):
        wire = mutator.rewritten(peer.SerializeToString(deterministic=True), pair.peer.DESCRIPTOR)
        check_verdict(pair, wire)


@pytest.mark.parametrize("seed", SEEDS)
def test_damaged_messages(seed: int) -> None:
    pair, mutator = both(seed), Mutator(Random(seed))
    for peer in made(pair, seed + 2000):
        wire = peer.SerializeToString(deterministic=True)
        check_verdict(pair, damaged(mutator.random, wire, WIRE), maps=False)
        check_verdict(pair, damaged(mutator.random, mutator.rewritten(wire, pair.peer.DESCRIPTOR), WIRE), maps=False)


def check_verdict(pair: Both, wire: bytes, maps: bool = True) -> None:
    """Check that both parsers agree on a message: that it is invalid, or its values."""
    try:
        peer = pair.peer.FromString(wire)
    except DecodeError:
        peer = None
    if peer is None or not peer.IsInitialized():
        ours = None
        with contextlib.suppress(MessageError):
            ours = pair.ours.from_bytes(wire)
        assert ours is None or has_long_tag(wire, pair.peer.DESCRIPTOR), wire.hex()
        return
    ours = pair.ours.from_bytes(wire)
    assert difference(ours, peer, maps) == "", wire.hex()
    if maps or not has_maps(ours):
        peer.DiscardUnknownFields()
        check_written(ours, peer)


# Columns -------------------------------------------------------------------------------------------------------------


@pytest.mark.skipif(not engine.available, reason="the engine is not there")
@pytest.mark.parametrize("seed", SEEDS)
def test_the_engine_and_the_objects_make_the_same_columns(seed: int) -> None:
    pair, mutator = both(seed), Mutator(Random(seed))
    wires = []
    for peer in made(pair, seed + 3000):
        wire = peer.SerializeToString(deterministic=True)
        wires += [wire, mutator.rewritten(wire, pair.peer.DESCRIPTOR), damaged(mutator.random, wire, WIRE)]
    wanted = range(len(pair.format.columns))
    one, other = (decoded(name, pair.format, wanted, wires) for name in ("columns", "objects"))
    assert one.units == other.units == len(wires)
    assert one.counts == other.counts
    assert [outcome(each) for each in one.problems] == [outcome(each) for each in other.problems]
    for number in wanted:
        name = pair.format.columns[number].name
        assert one.arrays[number].type == pair.format.schema.field(number).type, name
        one.arrays[number].validate(full=True)
        # As text, in which not-a-number equals itself.
        assert str(one.arrays[number].to_pylist()) == str(other.arrays[number].to_pylist()), name


@pytest.mark.parametrize("seed", range(1, 2 * len(SEEDS), 2))
def test_through_columns_and_back(seed: int) -> None:
    """Columns keep all of a message in proto3. In proto2 they show a default if a field is absent."""
    pair = both(seed, recursive=False)
    names = [each.name for each in pair.format.columns]
    assert pair.format.message is not None
    row = pair.format.message.rows
    wires = [each.SerializeToString() for each in made(pair, seed + 4000, 20)]
    units = [pair.ours.from_bytes(each) for each in wires]
    rows = wireloom.from_wire(pa.array(wires, pa.binary()), pair.format, columns=names)
    written = wireloom.to_wire(rows, pair.format, lossy=True)
    # Values beside the rows are not columns of theirs.
    kept = [pair.ours(**{row[0]: getattr(each, row[0])}) if row else each for each in units]
    assert written.to_pylist() == [each.to_bytes() for each in kept]


def decoded(name: str, format: Format, wanted: Sequence[int], wires: Sequence[bytes]) -> Decoded:
    sizes = [len(each) for each in wires]
    begins = [sum(sizes[:index]) for index in range(len(sizes))]
    decoder = decoder_of(name, format, wanted)
    return decoder.decode(
        b"".join(wires), pa.array(begins, pa.uint64()), pa.array(sizes, pa.uint64()), capacity=1_000_000
    )


def outcome(problem: UnitProblem) -> tuple[int, str, int]:
    return problem.unit, problem.reason, problem.rows
