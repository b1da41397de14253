"""Values above the rows, repeated for each row, as by Arrow's own kernel."""

from __future__ import annotations

from random import Random
from typing import Any

import pyarrow as pa
import pytest
from wireloom import engine
from wireloom.rows.messages.repetition import Repetition, repeated

pytestmark = pytest.mark.skipif(not engine.available, reason="the engine is not there")

KINDS = [
    pa.int32(),
    pa.utf8(),
    pa.dictionary(pa.int32(), pa.utf8()),
    pa.list_(pa.utf8()),
    pa.struct(
        [("a", pa.int64()), ("b", pa.list_(pa.struct([("k", pa.utf8()), ("v", pa.bool_()), ("n", pa.binary())])))]
    ),
    pa.list_(pa.list_(pa.struct([("x", pa.float64())]))),
]


def value(random: Random, kind: Any, nulls: float) -> Any:
    if random.random() < nulls:
        return None
    if pa.types.is_struct(kind):
        # Fields that are null everywhere are skipped.
        return {each.name: None if each.name == "n" else value(random, each.type, nulls) for each in kind}
    if pa.types.is_list(kind):
        return [value(random, kind.value_type, nulls) for _ in range(random.randrange(4))]
    return {"int32": 7, "int64": random.randrange(9), "bool": True, "double": 0.5, "binary": b"x"}.get(
        str(kind), "text"
    )


@pytest.mark.parametrize("kind", KINDS, ids=str)
@pytest.mark.parametrize("nulls", [0.0, 0.3, 1.0])
def test_it_is_what_take_gives(kind: Any, nulls: float) -> None:
    random = Random(str(kind))
    for count in (0, 1, 7):
        values = pa.array([value(random, kind, nulls) for _ in range(count)], kind)
        for size in (0, 1, 40):
            places = pa.array([random.randrange(count) for _ in range(size if count else 0)], pa.int32())
            for each in (places, pa.array([*places.to_pylist(), None], pa.int32())):
                made = repeated(values, each)
                made.validate(full=True)
                assert made.equals(values.take(each))


@pytest.mark.parametrize("kind", [each for each in KINDS if not pa.types.is_dictionary(each)], ids=str)
def test_the_largest_is_at_least_the_size_of_any_repeated_value(kind: Any) -> None:
    random = Random(str(kind))
    values = pa.array([value(random, kind, 0.2) for _ in range(20)], kind)
    for place in range(20):
        largest = Repetition(values, pa.array([3, *[place] * 50, 4], pa.int32())).largest
        assert 50 * values.slice(place, 1).nbytes <= largest <= 50 * 20 * values.nbytes
