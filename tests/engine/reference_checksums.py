"""CRCs bit by bit."""

from __future__ import annotations

from wireloom.checksums import CHECKSUMS
from wireloom.format.program import ChecksumRule


def reflected(value: int, width: int) -> int:
    return int(f"{value:0{width}b}"[::-1], 2)


def crc(rule: ChecksumRule, data: bytes, continues: int | None) -> int:
    """Return the CRC, computed bit by bit. ``continues``: the CRC of the preceding bytes."""
    of = CHECKSUMS[rule.algorithm]
    polynomial = reflected(of.polynomial, of.width)
    state = reflected(rule.initial, of.width)
    if continues is not None:
        state = (continues ^ rule.final_xor) & (1 << of.width) - 1
        state = state if of.reflect_out else reflected(state, of.width)
    for byte in data:
        state ^= byte if of.reflect_in else reflected(byte, 8)
        for _ in range(8):
            state = state >> 1 ^ (polynomial if state & 1 else 0)
    return (state if of.reflect_out else reflected(state, of.width)) ^ rule.final_xor
