"""Tracking of assignments: which attributes were assigned, as opposed to read or derived."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from types import MemberDescriptorType
from typing import Any

from ..declared import UNSET
from ..kaitai import ConsistencyError, KaitaiStream, KaitaiStruct, ReadWriteKaitaiStruct
from .solving import Solution, first_free

put = object.__setattr__
"""Set an attribute without noting that it was assigned."""

NOTHING: frozenset[str] = frozenset()


@lru_cache(maxsize=4096)
def _with(names: frozenset[str], name: str) -> frozenset[str]:
    """Return the set of names with one more. Cached, since most objects have the same attributes assigned."""
    return names | {name}


class AssignedStruct(ReadWriteKaitaiStruct):
    """An object that notes which of its attributes are assigned.

    The attributes of a spec have slots. Everything else is in ``__dict__``, which few objects need.
    """

    __slots__ = ("_dirty", "_io", "_m_given", "_parent", "_root")

    _io: KaitaiStream
    _parent: Any
    _root: Any
    _dirty: bool
    _m_given: frozenset[str]
    """The attributes that were assigned since the object was created or read."""

    def __init__(self, _io: KaitaiStream | None = None, _parent: Any = None, _root: Any = None) -> None:
        put_stream(self, _io)
        put_parent(self, _parent)
        put_root(self, self if _root is None else _root)
        put_dirty(self, True)
        put_given(self, NOTHING)

    def __setattr__(self, name: str, value: object) -> None:
        put(self, name, value)
        if name[:1] != "_" or name in ("_parent", "_root") or name.startswith("_unnamed"):
            put_dirty(self, True)
            given = self._m_given
            if name not in given:
                put_given(self, _with(given, name))

    def __delattr__(self, name: str) -> None:
        super().__delattr__(name)
        put_dirty(self, True)
        put_given(self, self._m_given - {name})

    def __dir__(self) -> list[str]:
        """Return the names that the object has, without absent attributes, which have slots too."""
        kind = type(self)
        return [
            name
            for name in super().__dir__()
            if not isinstance(getattr(kind, name, None), MemberDescriptorType) or hasattr(self, name)
        ]

    def __setstate__(self, state: Any) -> None:
        """Restore a copy, with the same attributes noted as assigned."""
        others, slots = state if isinstance(state, tuple) else (state, None)
        for name, value in {**(others or {}), **(slots or {})}.items():
            put(self, name, value)

    def _has_read(self) -> None:
        """Note that all attributes have been read: none counts as assigned."""
        put_given(self, NOTHING)
        put_dirty(self, False)

    def _was_assigned(self, name: str) -> bool:
        """Return whether an attribute was assigned since the object was created or read."""
        return name in self._m_given


def setter(kind: type, name: str) -> Callable[[Any, object], None]:
    """Return a setter for one attribute, equivalent to ``put`` and twice as fast."""
    found: Callable[[Any, object], None] = vars(kind)[name].__set__
    return found


put_stream = setter(AssignedStruct, "_io")
put_parent = setter(AssignedStruct, "_parent")
put_root = setter(AssignedStruct, "_root")
put_dirty = setter(AssignedStruct, "_dirty")
put_given = setter(AssignedStruct, "_m_given")


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
