"""``python -m tests.conformance``: runs Kaitai's suite and rewrites ``scores.json``."""

from __future__ import annotations

import argparse
import shutil
import sys

from .scores import FILE, write
from .suite import ABSENT, find_suite


def main() -> int:
    """Run all parts and print how many tests pass."""
    parser = argparse.ArgumentParser(prog="python -m tests.conformance", description=__doc__)
    parser.add_argument("--commit", help="The suite's commit, where its folder is not a repository.")
    parser.add_argument("--date", help="The day of that commit.")
    given = parser.parse_args()
    suite = find_suite()
    if suite is None:
        print(ABSENT, file=sys.stderr)
        return 2
    try:
        commit = {"commit": given.commit, "date": given.date} if given.commit else suite.commit()
        scores = write(suite, commit)
    finally:
        shutil.rmtree(suite.work)
    for name, part in scores["parts"].items():
        print(f"{name}: {part['passed']} of {part['total']}")
        for test, reason in part["not_passing"].items():
            print(f"  {test}: {reason}")
    print(f"wrote {FILE.name}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
