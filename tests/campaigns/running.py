"""Runs campaigns: a number of damaged inputs of a format, from a seed; each can be reproduced by its number."""

from __future__ import annotations

import random
import time
import traceback
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from .case import BrokenClaimError, Case, Subject
from .damaged import Damaged
from .damages import Damager, Pieces

SAME_SAMPLE = 20
"""Number of damaged inputs that are made from the same files."""
MOST_KEPT = 20
"""Number of violations that are kept in full; all are counted."""


@dataclass
class Result:
    """The result of a campaign. ``broken``: violations, each with what is needed to reproduce it."""

    name: str
    seed: int
    counts: Counter[str] = field(default_factory=Counter)
    kinds: Counter[str] = field(default_factory=Counter)
    broken: list[dict[str, Any]] = field(default_factory=list)
    seconds: float = 0.0

    def add(self, other: Result) -> None:
        """Add the result for other inputs of the same campaign."""
        self.counts.update(other.counts)
        self.kinds.update(other.kinds)
        self.broken += other.broken[: MOST_KEPT - len(self.broken)]
        self.seconds += other.seconds


def run(subject: Subject, cases: range, seed: int, folder: Path) -> Result:
    """Run the cases with these numbers."""
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
        result.counts.update(case.counts)
        result.counts["cases"] += 1
        result.counts["damages"] += len(case.damaged.kinds)
        result.kinds.update(case.damaged.kinds)
        if sentence:
            result.counts["violations"] += 1
            if len(result.broken) < MOST_KEPT:
                result.broken.append(_broken(number, sentence, case))
    result.seconds = time.monotonic() - begin
    return result


def damage(subject: Subject, sample: Any, source: random.Random) -> Damaged:
    """Damage the sample's content, in the subject's own way if it has one."""
    own: Callable[[Any, random.Random], Damaged] | None = getattr(subject, "damage", None)
    if own is not None:
        return own(sample, source)
    pieces: Pieces = [(0, sample.content)]
    return Damager(source, subject.tokens, [(len(sample.content), sample.other)]).damage(pieces)


def _checked(subject: Subject, case: Case) -> str:
    try:
        subject.check(case)
    except BrokenClaimError as error:
        return str(error)
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
