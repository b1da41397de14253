"""How generated classes declare their fields: ``NAME: TYPE = UNSET``, from which slots and constructors follow."""

from __future__ import annotations

from typing import Any, dataclass_transform

UNSET: Any = object()
"""Default of a constructor's arguments: the attribute stays unset."""

KEPT: Any = object()

FAMILY = ("_io", "_parent", "_root")
"""What all objects have besides their fields."""


def kept(*, init: bool = False) -> Any:
    """Declares an attribute that no constructor is given: what a property has computed, for instance."""
    return KEPT


@dataclass_transform(eq_default=False, field_specifiers=(kept,))
class StructType(type):
    """The type of generated classes. Attributes that are declared so have slots, and ``_fields`` names those of the
    wire, in their order; type checkers know the constructor by them."""

    def __new__(mcls, name: str, bases: tuple[type, ...], namespace: dict[str, Any]) -> StructType:
        """Make the class."""
        fields = [each for each, value in namespace.items() if value is UNSET]
        others = [each for each, value in namespace.items() if value is KEPT]
        for each in (*fields, *others):
            del namespace[each]
        names = tuple(each for each in fields if each not in FAMILY)
        # A subclass declares its family once more to say of which types they are.
        family = () if any(hasattr(base, "_io") for base in bases) else fields[: len(fields) - len(names)]
        if names or family or others:
            namespace["__slots__"] = (*family, *names, *others)
        if names:
            namespace["_fields"] = names
        return super().__new__(mcls, name, bases, namespace)
