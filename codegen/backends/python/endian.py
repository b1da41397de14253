"""A byte order that is decided when an object is read or written."""

from __future__ import annotations

from ...model.model import ComputedEndian, InheritedEndian
from .expressions import BIT_OR
from .scope import ClassScope
from .view import Line, Lines, block


def endian_lines(scope: ClassScope) -> Lines:
    """Sets ``_is_le`` of an object whose type has such a byte order."""
    match scope.struct.endian:
        case InheritedEndian():
            return (Line("self._is_le = self._parent._is_le"),)
        case ComputedEndian(on, cases):
            translator = scope.translator(scope.struct.position)
            lines = [Line(f"endian_on = {translator.text(on)}")]
            default: Lines = ()
            for match, order in cases:
                body = (Line(f"self._is_le = {order == 'le'}"),)
                if match is None:
                    default = body
                else:
                    word = "elif" if len(lines) > 1 else "if"
                    lines.append(block(f"{word} endian_on == {translator.text(match, BIT_OR)}:", body))
            if not default:
                error = f"{scope.use('UndecidedEndiannessError')}({scope.source + '/meta/endian'!r})"
                default = (Line(f"raise {error}"),)
            return (*lines, block("else:", default)) if len(lines) > 1 else default
    return ()
