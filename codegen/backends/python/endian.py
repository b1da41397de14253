"""A byte order that is decided when an object is read or written."""

from __future__ import annotations

from itertools import groupby
from operator import itemgetter

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
                error = f"{scope.use('UndecidedEndiannessError')}({scope.source + '/meta/endian'!r})"
                default = (Line(f"raise {error}"),)
            return (*lines, block("else:", default)) if len(lines) > 1 else default
    return ()
