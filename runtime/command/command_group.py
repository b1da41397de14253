"""The group of all commands: determines how errors, interrupts and closed pipes end the process."""

from __future__ import annotations

import importlib
import os
import sys
import threading
from collections.abc import Sequence
from contextlib import nullcontext, suppress
from difflib import get_close_matches
from importlib.abc import MetaPathFinder
from io import UnsupportedOperation
from types import ModuleType
from typing import Any, NoReturn

import click

from ..base.errors import FULL, SpecError, TemporaryError, UnknownNameError, WireloomError
from ..base.text import printable
from . import signals
from .standard import FAILED, INTERRUPTED, PIPE_CLOSED, UNUSABLE, wants_colours

COMMANDS = (
    "formats",
    "identify",
    "head",
    "count",
    "stat",
    "sql",
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
    "lsp",
    "import-proto",
    "diff",
    "ingest",
    "completion",
)

OTHER_WORDS = {
    "cat": "decode", "read": "decode", "show": "head", "convert": "decode", "export": "decode", "print": "head",
    "open": "head", "view": "head", "less": "head",
    "tail": "decode", "wc": "count", "describe": "stat", "stats": "stat", "query": "sql", "select": "sql",
    "detect": "identify", "file": "identify", "list": "formats", "ls": "formats", "write": "encode",
    "validate": "verify", "init": "new", "compile": "generate", "lint": "check", "hexdump": "inspect",
}  # fmt: skip
"""What users of other programs type, and the command that does it."""
ARROW = frozenset({"identify", "head", "count", "stat", "decode", "encode", "extract", "verify", "inspect", "dump"})
"""Commands that use pyarrow, and nothing of pandas."""


class PipeClosedError(Exception):
    """The reader of our output has closed it."""


class _WithoutPandas(MetaPathFinder):
    """Finds no pandas."""

    def find_spec(self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None) -> None:
        if fullname == "pandas":
            raise ModuleNotFoundError("pandas is not needed", name=fullname)


def _forgo_pandas() -> None:
    """Let pyarrow find no pandas. It imports pandas with the first value that is converted, to recognize objects of it,
    which takes half a second; code of the user may still import pandas afterwards."""
    if "pandas" in sys.modules:
        return
    finder = _WithoutPandas()
    sys.meta_path.insert(0, finder)
    try:
        import pyarrow

        pyarrow.scalar(0)
    finally:
        sys.meta_path.remove(finder)


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
            near = [OTHER_WORDS[name]] if name in OTHER_WORDS else get_close_matches(name, COMMANDS, n=1)
            hint = f"did you mean {near[0]!r}?" if near else f"there are {', '.join(COMMANDS)}"
            raise click.UsageError(f"unknown command {name!r}: {hint}", ctx)
        if name in ARROW and not ctx.resilient_parsing and "--help" not in args:
            _forgo_pandas()
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
        _open_missing_output()
        try:
            # Only the main thread may handle signals.
            is_main = threading.current_thread() is threading.main_thread()
            with signals.handled() if is_main else nullcontext():
                code = super().main(args, prog_name, complete_var, standalone_mode=False, **extra)
            sys.stdout.flush()
        except click.UsageError as error:
            message = error.format_message().rstrip(".")
            taken = [name for each in (error.ctx.command.params if error.ctx else ()) for name in each.opts]
            if isinstance(error, click.NoSuchOption) and error.ctx is not None and "--option" in taken:
                message += f"; {_about_option(self, error.ctx, error.option_name)}"
            elif isinstance(error, click.MissingParameter):
                # Click lists choices on lines of their own.
                message = " ".join(message.split()) + _about_format(error)
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
            sys.exit(PIPE_CLOSED)
        except OSError as error:
            text = f"{error.filename}: {error.strerror}" if error.filename is not None else error.strerror or str(error)
            _fail(text, FAILED if error.errno in FULL else UNUSABLE)
        except (KeyboardInterrupt, click.Abort):
            _discard_output()
            click.echo("wireloom: interrupted", err=True)
            sys.exit(INTERRUPTED)
        except SystemExit:
            # Only signals raise it: click's codes are returned.
            _discard_output()
            raise
        finally:
            _discard_unwritable_output()
        sys.exit(code if isinstance(code, int) else 0)


def _about_option(program: Program, context: click.Context, name: str) -> str:
    """Return what to do instead of an option that a command does not have."""
    taken = {each for parameter in context.command.params for each in parameter.opts}
    if name.lstrip("-").isdigit() and "-n" in taken:
        return f"write -n {name.lstrip('-')}"
    if name == "--format":
        return "FORMAT is an argument, before INPUT"
    for other in ("decode", "sql", "inspect", "verify"):
        found = program.get_command(context, other)
        if found is not None and any(name in each.opts for each in found.params):
            return f"'wireloom {other}' has it"
    return "an option of the format is given as --option NAME=VALUE"


def _open_missing_output() -> None:
    """Let what is printed fail if standard output is closed (``>&-``), instead of losing it without a message."""
    if sys.stdout is None:
        # Nothing can be written to a file that is opened for reading.
        os.dup2(os.open(os.devnull, os.O_RDONLY), 1)
        sys.stdout = os.fdopen(1, "w", closefd=False)


def _discard_unwritable_output() -> None:
    """Discard buffered output that cannot be written, which Python would report again at exit, with exit code 120."""
    try:
        sys.stdout.flush()
    except OSError:
        _discard_output()


def _discard_output() -> None:
    """Discard buffered output, and what is written from now on: a reader that has stalled would be waited for."""
    # Output that is not a file, as in tests, has no descriptor.
    with suppress(UnsupportedOperation):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _about_format(error: click.MissingParameter) -> str:
    """Return what to add to the error for a missing argument, if FORMAT is missing."""
    if error.param is not None and error.param.metavar == "FORMAT":
        return "; 'wireloom formats' lists the formats"
    from ..format.registry import formats

    given = error.ctx.params.get("format_name") if error.ctx is not None else None
    if given is None or given.endswith(".ksy") or given in formats():
        return ""
    return f"; FORMAT comes first, and {given!r} is not a format: 'wireloom formats' lists the formats"


def _shown(error: WireloomError) -> str:
    """Return an error with options as they are given to commands."""
    # Imported here: few commands end with an error.
    from ..base.advice import respell
    from ..base.text import unknown
    from .parameters import is_accepted, spelled

    respell(error, spelled)
    if isinstance(error, UnknownNameError) and error.option is not None:
        format_name, name, known = error.option
        error.message = unknown(f"option of {format_name}", name, filter(is_accepted, known)).message
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
