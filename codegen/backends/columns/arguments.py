"""The arguments of ``wireloom.format.description.Format`` that formats of all kinds share."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import astuple

from ...expression.types import Path
from ...tree import Spec
from ...wire import MODEL_VERSION
from ..python.names import qualified
from .literal import literal

OUTER_PARSER = 'parser=__name__.rpartition(".")[0] + ".parser"'
"""The argument of a table whose package is nested in the package of the spec."""


def class_reference(plan: Spec, path: Path) -> str:
    """Return the class of a type, as ``Format.row`` names it."""
    name = qualified(path)
    return name if path[0] == plan.root.path[0] else f"..{path[0]}.parser:{name}"


def format_arguments(
    plan: Spec, row: str, rows_field: str, refusal: str | None, more: Mapping[str, tuple[object, object]]
) -> list[str]:
    """Return the arguments of ``Format`` except ``columns``; those equal to their default are omitted.

    ``more``: further arguments by name, each with its value and its default.
    """
    given: dict[str, object] = {
        "name": plan.name,
        "title": plan.title,
        "root": qualified(plan.top(plan.rows).path),
        "row": row,
        "rows_attribute": rows_field,
        "spec_file": plan.file.replace("\\", "/").rpartition("/")[2],
        "spec_sha256": plan.sha256,
        "model_version": MODEL_VERSION,
    }
    optional: dict[str, tuple[object, object]] = {
        "codec": (plan.codec, "none"),
        "extensions": (plan.file_extensions, ()),
        "max_record": (plan.max_record, 64 * 1024 * 1024),
        "preallocated": (None if plan.preallocated is None else astuple(plan.preallocated), None),
        "nonempty": (plan.nonempty, False),
        "advice": (plan.advice, ""),
        "searched": (plan.searched, False),
        **more,
        "engine_refusal": (refusal, None),
    }
    given.update({name: value for name, (value, usual) in optional.items() if value != usual})
    # The package locates itself, so it can be installed anywhere.
    return ["module=__name__", *(f"{name}={literal(value)}" for name, value in given.items())]
