"""Names of the tables of a spec, each of which has a module of its own in the generated package."""

from __future__ import annotations

from ..spec.diagnostics import Diagnostics
from ..spec.syntax import Text
from ..words import shown

TAKEN = ("parser", "columns", "spark")
"""Modules of a generated package; the module of each table except the default one is beside them."""


def refuse_module_name(what: str, name: Text, diagnostics: Diagnostics) -> None:
    """Report a name that a module of the generated package already has. ``what``: the thing with the name."""
    if name.value in TAKEN or name.value.startswith("pyspark_"):
        diagnostics.error(
            name.position, f"{what} cannot be called {shown(name.value)}: a generated module has this name"
        )
