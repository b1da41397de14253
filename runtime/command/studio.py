"""``wireloom studio``: serves a page with a spec in an editor next to the bytes, fields and rows of a file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from ..base.errors import WireloomError
from ..base.text import printable
from . import shell_completion
from .parameters import Count, reader_options

SUFFIX = ".ksy"
MOST_NAMES = 2
"""The number of arguments: a spec and a file."""


@click.command("studio", short_help="Edit a spec next to the bytes, fields and rows of a file, in the browser.")
@click.argument("names", metavar="[SPEC] FILE", nargs=-1, shell_complete=shell_completion.files)
@click.option("--port", metavar="N", type=Count(0, 65535), default=0, help="Port to listen on [a free one].")
@click.option("--no-browser", is_flag=True, help="Print the address, and do not open a browser.")
@reader_options("recover", table=False)
def command(names: tuple[str, ...], port: int, no_browser: bool, options: dict[str, Any]) -> None:
    """Open a local page with SPEC in an editor next to the bytes of FILE, the tree of its fields and the rows of its
    table. An element that is hovered or selected in one of them is highlighted in the others. The page is updated while
    SPEC is edited; saving writes the file. Bytes are shown whether or not the spec is valid, and the page can open
    other specs and files.

    SPEC is a .ksy file, and FILE a path. Without SPEC, the page begins with a new one, named after FILE. Requires the
    extra: pip install 'wireloom[studio]'. The server listens on 127.0.0.1 only, and accepts only browsers that have the
    printed address; Ctrl-C stops it.

    \b
      wireloom studio readings.ksy readings.bin
    """
    if not 1 <= len(names) <= MOST_NAMES or (len(names) == 1 and names[0].endswith(SUFFIX)):
        raise click.UsageError("name a spec and the file whose bytes are shown, or the file alone")
    source = names[-1]
    if Path(source).is_dir():
        raise WireloomError("this is a folder: name a file in it", path=source)
    named_after = Path(source).name.partition(".")[0] or "spec"
    spec = Path(names[0] if len(names) == MOST_NAMES else named_after + SUFFIX)
    if spec.suffix != SUFFIX:
        raise WireloomError(
            f"a spec is a {SUFFIX} file; for the formats that 'wireloom formats' lists, 'wireloom inspect' shows the "
            "bytes of a file next to their fields",
            path=str(spec),
        )
    if len(names) == MOST_NAMES and not spec.is_file():
        raise WireloomError(
            f"there is no such spec: 'wireloom new {spec.stem}' makes a package with a first one, and 'wireloom studio "
            f"{source}' begins with an empty one",
            path=str(spec),
        )
    if not Path(source).is_file():
        raise WireloomError("no such file: check the path and the folder it is relative to", path=source)
    if options:
        _check(spec, options)
    from ..base.extras import require

    for module in ("nicegui", "starlette", "uvicorn"):
        require(module, "studio", "wireloom studio")
    from ..studio.helper import Helper
    from ..studio.serving import serve

    allowed, paths = tuple(options.pop("allow_modules", ())), tuple(options.pop("import_paths", ()))
    helper = Helper(spec, source, options, allowed, paths)
    serve(helper, port, opens_browser=not no_browser, on_address=_print_address)


def _check(spec: Path, options: dict[str, Any]) -> None:
    """Raise ``WireloomError`` for options that the reader of a spec does not have. Nothing is checked if the spec has
    errors, which the page shows."""
    from ..format.registry import get
    from ..reading.request import scan_request

    try:
        modules, paths = options.get("allow_modules", ()), options.get("import_paths", ())
        format = get(spec, modules, needs_rows=False, import_paths=paths)
    except WireloomError:
        return
    own = {name: value for name, value in options.items() if name != "import_paths"}
    scan_request(format, **{"columns": ["_offset"], **own})


def _print_address(address: str) -> None:
    click.echo(f"{printable(address)}  (Ctrl-C to stop)")
