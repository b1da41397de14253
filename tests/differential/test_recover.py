"""With ``recover``, bytes inserted between two records cost these bytes alone: the records after them are read as if
nothing were there. Both readers could agree about losing them, so the valid log is the truth."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from random import Random
from typing import Any

from hypothesis import assume, given
from hypothesis import strategies as st
from wireloom import Format, SpecError

from ..unit.columns_backend.specs import format_of
from .agreement import ROW_COLUMNS, agreed, outcome
from .pairs.covering import CONSTRUCTS, made_of, may_meet
from .pairs.layout_parts import ROWS, head_of, rows_of, some, unit_of
from .pairs.layouts import in_blocks, layout
from .pairs.shape import Construct, Shape, fixed
from .pieces import Parts, Piece, Values
from .specs import Made
from .strategies import bounded, randoms

TABLE = {"-wireloom": {"variable": {"keys": "integer", "values": "integer"}}}
VARIABLE = {"-wireloom": {"variable": True}}
DEPENDENT: dict[str, tuple[dict[str, Any], str, str]] = {
    "integer": ({"value": "2", **VARIABLE}, "told", "_root.told"),
    "list": ({"value": "[2]", **VARIABLE}, "told", "_root.told[_root.told.size - 1]"),
    "table": (TABLE, "told[3]", "_root.told.has(3) ? _root.told[3] : 2"),
    "entry": (TABLE, "told[own]", "_root.told.has(own) ? _root.told[own] : 0"),
}
"""For each kind of variable what it is, what rows set to their ``own``, and the size that depends on it."""


def add_dependent(shape: Shape, kind: str) -> None:
    """Add bytes whose number is in the row before."""
    variable, target, size = DEPENDENT[kind]
    set_so_far: list[int] = []

    def begin(*_: object) -> Parts:
        set_so_far[:] = [2]
        return ()

    def write(random: Random, _: Values) -> Parts:
        own = random.randrange(4)
        known = own if own in set_so_far[1:] else 0
        count = known if kind == "entry" else set_so_far[-1]
        set_so_far.append(own)
        return (bytes([own]), random.randbytes(count))

    shape.before.append(Piece([], begin))
    shape.root_instances["told"] = variable
    shape.row.append(Piece([{"id": "own", "type": "u1"}, {"id": "as_told", "size": size}], write))
    shape.instances["tell"] = {"value": "own", "-wireloom": {"sets": f"_root.{target}"}}


MAGIC = Construct(
    "magic", "field", lambda shape: shape.row.append(fixed({"id": "begin", "contents": [0x52, 0x4F, 0x57]}, b"ROW"))
)
VARIABLES = [Construct(kind, "field", partial(add_dependent, kind=kind)) for kind in DEPENDENT]
SIZE = 96


def sized_rows(shape: Shape) -> Made:
    """Return rows of one size, whatever is in them."""
    seq = [*shape.attributes([*shape.before, *shape.in_unit]), ROWS | {"repeat": "eos", "size": SIZE}]

    def write(*_: object) -> bytes:
        head = head_of(shape) + unit_of(shape)
        return head + b"".join(each.ljust(SIZE, b"\xa5") for each in rows_of(shape, some(shape, 9)))

    return Made(shape.spec({"seq": seq}, "rows"), write)


def blocks(shape: Shape) -> Made:
    """Return units of one size that begin with a constant."""
    shape.in_unit.insert(0, fixed({"id": "block", "contents": [0x42, 0x4C]}, b"BL"))
    return in_blocks(shape)


NAMES = ("rows at the root", "units", "sized units", "rows in a case", "rows on two paths", "padded units")
LAYOUTS = [each for each in CONSTRUCTS if each.place == "layout" and each.name in NAMES]
OF_ONE_SIZE = [layout("sized rows", sized_rows), layout("blocks with a constant", blocks)]
LAYOUTS += OF_ONE_SIZE
# Rows of the default case of a switch, or without evidence, are no proof; markers come first.
UNPROVEN = (
    "marker",
    "evidence",
    "switch among types",
    "union",
    "ranges",
    "nonempty",
    "preallocated",
    "preallocated sectors",
)
OTHERS = [each for each in CONSTRUCTS if each.place != "layout" and not each.name.startswith(UNPROVEN)]


def group_of(random: Random) -> Sequence[Construct]:
    found = [random.choice(LAYOUTS), MAGIC, *random.sample(VARIABLES, random.choice([0, 1, 1]))]
    for each in random.sample(OTHERS, random.choice([0, 1, 2])):
        if all(may_meet(each, other) for other in found):
            found.append(each)
    return found


def told_by(found: Any) -> tuple[list[Any], list[list[Any]], str]:
    """Return the rows of a result without their places, its damage, and how the input ends."""
    columns, [report] = found
    values = [each for name, each in columns.items() if name not in ROW_COLUMNS]
    rows = [row for row, error in zip(zip(*values, strict=True), columns["_error"], strict=True) if error is None]
    return rows, report["damaged"], report["tail"]


def read(format: Format, data: bytes) -> tuple[list[Any], bool]:
    """Return the rows, and whether there is nothing else."""
    found = outcome(format, data, check_format=False)
    if not isinstance(found[0], dict):
        return [], False
    rows, damaged, tail = told_by(found)
    return rows, not damaged and tail == "clean"


@bounded(25, thorough=2000)
@given(random=randoms, seed=st.integers(0, 1 << 30))
def test_inserted_bytes_cost_no_record(random: Random, seed: int) -> None:
    group = group_of(random)
    try:
        made = made_of(group, seed)[0]
        format = format_of(made.text)
    except SpecError:
        assume(False)
    good = made.write(random, {})
    # No record begins in these bytes: they have no magic, and no length that leads to a record.
    inserted = bytes(random.choices(range(0xC0, 0x100), k=random.choice([1, 2, 5, 9, 30])))
    rows, is_clean = read(format, good)
    assume(format.streaming and is_clean and rows)
    for at in random.sample(range(len(good) + 1), min(8, len(good) + 1)):
        before, is_between = read(format, good[:at])
        # A record that may end with the input is complete wherever that is.
        is_between &= read(format, good[:at] + b"\xff")[0] == before
        # Among rows of one size, the end of the input proves nothing.
        is_proven = group[0] not in OF_ONE_SIZE or len(good) - at >= 3 * SIZE
        if not is_between or len(before) == len(rows) or not is_proven:
            continue
        data = good[:at] + inserted + good[at:]
        found, damaged, _ = told_by(agreed(format, data, recover=True, check_format=False))
        assert (found, [each[0] for each in damaged]) == (rows, [at]), f"{made.text}\n{data.hex()}\n{damaged}"
