"""Damage to an input."""

from __future__ import annotations

from random import Random

PLAUSIBLE = bytes([*range(12), 0x20, 0x2C, 0x7C, 0x41, 0xAB, 0xC3, 0xA9, 0xFE, 0xFD, 0xFF])
"""Bytes that have a meaning: small numbers, terminators, parts of characters and of delimiters."""
WIRE = bytes([0, 1, 2, 8, 10, 18, 26, 0x7F, 0x80, 0xFF])
"""The same of messages: tags, small numbers and sizes, and where a varint ends."""


def damaged(random: Random, data: bytes, plausible: bytes = PLAUSIBLE) -> bytes:
    """Return the data with bytes overwritten, inserted, removed, repeated or cut off, at one to three places."""
    content = bytearray(data)
    for _ in range(random.choice([1, 1, 1, 2, 3])):
        at = random.randrange(len(content) + 1)
        size = random.choice([1, 1, 2, 4, 9])
        new = bytes(random.choices(plausible, k=size)) if random.random() < 0.5 else random.randbytes(size)
        match random.randrange(6):
            case 0 | 1:
                content[at : at + 1] = new[:1]
            case 2:
                content[at:at] = new
            case 3:
                del content[at : at + size]
            case 4:
                content[at:at] = content[at : at + size * 4]
            case _:
                del content[at:]
    return bytes(content)
