"""The samples of the gallery and the files of Kaitai's suite as tables: both readers return the same rows."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from unittest.mock import patch

import yaml
from wireloom.codegen.loading import load_format

from tests.conformance.gallery.checkout import FORMATS, Checkout
from tests.conformance.gallery.coverage import RowType, with_rows
from tests.conformance.gallery.parsing import MAX_FILES, OutOfTimeError, samples_of, time_limit, variants_of
from tests.conformance.gallery.samples import Maker, UnavailableError, makers
from tests.differential.agreement import agreed

SECONDS = 20.0
"""Time limit for one file."""
DAMAGED = 3
"""Number of damaged files made from the first one of each maker."""
DAMAGED_PLACES = 9
"""Number of positions at which a file of the suite is cut off or changed."""


@dataclass
class Agreement:
    """How many types of rows were read from samples, from how many files, and what differs."""

    types: int = 0
    files: int = 0
    slow: int = 0
    differences: list[str] = field(default_factory=list)


def agreement(gallery: Checkout, folder: Path, types: Iterable[RowType]) -> Agreement:
    """Read the samples as each of the ``types`` that the engine runs, with both readers; ``folder``: for specs."""
    known = makers()
    return _agreement(
        gallery.root, (), folder, (each for each in types if each.spec in known), lambda name: _samples(known[name])
    )


def suite_agreement(tests: Path, folder: Path, types: Iterable[RowType]) -> Agreement:
    """Read the files of Kaitai's suite in the same way: unchanged, cut off, and with one byte changed."""
    names = {}
    for path in (tests / "spec" / "ks").glob("*.kst"):
        test = yaml.safe_load(path.read_text(encoding="utf-8"))
        names[test["id"]] = test.get("data")
    found = (each for each in types if names.get(each.spec))
    gallery = os.environ.get(FORMATS, "")
    return _agreement(
        tests / "formats", (gallery,), folder, found, lambda name: _pieces((tests / "src" / names[name]).read_bytes())
    )


def _agreement(
    specs: Path,
    imports: Iterable[str],
    folder: Path,
    types: Iterable[RowType],
    samples: Callable[[str], Iterable[bytes]],
) -> Agreement:
    found, copy = Agreement(), folder / "specs"
    shutil.copytree(specs, copy)
    files = {each.stem: each for each in specs.rglob("*.ksy")}
    paths = os.pathsep.join(map(str, (copy, copy / "ks_path", *filter(None, imports))))
    with patch.dict(os.environ, KSPATH=paths):
        for each in types:
            if each.in_engine:
                spec = copy / files[each.spec].relative_to(specs)
                spec.write_text(with_rows(files[each.spec].read_text(encoding="utf-8"), each.rows), encoding="utf-8")
                found.types += 1
                for data in samples(each.spec):
                    _read(spec, each, data, found)
    return found


def _pieces(data: bytes) -> Iterator[bytes]:
    """Yield a file, and what is left of it after damage at some positions."""
    yield data
    for place in range(0, len(data), max(1, len(data) // DAMAGED_PLACES)):
        yield data[:place]
        yield data[:place] + bytes([data[place] ^ 0x41]) + data[place + 1 :]


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
