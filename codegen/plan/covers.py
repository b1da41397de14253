"""What checksums cover."""

from __future__ import annotations

from ..expression.types import BytesType
from ..model.model import Attribute, Checksum, Struct
from ..wire import EndOfStreamSize, ExpressionSize, FixedSize


def checksums(struct: Struct) -> tuple[tuple[Attribute, Checksum], ...]:
    """The attributes of a type that hold checksums."""
    return tuple((each, each.checksum) for each in struct.attributes if each.checksum is not None)


def covered(struct: Struct, checksum: Checksum) -> tuple[Attribute, ...]:
    """The attributes that a checksum covers."""
    names = [each.id for each in struct.attributes]
    return struct.attributes[names.index(checksum.first) : names.index(checksum.last) + 1]


def covers_own(struct: Struct, attribute: Attribute, checksum: Checksum) -> bool:
    """Whether the checksum's own bytes lie in the range that it covers, and count as others."""
    return checksum.replace is not None and attribute in covered(struct, checksum)


def plain_cover(struct: Struct, checksum: Checksum) -> Attribute | None:
    """The one attribute whose value is what the checksum covers, where it is that simple."""
    found = covered(struct, checksum)
    return found[0] if len(found) == 1 and _is_plain(found[0]) else None


def _is_plain(attribute: Attribute) -> bool:
    """Whether the value of an attribute is its bytes on the wire."""
    return (
        isinstance(attribute.type, BytesType)
        and isinstance(attribute.size, FixedSize | ExpressionSize | EndOfStreamSize)
        and not (attribute.repeat or attribute.switch or attribute.condition or attribute.process)
        and not (attribute.terminator or attribute.pad_right is not None)
    )
