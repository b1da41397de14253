"""Attributes for which value instances are solved, whose columns a table has instead."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..base.errors import WireloomError
from .filled_fields import FilledField
from .refusals import REFUSALS


def solve(
    solved: Sequence[FilledField], given: Sequence[Any], made: Callable[[FilledField, Sequence[int]], Any]
) -> list[int]:
    """Return the values of attributes of one row with which value instances equal their columns.

    Args:
        solved: The attributes.
        given: The values of their columns.
        made: Returns the object that has the instance of one of them, given values of all of them.

    Raises:
        WireloomError: There are no such values; the message begins with the column.
    """
    found = [0] * len(solved)
    # An instance may use other attributes that are solved for, in any order.
    for number in [*range(len(solved))] * len(solved):
        each = solved[number]
        assert each.solved is not None
        found[number] += _lacking(each, made(each, found), given[number]) // each.solved[2]
    for each, value in zip(solved, given, strict=True):
        if _lacking(each, made(each, found), value):
            raise WireloomError(f"column {each.name}: no {each.field} comes to {value}")
    return found


def _lacking(filled: FilledField, made: Any, given: Any) -> int:
    """Return by how much a value instance is less than its column."""
    assert filled.solved is not None
    try:
        difference: int = given - getattr(made, filled.solved[0])
    except REFUSALS as error:
        raise WireloomError(f"column {filled.name}: {filled.field} does not follow from it: {error}") from error
    return difference
