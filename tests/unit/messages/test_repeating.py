"""Values above the rows, repeated for each row, as by Arrow's own kernel."""

from __future__ import annotations

from random import Random
from typing import Any

import pyarrow as pa
import pytest
from wireloom.rows.messages import repeated

KINDS = [
    pa.int32(),
    pa.utf8(),
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
