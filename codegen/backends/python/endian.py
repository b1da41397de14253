"""A byte order that is decided when an object is read or written."""

from __future__ import annotations

from itertools import groupby
from operator import itemgetter

from ...expression.types import UserType
from ...model.model import ComputedEndian, InheritedEndian
from .api import Api
from .expressions import BIT_OR
from .scope import ClassScope
from .view import Line, Lines, block


def inherited_parameter(scope: ClassScope) -> tuple[str, ...]:
    """With Kaitai's API a constructor is given the byte order that its object inherits."""
    if not isinstance(scope.struct.endian, InheritedEndian):
        return ()
    return (f"_is_le: {scope.annotations.builtin('bool')} | None = None",)


def keep_inherited(scope: ClassScope) -> Lines:
    """A constructor keeps the byte order that it is given."""
    if not isinstance(scope.struct.endian, InheritedEndian):
        return ()
    return (
        block("if _is_le is None:", [Line(f"raise {_undecided(scope)}")]),
        Line("self._is_le = _is_le"),
    )


def inherited_argument(scope: ClassScope, kind: UserType) -> tuple[str, ...]:
    """What the constructor of a type's class is given of the byte order of the object that makes one."""
    if scope.module.api is Api.WIRELOOM or scope.struct.endian is None:
        return ()
    return ("self._is_le",) if isinstance(scope.spec.struct(kind.path).endian, InheritedEndian) else ()


def _undecided(scope: ClassScope) -> str:
    return f"{scope.use('UndecidedEndiannessError')}({scope.source + '/meta/endian'!r})"


def endian_lines(scope: ClassScope) -> Lines:
    """Sets ``_is_le`` of an object whose type has such a byte order."""
    match scope.struct.endian:
        case InheritedEndian() if scope.module.api is Api.WIRELOOM:
            return (Line("self._is_le = self._parent._is_le"),)
        case InheritedEndian() if scope.module.api is Api.KAITAI_READ_WRITE:
            # Whoever makes or writes an object gives it its byte order; here it is read or written by itself.
            return (block("if not hasattr(self, '_is_le'):", [Line("self._is_le = self._parent._is_le")]),)
        case ComputedEndian(on, cases):
            translator = scope.translator(scope.struct.position)
            lines = [Line(f"endian_on = {translator.text(on)}")]
            default: Lines = ()
            for order, group in groupby(cases, key=itemgetter(1)):
                body = (Line(f"self._is_le = {order == 'le'}"),)
                matches = [match for match, _ in group]
                texts = [translator.text(each, BIT_OR) for each in matches if each is not None]
                if texts:
                    condition = f"== {texts[0]}" if len(texts) == 1 else f"in ({', '.join(texts)})"
                    lines.append(block(f"{'el' if len(lines) > 1 else ''}if endian_on {condition}:", body))
                if None in matches:
                    default = body
            if not default:
                default = (Line(f"raise {_undecided(scope)}"),)
            return (*lines, block("else:", default)) if len(lines) > 1 else default
    return ()
