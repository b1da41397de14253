"""The group of all commands: determines how errors, interrupts and closed pipes end the process."""

from __future__ import annotations

import importlib
import os
import signal
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from difflib import get_close_matches
from typing import Any, NoReturn

import click

from ..base.errors import SpecError, TemporaryError, WireloomError
from ..base.printable import printable
from .exit_codes import FAILED, INTERRUPTED, PIPE_CLOSED, TERMINATED, UNUSABLE
from .standard import wants_colours

COMMANDS = (
    "formats",
    "new",
    "decode",
    "encode",
    "extract",
    "verify",
    "inspect",
    "studio",
    "dump",
    "generate",
    "check",
    "reference",
    "schema",
    "import-proto",
    "diff",
    "ingest",
    "completion",
)


class PipeClosedError(Exception):
    """The reader of our output has closed it."""


class Program(click.Group):
    """Loads each command's module when it is used, and turns every error into one plain line."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of all commands, in the order of the help."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return the command of that name."""
        if cmd_name not in COMMANDS:
            return None
        module = cmd_name.replace("-", "_")
        found: click.Command = importlib.import_module(f"{__package__}.{module}").command
        if callable(ctx.obj):
            # Tells the entry point that from now on there may be something to undo.
            ctx.obj()
        return found

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Resolve a command like click; the error for an unknown command suggests the nearest one."""
        name = args[0] if args else ""
        if name and not name.startswith("-") and name not in COMMANDS:
            near = get_close_matches(name, COMMANDS, n=1)
            hint = f"did you mean {near[0]!r}?" if near else f"there are {', '.join(COMMANDS)}"
            raise click.UsageError(f"unknown command {name!r}: {hint}", ctx)
        return super().resolve_command(ctx, args)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse arguments like click; without any argument, show the help in the same way in all versions of click."""
        if not args and not ctx.resilient_parsing:
            click.echo(ctx.get_help(), err=True)
            ctx.exit(UNUSABLE)
        return super().parse_args(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command. A closed pipe is hidden from click, which would report it as a failure."""
        try:
            return super().invoke(ctx)
        except BrokenPipeError as error:
            raise PipeClosedError from error
        except click.UsageError as error:
            command = self.get_command(ctx, ctx.invoked_subcommand or "")
            if error.ctx is None and command is not None:
                # click does not say of which command an option lacks its value.
                error.ctx = click.Context(command, ctx, ctx.invoked_subcommand)
            raise

    def main(
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        complete_var: str | None = None,
        standalone_mode: bool = True,
        **extra: Any,
    ) -> Any:
        """Run a command and end the process with its exit code.

        Without ``standalone_mode``, errors are raised unchanged, and the exit code is returned.
        """
        prog_name = prog_name or "wireloom"
        if not standalone_mode:
            return super().main(args, prog_name, complete_var, standalone_mode=False, **extra)
        try:
            with _terminable():
                code = super().main(args, prog_name, complete_var, standalone_mode=False, **extra)
            sys.stdout.flush()
        except click.UsageError as error:
            message = error.format_message().rstrip(".")
            taken = [name for each in (error.ctx.command.params if error.ctx else ()) for name in each.opts]
            if isinstance(error, click.NoSuchOption) and "--option" in taken:
                message += "; an option of the format is given as --option NAME=VALUE"
            elif (
                isinstance(error, click.MissingParameter)
                and error.param is not None
                and error.param.metavar == "FORMAT"
            ):
                message += "; 'wireloom formats' lists the formats"
            elif message.startswith("Got unexpected extra argument") and error.ctx is not None:
                message += f"; the usage is {error.ctx.get_usage().partition(': ')[2]}"
            _fail(f"{message} (see '{error.ctx.command_path if error.ctx else prog_name} --help')")
        except click.ClickException as error:
            _fail(error.format_message())
        except SpecError as error:
            # As in "check": editors and pipelines expect FILE:LINE:COLUMN at the beginning of a line.
            click.echo(error.rendered(wants_colours(sys.stderr)), err=True)
            sys.exit(UNUSABLE)
        except TemporaryError as error:
            _fail(_shown(error), FAILED)
        except WireloomError as error:
            _fail(_shown(error))
        except (PipeClosedError, BrokenPipeError):
            # Python would report the error again when it flushes at exit.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            sys.exit(PIPE_CLOSED)
        except OSError as error:
            _fail(f"{error.filename}: {error.strerror}" if error.filename is not None else error.strerror or str(error))
        except (KeyboardInterrupt, click.Abort):
            click.echo("wireloom: interrupted", err=True)
            sys.exit(INTERRUPTED)
        sys.exit(code if isinstance(code, int) else 0)


@contextmanager
def _terminable() -> Iterator[None]:
    """Raise an exception for SIGTERM within the block, so that unfinished output is removed."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGTERM, lambda _number, _frame: sys.exit(TERMINATED))
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _shown(error: WireloomError) -> str:
    """Return an error with options as they are given to commands."""
    # Imported here: few commands end with an error.
    from ..base.advice import respell
    from .parameters import spelled

    respell(error, spelled)
    return str(error)


def _fail(message: str, code: int = UNUSABLE) -> NoReturn:
    click.echo(f"wireloom: error: {printable(message)}", err=True)
    sys.exit(code)


@click.group(
    "wireloom",
    cls=Program,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    help="Decodes, encodes and checks binary logs and streams from declarative specs.",
    epilog="'wireloom COMMAND --help' describes a command.",
)
@click.version_option(package_name="wireloom", prog_name="wireloom")
def main() -> None:
    """The group itself does nothing."""
