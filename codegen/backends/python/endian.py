"""Byte orders, also those determined when an object is read or written, and the codes of numbers in ``struct``."""

from __future__ import annotations

from itertools import groupby
from operator import itemgetter

from ...expression.nodes import Node
from ...expression.types import UserType
from ...tree.leaves import ComputedEndian, InheritedEndian
from .expressions import BIT_OR
from .names import Api
from .scope import ClassScope
from .statements import branched, when
from .view import Lines

INHERITED = "self._is_le = self._parent._is_le"
"""The statement that sets the byte order of an object to that of its parent."""


def inherited_parameter(scope: ClassScope) -> tuple[str, ...]:
    """Return the parameter for the inherited byte order, which constructors with Kaitai's API have."""
    if not isinstance(scope.struct.endian, InheritedEndian):
        return ()
    return (f"_is_le: {scope.annotations.builtin('bool')} | None = None",)


def inherited_argument(scope: ClassScope, kind: UserType) -> tuple[str, ...]:
    """Return the byte order that an object passes to the constructor of a type's class."""
    if scope.module.api is Api.WIRELOOM or scope.struct.endian is None:
        return ()
    return ("self._is_le",) if isinstance(scope.spec.struct(kind.path).endian, InheritedEndian) else ()


def undecided_order(scope: ClassScope) -> str:
    """Return the statement that refuses an object without a byte order."""
    return f"raise {scope.call('UndecidedEndiannessError', repr(f'{scope.struct.key_path}/meta/endian'))}"


def endian_lines(scope: ClassScope) -> Lines:
    """Return the statements that set ``_is_le`` of an object whose type has such a byte order."""
    match scope.struct.endian:
        case InheritedEndian() if scope.module.api is Api.WIRELOOM:
            return (INHERITED,)
        case InheritedEndian() if scope.module.api is Api.KAITAI_READ_WRITE:
            # The code that creates or writes an object passes it its byte order; here it is read or written on its own.
            return (when("not hasattr(self, '_is_le')", [INHERITED]),)
        case ComputedEndian(on, cases):
            return _decided(scope, on, cases)
    return ()


def _decided(scope: ClassScope, on: Node, cases: tuple[tuple[Node | None, str], ...]) -> Lines:
    translator = scope.translator(scope.struct.position)
    branches: list[tuple[str, Lines]] = []
    default: Lines = ()
    for order, group in groupby(cases, key=itemgetter(1)):
        body = (f"self._is_le = {order == 'le'}",)
        matches = [match for match, _ in group]
        texts = [translator.text(each, BIT_OR) for each in matches if each is not None]
        if texts:
            branches.append((f"== {texts[0]}" if len(texts) == 1 else f"in ({', '.join(texts)})", body))
        if None in matches:
            default = body
    default = default or (undecided_order(scope),)
    if not branches:
        return default
    return (f"endian_on = {translator.text(on)}", branched("endian_on", branches, default))
