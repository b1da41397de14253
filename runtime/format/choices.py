"""Reader options that specs declare: unused bytes after each row, and the first values of variables."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, cast

from ..base.arguments import one_of, shown
from ..base.dataclass import dataclass, replace
from ..base.errors import WireloomError
from .program import ColumnProgram

LEAST, MOST = -(1 << 63), (1 << 63) - 1
"""Smallest and largest value of a variable."""
Described = TypeVar("Described")
"""A ``Format``, which the module cannot import."""
VARIANTS = 64
"""Number of variants of formats that are kept."""


@dataclass(frozen=True)
class Choice:
    """A reader's option. Either for the number of unused bytes after each row, where ``auto`` detects it from the first
    rows; or (``variable``) for the value that a variable of the root has at first, one of ``values`` or any integer,
    where ``auto`` means that of the spec."""

    name: str
    padding: tuple[tuple[str, int], ...]
    default: str
    doc: str = ""
    variable: str = ""
    values: tuple[tuple[str, int], ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """Return the values with names."""
        return ("auto", *dict(self.padding), *dict(self.values))

    def checked(self, what: str, value: Any) -> str:
        """Return a value of the option as text.

        Args:
            what: The option, in messages.
            value: The value.

        Returns:
            A name, or an integer in decimal digits.

        Raises:
            WireloomError: The option has no such value.
        """
        if not self.variable or value in self.names:
            return one_of(what, value, self.names)
        try:
            number = int(str(value), 0)
        except ValueError:
            number = MOST + 1
        if isinstance(value, bool) or not LEAST <= number <= MOST:
            raise WireloomError(
                f"{what}: expected an integer of 64 bits, in decimal or hexadecimal digits (0x1f), or one of "
                f"{', '.join(self.names)}, found {shown(value)}"
            )
        return str(number)


def chosen_values(format: Any, options: Mapping[str, Any]) -> dict[str, str]:
    """Return the checked values of the options of a ``Format`` that set variables. Raises ``WireloomError``."""
    found = [each for each in format.choices if each.variable and each.name in options]
    return {each.name: each.checked(f"value of {each.name}", options[each.name]) for each in found}


def with_values(format: Described, chosen: Mapping[str, str]) -> Described:
    """Return a format whose variables have first values by options.

    Args:
        format: A ``Format``.
        chosen: Checked values of its options.

    Returns:
        The format itself if these options are ``auto``; the same object for the same values, as long as they are used.
    """
    given = []
    for each in cast(Any, format).choices:
        if each.variable and (text := chosen.get(each.name, "auto")) != "auto":
            given.append((each.variable, dict(each.values)[text] if text in each.names else int(text)))
    return variant(format, tuple(given)) if given else format


def program_with(
    program: ColumnProgram | None, variables: tuple[str, ...], given: tuple[tuple[str, int], ...]
) -> ColumnProgram | None:
    """Return a program whose variables have these first values. ``variables``: the names of all of them."""
    if program is None or not given:
        return program
    values = zip(variables, program.variables, strict=True)
    return replace(program, variables=tuple(dict(given).get(name, value) for name, value in values))


def class_with(root: type[Any], given: tuple[tuple[str, int], ...]) -> type[Any]:
    """Return a root class whose variables have these first values."""
    kind: Any = type(root)
    return kind(root.__name__, (root,), {"_first": dict(given)}) if given else root


_variants: dict[tuple[int, tuple[Any, ...]], Any] = {}


def variant(format: Described, given: tuple[tuple[str, int], ...]) -> Described:
    """Return a ``Format`` whose variables ``given`` have these first values."""
    key, made = (id(format), given), cast(Any, format)
    found: Described | None = _variants.get(key)
    if found is None:
        if len(_variants) >= VARIANTS:
            _variants.clear()
        found = _variants[key] = replace(made, given=given, base=format)
    return found
