"""Sizes that are known before anything is read, and the fields of a type in order, with fixed ones grouped into
runs."""

from __future__ import annotations

from ..expression.nodes import IntegerLiteral
from ..expression.types import (
    BitsType,
    FloatType,
    IntegerType,
    Path,
    UserType,
    VarintType,
)
from ..tree import Attribute, Spec, Struct, literal_size
from ..tree.leaves import ExpressionSize, OwnSize, RepeatCount, TerminatedSize, WithinSize


def has_fixed_size(spec: Spec, struct: Struct) -> bool:
    """Return whether objects of the type have the same size in every input."""
    return _has_fixed_size(spec, struct, {})


def _has_fixed_size(spec: Spec, struct: Struct, known: dict[Path, bool]) -> bool:
    """Return the same, memoised in ``known``. A type that contains itself has no fixed size."""
    if struct.path not in known:
        known[struct.path] = False
        fixed = struct.message is None and all(_is_fixed(spec, each, known) for each in struct.attributes)
        known[struct.path] = fixed
    return known[struct.path]


def _is_fixed(spec: Spec, attribute: Attribute, known: dict[Path, bool]) -> bool:
    count = attribute.repeat
    if count is not None and not (isinstance(count, RepeatCount) and isinstance(count.expression, IntegerLiteral)):
        return False
    if attribute.condition or attribute.switch:
        return False
    if isinstance(attribute.size, WithinSize):
        return True
    if literal_size(attribute.size) is not None or isinstance(attribute.type, BitsType):
        return True
    base = attribute.type.on_wire
    if isinstance(base, UserType) and not base.opaque and isinstance(attribute.size, OwnSize):
        return _has_fixed_size(spec, spec.struct(base.path), known)
    return isinstance(base, IntegerType | FloatType | BitsType)


class Minimums:
    """Computes the minimum sizes of the attributes of a spec, once per type."""

    def __init__(self, spec: Spec) -> None:
        self._spec = spec
        self._known: dict[Path, int] = {}
        self._open: set[Path] = set()

    def of(self, attribute: Attribute) -> int:
        """Return the minimum size of the attribute, or of one item of it, in bytes; 0 if unknown. Bits count as a byte,
        which several items may share."""
        bits = self._bits(attribute)
        return bits // 8 if attribute.repeat is not None else -(-bits // 8)

    def of_struct(self, struct: Struct) -> int:
        """Return the minimum size of a type in bytes: that of its attributes that are not repeated."""
        return -(-sum(self._bits(each) for each in struct.attributes if each.repeat is None) // 8)

    def _bits(self, attribute: Attribute) -> int:
        """Return the minimum size in bits: bit fields may share a byte with those of enclosing types."""
        if attribute.condition or attribute.switch or isinstance(attribute.size, WithinSize):
            return 0
        base = attribute.type.on_wire
        if isinstance(base, IntegerType | FloatType):
            return 8 * base.size
        if isinstance(base, BitsType):
            return base.width
        if isinstance(base, VarintType):
            return 8
        literal = literal_size(attribute.size)
        if literal is not None:
            return 8 * literal
        terminator = attribute.terminator
        if isinstance(attribute.size, TerminatedSize) and terminator and terminator.consume and terminator.eos_error:
            return 8 * len(terminator.value)
        if isinstance(base, UserType) and not base.opaque and not isinstance(attribute.size, ExpressionSize):
            return self._of_type(base.path)
        return 0

    def _of_type(self, path: Path) -> int:
        struct = self._spec.struct(path)
        if struct.message is not None or path in self._open:
            return 0
        if path not in self._known:
            self._open.add(path)
            self._known[path] = sum(self._bits(each) for each in struct.attributes if each.repeat is None)
            self._open.discard(path)
        return self._known[path]
