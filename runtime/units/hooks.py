"""Hooks: processing of decoded units before their rows are returned."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Protocol, cast

from ..format.description import Format
from ..format.routines import load
from ..rows.messages.decoding import Decoded
from .framing import Units, chosen, options_of, units_of


class Hooks(Protocol):
    """Processes decoded units. ``OPTIONS``: names of the constructor's keyword arguments, which are options of the
    format's reader. One object is created for each input, or column of blobs.

    ``needs``, optional: names of columns that must be decoded even if they are not requested. ``TABLE_OPTIONS``,
    optional: options that only readers of a table's column of blobs have. ``beside``, optional: columns of that table
    that the hooks use, by the option that names them; they are passed as ``Units.beside``. ``RESUMABLE``, optional:
    true if the rows of a unit do not depend on the units before it.
    """

    OPTIONS: ClassVar[tuple[str, ...]]

    def __init__(self, **options: Any) -> None: ...

    def decoded(self, units: Units, decoded: Decoded) -> Decoded:
        """Return the rows to be output, for the same number of units. A unit whose rows are dropped has the count 0."""
        ...

    def facts(self) -> Mapping[str, Any]:
        """Return information for the report, as JSON values; optional."""
        ...


def beside(hooks: Hooks | None) -> Mapping[str, str]:
    """Return the other columns of the table that the hooks use: option → name."""
    found: Mapping[str, str] = getattr(hooks, "beside", {})
    return found


def facts_of(hooks: Hooks) -> Mapping[str, Any]:
    """Return the information of hooks for the report; empty if they have none."""
    facts: Mapping[str, Any] = hooks.facts() if hasattr(hooks, "facts") else {}
    return facts


def table_options(format: Format) -> tuple[str, ...]:
    """Return the names of the options that only readers of a table's column of blobs have."""
    return options_of(hooks_class(format), "TABLE_OPTIONS")


def hooks_class(format: Format) -> type[Hooks] | None:
    """Return the class of the format's hooks, if it has any. Raises ``WireloomError`` if it cannot be loaded."""
    place = units_of(format).hooks
    return cast("type[Hooks]", load(place)) if place else None


def hooks_for(format: Format, options: Mapping[str, Any]) -> Hooks | None:
    """Return the hooks of one input or column of blobs, with those of the reader's ``options`` that they declare;
    ``None`` if the format has none. Raises as ``framing_for``."""
    kind = hooks_class(format)
    if kind is None:
        return None
    return kind(**chosen(options, (*options_of(kind), *table_options(format))))
