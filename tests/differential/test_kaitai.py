"""Plain specs: the generated classes read what those of Kaitai's own compiler read, and refuse what those refuse."""

from __future__ import annotations

import os
from random import Random, SystemRandom
from types import ModuleType
from typing import Any

import pytest
from wireloom.codegen.backends.python import BACKEND
from wireloom.codegen.model.load import load
from wireloom.codegen.passes import with_facts

from . import kaitai
from .damage import damaged
from .specs import Made, plain_spec

SPECS = 300 if os.environ.get("WIRELOOM_HYPOTHESIS") == "fuzz" else 60
"""Number of specs per process of Kaitai's compiler, whose start takes longer than a spec."""
INPUTS = 10


def root_of(made: Made) -> Any:
    module = ModuleType("ours")
    text = BACKEND.files(with_facts(load("sample.ksy", text=made.text)))[0].text
    exec(compile(text, "sample.py", "exec"), module.__dict__)
    return module.Sample


def inputs(made: Made, random: Random) -> list[bytes]:
    """Return some valid inputs and some damaged ones."""
    good = [made.write(random, {}) for _ in range(INPUTS)]
    return [*good[:3], *(damaged(random, each) for each in good[3:])]


@pytest.mark.skipif(bool(kaitai.absence()), reason=kaitai.absence())
def test_kaitais_classes_agree() -> None:
    first = SystemRandom().getrandbits(32) if os.environ.get("WIRELOOM_HYPOTHESIS") == "fuzz" else 0
    made = [plain_spec(Random(first + number), "sample") for number in range(SPECS)]
    objects = 0
    for number, (each, compiled) in enumerate(zip(made, kaitai.compile_all([each.spec for each in made]), strict=True)):
        assert compiled.module is not None, f"seed {first + number}: {compiled.error}\n{each.text}"
        ours, shape = root_of(each), kaitai.shape_of(each.spec)
        for data in inputs(each, Random(first + number)):
            found = kaitai.outcome(ours, data, shape)
            expected = kaitai.outcome(compiled.module.Sample, data, shape)
            assert found == expected, f"seed {first + number}, input {data.hex()}\n{each.text}"
            objects += found != kaitai.REFUSED
    assert objects > SPECS
