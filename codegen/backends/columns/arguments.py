"""The arguments of ``wireloom.format.description.Format`` that formats of all kinds share."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from dataclasses import astuple

from wireloom.format.description import MODEL_VERSION, Format

from ...expression.types import Path
from ...passes.beginnings import own_magic
from ...tree import Spec
from ..python.names import qualified
from ..source import arguments

OUTER_PARSER = 'parser=__name__.rpartition(".")[0] + ".parser"'
"""The argument of a table whose package is nested in the package of the spec."""
SENTENCE = 112
"""Maximum number of characters in a line of a docstring, without the quotes."""


def class_reference(spec: Spec, path: Path) -> str:
    """Return the class of a type, as ``Format.row`` names it."""
    name = qualified(path)
    return name if path[0] == spec.root.path[0] else f"..{path[0]}.parser:{name}"


def format_arguments(
    spec: Spec, row: str, rows_field: str, refusal: str | None, more: Mapping[str, object]
) -> list[str]:
    """Return the arguments of ``Format`` in a generated module, except ``columns``.

    Args:
        spec: The spec.
        row: The class of a row, as ``Format.row`` names it.
        rows_field: ``Format.rows_attribute``.
        refusal: ``Format.engine_refusal``.
        more: The other arguments, by name.

    Returns:
        Python source, ``NAME=VALUE`` each; arguments equal to their defaults are omitted.
    """
    values: dict[str, object] = {
        "name": spec.name,
        "title": spec.title,
        "root": qualified(spec.top(spec.rows).path),
        "row": row,
        "rows_attribute": rows_field,
        "spec_file": spec.file.replace("\\", "/").rpartition("/")[2],
        "spec_sha256": spec.sha256,
        "model_version": MODEL_VERSION,
        "codec": spec.codec,
        "extensions": spec.file_extensions,
        "max_record": spec.max_record,
        "preallocated": None if spec.preallocated is None else astuple(spec.preallocated),
        "xor_key_file": spec.xor_key_file,
        "nonempty": spec.nonempty,
        "advice": spec.advice,
        "own_magic": own_magic(spec),
        "searched": spec.searched,
        **more,
        "engine_refusal": refusal,
    }
    # The package locates itself, so it can be installed anywhere.
    return ["module=__name__", *arguments(Format, values)]


def refusal_text(refusal: str | None) -> str:
    """Return the sentence of a generated module about columns that the engine does not read; empty if it reads all."""
    if refusal is None:
        return ""
    return textwrap.fill(f"The engine cannot run these rows: {refusal}. The object parser reads them.", SENTENCE)
