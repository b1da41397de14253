"""Our dataclasses behave like those of Python's library."""

from __future__ import annotations

import copy
import dataclasses
import pickle
from typing import Any

import pytest
from wireloom.base import dataclass as own

Classes = tuple[type[Any], type[Any]]


def classes(decorators: Any) -> Classes:
    """Return a class and one that extends it."""

    @decorators.dataclass(frozen=True)
    class Field:
        id: str
        size: int = 1
        names: list[str] = decorators.field(default_factory=list, compare=False)
        hidden: int = decorators.field(default=0, repr=False)

        def __post_init__(self) -> None:
            self.names.append(self.id)

    @decorators.dataclass(frozen=True, kw_only=True)
    class Checked(Field):
        check: str

    return Field, Checked


@pytest.mark.parametrize("found", [classes(own), classes(dataclasses)], ids=["own", "library"])
def test_dataclasses(found: Classes) -> None:
    field, checked = found
    one, other = field("a"), checked("a", 2, check="b")
    assert one == field("a", 1, ["other"])
    assert hash(one) == hash(field("a"))
    assert one != field("a", 2)
    assert one != other
    assert repr(one) == f"{field.__qualname__}(id='a', size=1, names=['a'])"
    assert repr(other) == f"{checked.__qualname__}(id='a', size=2, names=['a'], check='b')"
    assert own.replace(other, check="c").check == "c"
    assert [each.name for each in own.fields(checked)] == ["id", "size", "names", "hidden", "check"]
    assert field.__match_args__ == checked.__match_args__ == ("id", "size", "names", "hidden")
    with pytest.raises(TypeError, match="check"):
        checked("a")


def test_mutable() -> None:
    @own.dataclass
    class Canvas:
        y: int = 0

    canvas = Canvas()
    canvas.y += 1
    assert canvas == Canvas(1)
    assert Canvas.__hash__ is None


@own.dataclass(frozen=True, slots=True)
class Place:
    begin: int
    end: int = 0


def test_frozen() -> None:
    place = Place(1)
    for change in (lambda: setattr(place, "end", 2), lambda: delattr(place, "end")):
        with pytest.raises(dataclasses.FrozenInstanceError, match="'end'"):
            change()
    assert pickle.loads(pickle.dumps(place)) == copy.copy(place) == place
    assert not hasattr(place, "__dict__")


@pytest.mark.parametrize("decorators", [own, dataclasses], ids=["own", "library"])
def test_fields_that_are_not_arguments(decorators: Any) -> None:
    @decorators.dataclass(frozen=True)
    class Counter:
        name: str
        seen: set[str] = decorators.field(init=False, default_factory=set)
        step: int = decorators.field(init=False, default=2)
        start: int = decorators.field(default=0, kw_only=True)

    counter = Counter("a", start=3)
    counter.seen.add("b")
    assert (counter.step, counter.start) == (2, 3)
    copied = decorators.replace(counter, start=4)
    assert (copied.name, copied.seen, copied.start) == ("a", set(), 4)
    with pytest.raises(TypeError, match="positional"):
        Counter("a", 3)
    with pytest.raises((TypeError, ValueError), match="seen"):
        decorators.replace(counter, seen=set())
