"""The command line: ``wireloom COMMAND …``; one module per command, and ``entry``, the process's entry point."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .command_group import main as main


def __getattr__(name: str) -> Any:
    # Imported first, so that the module "entry" is loaded before anything that takes time.
    from ..base.face import face

    names = face(
        __name__,
        {
            "check": "command:check_command",
            "shell_completion": "entries",
            "diff": "CODES",
            "ingest": "lines_of",
            "parameters": "reader_options",
            "command_group": "COMMANDS main",
            "sinks": "sink",
            "standard": "INTERRUPTED PIPE_CLOSED TERMINATED UNUSABLE wants_colours",
            "text": "BYTES hexadecimal iso_time lines plain_text time_text",
        },
    )
    return names(name)
