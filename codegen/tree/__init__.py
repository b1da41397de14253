"""The tree: a spec with every name resolved, every expression typed, every default filled in, as frozen data.

``model/`` builds it from YAML. It has no terms of any backend; only ``position``, for diagnostics, refers to the YAML
source.
"""

from .members import Attribute, Check, Checksum, Instance, Switch, SwitchCase, Valid, is_number, literal_size
from .spec import Rows, RowStep, Spec, Way
from .types import Derivation, InnerSum, Struct

__all__ = [
    "Attribute",
    "Check",
    "Checksum",
    "Derivation",
    "InnerSum",
    "Instance",
    "RowStep",
    "Rows",
    "Spec",
    "Struct",
    "Switch",
    "SwitchCase",
    "Valid",
    "Way",
    "is_number",
    "literal_size",
]
