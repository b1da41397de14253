"""Advice that names options: each surface (Python, the command line, Spark) shows them in its own spelling."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from typing import Any, Self

from .errors import WireloomError

OPTION = re.compile(r"\{(\w+)(?:=([^{}]*))?\}")
"""An option in a template, with or without a value as a Python literal."""
Spelling = Callable[[str, Any], str]
"""Returns an option as users of a surface write it, from its name and its value, which is ``None`` if any may be
given."""


class Advice(str):
    """Advice as text, in Python's spelling. The template has options in braces.

    >>> advice = Advice("{mode='permissive'} leaves it out")
    >>> advice
    "mode='permissive' leaves it out"
    >>> advice.spelled(lambda name, value: f"--{name} {value}")
    '--mode permissive leaves it out'
    """

    template: str

    def __new__(cls, template: str) -> Self:
        """Return the advice of a template."""
        made = super().__new__(cls, OPTION.sub(lambda found: found[0][1:-1], template))
        made.template = template
        return made

    def spelled(self, spelling: Spelling) -> str:
        """Return the text with the options in another spelling."""
        return OPTION.sub(
            lambda found: spelling(found[1], None if found[2] is None else ast.literal_eval(found[2])), self.template
        )


def respell(error: WireloomError, spelling: Spelling) -> None:
    """Change the advice of an error to the spelling of a surface."""
    if isinstance(error.advice, Advice):
        error.advice = error.advice.spelled(spelling)
