"""Derived attributes: linear expressions solved for one attribute."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

Number = int | Callable[[], int]
"""A number, or a function that computes it and may fail as long as attributes are unset."""


class Solution(NamedTuple):
    """An expression ``factor * owner.name + addend``, solved for the attribute ``name`` of ``owner``."""

    owner: Any
    name: str
    factor: Number = 1
    addend: Number = 0

    @property
    def is_free(self) -> bool:
        """Return whether the attribute can be derived: it was not assigned since the object was created or read."""
        is_given: Any = getattr(self.owner, "_is_given", None)
        return is_given is not None and not is_given(self.name)

    @property
    def is_set(self) -> bool:
        """Return whether the attribute has a value already."""
        return hasattr(self.owner, self.name)

    @property
    def is_known(self) -> bool:
        """Return whether factor and addend can be computed."""
        try:
            self.numbers()
        except AttributeError:
            return False
        return True

    def numbers(self) -> tuple[int, int]:
        """Return the factor and the addend. Raises ``AttributeError`` if they depend on unset attributes."""
        return _number(self.factor), _number(self.addend)

    def value_for(self, wanted: int) -> int | None:
        """Return the integer for which the expression equals ``wanted``, or ``None`` if there is none."""
        factor, addend = self.numbers()
        value, rest = divmod(wanted - addend, factor) if factor else (0, 1)
        return None if rest else value

    def misfit(self, wanted: int) -> str:
        """Return the error message for a value that no integer solution yields."""
        factor, addend = self.numbers()
        rest = f" + {addend}" if addend else ""
        return f"{self.name} cannot say {wanted}, which is not {factor} * {self.name}{rest} for any integer"

    def whole(self) -> tuple[int, int]:
        """Return the factor and the addend with which the expression depends on the attribute that is finally solved
        for: an argument depends on attributes of the object that passes it."""
        factor, addend = self.numbers()
        sources: dict[str, tuple[Solution, ...]] = getattr(self.owner, "_m_sources", {})
        source = first_free(sources.get(self.name, ()))
        if source is None:
            return factor, addend
        inner, rest = source.whole()
        return factor * inner, factor * rest + addend

    def least(self, wanted: int) -> int:
        """Return ``wanted``, or the least greater value that the expression can have with a non-negative integer."""
        factor, addend = self.whole()
        if not factor:
            return wanted
        wanted = max(wanted, addend) if factor > 0 else wanted
        return wanted + (addend - wanted) % abs(factor)

    def holds(self, wanted: int) -> bool:
        """Return whether the expression is ``wanted`` or greater."""
        factor, addend = self.numbers()
        return self.is_set and factor * getattr(self.owner, self.name) + addend >= wanted

    def follow(self, wanted: int) -> bool:
        """Set a free attribute so that the expression becomes ``wanted``. Return whether its value changed."""
        return self._take(self.value_for(wanted))

    def make_room(self, wanted: int) -> bool:
        """Like ``follow``, for an expression that may be greater."""
        return self._take(self.value_for(self.least(wanted)))

    def _take(self, value: int | None) -> bool:
        if value is None or not self.is_free:
            return False
        changed: bool = self.owner._follow(self.name, value)
        return changed


def _number(number: Number) -> int:
    return number if isinstance(number, int) else number()


def first_free(solutions: tuple[Solution, ...]) -> Solution | None:
    """Return the solution to use: one of an unset attribute, otherwise one of an attribute that may change."""
    free = [each for each in solutions if each.is_free and each.is_known]
    return next((each for each in free if not each.is_set), free[0] if free else None)


def lead(sources: tuple[Solution, ...], value: object) -> bool | None:
    """Set the attribute that an argument depends on so that the argument becomes ``value``. Return whether that changed
    anything; ``None`` if it is not possible."""
    source = first_free(sources)
    if source is None or not isinstance(value, int):
        return None
    factor, addend = source.whole()
    if not factor or (value - addend) % factor:
        return None
    return source.follow(value)
