"""Unknown keyword arguments of public functions: errors that suggest the nearest name, as those of options do."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import wraps
from typing import ParamSpec, TypeVar

from .nearest import unknown

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
