"""The samples of the gallery as tables: both readers make the same rows of them, and of damaged ones."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from unittest.mock import patch

from wireloom.codegen.explore import load_format

from tests.conformance.gallery.checkout import Checkout
from tests.conformance.gallery.coverage import RowType, with_rows
from tests.conformance.gallery.parsing import MAX_FILES, OutOfTimeError, samples_of, time_limit, variants_of
from tests.conformance.gallery.samples import Maker, UnavailableError, makers
from tests.differential.agreement import agreed

SECONDS = 20.0
"""For one file."""
DAMAGED = 3
"""Damaged files made of the first one of each maker."""


@dataclass
class Agreement:
    """How many types of rows were read from samples, from how many files, and what differs."""

    types: int = 0
    files: int = 0
    slow: int = 0
    differences: list[str] = field(default_factory=list)


def agreement(gallery: Checkout, folder: Path, types: Iterable[RowType]) -> Agreement:
    """Read the samples as each of the ``types`` that the engine runs, with both readers; ``folder``: for specs."""
    found, copy, known = Agreement(), folder / "specs", makers()
    shutil.copytree(gallery.root, copy)
    files = {each.stem: each for each in gallery.specs}
    with patch.dict(os.environ, KSPATH=str(copy)):
        for each in types:
            if each.in_engine and each.spec in known:
                spec = copy / files[each.spec].relative_to(gallery.root)
                spec.write_text(with_rows(files[each.spec].read_text(encoding="utf-8"), each.rows), encoding="utf-8")
                found.types += 1
                for data in _samples(known[each.spec]):
                    _read(spec, each, data, found)
    return found


def _read(spec: Path, rows: RowType, data: bytes, found: Agreement) -> None:
    try:
        with time_limit(SECONDS):
            agreed(load_format(spec), data)
            found.files += 1
    except OutOfTimeError:
        found.slow += 1
    except AssertionError as error:
        found.differences.append(f"{rows.spec}, rows {rows.rows}: {error}")


def _samples(all_makers: Iterable[Maker]) -> Iterator[bytes]:
    for maker in all_makers:
        try:
            for number, sample in zip(range(MAX_FILES), samples_of(maker), strict=False):
                yield from (each.data for each in variants_of(sample, 0 if number else DAMAGED))
        except UnavailableError:
            continue
