"""``python -m tests.differential.pairs``: compare the readers on every pair, and print what was compared."""

from __future__ import annotations

import argparse
import sys

from .covering import CONSTRUCTS, all_pairs, compare_all


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.differential.pairs", description=__doc__)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--specs", type=int, help="at most so many specs")
    parser.add_argument("--differences", type=int, default=5, help="how many differences are printed")
    parser.add_argument("--table", action="store_true", help="print the number of comparisons of each pair")
    asked = parser.parse_args()
    found = compare_all(asked.seed, most=asked.specs)
    if asked.table:
        for pair in all_pairs():
            print(f"{found.compared[pair]:6}  {' × '.join(sorted(pair))}")
    for names, why in sorted(found.refused.items(), key=lambda each: sorted(each[0])):
        print(f"{' × '.join(sorted(names))}: {why}")
    for names, difference in found.differences[: asked.differences]:
        print(f"\nDIFFERENCE {' × '.join(names)}\n{difference}")
    missing = found.missing()
    for pair in missing:
        print(f"never compared: {' × '.join(sorted(pair))}")
    print(
        f"{len(CONSTRUCTS)} constructs, {len(all_pairs())} pairs, {found.specs} specs, "
        f"{found.results} results with rows, {len(found.refused)} refused, "
        f"{len(found.differences)} differences, {len(missing)} pairs without comparison"
    )
    return 1 if found.differences or missing else 0


if __name__ == "__main__":
    sys.exit(main())
