"""The parts of docs/commands.md that are derived from the commands; ``python -m tests.docs.commands`` updates them.

Such a part is between two comments, ``<!-- wireloom NAME -->`` and ``<!-- end -->``; everything else is written by
hand.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterable
from pathlib import Path

import click
from wireloom.command import COMMANDS, main
from wireloom.command.parameters import group_of

PAGE = Path(__file__).parents[2] / "docs" / "commands.md"
STORES = "Object stores"
OF_STORES = re.compile(r"<!-- options of object stores -->\n.*?<!-- end -->\n", re.DOTALL)
PART = re.compile(r"<!-- wireloom ([\w-]+) -->\n.*?<!-- end -->\n", re.DOTALL)


def part(name: str) -> str:
    """Return a command's usage, its description, and its options."""
    group = click.Context(main, info_name="wireloom")
    command = main.get_command(group, name)
    assert command is not None
    context = click.Context(command, info_name=name, parent=group, max_content_width=10_000, terminal_width=10_000)
    usage = " ".join([context.command_path, *command.collect_usage_pieces(context)])
    lines = [f"<!-- wireloom {name} -->", f"Usage: `{usage}`", "", *_paragraphs(command.help or "")]
    # click handles --help as an option of every command.
    options = [each for each in command.params if isinstance(each, click.Option)]
    stores = [each for each in options if group_of(each) == STORES]
    lines += _table(each.get_help_record(context) for each in options if each not in stores)
    if stores:
        lines += ["And [options of object stores](#object-stores).", ""]
    return "\n".join([*lines, "<!-- end -->", ""])


def stores() -> str:
    """Return the options of object stores, which many commands have."""
    group = click.Context(main, info_name="wireloom")
    command = main.get_command(group, "decode")
    assert command is not None
    context = click.Context(command, parent=group, max_content_width=10_000, terminal_width=10_000)
    options = [each for each in command.params if isinstance(each, click.Option) and group_of(each) == STORES]
    lines = _table(each.get_help_record(context) for each in options)
    return "\n".join(["<!-- options of object stores -->", *lines, "<!-- end -->", ""])


def _table(records: Iterable[tuple[str, str] | None]) -> list[str]:
    rows = [f"| `{_cell(record[0])}` | {_cell(record[1])} |" for record in records if record]
    return ["| option | |", "|---|---|", *rows, ""] if rows else []


def _paragraphs(help: str) -> list[str]:
    """Return the paragraphs without examples, since the page has its own, and without line breaks that only a terminal
    needs."""
    found = []
    for paragraph in re.split(r"\n\s*\n", inspect.cleandoc(help)):
        if not paragraph.startswith("\b"):
            found += [" ".join(paragraph.split()), ""]
    return found


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def renewed(page: str) -> str:
    """Return the page with its parts derived from the current commands; a new command gets a section at the end."""
    known = set(PART.findall(page))
    page = OF_STORES.sub(lambda _match: stores(), page)
    page = PART.sub(lambda match: part(match[1]) if match[1] in COMMANDS else "", page)
    for name in COMMANDS:
        if name not in known:
            page += f"\n## {name}\n\n{part(name)}"
    return page


if __name__ == "__main__":
    PAGE.write_text(renewed(PAGE.read_text()))
