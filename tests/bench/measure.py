"""Measures works against each other, interleaved, and keeps medians and ratios.

The machines that this runs on are shared and noisy. So the work and what it is compared with run in turn, A B A B …,
each ratio is taken within one such turn, and what is reported is the median of the ratios and their range.
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
    """Something to run that handles ``bytes`` bytes; its result is thrown away. ``prepare`` comes before each run and
    is not measured."""

    name: str
    bytes: int
    run: Callable[[], Any]
    prepare: Callable[[], Any] = lambda: None
    clock: Callable[[], float] = time.perf_counter


@dataclass(frozen=True)
class Comparison:
    """``work`` beside ``against``; ``target`` is the ratio of their speeds that is wanted, work over against."""

    title: str
    work: Work
    against: Work
    target: float | None = None
    absent: str | None = None
    """Why the comparison cannot be made here; nothing is run then."""
    note: str = ""


@dataclass(frozen=True)
class Figure:
    """Something that was counted: ``value`` of ``unit``, which should be ``most`` at most."""

    title: str
    value: int
    unit: str
    most: int
    note: str = ""

    def to_dict(self) -> dict[str, Any]:
        """The figure as JSON takes it."""
        return {"title": self.title, "value": self.value, "unit": self.unit, "most": self.most, "note": self.note}


def missing(*modules: str) -> str | None:
    """Why a peer cannot be measured here: the first of its modules that cannot be imported; ``None``: it can."""
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
        """Speed of the work over speed of what it is compared with, a turn each."""
        work, against = self.comparison.work.bytes, self.comparison.against.bytes
        return [
            (work / mine) / (against / theirs)
            for mine, theirs in zip(self.work_seconds, self.against_seconds, strict=True)
        ]

    def to_dict(self) -> dict[str, Any]:
        """The result as JSON takes it; speeds in bytes per second, medians."""
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
    """One run, prepared, with the garbage of the run before already collected."""
    work.prepare()
    gc.collect()
    start = work.clock()
    work.run()
    # Of a clock with ticks, none is too few to divide by.
    return max(work.clock() - start, 1e-6)


def measure(comparison: Comparison, turns: int, progress: Callable[[], None] = lambda: None) -> Result:
    """Runs both once uncounted, then ``turns`` times in turn.

    Which goes first changes from turn to turn: with Spark, whoever does pays for what the other has left to clear up.
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
