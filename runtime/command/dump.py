"""``wireloom dump``: prints all values of a file, nested as in its spec."""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

import click

from ..base.errors import UnsupportedError, WireloomError
from ..base.text import counted, printable
from . import shell_completion
from .parameters import Command, Count, bytes_option, location_of, reader_options
from .sources import source_arguments
from .standard import standard_output

if TYPE_CHECKING:
    from ..input.inputs import Input

DAMAGED = 1
"""Exit code if not all values could be read."""
NAMED = 20
"""Number of errors that are printed; further ones are counted."""
LEAST_OUTPUT = 64 * 1024 * 1024
MOST_PER_BYTE = 1000
"""By default the text is limited to ``LEAST_OUTPUT`` characters plus this number per byte of the file, since instances
can create any number of values from a few bytes."""


@click.command("dump", cls=Command, short_help="Print all values of a file, nested as in the spec, as JSON or YAML.")
@source_arguments(several=False)
@click.option(
    "-f", "--format", "form", type=click.Choice(("json", "yaml")), help="By default json, or by OUT's suffix."
)
@click.option(
    "-o",
    "--output",
    metavar="OUT",
    default="-",
    shell_complete=shell_completion.files,
    help="File to write, - by default: standard output.",
)
@bytes_option
@click.option(
    "--max-output",
    metavar="N",
    type=Count(min=1),
    help="Maximum number of characters; by default 64 MiB and 1000 for each byte of FILE.",
)
@reader_options()
def command(
    format_name: str,
    inputs: tuple[str, ...],
    form: str | None,
    output: str,
    as_bytes: str | None,
    max_output: int | None,
    options: dict[str, Any],
) -> int:
    """Print the attributes and instances of FILE, nested like the types of FORMAT, as "ksdump" does. FORMAT needs no
    rows: any Kaitai spec is sufficient. Absolute imports are searched in the folders of the environment variable
    KSPATH.

    FILE is a path, an s3:// address, or - for standard input. With a spec that declares no rows, it is read without
    decompression; --option codec=auto decompresses it. Values of enums are printed as labels if they have one; absent
    values are left out. If FILE is damaged, the values that could be read are printed, errors name the place, and the
    exit code is 1.

    \b
      wireloom dump png.ksy picture.png
      wireloom dump elf.ksy /bin/true -f yaml | less
    """
    from ..input.expansion import expand
    from ..inspecting import FORMS, Dumper, read_object
    from ..reading.request import scan_request
    from ..writing import opened
    from .overwriting import refuse_overwrite
    from .reading import chosen

    format, options = chosen(format_name, options, needs_rows=False)
    request = scan_request(format, columns=["_offset"], **options)
    padding = [each.name for each in format.choices if each.padding and request.choices[each.name] != "auto"]
    if padding:
        raise UnsupportedError(f"{', '.join(padding)} applies to rows: a dump shows the input as one object")
    refuse_overwrite((output,), inputs, format_name)
    sources = expand(list(inputs), location_of(options))
    if len(sources) != 1:
        raise click.UsageError(f"only one file can be dumped at a time, and {inputs[0]} is {len(sources)}")
    errors = _Errors(sources[0])
    form = form or ("yaml" if output.endswith((".yaml", ".yml")) else "json")
    with ExitStack() as resources:
        whole = read_object(request, sources[0], resources)
        for each in whole.refusals.new():
            errors.say(each)
        limit = max_output or LEAST_OUTPUT + MOST_PER_BYTE * whole.struct._io.size()
        with opened(standard_output() if output == "-" else output, location_of(options)) as file:
            text = FORMS[form](file.write, limit)
            try:
                Dumper(text, as_bytes or "hex", errors.say).write(whole.struct, whole.failure)
            except WireloomError:
                text.stop()
                raise
    for each in whole.refusals.new():  # by instances
        errors.say(each)
    errors.count += whole.refusals.total - len(whole.refusals)
    if whole.storage_error is not None:
        errors.say(whole.storage_error)
    errors.end()
    return DAMAGED if errors.count else 0


class _Errors:
    """Prints the first errors to standard error."""

    def __init__(self, source: Input) -> None:
        self._name = source.path if source.path not in (None, "-") else "standard input"
        self.count = 0

    def say(self, error: WireloomError) -> None:
        self.count += 1
        if self.count <= NAMED:
            error.path = error.path or self._name
            click.echo(f"wireloom: error: {printable(str(error))}", err=True)

    def end(self) -> None:
        if self.count > NAMED:
            click.echo(f"wireloom: error: {self._name}: {counted(self.count - NAMED, 'more value')}", err=True)
