"""``python -m tests.same --base REVISION``: compares the working tree with a revision.

Exit code 1 if a result differs.
"""

from __future__ import annotations

import filecmp
import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

import click

ROOT = Path(__file__).parents[2]
TURNS = 5
"""Number of times that each tree reads an input whose speed is compared."""
SHOWN = 20


def prepared(base: str, folder: Path) -> Path:
    """Check out a revision, build its engine, and return its folder."""
    tree = folder / "base"
    subprocess.run(["git", "worktree", "add", "--quiet", "--detach", str(tree), base], cwd=ROOT, check=True)
    build = [sys.executable, "setup.py", "--quiet", "build_ext", "--inplace"]
    subprocess.run(build, cwd=tree, check=True, capture_output=True)
    return tree


def importing(tree: Path) -> dict[str, str]:
    """Return the environment in which the wireloom of a tree is imported."""
    subprocess.run(["sh", ".ci/typings"], cwd=tree, check=True)
    return {**os.environ, "PYTHONPATH": f"{tree / '.typings'}{os.pathsep}{ROOT}"}


def observed(trees: list[Path], folder: Path) -> list[dict[str, str]]:
    """Return what each tree reads, one digest for each input and reader. The trees run at the same time."""
    outs = [folder / f"{number}.json" for number in range(len(trees))]
    command = [sys.executable, "-m", "tests.same.observed"]
    running = [
        subprocess.Popen([*command, str(out)], cwd=folder, env=importing(tree))
        for tree, out in zip(trees, outs, strict=True)
    ]
    codes = [each.wait() for each in running]
    if any(codes):
        raise click.ClickException("a tree could not be observed")
    return [json.loads(out.read_text()) for out in outs]


def generated(trees: list[Path]) -> list[str]:
    """Return the generated files that differ, by format."""
    found: list[str] = []
    waiting = [filecmp.dircmp(trees[0] / "generated", trees[1] / "generated", ignore=["__pycache__"])]
    while waiting:
        each = waiting.pop()
        names = (*each.diff_files, *each.left_only, *each.right_only)
        found += [str(Path(each.right).relative_to(trees[1]) / name) for name in names]
        waiting += each.subdirs.values()
    return sorted(found)


def speeds(trees: list[Path], folder: Path) -> list[tuple[str, float]]:
    """Return the CPU time of the second tree as a ratio to the first, for each workload; medians of turns."""
    command = [sys.executable, "-m", "tests.same.speed"]
    taken: list[list[dict[str, float]]] = [[], []]
    for _ in range(TURNS):
        for tree, times in zip(trees, taken, strict=True):
            done = subprocess.run(command, cwd=folder, env=importing(tree), check=True, capture_output=True)
            times.append(json.loads(done.stdout))
    return [
        (name, statistics.median(new[name] / old[name] for old, new in zip(*taken, strict=True)))
        for name in taken[0][0]
    ]


@click.command()
@click.option("--base", default="HEAD", show_default=True, help="The revision with which the working tree is compared.")
@click.option("--speed/--no-speed", default=True, show_default=True, help="Whether speeds are compared too.")
def main(base: str, speed: bool) -> None:
    """Compare generated files, what is read of vectors and damaged inputs, and speeds, with a revision."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        tree = prepared(base, folder)
        try:
            trees = [tree, ROOT]
            files = generated(trees)
            click.echo(f"generated files that differ: {len(files)}")
            for each in files[:SHOWN]:
                click.echo(f"  {each}")
            old, new = observed(trees, folder)
            differing = [each for each in sorted(old.keys() | new.keys()) if old.get(each) != new.get(each)]
            click.echo(f"results that differ: {len(differing)} of {len(old)}")
            for each in differing[:SHOWN]:
                click.echo(f"  {each}")
            for title, ratio in speeds(trees, folder) if speed else ():
                click.echo(f"CPU time / before: {ratio:.2f}  {title}")
        finally:
            subprocess.run(["git", "worktree", "remove", "--force", str(tree)], cwd=ROOT, check=False)
    sys.exit(bool(differing))


if __name__ == "__main__":
    main()
