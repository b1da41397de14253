"""The constant bytes at the beginning of every input of a spec."""

from __future__ import annotations

from wireloom.codecs import CODECS

from ..expression.nodes import IntegerLiteral
from ..expression.types import IntegerType, UserType
from ..tree import Attribute, Spec, Struct
from ..tree.leaves import OwnSize

LEAST = 2
"""Minimum number of bytes that tell a format from a codec."""


def own_magic(spec: Spec) -> bytes:
    """Return the constant bytes at the beginning of inputs of the spec if the magic number of a codec begins like them,
    so that readers do not take such an input for a compressed one; otherwise no bytes."""
    if spec.rows is None or spec.root.message is not None:
        return b""
    found, _ = _constant(spec, spec.top(spec.rows), frozenset())
    magics = (magic for codec in CODECS.values() for magic in codec.magics)
    alike = any(found.startswith(magic) or magic.startswith(found) for magic in magics)
    return found if len(found) >= LEAST and alike else b""


def _constant(spec: Spec, struct: Struct, enclosing: frozenset[object]) -> tuple[bytes, bool]:
    """Return the constant bytes at the beginning of a type, and whether these are all of it."""
    found = b""
    for attribute in struct.attributes:
        content, is_whole = _of(spec, attribute, enclosing | {struct.path})
        found += content
        if not is_whole:
            return found, False
    return found, True


def _of(spec: Spec, attribute: Attribute, enclosing: frozenset[object]) -> tuple[bytes, bool]:
    if attribute.condition or attribute.switch or attribute.process or attribute.framing:
        return b"", False
    is_single, base = attribute.repeat is None, attribute.type.on_wire
    equal = attribute.valid.equal if attribute.valid is not None else None
    if attribute.contents is not None:
        return attribute.contents, is_single
    if isinstance(base, IntegerType) and isinstance(equal, IntegerLiteral) and base.endian != "computed":
        value = equal.value & (1 << 8 * base.size) - 1
        return value.to_bytes(base.size, "big" if base.endian == "be" else "little"), is_single
    if isinstance(base, UserType) and not base.opaque and base.path not in enclosing:
        content, is_whole = _constant(spec, spec.struct(base.path), enclosing)
        return content, is_whole and is_single and isinstance(attribute.size, OwnSize)
    return b"", False
