"""``wireloom formats``: lists the formats that can be read and written."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import click

from ..base.errors import WireloomError
from ..base.text import printable
from . import shell_completion
from .parameters import allow_option, import_option

if TYPE_CHECKING:
    from pathlib import Path

    from ..format.description import Format


@click.command("formats", short_help="List the formats.")
@click.argument("names", metavar="[FORMAT]...", nargs=-1, shell_complete=shell_completion.format_names)
@import_option
@allow_option
@click.option("--json", "as_json", is_flag=True, help="Print the full description of each format as JSON.")
def command(
    names: tuple[str, ...], import_paths: tuple[Path, ...], allow_modules: tuple[str, ...], as_json: bool
) -> None:
    """List all formats, a line each, or describe the given ones with their columns and options."""
    from ..format.registry import get
    from ..reading.request import message_options

    found = [get(name, allow_modules, import_paths=import_paths) for name in names] if names else _all()
    if as_json:
        click.echo(json.dumps([described(each) for each in found], indent=2))
        return
    if not names:
        width = max((len(each.name) for each in found), default=0)
        for each in found:
            click.echo(f"{each.name:<{width}}  {each.title}")
        return
    for format in found:
        click.echo(f"{format.name}  {format.title}")
        click.echo(f"  columns: {', '.join(f'{each.name} {each.type}' for each in format.columns if each.default)}")
        others = [each.name for each in format.columns if not each.default] + list(format.path_columns)
        if others:
            click.echo(f"  also: {', '.join(others)}")
        finest = [each.name for each in format.columns if "[ns" in each.type]
        if finest:
            rounded = "down to microseconds; its option nanoseconds=long returns integers"
            click.echo(f"  Spark rounds {', '.join(finest)} {rounded}")
        if format.option:
            click.echo(f"  option: {format.option}={'|'.join(format.tables)} {_what_tables_are(format)}")
        for name in message_options(format):
            click.echo(f"  option: {name}=…")
        for choice in format.choices:
            values = [*choice.names, *["…"][: bool(choice.variable)]]
            summary = choice.doc.partition("\n")[0]
            click.echo(f"  option: {choice.name}={'|'.join(values)} {summary}".rstrip())


def _all() -> list[Format]:
    """Return all formats. Those that cannot be loaded, and those hidden by another one of the same name, are printed as
    warnings."""
    from ..format.registry import formats, get, hidden

    for name, (unused, used) in sorted(hidden().items()):
        said = (
            f"wireloom: warning: {name}: two packages have a format of this name: that of {used} is used, that of "
            f"{unused} is not"
        )
        click.echo(printable(said), err=True)
    found = []
    for name in formats():
        try:
            found.append(get(name))
        except WireloomError as error:
            # An incompatible package must not hide the others.
            click.echo(printable(f"wireloom: warning: {name}: {error}"), err=True)
    return found


def described(format: Format) -> dict[str, Any]:
    """Return a format as values that JSON supports."""
    from ..reading.request import message_options

    return {
        "name": format.name,
        "title": format.title,
        "columns": [
            {"name": each.name, "type": each.type, "default": each.default, "derived": each.derived, "doc": each.doc}
            for each in format.columns
        ],
        "path_columns": list(format.path_columns),
        "path": format.path_pattern,
        "extensions": list(format.extensions),
        "codec": format.codec,
        "delimiter": format.delimiter.hex(),
        "stuffing": str(format.stuffing),
        "splittable": format.splittable,
        "max_record": format.max_record,
        "options": {
            each.name: {"values": [*each.names], "default": each.default, "doc": each.doc} for each in format.choices
        }
        | _tables(format)
        | {name: {"values": None, "default": None, "doc": ""} for name in message_options(format)},
        "engine": "objects" if format.engine_refusal else "columns",
        "engine_refusal": format.engine_refusal,
        "spec": format.spec_file,
    }


def _tables(format: Format) -> dict[str, Any]:
    """Return the option that selects the table, if the format has several."""
    if not format.option:
        return {}
    doc = _what_tables_are(format)
    return {format.option: {"values": list(format.tables), "default": format.table, "doc": doc}}


def _what_tables_are(format: Format) -> str:
    return "The table." if format.message is None else "The kind of message."
