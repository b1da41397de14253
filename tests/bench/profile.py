"""``python -m tests.bench.profile``: where the engine's main paths spend their time, by function.

``perf`` samples the process, including Python and Arrow. If it is not available, or with ``--tool callgrind``, valgrind
counts the engine's instructions: the shares are the same on every run, but an instruction that waits for memory counts
as one, and valgrind does not support AVX-512, so the engine selects AVX2. The result is written to
``bench-report/profile.md``.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

import click
from wireloom import engine

from .workloads import WORKLOADS

ROOT = Path(__file__).parents[2]
ENTRIES = {"read": "wl_fill", "encode": "wl_encode"}
"""The engine's function in which valgrind counts, by the last word of a path's name."""
SMALL = 0.01
"""Smaller shares are combined."""
SAMPLE = re.compile(r"^\s*[0-9a-f]+ (?P<symbol>.+?) \((?P<library>.+)\)$")
COST = re.compile(r"^[+-]?\d+ (\d+)$|^\* (\d+)$")
NAMED = re.compile(r"^fn=\((\d+)\)(?: (.+))?$")

Shares = list[tuple[str, float]]


def workload(name: str, *options: str) -> list[str]:
    return [sys.executable, "-m", "tests.bench.workloads", name, *options]


def run(command: Sequence[str]) -> str:
    """Return the output. Raises ``ClickException`` with the command's messages if it failed."""
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, errors="replace", check=False)
    if done.returncode:
        raise click.ClickException(f"{command[0]}: {done.stderr.strip()[-500:]}")
    return done.stdout


def sampled(name: str, seconds: float) -> Shares:
    """Return the shares of the process's time, measured by ``perf``."""
    with tempfile.TemporaryDirectory() as folder:
        kept, control = f"{folder}/perf.data", f"{folder}/control"
        os.mkfifo(control)
        record = ["perf", "record", "--quiet", "--event", "cpu-clock", "--freq", "5000", "--output", kept]
        # The preparation of the work, such as creating its input, is ignored.
        record += ["--delay", "-1", "--control", f"fifo:{control}"]
        run([*record, "--", *workload(name, "--seconds", str(seconds), "--control", control)])
        return shares(samples(run(["perf", "script", "--fields", "ip,sym,dso", "--input", kept])))


def samples(text: str) -> Counter[str]:
    """Return the number of samples by function of the engine, and otherwise by library."""
    found: Counter[str] = Counter()
    for line in text.splitlines():
        match = SAMPLE.match(line)
        if match:
            library = Path(match["library"]).name
            is_copy = "memcpy" in match["symbol"] or "memmove" in match["symbol"]
            ours = library.startswith("_engine")
            found[match["symbol"] if ours or is_copy else f"({library_name(library)})"] += 1
    return found


def library_name(library: str) -> str:
    """Return the common name of a library."""
    if "kernel" in library:
        return "the kernel: pages that are touched for the first time"
    return "Python" if library.startswith(("python", "libpython")) else library.partition(".so")[0]


def counted(name: str) -> Shares:
    """Return the shares of the engine's instructions, counted by callgrind."""
    with tempfile.TemporaryDirectory() as folder:
        kept = Path(folder, "callgrind.out")
        entry = ENTRIES[name.rpartition(" ")[2]]
        command = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={kept}", f"--toggle-collect={entry}"]
        run([*command, *workload(name, "--megabytes", "1")])
        return shares(costs(kept.read_text()))


def costs(text: str) -> Counter[str]:
    """Return each function's own instructions, from a file written by callgrind."""
    names: dict[str, str] = {}
    found: Counter[str] = Counter()
    function, is_call = "", False
    for line in text.splitlines():
        named, cost = NAMED.match(line), COST.match(line)
        if named:
            function = names.setdefault(named[1], named[2] or "")
        elif line.startswith("calls="):
            # The next line has the cost of the called function.
            is_call = True
        elif cost:
            if not is_call:
                # The cost of a called function is listed under its own name.
                found[function.partition("'")[0]] += int(cost[1] or cost[2])
            is_call = False
        elif line.startswith("cfn="):
            number, _, called = line[len("cfn=(") :].partition(")")
            if called.strip():
                names.setdefault(number, called.strip())
    return found


def shares(found: Counter[str]) -> Shares:
    """Return the large shares first, and the others combined."""
    total = found.total() or 1
    large = [(name, count / total) for name, count in found.most_common() if count / total >= SMALL]
    return [*large, ("all others", 1 - sum(share for _, share in large))]


def table(name: str, found: Shares) -> Iterator[str]:
    """Yield the lines of a Markdown table."""
    yield from (f"## {name}", "", "| function | share |", "|---|---|")
    yield from (f"| `{function}` | {share:.1%} |" for function, share in found)
    yield ""


@click.command()
@click.option("--tool", type=click.Choice(["perf", "callgrind"]), help="By default the first that is there.")
@click.option("--seconds", default=3.0, show_default=True, help="How long each is sampled by perf.")
@click.option("--only", default="", help="Only the paths whose name holds this text.")
@click.option("--out", default="bench-report", show_default=True, type=click.Path(path_type=Path))
def profile(tool: str | None, seconds: float, only: str, out: Path) -> None:
    """Profile the engine's main paths."""
    programs = {"perf": "perf", "callgrind": "valgrind"}
    there = [each for each, program in programs.items() if shutil.which(program)]
    if not there or (tool is not None and tool not in there):
        raise click.ClickException(f"{programs.get(tool or '', 'perf or valgrind')} is not installed")
    tool = tool or there[0]
    what = "time of the process, sampled" if tool == "perf" else "instructions of the engine, by AVX2"
    lines = [f"Shares by {tool}: {what}. Processor level: {engine.features()['cpu']}.", ""]
    for name in WORKLOADS:
        if only.lower() in name.lower():
            click.echo(name, err=True)
            lines += table(name, sampled(name, seconds) if tool == "perf" else counted(name))
    out.mkdir(parents=True, exist_ok=True)
    (out / "profile.md").write_text("\n".join(lines))
    click.echo("\n".join(lines))


if __name__ == "__main__":
    profile()
