"""Names of protobuf → names of the dialect: lower-case words with underscores, unique within one scope."""

from __future__ import annotations

import re
from collections.abc import Callable

from ..backends.python.names import class_name
from ..model.declare import PARAMETER_TYPES
from ..model.messages import SCALARS
from ..spec.kinds import BUILT_IN

TYPE_WORDS = frozenset({*SCALARS, *PARAMETER_TYPES, *BUILT_IN})
"""Names that have another meaning as types."""
EXPRESSION_WORDS = frozenset({"and", "or", "not", "true", "false"})
"""Names that cannot be used in expressions."""

_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")


def snake_case(name: str) -> str:
    """Return a name in the dialect's notation.

    >>> snake_case("HTTPServer"), snake_case("fooBar2Baz"), snake_case("COLOUR_RED"), snake_case("_2nd")
    ('http_server', 'foo_bar2_baz', 'colour_red', 'n2nd')
    """
    words = re.sub(r"[^a-z0-9]+", "_", _HUMP.sub("_", name).lower()).strip("_")
    return words if words[:1].isalpha() else f"n{words}"


class Names:
    """The names of one scope: types and enums, fields of a message, or members of an enum.

    ``alike``: returns a key that must differ between two names, such as the class name of a type.
    """

    def __init__(self, avoided: frozenset[str], suffix: str, alike: Callable[[str], str] = str) -> None:
        self.avoided = avoided
        self.suffix = suffix
        self.alike = alike
        self.taken: set[str] = set()

    def add(self, name: str, prefix: str = "") -> str:
        """Return an unused name for protobuf's ``name``; ``prefix`` is prepended if it is already taken."""
        wanted = snake_case(name)
        if wanted in self.avoided:
            wanted = f"{wanted}_{self.suffix}"
        if self.alike(wanted) in self.taken and prefix:
            wanted = f"{snake_case(prefix)}_{wanted}"
        found, count = wanted, 1
        while self.alike(found) in self.taken:
            count += 1
            found = f"{wanted}_{count}"
        self.taken.add(self.alike(found))
        return found


def type_names() -> Names:
    """Return names for the types and enums of one scope."""
    return Names(TYPE_WORDS, "type", class_name)


def member_names() -> Names:
    """Return names for the fields of a message."""
    return Names(EXPRESSION_WORDS, "field")
