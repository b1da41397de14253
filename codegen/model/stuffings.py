"""The code of ``framing`` that keeps the delimiter out of the items."""

from __future__ import annotations

from wireloom.format.stuffings import STUFFINGS, Stuffing

from ..expression.nodes import IntegerLiteral
from ..spec.diagnostics import Diagnostics
from ..spec.position import Position
from ..spec.syntax import Expression, Integer, Section
from ..words import listed, shown


def stuffing_of(framing: Section, delimiter: bytes, diagnostics: Diagnostics) -> Stuffing | None:
    """Return the code that the section ``framing`` declares; ``None`` if an error was reported."""
    section = framing.section("stuffing")
    if section is not None:
        return _escaping(section, delimiter, framing.position_of("delimiter"), diagnostics)
    name = framing.word("stuffing")
    if name not in STUFFINGS:
        return None
    found = STUFFINGS[name].of(delimiter)
    if found is None:
        message = f"'{name}' stuffing requires {STUFFINGS[name].wanted}"
        diagnostics.error(framing.position_of("delimiter"), message)
    return found


def _escaping(section: Section, delimiter: bytes, place: Position, diagnostics: Diagnostics) -> Stuffing | None:
    escape, xor = section.integer("escape"), section.integer("xor")
    if section.faulty or escape is None:
        return None
    if len(delimiter) != 1:
        diagnostics.error(place, "stuffing with an escape requires a delimiter of one byte")
        return None
    if delimiter[0] == escape:
        diagnostics.error(section.position_of("escape"), "the escape is the delimiter")
        return None
    if ("map" in section) == (xor is not None):
        diagnostics.error(section.position, "stuffing with an escape requires one of the keys 'map' and 'xor'")
        return None
    if xor is None and "escaped" in section:
        message = "'escaped' requires 'xor': 'map' has all bytes that are escaped"
        diagnostics.error(section.position_of("escaped"), message)
        return None
    found = _mapped(section, escape, diagnostics) if xor is None else _xored(section, delimiter[0], escape, xor)
    if found is None:
        return None
    where = section.position_of("map" if xor is None else "xor")
    missing = [f"0x{each:02X}" for each in (delimiter[0], escape) if each not in found.escapes]
    if missing:
        diagnostics.error(where, f"'map' has no code for {listed(missing)}: the delimiter and the escape need one")
        return None
    byte = next((byte for byte, code in found.escapes.items() if code == delimiter[0]), None)
    if byte is not None:
        diagnostics.error(where, f"the code of 0x{byte:02X} would be the delimiter")
        return None
    return found


def _xored(section: Section, delimiter: int, escape: int, xor: int) -> Stuffing:
    others = [each.value for each in section.items("escaped") if isinstance(each, Integer)]
    return Stuffing.escaping(escape, bytes(dict.fromkeys((delimiter, escape, *others))), xor=xor)


def _mapped(section: Section, escape: int, diagnostics: Diagnostics) -> Stuffing | None:
    """Return the code with the entries of ``map``, each a code and the byte for which it stands."""
    pairs: dict[int, int] = {}
    for entry in section.entries("map"):
        assert isinstance(entry.key, Expression)
        assert isinstance(entry.value, Integer)
        code = entry.key.node.value if isinstance(entry.key.node, IntegerLiteral) else -1
        if not 0 <= code <= 255:
            message = f"a code is an integer from 0 to 255, not {shown(entry.key.scalar.text)}"
            diagnostics.error(entry.key.position, message)
        elif code in pairs or entry.value.value in pairs.values():
            message = "'map' has one code for each byte, and one byte for each code"
            diagnostics.error(entry.key.position, message)
        else:
            pairs[code] = entry.value.value
            continue
        return None
    return Stuffing.escaping(escape, b"".join(bytes(pair) for pair in pairs.items()))
