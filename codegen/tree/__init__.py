"""The tree: a spec with every name resolved, every expression typed, every default filled in, as frozen data.

``model/`` builds it from YAML, and ``passes/`` derive facts from it, which are further members of the same classes. It
has no terms of any backend; only ``position``, for diagnostics, refers to the YAML source.
"""

from .leaves import literal_size
from .members import Attribute, Check, Checksum, Instance, Switch, SwitchCase, Valid
from .spec import RowPath, Rows, RowStep, Spec
from .types import Fill, InnerSum, Piece, ReadOnly, Run, Step, StoredChecksum, Struct, is_single_value, run_of

__all__ = [
    "Attribute",
    "Check",
    "Checksum",
    "Fill",
    "InnerSum",
    "Instance",
    "Piece",
    "ReadOnly",
    "RowPath",
    "RowStep",
    "Rows",
    "Run",
    "Spec",
    "Step",
    "StoredChecksum",
    "Struct",
    "Switch",
    "SwitchCase",
    "Valid",
    "is_single_value",
    "literal_size",
    "run_of",
]
