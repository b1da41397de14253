"""Records, damaged ranges and tails are those of the reader: for installed formats, and for the specs of the pages."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import pytest
import wireloom
from wireloom import Format
from wireloom.format import registry

from ...differential.agreement import objects_only
from ...differential.damage import damaged
from ...docs.blocks import Page, part
from ...examples import PROFILE, examples
from .agreement import check

VECTORS = Path(__file__).parents[2] / "vectors"
LARGEST = 8 * 1024
NO_SAMPLES = (".jsonl", ".py", ".go", ".java")
PAGES = ("checksums", "dialect", "rows", "tables", "writing")


def files_of(format: Format) -> list[Path]:
    """Return the small sample files of an installed format, and those of a block or more."""
    found = [each for each in (VECTORS / format.name).glob("*.*") if each.suffix not in NO_SAMPLES]
    most = LARGEST if not format.input_format.block else 1 << 20
    return sorted(each for each in found if each.stat().st_size <= most)


def tables_of(format: Format) -> list[Format]:
    return [format.of_table(name) for name in format.tables] if format.tables else [format]


def variants(format: Format, data: bytes, chance: Random, count: int) -> None:
    """Check an input, and damaged ones like it."""
    for number in range(count):
        other = damaged(chance, data) if number else data
        options: dict[str, Any] = {"recover": bool(chance.randrange(2))}
        check(format, other, **options)
        with objects_only():
            check(format, other, **options)


FORMATS = [each.name for each in map(registry.get, registry.formats()) if each.message is None]


@pytest.mark.slow
@pytest.mark.parametrize("name", FORMATS)
def test_installed_formats(name: str) -> None:
    format, chance = registry.get(name), Random(name)
    tables = tables_of(format)
    # The tables of a format show the same records: together they have about as many inputs as a format with one table.
    count = examples(30) if PROFILE == "thorough" else max(6, examples(30) // len(tables))
    for table in tables:
        files = files_of(table)
        for file in chance.sample(files, min(len(files), examples(30))):
            variants(table, file.read_bytes(), chance, 1 if table.input_format.block else count)


@pytest.mark.slow
@pytest.mark.parametrize("name", PAGES)
def test_specs_of_the_pages(name: str, tmp_path: Path) -> None:
    page, chance = Page(part(name), tmp_path), Random(name)
    page.run()
    contents = [bytes(each) for each in page.namespace.values() if isinstance(each, bytes | bytearray)]
    contents += [each.read_bytes() for each in sorted(tmp_path.rglob("*")) if each.is_file() and each.suffix != ".ksy"]
    contents = [each for each in dict.fromkeys(contents) if len(each) <= LARGEST]
    count = 0
    for spec in sorted(tmp_path.rglob("*.ksy")):
        try:
            format = wireloom.load_spec(spec)
        except wireloom.WireloomError:
            # It declares no rows.
            continue
        for data in contents if format.message is None else ():
            table, report = wireloom.read_with_report(format, data, check_format=False)
            if report.clean and table.num_rows:
                count += 1
                variants(format, data, chance, examples(30))
    assert count >= 4
