"""Expands the key ``varint`` of a type to equivalent attributes and instances in Kaitai's language."""

from __future__ import annotations

from collections.abc import Mapping as AnyMapping
from functools import lru_cache

from wireloom.base.dataclass import dataclass

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


INTEGER = "value"
"""The instance with the integer."""

FILE = "varint"
"""The file of positions in the template: they are not positions in the spec."""


@dataclass(frozen=True)
class VarintRule:
    """The value of the key ``varint``. ``groups``: the maximum number of bytes; the last one is less than ``end``."""

    order: str
    groups: int
    end: int
    zigzag: bool


def varint_rule(extensions: Section) -> VarintRule | None:
    """Return the value of a type's key ``varint``; ``None`` without it, and after an error."""
    found = extensions.get("varint")
    if isinstance(found, Text):
        order, bits, zigzag = found.value, MOST_BITS[found.value], False
    elif isinstance(found, Section) and found.word("order"):
        order = found.word("order")
        bits, zigzag = found.integer("bits") or MOST_BITS[order], found.word("signed") == "zigzag"
    else:
        return None
    groups = -(-bits // 7)
    return VarintRule(order, groups, min(128, 1 << bits - 7 * (groups - 1)), zigzag)


def varint_type(extensions: Section, keys: AnyMapping[str, Position], diagnostics: Diagnostics) -> Mapping | None:
    """Return the attributes and instances of a type with the key ``varint``.

    Args:
        extensions: The extensions of the type.
        keys: The keys of the type; those that cannot be combined with ``varint`` are errors.
        diagnostics: Receives the errors.

    Returns:
        The attributes and instances; ``None`` for other types, and on errors.
    """
    both = [key for key in ("seq", "instances", "params") if key in keys]
    if "varint" in extensions and both:
        diagnostics.error(keys[both[0]], f"'varint' and '{both[0]}' cannot be used together: 'varint' defines the type")
        return None
    rule = varint_rule(extensions)
    if rule is None:
        return None
    if rule.order == "be" and rule.end < 128:
        section = extensions.section("varint")
        assert section is not None
        message = f"'bits' must be a multiple of 7 with 'order: be', found {section.integer('bits')}"
        diagnostics.error(section.position_of("bits"), message)
        return None
    return _read(rule)


@lru_cache(32)
def _read(rule: VarintRule) -> Mapping:
    made = read_yaml(_text(rule), FILE, Diagnostics())
    assert isinstance(made, Mapping)
    return made


def _text(rule: VarintRule) -> str:
    parts = ["(groups[0] & 127)" if rule.order == "le" else "(groups.last & 127)"]
    for number in range(1, rule.groups):
        index = number if rule.order == "le" else f"groups.size - {number + 1}"
        parts.append(f"(groups.size > {number} ? (groups[{index}] & 127) << {7 * number} : 0)")
    return TEMPLATE.format(
        last=rule.groups - 1,
        end=rule.end,
        unsigned=" + ".join(parts),
        value="(unsigned >> 1) ^ -(unsigned & 1)" if rule.zigzag else "unsigned",
    )
