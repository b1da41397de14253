"""The valid content of a message program, up to the largest valid numbers: one more is refused."""

from __future__ import annotations

import struct

import pytest
from wireloom.checksums import Family
from wireloom.engine import _engine
from wireloom.format.message_program import (
    Envelope,
    FieldSource,
    LookupSource,
    MarkSource,
    MessageProgram,
    RowNumberSource,
)
from wireloom.format.message_rules import FieldKind, FieldRule, Label, MessageRule, MessageSet
from wireloom.format.program_words import PACKED_VERSION
from wireloom.rows.messages.column_tree import ColumnTree
from wireloom.rows.messages.packed_columns import pack

NONE = 2**32 - 1
OPTIONAL, REPEATED, REQUIRED = Label.OPTIONAL, Label.REPEATED, Label.REQUIRED
TYPES = MessageSet(
    (
        MessageRule(
            "Unit",
            (
                FieldRule("keys", 1, FieldKind.STRING, REPEATED),
                FieldRule("rows", 2, FieldKind.MESSAGE, REPEATED, message=1),
            ),
        ),
        MessageRule(
            "Row",
            (
                FieldRule("index", 1, FieldKind.UINT64, REQUIRED),
                FieldRule("data", 2, FieldKind.BYTES, OPTIONAL),
                FieldRule("kind", 3, FieldKind.ENUM, OPTIONAL, values=(1, 2, 5)),
                FieldRule("one", 4, FieldKind.UINT32, OPTIONAL, oneof="either"),
                FieldRule("two", 5, FieldKind.BYTES, OPTIONAL, oneof="either"),
                FieldRule("tags", 6, FieldKind.MESSAGE, REPEATED, message=2),
                FieldRule("numbers", 7, FieldKind.SINT32, REPEATED),
                FieldRule("map", 8, FieldKind.STRING, REPEATED, key=FieldKind.STRING),
                FieldRule("ratio", 9, FieldKind.DOUBLE, OPTIONAL),
            ),
        ),
        MessageRule("Tag", (FieldRule("name", 1, FieldKind.STRING, OPTIONAL),)),
    )
)
FIELDS = tuple(FieldSource((number,)) for number in range(2, 10))
LOOKUP = LookupSource(FieldSource((1,), up=1), FieldSource((1,)), mask=0xFF)
PROGRAM = MessageProgram(
    types=TYPES,
    columns=(LOOKUP, *FIELDS, RowNumberSource(), MarkSource()),
    rows=(2,),
    envelope=Envelope(b"ab", "md5", 1),
    whole=1,
)
PACKED = pack(PROGRAM, ColumnTree(PROGRAM, frozenset(range(len(PROGRAM.columns)))))
HEADER = dict(
    zip(
        (
            *("version", "nodes", "fields", "values", "clears", "slots", "shapes", "emits", "scopes", "tables"),
            *("lookups", "constants", "unit_node", "unit_scope", "row_scope", "unit_emits", "unit_emit_count"),
            *("max_depth", "prefix", "prefix_size", "digest", "least", "has_whole", "whole"),
        ),
        range(24),
        strict=True,
    )
)
WORDS = {"nodes": 3, "fields": 16, "values": 1, "clears": 2, "shapes": 2, "emits": 9, "scopes": 4, "lookups": 15}
"""Words of each part, in their order after the header."""
FIELD = dict(
    zip(
        (
            *("number", "kind", "flags", "slot", "vector", "node", "scope", "table", "values", "value_count"),
            *("clears", "clear_count", "oneof", "drop", "name", "name_size"),
        ),
        range(16),
        strict=True,
    )
)
BYTES, BOOL = 16, 1
LIST = 33


def header(name: str) -> int:
    (value,) = struct.unpack_from("<I", PACKED, 4 * HEADER[name])
    return int(value)


def place(part: str, number: int, word: int) -> int:
    """Return the position of a word of the program, in bytes."""
    at = 24
    for each, words in WORDS.items():
        if each == part:
            return 4 * (at + number * words + word)
        at += header(each) * words
    raise KeyError(part)


def changed(*changes: tuple[str, int, int | str, int]) -> bytes:
    packed = bytearray(PACKED)
    for part, number, word, value in changes:
        at = 4 * number if part == "header" else place(part, number, FIELD[word] if isinstance(word, str) else word)
        struct.pack_into("<I", packed, at, value)
    return bytes(packed)


def refused(part: str, packed: bytes) -> None:
    with pytest.raises(ValueError, match=part):
        _engine.MessageProgram(packed)


def test_the_parts_are_where_this_test_looks_for_them() -> None:
    assert len(PACKED) == 4 * (24 + sum(header(part) * words for part, words in WORDS.items())) + header("constants")
    assert [header(each) for each in ("nodes", "fields", "slots", "shapes", "emits", "scopes")] == [
        4,
        14,
        10,
        17,
        15,
        4,
    ]
    assert [struct.unpack_from("<I", PACKED, place("fields", 2 + number, 0))[0] for number in range(9)] == [
        *range(1, 10)
    ]
    _engine.MessageProgram(PACKED)


@pytest.mark.parametrize(
    ("name", "right", "wrong", "part"),
    [
        ("version", 9, 10, "has version 10"),
        ("unit_node", 3, 4, "no message type 4"),
        ("unit_scope", 3, 4, "no scope 4"),
        ("row_scope", 3, 4, "no scope 4"),
        ("unit_emits", 14, 16, "emits 16 … . 0"),
        ("unit_emit_count", 0, 1, "emits 15 … . 1"),
        ("unit_emit_count", 0, NONE, "emits 15"),
        ("max_depth", 500, 501, "nested 501 deep, this engine allows 500"),
        ("prefix", 0, 1, "constants 1 … . 2"),
        ("prefix_size", 1, 3, "constants 0 … . 3"),
        ("whole", 15, 17, "no vector 17"),
        ("whole", NONE, 16, "a whole unit is bytes"),
    ],
)
def test_the_header(name: str, right: int, wrong: int, part: str) -> None:
    _engine.MessageProgram(changed(("header", HEADER[name], 0, right)))
    refused(part, changed(("header", HEADER[name], 0, wrong)))


@pytest.mark.parametrize(
    ("name", "most"),
    [
        *(("nodes", 1 << 14), ("fields", 1 << 18), ("values", 1 << 20), ("clears", 1 << 20), ("slots", 1 << 16)),
        *(("shapes", 1 << 14), ("emits", 1 << 14), ("scopes", 1 << 14), ("tables", 1 << 8), ("lookups", 64)),
    ],
)
def test_counts(name: str, most: int) -> None:
    refused(f"too many .*: {most + 1} .at most {most}", changed(("header", HEADER[name], 0, most + 1)))
    if name in ("slots", "tables"):
        _engine.MessageProgram(changed(("header", HEADER[name], 0, most)))
    else:
        refused("its header says", changed(("header", HEADER[name], 0, most)))


def test_sizes() -> None:
    for size in range(len(PACKED)):
        refused("its header says" if size >= 96 else "ends inside its header", PACKED[:size])
    refused("its header says", PACKED + b"\0")
    refused("its header says", changed(("header", HEADER["constants"], 0, NONE)))


@pytest.mark.parametrize(
    "change",
    [
        ("fields", 10, "number", (1 << 29) - 1),
        ("fields", 11, "oneof", 1),
        ("fields", 8, "slot", 9),
        ("fields", 8, "vector", 5),
        ("fields", 8, "drop", 9),
        ("fields", 1, "scope", 3),
        ("fields", 1, "node", 3),
        ("clears", 0, 0, 0),
        ("emits", 4, 0, 7),
        ("emits", 2, 2, 5),
        ("emits", 2, 5, 2),
        ("emits", 3, 3, 9),
        ("scopes", 3, 2, 9),
        ("lookups", 0, 11, NONE),
        ("lookups", 0, 10, 3),
        ("shapes", 16, 0, BYTES),
    ],
)
def test_the_last_that_is_right(change: tuple[str, int, int | str, int]) -> None:
    fitting = [("emits", 9, 0, 1), ("emits", 9, 2, 2)] if change == ("shapes", 16, 0, BYTES) else []
    _engine.MessageProgram(changed(change, *fitting))


TOO_MUCH = [
    (("nodes", 0, 0, 15), "fields 15 … . 2"),
    (("nodes", 3, 1, 3), "fields 12 … . 3"),
    (("nodes", 3, 1, NONE), "fields 12"),
    (("fields", 2, "number", 0), "0 is no field number"),
    (("fields", 10, "number", 1 << 29), "536870912 is no field number"),
    (("fields", 3, "number", 1), "field 1 does not precede field 1"),
    (("fields", 2, "kind", 0), "a kind that there is not"),
    (("fields", 2, "kind", 10), "a kind that there is not"),
    (("fields", 2, "kind", 19), "a kind that there is not"),
    (("fields", 2, "kind", 256 + 4), "a kind that there is not"),
    (("fields", 3, "flags", 64), "cannot have the flags 64"),
    (("fields", 3, "flags", 256), "cannot have the flags 255"),
    (("fields", 3, "flags", 16), "cannot have the flags 16"),
    (("fields", 3, "flags", 4), "flags that its kind cannot have"),
    (("fields", 5, "flags", 8), "flags that its kind cannot have"),
    (("fields", 1, "node", 4), "no message type 4"),
    (("fields", 2, "table", 0), "field 1 cannot be a table"),
    (("fields", 0, "table", 1), "no table 1"),
    (("fields", 11, "oneof", 2), "no oneof 2"),
    (("fields", 2, "slot", 10), "no slot 10"),
    (("fields", 1, "scope", 4), "no scope 4"),
    (("fields", 2, "drop", 10), "no slot 10"),
    (("fields", 8, "vector", 17), "no vector 17"),
    (("fields", 8, "vector", 10), "do not fit vector 10"),
    (("fields", 8, "vector", 16), "do not fit vector 16"),
    (("fields", 1, "vector", 13), "do not fit vector 13"),
    (("fields", 1, "vector", 16), "do not fit vector 16"),
    (("fields", 4, "values", 1), "values 1 … . 3"),
    (("fields", 4, "value_count", 4), "values 0 … . 4"),
    (("values", 1, 0, 1), "not in ascending order"),
    (("values", 2, 0, NONE), "not in ascending order"),
    (("fields", 6, "clears", 2), "clearings 2 … . 1"),
    (("fields", 6, "clear_count", 2), "clearings 1 … . 2"),
    (("clears", 0, 1, 10), "no slot 10"),
    (("clears", 0, 0, 1), "which is no list"),
    (("shapes", 1, 1, 1), "vector 1 ends at 1"),
    (("shapes", 16, 1, 18), "vector 16 ends at 18"),
    (("shapes", 9, 1, 11), "vector 9 ends at 11"),
    (("shapes", 1, 1, 3), "vector 1 has children"),
    (("shapes", 10, 1, 11), "vector 10 is a list and does not have one child"),
    (("shapes", 13, 1, 15), "vector 12 is a list and does not have one child"),
    (("shapes", 0, 0, 3), "unknown storage: 3"),
    (("shapes", 0, 0, 256 + 16), "unknown storage: 255"),
    (("emits", 2, 1, 17), "no vector 17"),
    (("emits", 2, 0, 9), "no emit 9"),
    (("emits", 2, 1, 4), "emit 1 does not fit vector 4"),
    (("emits", 11, 1, 8), "emit 1 does not fit vector 8"),
    (("emits", 3, 1, 3), "emit 0 does not fit vector 3"),
    (("emits", 10, 1, 7), "emit 3 does not fit vector 7"),
    (("emits", 6, 1, 8), "emit 4 does not fit vector 8"),
    (("emits", 0, 1, 16), "emit 5 does not fit vector 16"),
    (("emits", 1, 1, 1), "emit 6 does not fit vector 1"),
    (("emits", 9, 0, 7), "emit 7 does not fit vector 16"),
    (("emits", 3, 2, 10), "no slot 10"),
    (("emits", 10, 2, 10), "no slot 10"),
    (("emits", 6, 2, 10), "no slot 10"),
    (("emits", 6, 3, 10), "no slot 10"),
    (("emits", 2, 5, 3), "constants 0 … . 3"),
    (("emits", 2, 7, 3), "constants 3 … . 0"),
    (("emits", 2, 8, NONE), "constants"),
    (("emits", 2, 2, 3), "slot 3 has no bytes"),
    (("emits", 11, 2, 9), "slot 9 has no bytes"),
    (("scopes", 1, 0, 16), "emits 16 … . 10"),
    (("scopes", 3, 1, 4), "emits 12 … . 4"),
    (("scopes", 3, 2, 10), "no slot 10"),
    (("lookups", 0, 2, 10), "no slot 10"),
    (("lookups", 0, 3, 10), "no slot 10"),
    (("lookups", 0, 9, 1), "no table 1"),
    (("lookups", 0, 10, 4), "no scope 4"),
    (("lookups", 0, 11, 17), "no vector 17"),
    (("lookups", 0, 11, 1), "a look-up gives bytes"),
    (("fields", 9, "flags", 16), "field 8 is no map"),
    (("fields", 9, "node", 2), "field 8 is no map"),
    (("fields", 9, "node", 1), "field 8 is no map"),
]


def test_one_too_much(subtests: pytest.Subtests) -> None:
    for change, part in TOO_MUCH:
        with subtests.test(repr(change)):
            refused(part, changed(change))


def test_what_takes_two_changes() -> None:
    # The number of a parent of a vector that does not exist.
    refused("no vector 17", changed(("emits", 4, 0, 7), ("emits", 4, 2, 17)))
    # A oneof that clears a vector that does not exist.
    refused("clears vector 17, which is no list", changed(("clears", 0, 0, 1), ("clears", 0, 1, 17)))
    # A map whose keys are messages.
    refused("field 8 is no map", changed(("fields", 12, "kind", FieldKind.MESSAGE), ("fields", 12, "flags", 0)))
    # A slot that a message writes has no bytes.
    refused("slot 8 has no bytes", changed(("fields", 1, "slot", 8)))
    # A dropped entry is a number, not bytes.
    refused("slot 8 has no bytes", changed(("fields", 4, "drop", 8)))


@pytest.mark.parametrize(("count", "fits"), [(64, True), (65, False)])
def test_required_fields(count: int, fits: bool) -> None:
    fields = tuple(FieldRule(f"field{number}", number + 1, FieldKind.UINT32, REQUIRED) for number in range(count))
    program = MessageProgram(MessageSet((MessageRule("Many", fields),)), (FieldSource((1,)),))
    packed = pack(program, ColumnTree(program, frozenset((0,))))
    if fits:
        _engine.MessageProgram(packed)
    else:
        refused("more than 64 fields of a message are required", packed)


@pytest.mark.parametrize(("lists", "fits"), [(64, True), (65, False)])
def test_vectors_in_each_other(lists: int, fits: bool) -> None:
    count = lists + 1
    #       version, a node, 0 fields, values and clears, a slot, the vectors, 0 emits, a scope, 0 of the others
    start = [PACKED_VERSION, 1, 0, 0, 0, 1, count, 0, 1, 0, 0, 0, *[0] * 5, 100, *[0] * 6]
    shapes = [word for _ in range(lists) for word in (LIST, count)] + [BOOL, count]
    packed = struct.pack(f"<{24 + 3 + 2 * count + 4}I", *start, 0, 0, 0, *shapes, 0, 0, NONE, 1)
    if fits:
        _engine.MessageProgram(packed)
    else:
        refused("vectors are nested more than 64 deep", packed)


@pytest.mark.parametrize("family", [Family.CRC, Family.XXH64, Family.XXH3, 99, 2**32 - 1])
def test_digests_that_there_are_not(family: int) -> None:
    packed = bytearray(PACKED)
    struct.pack_into("<I", packed, 4 * HEADER["digest"], family)
    refused(f"a digest of family {family}, which there is not", bytes(packed))
    struct.pack_into("<I", packed, 4 * HEADER["digest"], Family.SHA256D)
    _engine.MessageProgram(bytes(packed))


def test_no_slots() -> None:
    start = [PACKED_VERSION, 1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, *[0] * 5, 100, *[0] * 6]
    refused("no slot 0", struct.pack("<31I", *start, 0, 0, 0, 0, 0, NONE, 1))
