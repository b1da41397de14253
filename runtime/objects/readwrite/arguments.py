"""Arguments of parametric types: an object must have those that a reader would pass."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..declared import UNSET
from ..kaitai import ConsistencyError, KaitaiStruct
from .solving import Solution, first_free


def set_argument(child: Any, parameter: str, value: object) -> None:
    """Set an argument of an object, one that is known only while it is written."""
    object.__setattr__(child, parameter, value)


def check_argument(name: str, child: Any, parameter: str, expected: object) -> None:
    """Check that an object was given the arguments that a reader would pass.

    Arguments that were not given, or that come from reading the object, are set to the current ones.
    """
    actual = getattr(child, parameter, None)
    if actual is expected:
        return
    is_given: Any = getattr(child, "_was_assigned", None)
    if isinstance(expected, KaitaiStruct) or isinstance(actual, KaitaiStruct) or actual != expected:
        if is_given is None or is_given(parameter):
            raise ConsistencyError(name, expected, actual)
        object.__setattr__(child, parameter, expected)


def bind_argument(child: Any, parameter: str, *solutions: Solution) -> None:
    """Record which attributes of its holder an object's argument depends on; without solutions it is not derived."""
    sources: dict[str, tuple[Solution, ...]] = child.__dict__.setdefault("_m_sources", {})
    sources[parameter] = solutions


def follow_argument(
    name: str, child: Any, parameter: str, argument: Callable[[], object], *solutions: Solution
) -> None:
    """Like ``check_argument``, for an ``argument`` that can be derived if the object was given another one, or needs
    another one for its content: the attributes that it depends on are solved for, now and whenever the object's own
    parameter is derived."""
    bind_argument(child, parameter, *solutions)
    free = first_free(solutions)
    own = getattr(child, parameter, UNSET)
    if free is not None and (child._was_assigned(parameter) or not free.is_set):
        if isinstance(own, int) and free.value_for(own) is not None:
            free.follow(own)
        elif own is UNSET and parameter in child._m_solved:
            # The object's content does not yet determine the value of both.
            return
    check_argument(name, child, parameter, argument())
