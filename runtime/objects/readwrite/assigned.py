"""Which attributes of an object were assigned, and which have their values from what was read or follow."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from types import MemberDescriptorType
from typing import Any

from ..kaitai import KaitaiStream, ReadWriteKaitaiStruct

put = object.__setattr__
"""Sets an attribute without noting that it was assigned."""

NOTHING: frozenset[str] = frozenset()


@lru_cache(maxsize=4096)
def _with(names: frozenset[str], name: str) -> frozenset[str]:
    """The names and one more; most objects have the same ones assigned, and share the set of them."""
    return names | {name}


class AssignedStruct(ReadWriteKaitaiStruct):
    """An object that notes which of its attributes are assigned.

    The attributes of a spec have slots. What is kept besides is in ``__dict__``, which few objects need.
    """

    __slots__ = ("_dirty", "_io", "_m_given", "_parent", "_root")

    _io: KaitaiStream
    _parent: Any
    _root: Any
    _dirty: bool
    _m_given: frozenset[str]
    """The attributes that were assigned since the object was made or read."""

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
        """The names that the object has: attributes that are absent are not among them, though they have slots."""
        kind = type(self)
        return [
            name
            for name in super().__dir__()
            if not isinstance(getattr(kind, name, None), MemberDescriptorType) or hasattr(self, name)
        ]

    def __setstate__(self, state: Any) -> None:
        """A copy has the same attributes assigned as its original."""
        others, slots = state if isinstance(state, tuple) else (state, None)
        for name, value in {**(others or {}), **(slots or {})}.items():
            put(self, name, value)

    def _has_read(self) -> None:
        """All attributes have been read: none of them counts as assigned."""
        put_given(self, NOTHING)
        put_dirty(self, False)

    def _was_assigned(self, name: str) -> bool:
        """Return whether an attribute was assigned since the object was made or read."""
        return name in self._m_given


def setter(kind: type, name: str) -> Callable[[Any, object], None]:
    """A function that does what ``put`` does for one attribute, in half the time."""
    found: Callable[[Any, object], None] = vars(kind)[name].__set__
    return found


put_stream = setter(AssignedStruct, "_io")
put_parent = setter(AssignedStruct, "_parent")
put_root = setter(AssignedStruct, "_root")
put_dirty = setter(AssignedStruct, "_dirty")
put_given = setter(AssignedStruct, "_m_given")
