"""The samples of a format, parsed with the classes of both compilers."""

from __future__ import annotations

import importlib.util
import io
import random
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any

from kaitaistruct import KaitaiStream

from tests.conformance.gallery.comparing import Comparison, Result, attempt, compare
from tests.conformance.gallery.modules import PACKAGE
from tests.conformance.gallery.samples import Maker, Sample, UnavailableError

MAX_MUTATED = 1 << 16
"""Larger files are not damaged on purpose."""

SECONDS = 20.0
"""Time limit for one file and both compilers."""

MAX_FILES = 12
"""Maximum number of files of one maker."""


@dataclass
class Parsed:
    """The result for one format: how many files and values are the same, what differs, and what could not be made."""

    files: int = 0
    values: int = 0
    slow: int = 0
    """Files that took too long for either: a huge count of empty items, or instances that lead on endlessly."""
    whole: int = 0
    """Files that Kaitai's classes read without an exception."""
    refused: list[str] = field(default_factory=list)
    """What Kaitai's classes raise for undamaged files."""
    differences: list[str] = field(default_factory=list)
    unavailable: list[str] = field(default_factory=list)

    @property
    def equal(self) -> bool:
        """Return whether there are files that both read, and nothing differs."""
        return self.whole > 0 and not self.differences


class OutOfTimeError(BaseException):
    """An exception that code under test does not catch."""


@contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Raise ``OutOfTimeError`` in the block when the time is over."""

    def stop(_number: int, _frame: object) -> None:
        raise OutOfTimeError

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


class Parser:
    """The modules of both compilers, side by side."""

    def __init__(self, ours: Path, kaitai: Path) -> None:
        # Modules of Kaitai's compiler import each other from the path; some have names of Python's own library.
        sys.path[:0] = [str(ours), str(kaitai)]
        self.kaitai = kaitai

    def parse(self, name: str, makers: list[Maker], mutations: int = 0) -> Parsed:
        """Compare the results for every file of a format, and for ``mutations`` damaged variants of each."""
        parsed = Parsed()
        try:
            pair = self._reference(name), importlib.import_module(f"{PACKAGE}.{name}")
        except (ImportError, SyntaxError, OSError) as error:
            parsed.unavailable.append(f"cannot be imported: {error}")
            return parsed
        for maker in makers:
            try:
                for number, sample in zip(range(MAX_FILES), samples_of(maker), strict=False):
                    for damage, each in enumerate(variants_of(sample, mutations)):
                        self._file(parsed, f"{maker.__name__} {number}.{damage}", pair, each)
            except UnavailableError as error:
                parsed.unavailable.append(str(error))
        return parsed

    def _reference(self, name: str) -> ModuleType:
        spec = importlib.util.spec_from_file_location(f"kaitai.{name}", self.kaitai / f"{name}.py")
        if spec is None or spec.loader is None:
            raise ImportError(name)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module

    def _file(self, parsed: Parsed, label: str, pair: tuple[ModuleType, ModuleType], sample: Sample) -> None:
        try:
            with time_limit(SECONDS):
                kaitai, ours = (_read(module, sample) for module in pair)
                found: Comparison = compare(kaitai, ours)
        except OutOfTimeError:
            parsed.slow += 1
            return
        parsed.files += 1
        parsed.values += found.same
        parsed.whole += kaitai[1] is None
        if kaitai[1] is not None and label.endswith(".0"):
            parsed.refused.append(f"{label}: {kaitai[1]!r}")
        parsed.differences += [f"{label}: {each}" for each in found.differences]


def samples_of(maker: Maker) -> Iterator[Sample]:
    for each in maker():
        yield each if isinstance(each, Sample) else Sample(each)


def _read(module: ModuleType, sample: Sample) -> Result:
    name = module.__name__.rpartition(".")[2]
    kind: Any = getattr(module, "".join(part[:1].upper() + part[1:] for part in name.split("_")))
    if sample.arguments:
        return attempt(lambda: kind(*sample.arguments, KaitaiStream(io.BytesIO(sample.data))))
    return attempt(lambda: kind.from_bytes(sample.data))


def variants_of(sample: Sample, mutations: int) -> Iterator[Sample]:
    """Yield the sample, then that many damaged ones: with some bytes changed, or the end cut off."""
    yield sample
    if not sample.data or len(sample.data) > MAX_MUTATED:
        return
    for seed in range(mutations):
        chance = random.Random(f"{len(sample.data)} {seed}")
        data = bytearray(sample.data)
        for _ in range(chance.randint(1, 4)):
            # Most values that determine the layout are near the beginning.
            data[int(len(data) * chance.random() ** 2)] = chance.choice((0, 1, 0x7F, 0x80, 0xFF, chance.randrange(256)))
        if chance.random() < 0.2:
            del data[chance.randrange(len(data)) :]
        yield Sample(bytes(data), sample.arguments)
