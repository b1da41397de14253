"""Defaults of attributes: what a writer writes if it is not given a value."""

from __future__ import annotations

from ..expression.types import UserType
from ..spec.diagnostics import Diagnostics
from ..words import shown
from .model import Struct


def check_defaults(struct: Struct, diagnostics: Diagnostics) -> None:
    """Report integers as the defaults of objects: only varints take them, which are integers by now."""
    for each in struct.attributes:
        if each.default is not None and isinstance(each.type, UserType) and each.position is not None:
            message = f"'default' is for single values: {shown(each.id)} is an object of {shown(each.type.path[-1])}"
            diagnostics.error(each.position, message)
