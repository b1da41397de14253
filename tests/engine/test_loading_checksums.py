"""The valid checksums of a column program, compared or as values: one too much is refused."""

from __future__ import annotations

from dataclasses import replace

import pytest
from wireloom.checksums import Family
from wireloom.engine import _engine
from wireloom.format.program import ChecksumRule, Op, Place, Step

from .test_loading import BASE, END, HEADER, NEED, SUM, load, refused


@pytest.mark.parametrize(
    ("rule", "part"),
    [
        (replace(SUM, own_size=17), "a checksum of size 17"),
        (replace(SUM, own=2), "no mark 2"),
        (replace(SUM, replace=256), "cannot count as 256"),
        (replace(SUM, replace=-2), "cannot count as -2"),
    ],
)
def test_checksums(rule: ChecksumRule, part: str) -> None:
    steps = (NEED, Step(Op.CHECKSUM, 0, 2, 1, 1), END)
    refused(part, *steps, checksums=(rule,))
    load(*steps, checksums=(replace(SUM, replace=255),))
    load(*steps, checksums=(replace(SUM, replace=-1, own=99, own_size=99),))
    for family in (0, 99):
        packed = bytearray(replace(BASE, steps=steps).pack())
        place = HEADER + 24 * len(steps) + 2 * len(BASE.columns)
        assert packed[place] == Family.CRC
        packed[place] = family
        with pytest.raises(ValueError, match=f"no such algorithm of family {family}"):
            _engine.Program(bytes(packed))


PLAIN = (replace(SUM, replace=-1), ChecksumRule("sha1", place=Place.SPAN_LE), SUM)


@pytest.mark.parametrize(
    ("step", "part"),
    [
        (Step(Op.SUM, 3, 0, 0, 1), "no register 3"),
        (Step(Op.SUM, 0, 0, 0, 1), "register 0 is an input register"),
        (Step(Op.SUM, 1, 3, 0, 1), "no checksum 3"),
        (Step(Op.SUM, 1, 0, 0, 2), "no mark 3"),
        (Step(Op.SUM, 1, 0, -1, 1), "no mark -1"),
        (Step(Op.SUM, 1, 0, 2**63 - 1, 1), "no mark 9223372036854775807"),
        (Step(Op.SUM, 1, 0, 0, 0), "a number of runs 0"),
        (Step(Op.SUM, 1, 0, 0, 2**62), "a number of runs 4611686018427387904"),
        (Step(Op.SUM, 1, 1, 0, 1), "checksum 1 is a digest"),
        (Step(Op.SUM, 1, 2, 0, 1), "checksum 2 depends on more than the bytes"),
        (Step(Op.DIGEST, 1, 0, 0, 1), "checksum 0 is no digest"),
        (Step(Op.DIGEST, 2, 1, 0, 1), "no span 2"),
    ],
    ids=repr,
)
def test_checksums_as_values(step: Step, part: str) -> None:
    load(Step(Op.SUM, 2, 0, 0, 1), Step(Op.DIGEST, 1, 1, 0, 1), END, checksums=PLAIN)
    refused(part, step, END, checksums=PLAIN)


def test_a_digest_is_not_read_as_bytes_of_the_input() -> None:
    digest = Step(Op.DIGEST, 1, 1, 0, 1)
    load(digest, Step(Op.COLUMN_BYTES, 1, 1), END, checksums=PLAIN)
    refused("span 1 is made of text", digest, Step(Op.TRIM_RIGHT, 1), END, checksums=PLAIN)
