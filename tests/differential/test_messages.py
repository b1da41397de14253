"""Generated tables of messages in every framing: both readers agree on valid units, unusual ones and damage."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

import pytest
from hypothesis import given
from wireloom import Format, engine
from wireloom.rows.reader import BATCH_BYTES
from wireloom.units import framing as framing_module
from wireloom.units import framing_detection, message_resync

from ..unit.columns_backend.specs import format_of
from ..unit.messages.random_specs import random_spec
from ..unit.messages.wire_inputs import Messages, varint
from .agreement import agreed
from .damage import damaged
from .strategies import IS_QUICK, bounded, randoms, some

pytestmark = pytest.mark.skipif(not engine.available, reason="the engine is not there to agree with")


FRAMINGS: dict[str, Callable[[int], bytes]] = {
    "varint": varint,
    "u2le": lambda size: size.to_bytes(2, "little"),
    "u4be": lambda size: size.to_bytes(4, "big"),
    "u8le": lambda size: size.to_bytes(8, "little"),
    "whole": lambda _: b"",
}
READERS: tuple[dict[str, Any], ...] = (
    {},
    {"mode": "failfast"},
    {"batch_rows": 1},
    {"max_record": 40},
    {"recover": True},
)
WINDOWS = (3, 7, 20, 64, 300)


def messages_of(random: Random, name: str, framing: str, count: int, seeds: int = 1 << 32) -> tuple[Format, bytes]:
    """Return one of so many formats with that framing, or with several, and messages of it with lengths as ``name``
    says."""
    seed = random.getrandbits(32) % seeds
    text = random_spec(Random(seed)).replace("    message:\n", f"    message:\n      framing: {framing}\n", 1)
    format = format_of(text)
    program = format.message_program
    assert program is not None, format.engine_refusal
    made = Messages(random, program.types, random.choice([0.0, 0.03, 0.3]))
    units = [made.message() for _ in range(1 if name == "whole" else count)]
    return format, b"".join(FRAMINGS[name](len(each)) + each for each in units)


@bounded(10, thorough=60)
@given(random=randoms)
def test_both_readers_agree(random: Random) -> None:
    name = random.choice([*FRAMINGS])
    format, good = messages_of(random, name, name, random.randrange(6))
    for data in (good, damaged(random, good), damaged(random, good)):
        for options in some(random, READERS):
            agreed(format, data, **options)


@bounded(60, thorough=1000)
@given(random=randoms)
def test_windows_of_all_sizes_give_the_same(random: Random) -> None:
    """Also where fewer bytes than in an input of usual size decide about a length."""
    name = random.choice(["varint", "u2le", "u4be"])
    framing = random.choice([name, "[u4be, u2le, varint, whole]"])
    format, good = messages_of(random, name, framing, random.randrange(20), 2 if IS_QUICK else 100)
    data, ahead = damaged(random, good), random.choice([20, 100, message_resync.DECIDING_BYTES])
    options = {"recover": random.random() < 0.8} | random.choice(READERS[2:])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(message_resync, "DECIDING_BYTES", ahead)
        patch.setattr(framing_module, "BATCH_BYTES", random.choice([ahead, BATCH_BYTES]))
        patch.setattr(framing_detection, "SEARCHED", random.choice([10, framing_detection.SEARCHED]))
        patch.setattr(framing_detection, "SHOWN", random.choice([100, framing_detection.SHOWN]))
        expected = agreed(format, data, **options)
        for window in some(random, WINDOWS, 1):
            found = agreed(format, data, window=window, **options)
            assert found == expected, f"{format.name} {options} {window=}\ninput {data.hex()}"
