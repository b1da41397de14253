"""Measures works against each other, interleaved, and reports medians and ratios.

The machines on which this runs are shared and noisy. So the work and its peer are run alternately, A B A B …; each
ratio is taken from one such turn, and the median and the range of the ratios are reported.
"""

from __future__ import annotations

import gc
import importlib
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Work:
    """An operation that processes ``bytes`` bytes; its result is discarded. ``prepare`` is called before each run and
    is not measured."""

    name: str
    bytes: int
    run: Callable[[], Any]
    prepare: Callable[[], Any] = lambda: None
    clock: Callable[[], float] = time.perf_counter


@dataclass(frozen=True)
class Comparison:
    """``work`` compared with ``against``; ``target`` is the required ratio of their speeds, work over against."""

    title: str
    work: Work
    against: Work
    target: float | None = None
    absent: str | None = None
    """Why the comparison cannot be made here; nothing is run then."""
    note: str = ""


@dataclass(frozen=True)
class Figure:
    """A quantity that was counted: ``value`` of ``unit``, which should be at most ``most``."""

    title: str
    value: int
    unit: str
    most: int
    note: str = ""

    def to_dict(self) -> dict[str, Any]:
        """Return the figure as JSON values."""
        return {"title": self.title, "value": self.value, "unit": self.unit, "most": self.most, "note": self.note}


def missing(*modules: str) -> str | None:
    """Return why a peer cannot be measured here: the first of its modules that cannot be imported; otherwise
    ``None``."""
    for each in modules:
        try:
            importlib.import_module(each)
        except ImportError as error:
            return f"{each} cannot be imported ({error}); `make bench` installs the peers"
    return None


@dataclass
class Result:
    comparison: Comparison
    work_seconds: list[float] = field(default_factory=list)
    against_seconds: list[float] = field(default_factory=list)

    @property
    def ratios(self) -> list[float]:
        """Return the speed of the work divided by that of its peer, for each turn."""
        work, against = self.comparison.work.bytes, self.comparison.against.bytes
        return [
            (work / mine) / (against / theirs)
            for mine, theirs in zip(self.work_seconds, self.against_seconds, strict=True)
        ]

    def to_dict(self) -> dict[str, Any]:
        """Return the result as JSON values; speeds are medians in bytes per second."""
        comparison = self.comparison
        row: dict[str, Any] = {
            "title": comparison.title,
            "work": comparison.work.name,
            "against": comparison.against.name,
            "target": comparison.target,
            "note": comparison.note,
        }
        if comparison.absent:
            return {**row, "absent": comparison.absent}
        return {
            **row,
            "bytes": comparison.work.bytes,
            "work_speed": comparison.work.bytes / statistics.median(self.work_seconds),
            "against_speed": comparison.against.bytes / statistics.median(self.against_seconds),
            "ratio": statistics.median(self.ratios),
            "lowest_ratio": min(self.ratios),
            "highest_ratio": max(self.ratios),
            "turns": len(self.ratios),
        }


def seconds(work: Work) -> float:
    """Return the seconds of one run, which is prepared, with the garbage of the previous run already collected."""
    work.prepare()
    gc.collect()
    start = work.clock()
    work.run()
    # A clock with coarse ticks may return 0, by which nothing can be divided.
    return max(work.clock() - start, 1e-6)


def measure(comparison: Comparison, turns: int, progress: Callable[[], None] = lambda: None) -> Result:
    """Run both once without measuring, then ``turns`` times alternately.

    The first one changes from turn to turn, since with Spark the first one also pays for the other's cleanup.
    """
    result = Result(comparison)
    if comparison.absent:
        return result
    for each in (comparison.work, comparison.against):
        seconds(each)
    progress()
    both = [(result.work_seconds, comparison.work), (result.against_seconds, comparison.against)]
    for _ in range(turns):
        for taken, work in both:
            taken.append(seconds(work))
        both.reverse()
        progress()
    return result
