"""``python -m tests.conformance.gallery``: runs everything and rewrites ``gallery.json``, or runs some formats."""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

from tests.conformance.gallery import modules, reference, score
from tests.conformance.gallery.checkout import FORMATS, Checkout, checkout, suite
from tests.conformance.gallery.coverage import counts, coverage, known_specs, printed
from tests.conformance.gallery.parsing import Parsed
from tests.conformance.gallery.rows import agreement, suite_agreement


def main() -> int:
    """Return 0 if nothing is wrong, 1 if something differs, and 2 without a gallery."""
    parser = argparse.ArgumentParser(prog="python -m tests.conformance.gallery", description=__doc__)
    parser.add_argument("formats", nargs="*", help="Only compares these; the file is left alone.")
    parser.add_argument("--mutations", type=int, default=0, help="Compares each file as many times damaged as well.")
    parser.add_argument("--commit", default="", help="The gallery's commit, where its folder is not a repository.")
    parser.add_argument("--date", default="", help="The day of that commit.")
    given = parser.parse_args()
    gallery = checkout()
    if gallery is None:
        print(f"{FORMATS} does not name a checkout of kaitai-io/kaitai_struct_formats", file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory() as folder:
        if given.formats or given.mutations:
            return _compare(gallery, Path(folder), given.formats, given.mutations)
        version = {"commit": given.commit, "date": given.date} if given.commit else gallery.version()
        return _score(gallery, Path(folder), version)


def _compare(gallery: Checkout, folder: Path, formats: list[str], mutations: int) -> int:
    absent = reference.missing(gallery)
    if absent:
        print(absent, file=sys.stderr)
        return 2
    found = score.compared(gallery, folder, formats, mutations)
    for name, parsed in found.items():
        _tell(name, parsed)
    return int(any(each.differences for each in found.values()))


def _tell(name: str, parsed: Parsed) -> None:
    state = "equal" if parsed.equal else "DIFFERENT" if parsed.differences else "nothing compared"
    slow = f", {parsed.slow} too slow" if parsed.slow else ""
    print(f"{name}: {state}; {parsed.files} files, {parsed.whole} of them whole, {parsed.values} values{slow}")
    for each in (*parsed.unavailable, *parsed.refused, *parsed.differences):
        print(f"    {each}")


def _score(gallery: Checkout, folder: Path, version: Mapping[str, str]) -> int:
    row_types = {each.name: coverage(each) for each in known_specs()}
    found = {
        "gallery": {"repository": score.REPOSITORY, **version},
        "ruff_ignores": modules.IGNORED,
        "modules": score.modules_score(gallery, folder),
        "rows": {name: counts(types) for name, types in row_types.items()},
    }
    absent = reference.missing(gallery)
    if absent:
        print(f"nothing is compared: {absent}")
        found["comparison"] = score.standing()["comparison"]
    else:
        found["comparison"] = score.comparison_score(score.compared(gallery, folder))
    score.write(found)
    for name, stages in found["modules"].items():
        print(f"{name}: " + ", ".join(f"{stage} {stages[stage]} of {stages['specs']}" for stage in score.STAGES))
    comparison = found["comparison"]
    print(f"{comparison['equal']} formats equal, {comparison['files']} files, {comparison['values']} values")
    for name, types in row_types.items():
        print(printed(name, types))
    tables = {"gallery": agreement(gallery, folder / "rows", row_types["gallery"])}
    tests = suite()
    if tests is not None:
        tables["suite"] = suite_agreement(tests, folder / "suite", row_types["suite"])
    for name, rows in tables.items():
        counted = f"{rows.types} types of rows, {rows.files} files"
        print(f"{name}: {counted}: {len(rows.differences)} differ, {rows.slow} too slow")
        for each in rows.differences:
            print(f"    {each}")
    failing = any(stages["failing"] for stages in found["modules"].values())
    return int(failing or bool(comparison["differing"]) or any(each.differences for each in tables.values()))


if __name__ == "__main__":
    sys.exit(main())
