"""``python -m tests.differential.pairs``: compare the readers on every pair, and print what was compared."""

from __future__ import annotations

import argparse
import sys
from time import monotonic

from .covering import Comparisons, all_pairs, compare_all


class Progress:
    """Prints differences when they are found, and every ten seconds how many pairs are left."""

    def __init__(self, differences: int) -> None:
        self.differences = differences
        self.printed = 0
        self.begin = self.last = monotonic()

    def __call__(self, found: Comparisons) -> None:
        for names, difference in found.differences[self.printed : self.differences]:
            print(f"\nDIFFERENCE {' × '.join(names)}\n{difference}", flush=True)
        self.printed = len(found.differences)
        if (now := monotonic()) - self.last > 10:
            self.last = now
            left = f"{found.specs} specs, {len(found.differences)} differences, {len(found.missing())} pairs left"
            print(f"{now - self.begin:.0f} s: {left}", file=sys.stderr, flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.differential.pairs", description=__doc__)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--specs", type=int, help="at most so many specs")
    parser.add_argument("--rounds", type=int, default=1, help="how often five inputs of each spec are made")
    parser.add_argument("--differences", type=int, default=5, help="how many differences are printed")
    parser.add_argument("--table", action="store_true", help="print the number of comparisons of each pair")
    asked = parser.parse_args()
    progress = Progress(asked.differences)
    found = compare_all(asked.seed, most=asked.specs, rounds=asked.rounds, watch=progress)
    if asked.table:
        for pair in all_pairs():
            print(f"{found.compared[pair]:6}  {' × '.join(sorted(pair))}")
    for title, reasons in (("refused", found.refused), ("read by objects alone", found.by_objects)):
        for names, why in sorted(reasons.items(), key=lambda each: sorted(each[0])):
            print(f"{title}: {' × '.join(sorted(names))}: {why}")
    print(f"{found.table()}\n{found.summary()}")
    return 1 if found.differences or found.missing() else 0


if __name__ == "__main__":
    sys.exit(main())
