"""Completions for shells: names of formats, columns and options of the named format, and files."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click
from click.shell_completion import CompletionItem

from ..format.columns import READER_NAMES

if TYPE_CHECKING:
    from ..format.description import Format

FILE, FOLDER = "file", "dir"
"""Types with which click's scripts request the shell's own completion of paths."""


def format_names(_context: click.Context, _parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Return names of formats; if none has this prefix, spec files."""
    from ..format.registry import formats

    found = [CompletionItem(name) for name in formats() if name.startswith(incomplete)]
    return found or [CompletionItem(incomplete, FILE)]


def formats_and_files(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Return completions of ``[FORMAT] INPUT…``: names of formats for the first word, if one has this prefix, and files
    for all others."""
    return (files if context.params.get("words") else format_names)(context, parameter, incomplete)


def files(_context: click.Context, _parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Return a request for the shell's completion of files."""
    return [CompletionItem(incomplete, FILE)]


def folders(_context: click.Context, _parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Return a request for the shell's completion of folders."""
    return [CompletionItem(incomplete, FOLDER)]


def entries(_context: click.Context, _parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Return entries of the dialect's reference."""
    from wireloom.codegen.spec.lookup import names

    return [CompletionItem(each) for each in names() if each.startswith(incomplete)]


def columns(context: click.Context, _parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Return completions for the last of several names separated by commas."""
    before, comma, last = incomplete.rpartition(",")
    format = _format(context)
    if format is None:
        return []
    names = [each.name for each in format.columns] + [*format.path_columns, *READER_NAMES]
    given = before.split(",")
    return [CompletionItem(f"{before}{comma}{name}") for name in names if name.startswith(last) and name not in given]


def tables(context: click.Context, _parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Return the tables of a spec that has several."""
    format = _format(context)
    found = format.tables if format is not None and format.option == "table" else ()
    return [CompletionItem(each) for each in found if each.startswith(incomplete)]


def options(context: click.Context, _parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Return ``NAME=VALUE`` for the format's options, and the names of the limits."""
    from ..reading.options import LIMITS
    from ..reading.request import message_options

    format = _format(context)
    choices = format.choices if format is not None else ()
    found = [f"{each.name}={value}" for each in choices for value in each.names]
    if format is not None:
        found += [f"{format.option}={table}" for table in format.tables]
        found += [f"{name}=" for name in message_options(format)]
    found += [f"{name}=" for name in LIMITS]
    return [CompletionItem(each) for each in found if each.startswith(incomplete)]


def _format(context: click.Context) -> Format | None:
    """Return the format that the line names; ``None`` if it names none, since an unfinished line has no errors."""
    from ..base.errors import WireloomError
    from ..format.registry import get

    # If the line ends with an option whose value is missing, click does not process the arguments.
    words = context.params.get("words") or (None,)
    name = (
        context.params.get("format_name") or words[0] or next((each for each in context.args if each[:1] != "-"), None)
    )
    try:
        return get(name, context.params.get("allow_modules") or ()) if isinstance(name, str) else None
    except (WireloomError, OSError):
        return None
