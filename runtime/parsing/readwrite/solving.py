"""Attributes that follow from others: which they are, and what they come to."""

from __future__ import annotations

from typing import Any, NamedTuple


class Solution(NamedTuple):
    """An expression ``factor * owner.name + addend``, solved for the attribute ``name`` of ``owner``."""

    owner: Any
    name: str
    factor: int = 1
    addend: int = 0

    @property
    def is_free(self) -> bool:
        """Whether the attribute follows: it was not assigned since the object was made or read."""
        is_given: Any = getattr(self.owner, "_is_given", None)
        return is_given is not None and not is_given(self.name)

    @property
    def is_set(self) -> bool:
        """Whether the attribute has a value already."""
        return hasattr(self.owner, self.name)

    def value_for(self, wanted: int) -> int | None:
        """What the attribute must be so that the expression comes to ``wanted``; ``None`` where no integer does."""
        value, rest = divmod(wanted - self.addend, self.factor) if self.factor else (0, 1)
        return None if rest else value

    def follow(self, wanted: int) -> bool:
        """Gives a free attribute the value that makes the expression come to ``wanted``; whether that was another."""
        value = self.value_for(wanted)
        if value is None or not self.is_free:
            return False
        changed: bool = self.owner._follow(self.name, value)
        return changed


def first_free(solutions: tuple[Solution, ...]) -> Solution | None:
    """The one to solve for: an attribute that is not set yet, or else one that may take another value."""
    free = [each for each in solutions if each.is_free]
    return next((each for each in free if not each.is_set), free[0] if free else None)
