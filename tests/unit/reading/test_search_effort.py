"""The search for rows of long lists after damage: the work grows with the bytes, and valid rows are found."""

from __future__ import annotations

import random
import tracemalloc

import pytest
import wireloom
from wireloom import Format, engine
from wireloom.input.window import MemoryWindow
from wireloom.rows import object_reader
from wireloom.rows.object_reader import ObjectRowReader
from wireloom.rows.reader import Settings

from ..specs import format_of

pytestmark = pytest.mark.slow

ITEM = "item: {seq: [{id: x, type: u1}, {id: y, type: u1}]}"
LISTS = {
    "counted": "{id: n, type: u2}, {id: items, type: item, repeat: expr, repeat-expr: n}",
    "counted with many": "{id: n, type: u4}, {id: items, type: item, repeat: expr, repeat-expr: n}",
    "counted, one by one": "{id: n, type: u2}, {id: items, type: b8, repeat: expr, repeat-expr: n * 2}",
    "until": "{id: n, type: u2}, {id: items, type: item, repeat: until, repeat-until: '_.x == 255'}",
    "numbers": "{id: n, type: u2}, {id: items, type: u2, repeat: expr, repeat-expr: n}",
    "strings": "{id: n, type: u2}, {id: items, size: 2, repeat: expr, repeat-expr: n}",
}
ENGINE = ("numbers", "strings")
SHORT = ("counted", "until", "numbers")


def listed(name: str) -> Format:
    return format_of(
        "meta: {id: list_rows, endian: le, -wireloom: {rows: rows, columns: [magic, n]}}\n"
        "seq: [{id: rows, type: row, repeat: eos}]\n"
        f"types: {{{ITEM}, row: {{seq: [{{id: magic, type: u1, valid: 171}}, {LISTS[name]}]}}}}\n"
    )


def row_of(name: str, items: int, chance: random.Random) -> bytes:
    body = bytes(chance.choices(range(250), k=2 * items))
    if name == "until":
        body += b"\xff\0"
    return b"\xab" + items.to_bytes(4 if name == "counted with many" else 2, "little") + body


def searched(format: Format, data: bytes) -> int:
    """Return the number of items that a search through the data reads; it finds nothing."""
    row_reader = ObjectRowReader(format, None, Settings(projected=(0, 1), max_record=1 << 24, max_computed=4000))
    assert row_reader.resync(MemoryWindow(memoryview(data)), 0) == (False, len(data))
    return row_reader.computing.total


def hostile(name: str) -> bytes:
    """Return rows that begin in each other, of lists that fit and with nothing valid after them."""
    return row_of(name, 0, random.Random(0)).replace(b"\0\0", b"\0\x04", 1).replace(b"\xff\0", b"") * 1500


def most(data: bytes, allowance: int) -> int:
    each = object_reader.ITEMS_PER_BYTE + 2 * object_reader.FEW_ITEMS
    return allowance + 2 * 4000 + each * len(data)


@pytest.mark.parametrize(
    "name", [pytest.param(each, marks=() if each in SHORT else pytest.mark.thorough) for each in LISTS]
)
def test_what_is_read_grows_with_the_bytes(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    format, data = listed(name), hostile(name)
    monkeypatch.setattr(object_reader, "ALLOWANCE", 20_000)
    assert searched(format, data) <= most(data, 20_000)
    assert len(data) // 10 < searched(format, 2 * data) <= most(2 * data, 20_000)


def test_without_a_bound_it_would_be_more(monkeypatch: pytest.MonkeyPatch) -> None:
    data = hostile("counted")
    monkeypatch.setattr(object_reader, "ALLOWANCE", 10**9)
    assert searched(listed("counted"), data) > 2 * most(data, 20_000)


def test_the_first_of_several_rows_is_found() -> None:
    """A long row before a short one: that the short one is seen first is no reason to return it."""
    format, chance = listed("counted"), random.Random(1)
    rows = [row_of("counted", items, chance) for items in (2000, 1, 1)]
    row_reader = ObjectRowReader(format, None, Settings(projected=(0, 1)))
    assert row_reader.resync(MemoryWindow(memoryview(b"\0\0\0" + b"".join(rows))), 0) == (True, 3)


def test_a_list_that_cannot_fit_is_refused_before_its_first_item() -> None:
    format = listed("counted with many")
    assert searched(format, b"\xab\xff\xff\xff" * 3000) == 0


@pytest.mark.parametrize("size", [100, 3_000])
@pytest.mark.parametrize("name", LISTS)
def test_long_rows_after_damage_are_found(name: str, size: int) -> None:
    format = listed(name)
    chance = random.Random(name)
    rows = [row_of(name, size + number, chance) for number in range(8)]
    damaged = bytearray(rows[3])
    damaged[0] = 0
    data = b"".join([*rows[:3], damaged, *rows[4:]])
    table, report = wireloom.read_with_report(format, data, recover=True)
    assert table["n"].to_pylist() == [size + number for number in range(8) if number != 3]
    assert [each.reason for each in report.files[0].damaged] == ["value"]


@pytest.mark.skipif(not engine.available, reason="the engine is not there to agree with")
@pytest.mark.parametrize("name", ["numbers", pytest.param("strings", marks=pytest.mark.thorough)])
def test_the_engine_finds_the_same(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    format = listed(name)
    assert format.engine_refusal is None
    chance = random.Random(name)
    for _ in range(10):
        data = bytearray(b"".join(row_of(name, chance.choice([0, 3, 40, 900, 1500]), chance) for _ in range(20)))
        for _ in range(3):
            data[chance.randrange(len(data))] = 0xAB
            del data[: chance.randrange(3)]
        found = []
        for available in (True, False):
            with monkeypatch.context() as patched:
                patched.setattr(engine, "available", available)
                table, report = wireloom.read_with_report(format, bytes(data), recover=True, columns=["n", "_offset"])
            found.append((table.to_pydict(), report.to_dict()["files"]))
        assert found[0] == found[1]


POSITIONED = """meta: {id: positioned, endian: le, -wireloom: {rows: rows}}
seq: [{id: first, type: u8}, {id: rows, type: row, repeat: eos}]
instances: {kind: {pos: first, type: u1}}
types:
  row:
    seq:
      - {id: tag, type: u1}
      - {id: n, size: _root.kind}
      - {id: crc, type: u4, -wireloom: {checksum: {algorithm: crc32c, over: [tag, n]}}}
"""


@pytest.mark.parametrize("position", [1 << 31, 1 << 40, (1 << 63) - 1])
def test_a_position_that_the_input_claims_allocates_nothing(position: int):
    format = format_of(POSITIONED)
    data = position.to_bytes(8, "little") + bytes(512)
    tracemalloc.start()
    try:
        with pytest.raises(wireloom.WireloomError):
            wireloom.read(format, data, recover=True, mode="failfast")
        assert tracemalloc.get_traced_memory()[1] < 50 << 20
    finally:
        tracemalloc.stop()
