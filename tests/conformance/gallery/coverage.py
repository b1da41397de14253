"""Which repeated types of specs the engine could run as rows, and what it refuses about the others."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from wireloom.codegen.backends.columns import candidates_of as candidates
from wireloom.codegen.model import analyse
from wireloom.codegen.plan import Plan, plan_of

SHOWN = 12
"""As many reasons are listed."""


def coverage(specs: Iterable[Path], import_paths: tuple[Path, ...]) -> dict[str, Any]:
    """The counts of the row types of all specs, and the constructs that the engine refuses, most frequent first."""
    types = run = 0
    refused: Counter[str] = Counter()
    for path in specs:
        spec = analyse(path, import_paths=import_paths).spec
        for refusal in _refusals(plan_of(spec)).values() if spec is not None else ():
            types += 1
            run += not refusal
            if refusal:
                refused[construct(refusal)] += 1
    return {
        "types": types,
        "engine": run,
        "percent": round(100 * run / types) if types else 0,
        "refused": dict(refused.most_common(SHOWN)),
    }


def _refusals(plan: Plan) -> dict[tuple[str, ...], str]:
    """By type: why the engine would not run it; a type that is repeated in several places counts where it would."""
    found: dict[tuple[str, ...], str] = {}
    for each in candidates(plan):
        path = getattr(each.field.type, "path", ())
        found[path] = found.get(path, each.refusal) and each.refusal
    return found


def construct(refusal: str) -> str:
    """A refusal without the names of the spec.

    >>> construct('the type of "body" is chosen by a switch')
    'the type of … is chosen by a switch'
    """
    return re.sub(r'"[^"]*"|\S+::\S+', "…", refusal)
