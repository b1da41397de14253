"""Options of readers as fields of a dataclass, with the default, the documentation and the check of each in one place.

Signatures, docstrings, the command line and Spark's options are derived from the fields.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from typing import Any

from .arguments import check_booleans, check_callable, check_texts, names, one_of, positive
from .dataclass import MISSING, dataclass, field, fields

FLAG, NUMBER, TEXT, CHOICE, NAMES, FUNCTION, OTHER = "flag", "number", "text", "choice", "names", "function", "other"
"""Kinds of options: a boolean, a number from 1, text, one of a few words, a list of names, a function, and a value with
a check of its own."""
WORD, INTEGER, TIME, DURATION = "word", "integer", "time", "duration"
"""A word in letters of any case, with a check of its own; any integer; a point in time, and a time span."""


@dataclass(frozen=True)
class Option:
    """An option. ``doc``: its documentation; the first sentence is the short description.

    - ``kind``: one of the kinds of this module.
    - ``most``: the effect of larger numbers; ``least``: the smallest number in a text.
    - ``values``: the values of a choice, each with its meaning.
    - ``what``: the description of a value in an error.
    - ``check``: for the kinds ``WORD`` and ``OTHER``, a function of a value that returns the value to use and raises
      ``WireloomError``.
    - ``off``: for a flag that is on by default, the effect of turning it off.
    - ``python``: whether it is an option of the Python functions only, since its values cannot be written as text.
    """

    doc: str
    kind: str
    most: int | None = None
    least: int = 1
    values: Mapping[str, str] = field(default_factory=dict)
    what: str = ""
    check: Callable[[Any], Any] | None = None
    off: str = ""
    python: bool = False

    @property
    def short(self) -> str:
        """Return the first sentence of the documentation."""
        return self.doc.partition(". ")[0].removesuffix(".") + "."

    @property
    def text(self) -> str:
        """Return the documentation, including that of its values."""
        meanings = ". ".join(f"{value}: {meaning}" for value, meaning in self.values.items() if meaning)
        return f"{self.doc} {meanings}." if meanings else self.doc

    def checked(self, name: str, value: Any) -> Any:
        """Return the value to use. Raises ``WireloomError`` for an invalid value."""
        if self.check is not None:
            return self.check(value)
        if self.kind == FLAG:
            check_booleans(**{name: value})
        elif self.kind == NUMBER:
            return positive(name, value, self.most)
        elif self.kind == TEXT:
            check_texts(**{name: value})
        elif self.kind == CHOICE:
            word = value.lower() if isinstance(value, str) else value
            return one_of(self.what or f"value of {name}", word, self.values)
        elif self.kind == NAMES:
            return names(name, value)
        elif self.kind == FUNCTION:
            check_callable(name, value, self.what)
        return value


def option(default: Any, doc: str, kind: str, *, compare: bool = True, **more: Any) -> Any:
    """Return a field of a dataclass of options; ``more`` as in ``Option``. ``None`` is valid if it is the default.

    ``compare``: whether it takes part in comparisons and hashes.
    """
    return field(default=default, compare=compare, metadata={"option": Option(doc, kind, **more)})


def options_of(kind: Any, only: Iterable[str] | None = None) -> dict[str, Option]:
    """Return the options of a dataclass by name, its own before inherited ones; ``only`` selects some."""
    found = {each.name: each.metadata["option"] for each in fields(kind) if "option" in each.metadata}
    own = [name for name in kind.__annotations__ if name in found]
    return {name: found[name] for name in (dict.fromkeys([*own, *found]) if only is None else only)}


def defaults_of(kind: Any) -> dict[str, Any]:
    """Return the default of each option by name."""
    return {each.name: each.default for each in fields(kind) if each.default is not MISSING}


def check_options(made: Any) -> None:
    """Check the values of all options of a frozen dataclass, for its ``__post_init__``. Raises ``WireloomError``."""
    kind: Any = type(made)
    values = vars(made)
    for name, default, checked in _checked(kind):
        value = values[name]
        if value is not default:
            object.__setattr__(made, name, checked(name, value))


@cache
def _checked(kind: Any) -> list[tuple[str, Any, Callable[[str, Any], Any]]]:
    defaults = defaults_of(kind)
    return [(name, defaults[name], each.checked) for name, each in options_of(kind).items()]


def documented(function: Any, kind: Any, only: Iterable[str] | None = None) -> None:
    """Give a function that takes ``**options`` the signature of the options of ``kind``, and their documentation in
    place of ``{options}`` in its docstring."""
    options, defaults = options_of(kind, only), defaults_of(kind)
    signature = inspect.signature(function)
    own = list(signature.parameters.values())
    annotations = {each.name: each.type for each in fields(kind)}
    added = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=defaults[name], annotation=annotations[name])
        for name in options
    ]
    function.__signature__ = signature.replace(parameters=[*own[:-1], *added, own[-1]])
    lines = "\n".join(f"- ``{name}``: {each.text}" for name, each in options.items())
    # Since Python 3.13 docstrings have no indentation.
    function.__doc__ = inspect.cleandoc(function.__doc__ or "").replace("{options}", lines)


def camel_case(name: str) -> str:
    """Return the name of an option in Spark's spelling.

    >>> camel_case("max_record"), camel_case("mode")
    ('maxRecord', 'mode')
    """
    first, *more = name.split("_")
    return first + "".join(each.capitalize() for each in more)
