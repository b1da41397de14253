"""The declaration of fields in generated classes, ``NAME: TYPE = UNSET``, from which slots and constructors are
made."""

from __future__ import annotations

from typing import Any, dataclass_transform

UNSET: Any = object()
"""Default of a constructor's arguments: the attribute stays unset."""

KEPT: Any = object()

FAMILY = ("_io", "_parent", "_root")
"""What all objects have besides their fields."""


def kept(*, init: bool = False) -> Any:
    """Declare an attribute that is not a parameter of the constructor, such as the cached value of a property."""
    return KEPT


@dataclass_transform(eq_default=False, field_specifiers=(kept,))
class StructType(type):
    """The metaclass of generated classes. Declared attributes become slots, ``_fields`` contains the names of those on
    the wire in their order, and type checkers derive the constructor from them."""

    def __new__(mcls, name: str, bases: tuple[type, ...], namespace: dict[str, Any]) -> StructType:
        """Make the class."""
        fields = [each for each, value in namespace.items() if value is UNSET]
        others = [each for each, value in namespace.items() if value is KEPT]
        for each in (*fields, *others):
            del namespace[each]
        names = tuple(each for each in fields if each not in FAMILY)
        # A subclass redeclares its family, to say what types they have.
        family = () if any(hasattr(base, "_io") for base in bases) else fields[: len(fields) - len(names)]
        if names or family or others:
            namespace["__slots__"] = (*family, *names, *others)
        if names:
            namespace["_fields"] = names
        return super().__new__(mcls, name, bases, namespace)
