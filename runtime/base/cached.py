"""Attributes that are computed on first access and cached."""

from __future__ import annotations

import functools
from typing import Any, TypeVar, overload

T = TypeVar("T")


class cached_property(functools.cached_property[T]):  # noqa: N801  # it takes the place of the one of that name
    """Like ``functools.cached_property``, without the lock that it has up to Python 3.11, which is shared by all
    instances and held while the value is computed. A process forked by another thread in the meantime would wait for it
    forever.

    Concurrent first accesses may compute the value twice; all of them return the same one.
    """

    @overload
    def __get__(self, instance: None, owner: type[Any] | None = None) -> cached_property[T]: ...

    @overload
    def __get__(self, instance: object, owner: type[Any] | None = None) -> T: ...

    def __get__(self, instance: Any, owner: type[Any] | None = None) -> Any:
        if instance is None:
            return self
        assert self.attrname is not None
        return instance.__dict__.setdefault(self.attrname, self.func(instance))
