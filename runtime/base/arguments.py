"""Checks of option values, one per kind of value, before anything is opened, and of unknown keyword arguments."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import wraps
from typing import Any, ParamSpec, TypeVar

from .errors import WireloomError
from .text import unknown

SHOWN = 80
"""Maximum number of characters of a wrong value in a message."""


def shown(value: Any) -> str:
    """Return a wrong value as messages show it: on one line, shortened if it is long.

    >>> shown("a\\nb"), shown(1 << 1000)
    ("'a\\\\nb'", 'an integer of 1,001 bits')
    """
    if isinstance(value, int) and value.bit_length() > 256:
        # Python refuses to convert integers of thousands of digits to text.
        return f"an integer of {value.bit_length():,} bits"
    return " ".join(repr(value).split())[:SHOWN]


def check_booleans(**options: Any) -> None:
    """Raise ``WireloomError`` for an option that is neither ``True`` nor ``False``, since other values, such as the
    text "no", would count as true. NumPy's booleans are accepted as well."""
    for name, value in options.items():
        if not isinstance(value, bool) and not _is_numpy(value):
            raise WireloomError(f"{name} must be True or False, not {shown(value)}")


def _is_numpy(value: Any) -> bool:
    # NumPy is not a dependency, so its type is recognised by name: `bool` since version 2, `bool_` before.
    kind = type(value)
    return kind.__module__ == "numpy" and kind.__name__ in ("bool", "bool_")


def check_texts(**options: Any) -> None:
    """Raise ``WireloomError`` for an option that is neither text nor ``None``."""
    for name, value in options.items():
        if value is not None and not isinstance(value, str):
            raise WireloomError(f"{name} must be a string, or None for the default, not {shown(value)}")


def check_callable(name: str, value: Any, what: str) -> None:
    """Raise ``WireloomError`` for an option that is not callable. ``what``: the description of valid values in the
    message."""
    if not callable(value):
        raise WireloomError(f"{name} must be {what}, not {shown(value)}")


def one_of(what: str, value: Any, known: Iterable[str]) -> str:
    """Return the name if it is one of ``known``. Raises ``UnknownNameError`` with the nearest name."""
    names = tuple(known)
    if not isinstance(value, str) or value not in names:
        raise unknown(what, value, names)
    return value


def positive(name: str, value: Any, most: int | None = None) -> int:
    """Return a number of at least 1, reduced to ``most`` if it is larger. Raises ``WireloomError``."""
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise WireloomError(f"{name} must be a number of at least 1, not {shown(value)}")
    return value if most is None else min(value, most)


def check_place(name: str, value: Any) -> None:
    """Raise ``WireloomError`` unless ``value`` is ``None`` or a non-negative integer."""
    if value is not None and (not isinstance(value, int) or isinstance(value, bool) or value < 0):
        raise WireloomError(f"{name} must be a number of at least 0, not {shown(value)}")


def names(name: str, value: Any) -> tuple[str, ...]:
    """Return the names in a list. Raises ``WireloomError`` for other values, including a single string."""
    if isinstance(value, str):
        raise WireloomError(f"{name} must be a list of names, not the text {shown(value)}")
    if isinstance(value, Mapping | bytes | bytearray | memoryview | type) or not isinstance(value, Iterable):
        raise WireloomError(f"{name} must be a list of names, not {shown(value)}")
    found = tuple(value)
    for each in found:
        if not isinstance(each, str):
            raise WireloomError(f"{name} must be a list of names, and {shown(each)} is not a name")
    return found


Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")


def checks_keywords(*more: Iterable[str]) -> Callable[[Callable[Parameters, Result]], Callable[Parameters, Result]]:
    """Return a decorator of a function, or of a constructor, whose calls raise ``UnknownNameError`` for a keyword
    argument that it does not have. ``more``: the names that it takes as ``**more``.

    >>> @checks_keywords()
    ... def read(stream: str, *, start: int = 0) -> int:
    ...     return start
    >>> read("logs", strat=5)
    Traceback (most recent call last):
    wireloom.base.errors.UnknownNameError: unknown argument of read 'strat': did you mean 'start'?
    """

    def decorate(function: Callable[Parameters, Result]) -> Callable[Parameters, Result]:
        code, name = function.__code__, function.__qualname__.removesuffix(".__init__")
        own = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
        known = [each for each in (*own, *(word for words in more for word in words)) if each != "self"]

        @wraps(function)
        def checked(*arguments: Parameters.args, **named: Parameters.kwargs) -> Result:
            for each in named:
                if each not in known:
                    raise unknown(f"argument of {name}", each, known)
            return function(*arguments, **named)

        return checked

    return decorate
