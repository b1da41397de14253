"""A format from a spec without generated code on disk: the same code, in modules that live in memory."""

from __future__ import annotations

from pathlib import Path

from wireloom.explored import explored
from wireloom.format import Format

from .emit import load_all, render
from .spec.diagnostics import ERROR, Diagnostic, InvalidSpecError


def load_format(spec_path: Path) -> Format:
    """The format that a spec describes. Raises ``SpecError``, also where the spec declares no rows."""
    specs = load_all([spec_path])
    name = next(each.name for each in specs if Path(each.file).name == Path(spec_path).name)
    found = explored(name, {path: text for path, text in render(specs).items() if path.endswith(".py")})
    if found is None:
        sentence = "no rows are declared ('-wireloom: {rows: …}' in 'meta')"
        raise InvalidSpecError([Diagnostic(str(spec_path), 1, 1, ERROR, sentence).about(("meta-extensions", "rows"))])
    return found
