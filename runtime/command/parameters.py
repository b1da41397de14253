"""Arguments and options that several commands have in common. Those of readers are derived from ``ScanOptions``."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import wraps
from pathlib import Path
from typing import Any, TypeVar, cast

import click

from ..base.options import CHOICE, FLAG, NAMES, NUMBER, Option, defaults_of, options_of
from ..input.inputs import Location
from ..reading.options import LIMITS, ScanOptions
from . import shell_completion

Function = TypeVar("Function", bound=Callable[..., Any])

OPTIONS = options_of(ScanOptions)
DEFAULTS = defaults_of(ScanOptions)
LOCATION = tuple(name for name, each in options_of(Location).items() if not each.python)
READING = ("chosen_table", "options", "allow_modules", "import_paths")
"""Parameters about formats, which are no options of readers."""
METAVARS = {"profile": "NAME", "endpoint": "URL"}
"""Placeholders for string values in the help, if different from the name of the option."""


class Command(click.Command):
    """A command whose help shows the options of readers and of object stores in groups of their own."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options, by group."""
        groups: dict[str, list[tuple[str, str]]] = {"Options": [], "Reading": [], "Object stores": []}
        for each in self.get_params(ctx):
            record = each.get_help_record(ctx)
            # From click 8.5.1 on, arguments have one too.
            if record is not None and not isinstance(each, click.Argument):
                groups[group_of(each)].append(record)
        for title, records in groups.items():
            if records:
                with formatter.section(title):
                    formatter.write_dl(records)


def group_of(parameter: click.Parameter) -> str:
    """Return the title under which the help shows an option."""
    if parameter.name in LOCATION:
        return "Object stores"
    return "Reading" if parameter.name in (*OPTIONS, *READING) else "Options"


class Count(click.IntRange):
    """An integer with bounds, which the error about another word states."""

    def __init__(self, min: int, max: int | None = None) -> None:
        super().__init__(min, max)
        self.name = f"number of at least {min}" if max is None else f"number from {min} to {max}"


class InputOffset(Count):
    """An offset in bytes, which may also be written in hexadecimal, as ``inspect`` prints it."""

    def convert(self, value: Any, parameter: click.Parameter | None, context: click.Context | None) -> Any:
        """Return the number. Raises ``click.BadParameter`` for another word."""
        if isinstance(value, str) and re.fullmatch(r"0[xX][0-9a-fA-F]+", value):
            value = int(value, 16)
        return super().convert(value, parameter, context)


def format_argument(function: Function) -> Function:
    """Add the argument ``FORMAT``."""
    return click.argument("format_name", metavar="FORMAT", shell_complete=shell_completion.format_names)(function)


def reader_options(*names: str, table: bool = True) -> Callable[[Function], Function]:
    """Add the options of readers with these names, those of object stores, ``--allow-module``, ``--option`` and, unless
    the command uses it differently (``table``), ``--table``. The given ones are passed as ``options``, a mapping for
    ``wireloom.scan``."""

    def decorate(function: Function) -> Function:
        @wraps(function)
        def gathered(*arguments: Any, options: Mapping[str, Any], **given: Any) -> Any:
            values = {name: given.pop(name) for name in (*names, *LOCATION, "allow_modules")}
            named = {name: value for name, value in values.items() if value != DEFAULTS[name]}
            if paths := given.pop("import_paths"):
                named["import_paths"] = paths
            chosen = given.pop("chosen_table", None)
            if chosen is not None:
                named["table"] = chosen
            return function(*arguments, options={**named, **options}, **given)

        made: Any = import_option(allow_option(format_options(gathered)))
        if table:
            made = table_option(made)
        for name in reversed((*names, *LOCATION)):
            made = scan_option(name)(made)
        return cast("Function", made)

    return decorate


def table_option(function: Function) -> Function:
    """Add the option ``--table``, which is passed as ``chosen_table``."""
    return click.option(
        "--table",
        "chosen_table",
        metavar="NAME",
        shell_complete=shell_completion.tables,
        help="The table of a format that has several; by default the first one.",
    )(function)


def store_options(function: Function) -> Function:
    """Add the options of object stores for outputs; they are passed as ``location``, a ``Location``."""
    names = [name for name in LOCATION if name != "verify_sha256"]

    @wraps(function)
    def gathered(*arguments: Any, **given: Any) -> Any:
        return function(*arguments, location=Location(**{name: given.pop(name) for name in names}), **given)

    made: Any = gathered
    for name in reversed(names):
        made = scan_option(name)(made)
    return cast("Function", made)


def location_of(options: Mapping[str, Any]) -> Location:
    """Return the options for access to object stores from those of a reader."""
    return Location(**{name: options[name] for name in LOCATION if name in options})


def scan_option(name: str) -> Callable[[Function], Function]:
    """Add the option ``--name`` for the option of readers of that name."""
    more = {"metavar": METAVARS[name]} if name in METAVARS else {}
    return derived_option(name, OPTIONS[name], DEFAULTS[name], **more)


def derived_option(name: str, option: Option, default: Any, **more: Any) -> Callable[[Function], Function]:
    """Add the option ``--name`` for an option of a function; ``more``: other arguments of ``click.option``."""
    dashed = name.replace("_", "-")
    if option.kind == FLAG and default:
        spellings = [f"--no-{dashed}", *(["--no-crc"] if name == "verify" else [])]
        return click.option(*spellings, name, flag_value=False, default=True, help=option.off)
    given: dict[str, Any] = {"help": option.short, "metavar": name.upper()}
    if option.kind == FLAG:
        given = {"help": option.short, "is_flag": True}
    elif option.kind == CHOICE:
        kind = click.Choice(tuple(option.values), case_sensitive=False)
        given = {"help": option.text, "type": kind, "default": default, "show_default": True}
    elif option.kind == NUMBER:
        given |= {"metavar": "N", "type": Count(1, option.most)}
    elif option.kind == NAMES:
        given |= {"metavar": "A,B", "callback": names, "shell_complete": shell_completion.columns}
    return click.option(f"--{dashed}", name, **{**given, **more})


def spelled(name: str, value: Any) -> str:
    """Return an option of readers as it is given to a command."""
    dashed = name.replace("_", "-")
    if name in LIMITS:
        return f"--option {name}=N" if value is None else f"--option {name}={value}"
    if OPTIONS[name].kind == FLAG:
        return f"--{dashed}" if value else f"--no-{dashed}"
    return f"--{dashed} {value}"


def allow_option(function: Function) -> Function:
    """Add the repeatable option ``--allow-module NAME``, passed as ``allow_modules``."""
    return click.option(
        "--allow-module",
        "allow_modules",
        metavar="NAME",
        multiple=True,
        help="A module whose classes a spec may reference (process, hooks, …), including modules inside it.",
    )(function)


def import_option(function: Function) -> Function:
    """Add the repeatable option ``-I DIR``, passed as ``import_paths``."""
    return click.option(
        "-I",
        "import_paths",
        metavar="DIR",
        multiple=True,
        type=click.Path(path_type=Path),
        shell_complete=shell_completion.folders,
        help="Folder in which absolute imports of a spec are looked up; may be given several times.",
    )(function)


def inputs_argument(*, required: bool = True) -> Callable[[Function], Function]:
    """Add the argument ``INPUT…``."""
    return click.argument(
        "inputs", metavar="INPUT...", nargs=-1, required=required, shell_complete=shell_completion.files
    )


def format_options(function: Function) -> Function:
    """Add the repeatable option ``--option NAME=VALUE``, passed as a mapping."""
    return click.option(
        "--option",
        "options",
        metavar="NAME=VALUE",
        multiple=True,
        shell_complete=shell_completion.options,
        callback=lambda _context, _parameter, values: _mapping(values),
        help=f"An option of the format, such as stride=rules, or one of {', '.join(LIMITS)}.",
    )(function)


def limit_option(function: Function) -> Function:
    """Add the option ``--limit N``."""
    return click.option("--limit", metavar="N", type=Count(min=0), help="Stop after N rows.")(function)


def report_option(what: str) -> Callable[[Function], Function]:
    """Add the option ``--report FILE``, passed as ``report_path``."""
    completed = shell_completion.files
    return click.option("--report", "report_path", metavar="FILE", shell_complete=completed, help=f"Write {what}.")


def bytes_option(function: Function) -> Function:
    """Add the option ``--bytes``."""
    return click.option(
        "--bytes",
        "as_bytes",
        type=click.Choice(("hex", "base64", "utf8")),
        help="Text form of columns of bytes; utf8 replaces invalid UTF-8 by U+FFFD. By default hex, and in tables text"
        " where all bytes of a column are text.",
    )(function)


def names(_context: click.Context, _parameter: click.Parameter, value: str | None) -> list[str] | None:
    """Return ``a,b`` as a list."""
    if value is None:
        return None
    found = [each.strip() for each in value.split(",") if each.strip()]
    if not found:
        raise click.BadParameter("name at least one column, or leave the option out")
    return found


def is_accepted(name: str) -> bool:
    """Return whether ``--option`` accepts an option of a format or of readers; most of the latter have an option of
    the same name instead."""
    return name not in OPTIONS or name in LIMITS


def _mapping(values: tuple[str, ...]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for value in values:
        name, sign, text = value.partition("=")
        if not sign or not name:
            raise click.BadParameter(f"{value!r} is not of the form NAME=VALUE")
        name = name.strip().replace("-", "_")
        if not is_accepted(name):
            raise click.BadParameter(f"{name} cannot be set here: name an option of the format, or {', '.join(LIMITS)}")
        if name in OPTIONS and OPTIONS[name].kind == NUMBER:
            if not text.isascii() or not text.isdigit():
                raise click.BadParameter(f"{name} must be a number of at least 1, not {text!r}")
            found[name] = int(text)
        else:
            found[name] = text
    return found
