"""Dataclasses whose methods are not compiled when their module is imported: this is a fifth of the time of a first
read, and half of that of a small spec. ``__init__`` is compiled when a class is used first; the other methods are the
same for all classes.

To type checkers they are those of Python's library.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from dataclasses import MISSING, asdict, field, fields, is_dataclass
from operator import attrgetter
from reprlib import recursive_repr
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dataclasses import dataclass
else:

    def dataclass(cls=None, /, *, frozen=False, eq=True, kw_only=False, slots=False, repr=True):
        """Return a class with the methods of a dataclass, or a decorator that does."""

        def made(cls):
            found = dataclasses.dataclass(init=False, repr=False, eq=False, kw_only=kw_only, slots=slots)(cls)
            declared = {"__init__": _initialised_first(found, frozen)}
            if repr:
                declared["__repr__"] = _repr
            if eq:
                declared |= {"__eq__": _equal, "__hash__": _hash if frozen else None}
            if frozen:
                declared |= {"__setattr__": _refuse_assignment, "__delattr__": _refuse_assignment}
                if slots:
                    declared |= {"__getstate__": _state, "__setstate__": _set_state}
            for name, method in declared.items():
                if name not in vars(cls):
                    setattr(found, name, method)
            return found

        return made if cls is None else made(cls)


def _initialised_first(cls: type, frozen: bool) -> Callable[..., None]:
    """Return an ``__init__`` that replaces itself by one compiled for the fields of the class."""

    def __init__(self: object, *arguments: object, **values: object) -> None:  # noqa: N807 - a class gets it
        cls.__init__ = own_init = _initializer(cls, frozen)  # type: ignore[misc]  # a method is replaced, as is meant
        own_init(self, *arguments, **values)

    return __init__


def _initializer(cls: Any, frozen: bool) -> Any:
    """Return the ``__init__`` that the library's decorator would compile. The library takes five times as long, since
    it compiles the methods of frozen classes with it."""
    names: dict[str, Any] = {"_missing": MISSING, "_set": object.__setattr__}
    parameters: list[str] = []
    keywords: list[str] = []
    lines: list[str] = []
    for each in fields(cls):
        name, value = each.name, each.name
        if each.default_factory is not MISSING:
            names[f"_make_{name}"] = each.default_factory
            value = f"_make_{name}()"
            if each.init:
                value = f"{value} if {name} is _missing else {name}"
        elif not each.init:
            continue
        default = "_missing" if each.default_factory is not MISSING else ""
        if each.default is not MISSING:
            default = f"_default_{name}"
            names[default] = each.default
        if each.init:
            (keywords if each.kw_only else parameters).append(f"{name}={default}" if default else name)
        lines.append(f"_set(self, {name!r}, {value})" if frozen else f"self.{name} = {value}")
    if hasattr(cls, "__post_init__"):
        lines.append("self.__post_init__()")
    signature = ", ".join(["self", *parameters, *(["*", *keywords] if keywords else [])])
    exec(f"def __init__({signature}):\n " + "\n ".join(lines or ["pass"]), names)
    found = names["__init__"]
    found.__qualname__ = f"{cls.__qualname__}.__init__"
    return found


_copied: dict[type, frozenset[str] | None] = {}
"""By class, the names of its fields, if a copy needs no ``__init__``; else ``None``."""


def _plainly_copied(kind: type) -> frozenset[str] | None:
    """Return the names of the fields of a class whose objects consist of nothing but their values."""
    found = fields(kind)
    plain = not hasattr(kind, "__post_init__") and not hasattr(kind, "__slots__") and all(each.init for each in found)
    return frozenset(each.name for each in found) if plain else None


if TYPE_CHECKING:
    from dataclasses import replace
else:

    def replace(instance, /, **changes):
        """Return a copy with these values of its fields. The library looks at each field of a class every time, and
        sets each by itself."""
        kind = type(instance)
        if kind not in _copied:
            _copied[kind] = _plainly_copied(kind)
        names = _copied[kind]
        if names is None or not changes.keys() <= names:
            return dataclasses.replace(instance, **changes)
        copied = object.__new__(kind)
        values = {name: value for name, value in instance.__dict__.items() if name in names}
        copied.__dict__.update(values | changes)
        return copied


def _refuse_assignment(self: object, name: str, *_: object) -> None:
    raise dataclasses.FrozenInstanceError(f"cannot assign to or delete the field {name!r}")


def _state(self: object) -> list[Any]:
    return [getattr(self, each.name) for each in fields(self)]  # type: ignore[arg-type]  # a dataclass


def _set_state(self: object, state: list[Any]) -> None:
    for each, value in zip(fields(self), state, strict=True):  # type: ignore[arg-type]  # a dataclass
        object.__setattr__(self, each.name, value)


_compared: dict[type, Callable[[Any], object]] = {}
"""By class, the function that returns the values of the fields that count in comparisons."""


def _values(self: object) -> object:
    kind = type(self)
    if kind not in _compared:
        names = [each.name for each in fields(self) if each.compare]  # type: ignore[arg-type]  # a dataclass
        _compared[kind] = attrgetter(*names) if names else type
    return _compared[kind](self)


def _equal(self: object, other: object) -> bool:
    return _values(self) == _values(other) if type(other) is type(self) else NotImplemented


def _hash(self: object) -> int:
    return hash(_values(self))


@recursive_repr()
def _repr(self: object) -> str:
    shown = (each.name for each in fields(self) if each.repr)  # type: ignore[arg-type]  # a dataclass
    return f"{type(self).__qualname__}({', '.join(f'{name}={getattr(self, name)!r}' for name in shown)})"


__all__ = ["MISSING", "asdict", "dataclass", "field", "fields", "is_dataclass", "replace"]
