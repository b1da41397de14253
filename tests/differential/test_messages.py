"""Generated tables of messages in every framing: both readers agree on valid units, unusual ones and damage."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

import pytest
from hypothesis import given
from wireloom import engine

from ..unit.columns_backend.specs import format_of
from ..unit.messages.random_specs import random_spec
from ..unit.messages.wire_inputs import Messages, varint
from .agreement import agreed
from .damage import damaged
from .strategies import bounded, randoms, some

pytestmark = pytest.mark.skipif(not engine.available, reason="the engine is not there to agree with")


FRAMINGS: dict[str, Callable[[int], bytes]] = {
    "varint": varint,
    "u2le": lambda size: size.to_bytes(2, "little"),
    "u4be": lambda size: size.to_bytes(4, "big"),
    "u8le": lambda size: size.to_bytes(8, "little"),
    "whole": lambda _: b"",
}
READERS: tuple[dict[str, Any], ...] = ({}, {"mode": "failfast"}, {"batch_rows": 1}, {"max_record": 40})


@bounded(10, thorough=60)
@given(random=randoms)
def test_both_readers_agree(random: Random) -> None:
    name = random.choice([*FRAMINGS])
    seed = random.getrandbits(32)
    text = random_spec(Random(seed)).replace("    message:\n", f"    message:\n      framing: {name}\n", 1)
    format = format_of(text)
    program = format.message_program
    assert program is not None, format.engine_refusal
    made = Messages(Random(seed), program.types, random.choice([0.0, 0.03, 0.3]))
    units = [made.message() for _ in range(1 if name == "whole" else random.randrange(6))]
    good = b"".join(FRAMINGS[name](len(each)) + each for each in units)
    for data in (good, damaged(random, good), damaged(random, good)):
        for options in some(random, READERS):
            agreed(format, data, **options)
