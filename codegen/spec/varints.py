"""Expands the key ``varint`` of a type to equivalent attributes and instances in Kaitai's language."""

from __future__ import annotations

from collections.abc import Mapping as AnyMapping
from functools import lru_cache

from .diagnostics import Diagnostics
from .position import Position
from .reader import read_yaml
from .syntax import Section, Text
from .tree import Mapping

MOST_BITS = {"le": 64, "be": 63}
"""Maximum number of bits by the order of the groups. Of ten bytes with the highest first, the highest would contain one
bit."""

TEMPLATE = """\
seq:
  - {{id: groups, type: u1, repeat: until, repeat-until: _ < 128, valid: {{expr: _index < {last} or _ < {end}}}}}
instances:
  len: {{value: groups.size}}
  unsigned: {{value: "{unsigned}"}}
  value: {{value: "{value}"}}
"""


FILE = "varint"
"""The file of positions in the template: they are not positions in the spec."""


def varint_type(extensions: Section, keys: AnyMapping[str, Position], diagnostics: Diagnostics) -> Mapping | None:
    """Return the attributes and instances of a type with the key ``varint``; ``None`` for other types, and after an
    error.

    ``keys``: the keys of the type; those that cannot be combined with ``varint`` are errors.
    """
    given = extensions.get("varint")
    both = [key for key in ("seq", "instances", "params") if key in keys]
    if given is not None and both:
        diagnostics.error(keys[both[0]], f"'varint' and '{both[0]}' cannot be used together: 'varint' defines the type")
        return None
    if isinstance(given, Text):
        text = _text(given.value, MOST_BITS[given.value], zigzag=False)
    elif isinstance(given, Section) and given.word("order"):
        order = given.word("order")
        bits = given.integer("bits") or MOST_BITS[order]
        if order == "be" and bits % 7:
            diagnostics.error(
                given.position_of("bits"), f"'bits' must be a multiple of 7 with 'order: be', found {bits}"
            )
            return None
        text = _text(order, bits, zigzag=given.word("signed") == "zigzag")
    else:
        return None
    return _read(text)


@lru_cache(32)
def _read(text: str) -> Mapping:
    made = read_yaml(text, FILE, Diagnostics())
    assert isinstance(made, Mapping)
    return made


def _text(order: str, bits: int, *, zigzag: bool) -> str:
    count = -(-bits // 7)
    parts = ["(groups[0] & 127)" if order == "le" else "(groups.last & 127)"]
    for number in range(1, count):
        index = number if order == "le" else f"groups.size - {number + 1}"
        parts.append(f"(groups.size > {number} ? (groups[{index}] & 127) << {7 * number} : 0)")
    return TEMPLATE.format(
        last=count - 1,
        end=min(128, 1 << bits - 7 * (count - 1)),
        unsigned=" + ".join(parts),
        value="(unsigned >> 1) ^ -(unsigned & 1)" if zigzag else "unsigned",
    )
