"""``wireloom lsp``: a language server for specs, over standard input and output."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import click

from .entry import leave
from .parameters import allow_option, import_option
from .standard import TERMINATED


@click.command("lsp", short_help="Serve editors: diagnostics, completion, hover and definitions of specs.")
@import_option
@allow_option
@click.option("--stdio", is_flag=True, help="Use standard input and output, as it always does; editors pass it.")
def command(import_paths: tuple[Path, ...], allow_modules: tuple[str, ...], stdio: bool) -> None:
    """Answer an editor over standard input and output, by the Language Server Protocol.

    The editor shows what "wireloom check" says about a spec while it is typed, saved or not. It completes keys and
    names, and explains keys with the entries of "wireloom reference". It lists what a spec declares, and goes to the
    definitions of types, enums, attributes and imports. No code that a spec names is run; to find out whether it is
    there, registered and allowed modules are imported.

    Requires the extra: pip install 'wireloom[lsp]'. Editors start it themselves.
    """
    from ..base.extras import require

    require("pygls", "lsp", "wireloom lsp")
    from ..lsp.server import serve

    # Nothing has to be undone. An exception would wait for the thread that reads the next message.
    signal.signal(signal.SIGINT, leave)
    signal.signal(signal.SIGTERM, lambda _number, _frame: os._exit(TERMINATED))
    # What a module prints while it is imported must not mix with the messages.
    with os.fdopen(os.dup(0), "rb") as source, os.fdopen(os.dup(1), "wb") as target:
        os.dup2(2, 1)
        serve(source, target, import_paths, allow_modules)
