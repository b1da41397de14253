"""Every two constructs of the dialect meet in a spec that both readers read alike."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import pytest
from wireloom import engine

from .covering import CONSTRUCTS, Comparisons, all_pairs, compare_all, made_of
from .keys import Key, all_keys, keys_in
from .layouts import LAYOUTS

DOCUMENTATION = ("doc", "doc-ref", "title", "application", "file-extension", "xref", "tags", "license", "to-string")
COMPILERS = ("ks-version", "ks-debug", "ks-opaque-types", "ks-zero-copy-substream", "imports")
WRITERS = ("default", "begins-with", "ends-with", "indexer", "size-of", "block", "codec")
PLACED = ("contents", "size-eos", "repeat: until", "repeat-until", "terminator", "include", "consume", "eos-error")
ELSEWHERE: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "say nothing about the bytes": ((), (*DOCUMENTATION, *COMPILERS)),
    "are for writers": (("default", "for-each"), ()),
    "are about sizes that disagree: test_stated_sizes": (("type-extensions",), ("trailing-bytes",)),
    "are for writers, in these tables": (
        ("meta-extensions", "field-extensions", "instance-extensions", "fragments", "look-up"),
        WRITERS,
    ),
    "are about messages: test_messages, test_messages_in_layouts": (
        ("message", "message-field", "message-units", "message-kind", "message-otherwise"),
        (),
    ),
    "test_placed_columns": (
        ("instance",),
        (*PLACED, "pad-right", "encoding", "parent", "process", "valid"),
    ),
    "test_running_checksums": (("checksum",), ("continues",)),
    "are read by objects alone: test_own_checksums": (("checksum",), ("value", "routine")),
    "test_avro_rows": (("decode",), ()),
    "test_computed_checksums": (("computed-checksum",), ("initial", "final-xor")),
    "are written as a mapping of values": (("enum", "enum-member"), ()),
    "are those of meta too": (("table", "type-meta"), ()),
}
"""Keys that no construct has, and why: tables, and keys of them. Without keys it is all of the tables, without tables
the keys of any table."""
ALONE = {
    ("spec", "params"),
    ("type-extensions", "message"),
    ("meta-extensions", "message"),
    ("meta-extensions", "path"),
    ("instance-extensions", "text"),
    ("meta-extensions", "fragments"),
}


def is_elsewhere(key: Key) -> bool:
    tables_and_keys = ELSEWHERE.values()
    return key in ALONE or any(
        (not tables or key[0] in tables) and (not keys or key[1] in keys) for tables, keys in tables_and_keys
    )


def test_every_key_of_the_dialect_has_a_construct() -> None:
    found: set[Key] = set()
    for each in CONSTRUCTS:
        found |= keys_in(made_of({each, LAYOUTS[0]} if each.place != "layout" else {each})[0].spec)
    assert not [each for each in all_keys() if each not in found and not is_elsewhere(each)]


def test_a_pair_without_results_is_missing() -> None:
    every = all_pairs()
    compared, refused = every[0], every[1]
    found = Comparisons(Counter({compared: 1}), {refused: "why"})
    assert found.missing() == every[2:]
    assert "; NEVER COMPARED: " in found.table().splitlines()[-1]


@pytest.mark.skipif(not engine.available, reason="compares the engine with objects")
def test_some_pairs() -> None:
    found = compare_all(most=12)
    assert_same(found)
    assert len(found.compared) > 150


@pytest.mark.thorough
@pytest.mark.skipif(not engine.available, reason="compares the engine with objects")
def test_every_pair(record_property: Callable[[str, object], None]) -> None:
    """``python -m tests.differential.pairs`` prints the same table, and with ``--table`` each pair."""
    found = compare_all()
    record_property("table", f"{found.table()}\n{found.summary()}")
    assert_same(found)
    assert not [" × ".join(sorted(each)) for each in found.missing()]


def assert_same(found: Comparisons) -> None:
    assert not found.differences, "\n\n".join(f"{' × '.join(names)}\n{text}" for names, text in found.differences)
