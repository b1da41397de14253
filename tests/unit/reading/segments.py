"""A segment of 300 frames, where each of them begins, and the same segment with one of them damaged."""

from . import samples

PAYLOADS = samples.payloads(300)
SEGMENT = samples.frames(PAYLOADS)
PLACES = [len(samples.frames(PAYLOADS[:number])) for number in range(len(PAYLOADS) + 1)]


def flipped(data: bytes, at: int) -> bytes:
    changed = bytearray(data)
    changed[at] ^= 1
    return bytes(changed)


BAD = flipped(SEGMENT, PLACES[11] - 1)
"""The tenth frame's payload is damaged."""
assert PAYLOADS[10]
