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


def class_reference(spec: Spec, path: Path) -> str:
    """Return the class of a type, as ``Format.row`` names it."""
    name = qualified(path)
    return name if path[0] == spec.root.path[0] else f"..{path[0]}.parser:{name}"


def format_arguments(
    spec: Spec, row: str, rows_field: str, refusal: str | None, more: Mapping[str, tuple[object, object]]
) -> list[str]:
    """Return the arguments of ``Format`` except ``columns``; those equal to their default are omitted.

    ``more``: further arguments by name, each with its value and its default.
    """
    given: dict[str, object] = {
        "name": spec.name,
        "title": spec.title,
        "root": qualified(spec.top(spec.rows).path),
        "row": row,
        "rows_attribute": rows_field,
        "spec_file": spec.file.replace("\\", "/").rpartition("/")[2],
        "spec_sha256": spec.sha256,
        "model_version": MODEL_VERSION,
    }
    optional: dict[str, tuple[object, object]] = {
        "codec": (spec.codec, "none"),
        "extensions": (spec.file_extensions, ()),
        "max_record": (spec.max_record, 64 * 1024 * 1024),
        "preallocated": (None if spec.preallocated is None else astuple(spec.preallocated), None),
        "nonempty": (spec.nonempty, False),
        "advice": (spec.advice, ""),
        "searched": (spec.searched, False),
        **more,
        "engine_refusal": (refusal, None),
    }
    given.update({name: value for name, (value, usual) in optional.items() if value != usual})
    # The package locates itself, so it can be installed anywhere.
    return ["module=__name__", *(f"{name}={literal(value)}" for name, value in given.items())]
