"""The fenced blocks of a Markdown page, and how each kind is executed.

- ``python``: run in order in one namespace; its output must equal a ``text`` block right after it.
- ``console``: lines that begin with ``$`` are commands; their output must equal the lines after them. A shell runs
  them, or this process if it is a plain command of wireloom. ``cd FOLDER`` applies to all that follow.
- ``yaml`` whose first line is a comment that names a file: written to that file. Others are only shown.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import shlex
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from click.testing import CliRunner
from wireloom.command import main

from ..java import QUICK_SPARK

DOCS = Path(__file__).parents[2] / "docs"
OWN_PROCESS = ("ingest", "studio")
"""Commands that start a session of Spark, unless there is one, or do not end by themselves."""
PLAIN = re.compile(
    r"wireloom (?P<arguments>[^;<>|&$`*?~]+?)"
    r"(?: > (?P<output>[\w.]+))?(?: 2> (?P<errors>[\w.]+))?(?P<code>; echo \$\?)?"
)
"""A command of wireloom that needs no shell, except to write its output to files and to print its exit code."""


@dataclass(frozen=True)
class Block:
    kind: str
    text: str
    line: int
    follows: bool
    """Whether only blank lines are between this block and the previous one."""


def blocks(page: str) -> list[Block]:
    found = []
    end = 0
    for match in re.finditer(r"^```(\w+)\n(.*?)^```$", page, re.MULTILINE | re.DOTALL):
        follows = bool(found) and not page[end : match.start()].strip()
        found.append(Block(match[1], match[2], page[: match.start()].count("\n") + 1, follows))
        end = match.end()
    return found


def part(page: str, begin: str = "", end: str = "") -> str:
    """Return the text of a page of docs/ from the heading ``begin`` on, up to the heading ``end``."""
    text = (DOCS / f"{page}.md").read_text()
    for title in filter(None, (begin, end)):
        assert len(re.findall(rf"^#+ {re.escape(title)}$", text, re.MULTILINE)) == 1, title
    if begin:
        text = re.split(rf"^#+ {re.escape(begin)}$", text, maxsplit=1, flags=re.MULTILINE)[1]
    return re.split(rf"^#+ {re.escape(end)}$", text, maxsplit=1, flags=re.MULTILINE)[0] if end else text


def commands(block: Block) -> list[tuple[str, str]]:
    """Return the commands of a ``console`` block, each with its expected output."""
    found: list[tuple[str, str]] = []
    for line in block.text.splitlines():
        if line.startswith("$ "):
            found.append((line[2:], ""))
        else:
            command, output = found[-1]
            found[-1] = (command, output + line + "\n")
    return found


def trimmed(text: str) -> str:
    """Return the text without spaces at line ends and blank lines at the end, which a page does not contain."""
    return "\n".join(line.rstrip() for line in text.splitlines()).rstrip()


def plain_command(line: str, session: bool) -> re.Match[str] | None:
    """Match a command of wireloom that needs neither a shell nor a separate process. ``session``: whether there is a
    session of Spark, which ``ingest`` then uses."""
    found = PLAIN.fullmatch(line)
    name = "" if found is None else found["arguments"].split()[0]
    return None if name in OWN_PROCESS and not (session and name == "ingest") else found


class Page:
    """Executes a page's blocks in a folder."""

    def __init__(self, text: str, folder: Path, *, session: bool = False) -> None:
        """``session``: whether there is a session of Spark, which its commands use."""
        self.all = blocks(text)
        self.session = session
        self.folder = folder
        self.namespace: dict[str, Any] = {"__name__": "page"}
        # The commands of the environment that runs the tests, without a terminal.
        path = os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"]))
        self.environment = {**os.environ, "PATH": path, "COLUMNS": "100", "TERM": "dumb", "NO_COLOR": "1"}
        self.environment |= QUICK_SPARK
        self.installed = False
        """Whether pip has installed something, which new processes find."""

    def run(self, kinds: tuple[str, ...] = ("python", "console", "yaml")) -> int:
        """Run every block of those kinds in order; return how many there were."""
        count = 0
        for index, block in enumerate(self.all):
            if block.kind not in kinds:
                continue
            count += 1
            if block.kind == "yaml":
                if name := re.match(r"# (\S+\.ksy)\n", block.text):
                    (self.folder / name[1]).write_text(block.text)
            elif block.kind == "python":
                following = self.all[index + 1] if index + 1 < len(self.all) else None
                printed = self.python(block)
                if following is not None and following.kind == "text" and following.follows:
                    assert trimmed(printed) == trimmed(following.text), f"line {block.line}"
            else:
                for command, expected in commands(block):
                    if command.startswith("cd "):
                        self.folder = self.folder / command.removeprefix("cd ")
                        continue
                    assert trimmed("".join(self.command(command))) == trimmed(expected), f"line {block.line}: {command}"
        return count

    def command(self, line: str) -> tuple[str, str]:
        """Run a command line; return its standard output and standard error."""
        plain = None if self.installed else plain_command(line, self.session)
        self.installed |= line.startswith("pip install")
        if plain is not None:
            with contextlib.chdir(self.folder):
                result = CliRunner(env=self.environment).invoke(main, shlex.split(plain["arguments"]))
            if result.exception is not None and not isinstance(result.exception, SystemExit):
                raise result.exception
            printed = []
            for text, name in ((result.stdout, plain["output"]), (result.stderr, plain["errors"])):
                if name:
                    (self.folder / name).write_text(text)
                printed.append("" if name else text)
            return printed[0] + (f"{result.exit_code}\n" if plain["code"] else ""), printed[1]
        done = subprocess.run(line, shell=True, cwd=self.folder, env=self.environment, capture_output=True, text=True)
        return done.stdout, done.stderr

    def python(self, block: Block) -> str:
        printed = io.StringIO()
        with contextlib.chdir(self.folder), contextlib.redirect_stdout(printed):
            exec(compile(block.text, f"page, line {block.line}", "exec"), self.namespace)
        return printed.getvalue()
