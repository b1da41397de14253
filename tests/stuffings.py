"""Stuffing of every kind: as ``framing`` in a spec, as readers know it, and its delimiter."""

from typing import Any

from wireloom.format.stuffings import HDLC, SLIP, Stuffing

THREE_WIRE = {0xDC: 0xC0, 0xDD: 0xDB, 0xDE: 0x11, 0xDF: 0x13}
"""SLIP of Bluetooth's three-wire UART with flow control: XON and XOFF are escaped as well."""

FRAMINGS: tuple[tuple[dict[str, Any], Stuffing, bytes], ...] = (
    ({"delimiter": [0xFE, 0xFD], "stuffing": "word"}, Stuffing.WORD, b"\xfe\xfd"),
    ({"delimiter": 0, "stuffing": "cobs"}, Stuffing.COBS, b"\0"),
    ({"delimiter": 0x0A, "stuffing": "cobs"}, Stuffing.cobs(0x0A), b"\n"),
    ({"delimiter": 0xFE, "stuffing": "cobs-r"}, Stuffing.cobs(0xFE, reduced=True), b"\xfe"),
    ({"delimiter": 0xC0, "stuffing": "slip"}, SLIP, b"\xc0"),
    ({"delimiter": 0x7E, "stuffing": "hdlc"}, HDLC, b"\x7e"),
    (
        {"delimiter": 0xC0, "stuffing": {"escape": 0xDB, "map": THREE_WIRE}},
        Stuffing.escaping(0xDB, b"\xdc\xc0\xdd\xdb\xde\x11\xdf\x13"),
        b"\xc0",
    ),
    (
        {"delimiter": 1, "stuffing": {"escape": 2, "xor": 4, "escaped": [0]}},
        Stuffing.escaping(2, b"\1\2\0", xor=4),
        b"\1",
    ),
)
CODES = tuple(stuffing for _, stuffing, _ in FRAMINGS)
