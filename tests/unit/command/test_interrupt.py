"""Ctrl-C before a command has begun: one line and the exit code, at whatever moment it arrives."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from ...examples import strided
from ...waiting import SECONDS

pytestmark = pytest.mark.slow
"""They start processes."""

# Runs the command as its script does, and interrupts it at the N-th module that is imported after Python has started.
SCRIPT = """
import os, signal, sys

class Interrupting:
    def __init__(self, number):
        self.number = number
    def find_spec(self, name, path=None, target=None):
        self.number -= 1
        if self.number == 0:
            os.kill(os.getpid(), signal.SIGINT)

sys.meta_path.insert(0, Interrupting(int(sys.argv.pop(1))))
from wireloom.command.entry import main
{then}
sys.exit(main())
"""


def run(number: int, *arguments: str, then: str = "") -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", SCRIPT.format(then=then), str(number), *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, check=False)


# The packages "wireloom" and "wireloom.command", and the entry itself, come before that.
FIRST = 4


@pytest.mark.parametrize("number", [*strided(range(FIRST, 100, 6), 2), *strided(range(100, 180, 20), 2)])
def test_while_modules_are_imported(number: int) -> None:
    done = run(number, "formats")
    assert (done.returncode, done.stdout, done.stderr.strip()) == (130, "", "wireloom: interrupted")


def test_the_number_is_one_that_is_reached() -> None:
    assert run(10_000, "formats").returncode == 0


def test_nothing_but_the_packages_is_imported_before_the_entry() -> None:
    code = "import sys; before = {*sys.modules}; import wireloom.command.entry; print(*{*sys.modules} - before)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    found = set(done.stdout.split())
    assert {each for each in found if each.startswith("wireloom")} == {
        "wireloom",
        "wireloom.command",
        "wireloom.command.entry",
    }
    assert not found & {"click", "json", "rich", "pyarrow", "asyncio", "inspect"}


def test_who_ignores_interrupts_goes_on_ignoring_them() -> None:
    done = run(60, "formats", then="signal.signal(signal.SIGINT, signal.SIG_IGN)")
    assert done.returncode == 0
    assert "edgemq_segment" in done.stdout


def test_once_a_command_runs_an_interrupt_is_an_exception() -> None:
    program = "import signal; from wireloom.command.command_group import main; import click.testing"
    script = f"""
{program}
from wireloom.command import entry, signals
signal.signal(signal.SIGINT, entry.leave)
click.testing.CliRunner().invoke(main, ["formats", "--help"], obj=entry.begun)
assert signal.getsignal(signal.SIGINT) is signals.handle
"""
    subprocess.run([sys.executable, "-c", script], check=True)


DISCARDING = """
import os, signal, time

os.kill(os.getpid(), signal.{name})
try:
    time.sleep({pause})
    {then}
except BaseException:
    print("discarded")
"""
# The rest of a command, with what the module above does as one of its imports.
REST = """
import os, signal, sys, time
from wireloom.command import entry, signals
signal.signal(signal.SIGINT, entry.leave)
entry.begun()
sys.path.insert(0, {folder!r})
try:
    with signals.handled():
        {discarding}
        {rest}
except KeyboardInterrupt:
    print("interrupted")
except SystemExit as error:
    print("exit code", error.code)
"""
NAMES = pytest.mark.parametrize(
    ("name", "raised"), [("SIGINT", "interrupted\n"), ("SIGTERM", "exit code 143\n")], ids=["interrupt", "terminate"]
)


def rest_of_a_command(folder: Path, discarding: str, rest: str) -> str:
    script = REST.format(folder=str(folder), discarding=discarding, rest=rest)
    return subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout


@NAMES
@pytest.mark.parametrize(
    ("pause", "then", "rest", "discarded"),
    [
        (0, "pass", "time.sleep(900)", ""),
        (0.1, "pass", "time.sleep(900)", ""),
        (0, "pass", "pass", ""),
        (0, "os.kill(os.getpid(), signal.{name})", "pass", "discarded\n"),
    ],
    ids=["before the retry", "retried", "at the end", "twice"],
)
def test_a_signal_is_not_lost_in_an_import(
    name: str, raised: str, pause: float, then: str, rest: str, discarded: str, tmp_path: Path
) -> None:
    module = DISCARDING.format(name=name, pause=pause, then=then.format(name=name))
    (tmp_path / "discarding.py").write_text(module)
    assert rest_of_a_command(tmp_path, "import discarding", rest) == (discarded or raised)


@NAMES
def test_a_signal_is_not_lost_in_a_finalizer(name: str, raised: str, tmp_path: Path) -> None:
    killed = f"lambda _: os.kill(os.getpid(), signal.{name})"
    discarding = f"type('Finalized', (), {{'__del__': {killed}}})()"
    assert rest_of_a_command(tmp_path, discarding, "time.sleep(900)") == raised
