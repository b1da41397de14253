"""Arguments and options that several commands have."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar, cast

import click

from . import completing
from .option_names import LOCATION, NUMBERS, OTHERS, TAILS

Function = TypeVar("Function", bound=Callable[..., Any])


def format_argument(function: Function) -> Function:
    """``FORMAT``."""
    return click.argument("format_name", metavar="FORMAT", shell_complete=completing.format_names)(function)


def allow_option(function: Function) -> Function:
    """``--allow-module NAME``, any number of times; arrives as ``allow_modules``."""
    return click.option(
        "--allow-module",
        "allow_modules",
        metavar="NAME",
        multiple=True,
        help="A module out of which a spec may name classes (process, hooks, …), and those inside it.",
    )(function)


def inputs_argument(function: Function) -> Function:
    """``INPUT…``."""
    return click.argument("inputs", metavar="INPUT...", nargs=-1, required=True, shell_complete=completing.files)(
        function
    )


def format_options(function: Function) -> Function:
    """``--option NAME=VALUE``, any number of times; arrives as a mapping."""
    return click.option(
        "--option",
        "options",
        metavar="NAME=VALUE",
        multiple=True,
        shell_complete=completing.options,
        callback=lambda _context, _parameter, values: _mapping(values),
        help="An option of the format or a limit, such as stride=rules or max_record=1000000.",
    )(function)


def store_options(function: Function) -> Function:
    """``--region``, ``--endpoint``, ``--profile`` and ``--anonymous``; together they arrive as ``location``, a mapping
    that holds those that were given."""

    @wraps(function)
    def gathered(*arguments: Any, **given: Any) -> Any:
        location = {name: value for name in LOCATION if (value := given.pop(name, None))}
        return function(*arguments, location=location, **given)

    for option in (
        click.option("--anonymous", is_flag=True, help="Ask the object store without credentials."),
        click.option("--profile", metavar="NAME", help="Profile of Amazon's tools, for s3:// addresses."),
        click.option("--endpoint", metavar="URL", help="Address of an object store that is not Amazon's."),
        click.option("--region", metavar="REGION", help="Region of s3:// addresses."),
    ):
        gathered = option(gathered)
    # The decorated function is called with other arguments than it has, which no type here could say.
    return cast("Function", gathered)


def location_options(function: Function) -> Function:
    """``store_options`` and ``--verify-sha256``, for what reads objects."""
    verify = click.option("--verify-sha256", is_flag=True, help="Compare each object with the sha256 in its metadata.")
    return verify(store_options(function))


def verify_option(function: Function) -> Function:
    """``--no-verify``, also spelled ``--no-crc``; arrives as ``verify``."""
    return click.option(
        "--no-verify", "--no-crc", "verify", flag_value=False, default=True, help="Do not check checksums."
    )(function)


def tail_option(function: Function) -> Function:
    """``--tail``."""
    return click.option(
        "--tail",
        type=click.Choice(TAILS),
        default=TAILS[0],
        show_default=True,
        help="growing: a row that is not complete at the end of an input is not there yet.",
    )(function)


def limit_option(function: Function) -> Function:
    """``--limit N``."""
    return click.option("--limit", metavar="N", type=click.IntRange(min=0), help="Stop after so many rows.")(function)


def bytes_option(function: Function) -> Function:
    """``--bytes``."""
    return click.option(
        "--bytes",
        "as_bytes",
        type=click.Choice(("hex", "base64", "utf8")),
        default="hex",
        show_default=True,
        help="How columns of bytes stand in text.",
    )(function)


def names(_context: click.Context, _parameter: click.Parameter, value: str | None) -> list[str] | None:
    """``a,b`` as a list."""
    if value is None:
        return None
    found = [each.strip() for each in value.split(",") if each.strip()]
    if not found:
        raise click.BadParameter("give one column at least, or leave the option out")
    return found


def _mapping(values: tuple[str, ...]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for value in values:
        name, sign, text = value.partition("=")
        if not sign or not name:
            raise click.BadParameter(f"{value!r} is not of the form NAME=VALUE")
        name = name.strip().replace("-", "_")
        if name in OTHERS:
            raise click.BadParameter(f"{name} is no option of a format")
        if name in NUMBERS:
            if not text.isascii() or not text.isdigit():
                raise click.BadParameter(f"{name} is a number, not {text!r}")
            found[name] = int(text)
        else:
            found[name] = text
    return found
