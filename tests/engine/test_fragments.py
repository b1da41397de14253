"""The joining of fragments, compared with a straightforward one."""

from __future__ import annotations

import random
from array import array

import pytest
from wireloom import engine

pytestmark = pytest.mark.skipif(not engine.available, reason="the engine joins fragments")

FULL, FIRST, MIDDLE, LAST, SKIPPED = range(5)
WHOLE = ([FULL], [FULL] * 20, [FIRST, LAST], [FIRST, MIDDLE, MIDDLE, LAST])


def joined(roles: list[int]) -> tuple[int, list[int]]:
    """Return the number of fragments of the whole records at the beginning, and those at which a record begins."""
    begins: list[int] = []
    done, kept, is_open = 0, 0, False
    for number, role in enumerate(roles):
        if role > LAST or (role in (FULL, FIRST)) == is_open:
            break
        if not is_open:
            begins.append(number)
        is_open = role in (FIRST, MIDDLE)
        if not is_open:
            done, kept = number + 1, len(begins)
    return done, begins[:kept]


def by_engine(roles: list[int], places: array[int], ends: array[int]) -> tuple[int, array[int], array[int]]:
    to_places, to_ends = array("Q", [0] * len(roles)), array("i", [0] * (len(roles) + 1))
    count, records = engine._engine.join_fragments(bytes(roles), places, ends, to_places, to_ends)
    return count, to_places[:records], to_ends[: records + 1]


@pytest.mark.parametrize("seed", range(40))
def test_fragments_of_any_roles(seed: int) -> None:
    chance = random.Random(seed)
    roles = [role for _ in range(chance.randrange(30)) for role in chance.choice(WHOLE)]
    for _ in range(chance.randrange(3)):
        roles.insert(chance.randrange(len(roles) + 1), chance.randrange(SKIPPED + 2))
    places = array("Q", sorted(chance.choices(range(1 << 40), k=len(roles))))
    ends = array("i", sorted(chance.choices(range(1 << 30), k=len(roles) + 1)))
    count, begins = joined(roles)
    expected = (
        count,
        array("Q", [places[each] for each in begins]),
        array("i", [ends[each] for each in [*begins, count]]),
    )
    assert by_engine(roles, places, ends) == expected


@pytest.mark.parametrize("short", range(4))
def test_buffers_that_are_too_small(short: int) -> None:
    sizes = [16, 12, 16, 12]
    sizes[short] -= 1
    with pytest.raises(ValueError, match="too small for 2 fragments"):
        engine._engine.join_fragments(bytes(2), *map(bytearray, sizes))
