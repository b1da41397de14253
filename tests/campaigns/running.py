"""Runs campaigns: so many damaged inputs of a format, from a seed, each of them to be made again by its number."""

from __future__ import annotations

import random
import time
import traceback
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from .case import Case, Subject, Violation
from .damaged import Damaged
from .damages import Damager, Pieces

SAME_SAMPLE = 20
"""Damaged inputs that are made of the same files."""
MOST_KEPT = 20
"""Violations that are kept in full; all are counted."""


@dataclass
class Result:
    """What a campaign came to. ``broken``: violations, each with what is needed to see it again."""

    name: str
    seed: int
    counts: Counter[str] = field(default_factory=Counter)
    kinds: Counter[str] = field(default_factory=Counter)
    broken: list[dict[str, Any]] = field(default_factory=list)
    seconds: float = 0.0


def run(
    subject: Subject, cases: range, seed: int, folder: Path, progress: Callable[[int], None] | None = None
) -> Result:
    """Runs the cases with these numbers."""
    result = Result(subject.name, seed)
    begin = time.monotonic()
    sample_number, sample = -1, None
    for number in cases:
        if number // SAME_SAMPLE != sample_number:
            sample_number = number // SAME_SAMPLE
            sample = subject.sample(random.Random(f"{seed} {subject.name} sample {sample_number}"))
        source = random.Random(f"{seed} {subject.name} {number}")
        case = Case(source, sample, damage(subject, sample, source), folder)
        sentence = _checked(subject, case)
        result.counts += case.counts
        result.counts["cases"] += 1
        result.counts["damages"] += len(case.damaged.kinds)
        result.kinds.update(case.damaged.kinds)
        if sentence:
            result.counts["violations"] += 1
            if len(result.broken) < MOST_KEPT:
                result.broken.append(_broken(number, sentence, case))
        if progress is not None:
            progress(1)
    result.seconds = time.monotonic() - begin
    return result


def damage(subject: Subject, sample: Any, source: random.Random) -> Damaged:
    """The sample's content, damaged; or as the subject does it."""
    own: Callable[[Any, random.Random], Damaged] | None = getattr(subject, "damage", None)
    if own is not None:
        return own(sample, source)
    pieces: Pieces = [(0, sample.content)]
    return Damager(source, subject.tokens, [(len(sample.content), sample.other)]).damage(pieces)


def _checked(subject: Subject, case: Case) -> str:
    try:
        subject.check(case)
    except Violation as violation:
        return str(violation)
    except Exception:
        return traceback.format_exc()
    return ""


def _broken(number: int, sentence: str, case: Case) -> dict[str, Any]:
    return {
        "case": number,
        "sentence": sentence,
        "damage": list(case.damaged.kinds),
        "read": {name: str(value) for name, value in case.options.items()},
        "content": case.damaged.content.hex(),
    }
