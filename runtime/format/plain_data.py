"""Dataclasses as the values that JSON has, and back. What is read is data of others: each value must have the type that
its field declares, so that nothing but these classes is made of it."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from functools import cache
from types import NoneType, UnionType
from typing import Any, NamedTuple, Union, get_args, get_origin, get_type_hints

from ..base.dataclass import MISSING, fields


class DataForm(NamedTuple):
    """How values of a type are written as data, and read. ``read`` raises ``ValueError`` for any other data."""

    write: Callable[[Any], Any]
    read: Callable[[Any], Any]


@cache
def form_of(kind: Any) -> DataForm:
    """Return the form of a type: that of a number, text or bytes, an enum, a tuple, a union, or a dataclass of these.

    >>> form_of(tuple[int | None, ...]).write((1, None))
    [[0, 1], None]
    >>> form_of(tuple[bytes, ...]).read(["a", 1])
    Traceback (most recent call last):
        ...
    ValueError: expected str, found int
    """
    parts = get_args(kind)
    if kind is bytes:
        return DataForm(lambda value: value.decode("latin-1"), lambda data: _exact(str, data).encode("latin-1"))
    if get_origin(kind) in (Union, UnionType):
        return _of_union(tuple(each for each in parts if each is not NoneType), NoneType in parts)
    if get_origin(kind) is tuple:
        return _of_list(form_of(parts[0])) if parts[-1] is Ellipsis else _of_values(tuple, parts)
    if issubclass(kind, Enum):
        return DataForm(lambda value: value.value, lambda data: kind(_exact(int, data)))
    if hasattr(kind, "__dataclass_fields__"):
        return _of_dataclass(kind)
    return DataForm(lambda value: value, lambda data: _exact(kind, data))


def _exact(kind: type, data: Any) -> Any:
    if type(data) is not kind:
        raise ValueError(f"expected {kind.__name__}, found {type(data).__name__}")
    return data


def _of_list(item: DataForm) -> DataForm:
    write, read = item
    return DataForm(lambda value: [write(each) for each in value], lambda data: tuple(map(read, _exact(list, data))))


def _of_union(kinds: tuple[Any, ...], optional: bool) -> DataForm:
    forms = [form_of(each) for each in kinds]
    types = [get_origin(each) or each for each in kinds]

    def write(value: Any) -> Any:
        if value is None:
            return None
        number = types.index(type(value))
        return [number, forms[number].write(value)]

    def read(data: Any) -> Any:
        if data is None and optional:
            return None
        number, inner = _exact(list, data)
        if _exact(int, number) not in range(len(forms)):
            raise ValueError("there is no such alternative")
        return forms[number].read(inner)

    return DataForm(write, read)


def _of_values(make: Callable[[list[Any]], Any], kinds: tuple[Any, ...]) -> DataForm:
    forms = [form_of(each) for each in kinds]

    def read(data: Any) -> Any:
        return make([form.read(each) for form, each in zip(forms, _exact(list, data), strict=True)])

    return DataForm(lambda value: [form.write(each) for form, each in zip(forms, value, strict=True)], read)


def _of_dataclass(kind: Any) -> DataForm:
    hints, declared = get_type_hints(kind), fields(kind)
    defaults = [each.default for each in declared]
    required = sum(each is MISSING for each in defaults)
    forms: list[DataForm] = []

    def known() -> list[DataForm]:
        # Only now, since a class may contain others of its own.
        if not forms:
            forms.extend(form_of(hints[each.name]) for each in declared)
        return forms

    def write(value: Any) -> Any:
        values = [getattr(value, each.name) for each in declared]
        while len(values) > required and values[-1] == defaults[len(values) - 1]:
            values.pop()
        return [form.write(each) for form, each in zip(known(), values, strict=False)]

    def read(data: Any) -> Any:
        if not required <= len(_exact(list, data)) <= len(declared):
            raise ValueError(f"{kind.__name__} has {len(declared)} fields, found {len(data)}")
        return kind(*[form.read(each) for form, each in zip(known(), data, strict=False)])

    return DataForm(write, read)
