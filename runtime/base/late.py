"""Fields of dataclasses whose values may be computed when they are first read."""

from __future__ import annotations

from typing import Any


class _Late:
    def __init__(self, default: Any) -> None:
        self._default = default
        self._name = ""

    def __set_name__(self, owner: type[Any], name: str) -> None:
        self._name = name

    def __get__(self, instance: Any, owner: type[Any] | None = None) -> Any:
        if instance is None:
            return self._default
        value = instance.__dict__[self._name]
        if callable(value):
            value = instance.__dict__[self._name] = value()
        return value

    def __set__(self, instance: Any, value: Any) -> None:
        instance.__dict__[self._name] = value


def late(default: Any) -> Any:
    """Return the default of a field that may also be given as a function without parameters, which is called when the
    field is first read. The value itself cannot be a function.

    >>> from wireloom.base.dataclass import dataclass
    >>> @dataclass(frozen=True)
    ... class Size:
    ...     bytes: int = late(0)
    >>> Size(lambda: 7).bytes, Size(7) == Size(lambda: 7), Size()
    (7, True, Size(bytes=0))
    """
    return _Late(default)
