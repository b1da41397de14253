"""A format from a spec without generated code on disk: the same code, in modules that live in memory."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from wireloom.format.description import Format
from wireloom.format.explored import explored
from wireloom.format.routines import load

from .backends.base import own_backends
from .emit import load_all, render
from .model.routines import routines
from .plan import plan_of
from .spec.diagnostic import Diagnostic
from .spec.diagnostics import ERROR, InvalidSpecError


def load_format(spec_path: Path, allow_modules: Iterable[str] = ()) -> Format:
    """The format that a spec describes.

    ``allow_modules``: modules out of which it may name routines that are not registered. Raises ``SpecError``, also
    where the spec declares no rows, and ``WireloomError`` where a routine is not there.
    """
    specs = load_all([spec_path], allow_modules)
    name = next(each.name for each in specs if Path(each.file).name == Path(spec_path).name)
    files = render(map(plan_of, specs), wanted=(each for each in own_backends() if each.makes_modules))
    for routine in (each for spec in specs for each in routines(spec)):
        # What is missing is said before anything is read. All of them are permitted, or they would not be in the code.
        load(routine.place)
    found = explored(name, files)
    if found is None:
        sentence = "no rows are declared ('-wireloom: {rows: …}' in 'meta')"
        raise InvalidSpecError([Diagnostic(str(spec_path), 1, 1, ERROR, sentence).about(("meta-extensions", "rows"))])
    return found
