"""Objects that are compared and shown by their fields."""

from __future__ import annotations

from typing import ClassVar

SHOWN_BYTES = 48
"""The maximum number of bytes of a field that ``repr`` shows."""


class Fielded:
    """An object that equals another one of its class if all fields are equal."""

    __slots__ = ()
    _fields: ClassVar[tuple[str, ...]] = ()
    """Names of the attributes, in the order of the wire."""

    # No __hash__ is defined: values change, and equality with them.
    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        return all(getattr(self, name, None) == getattr(other, name, None) for name in self._fields)

    def __repr__(self) -> str:
        fields = (f"{name}={shown(getattr(self, name))}" for name in self._fields if hasattr(self, name))
        return f"{type(self).__qualname__}({', '.join(fields)})"


def shown(value: object) -> str:
    """Return a value as the ``repr`` of an object shows it."""
    if isinstance(value, bytes) and len(value) > SHOWN_BYTES:
        return f"{value[:SHOWN_BYTES]!r}… ({len(value)} bytes)"
    return repr(value)
