"""``wireloom stat``: nulls, minimum and maximum of each column."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import click

from .parameters import Command, bytes_option, reader_options
from .sources import source_arguments
from .standard import standard_output

if TYPE_CHECKING:
    import pyarrow as pa

SHOWN = 64
"""Number of bytes or characters of a minimum or maximum that are kept."""


@click.command("stat", cls=Command, short_help="Print nulls, minimum and maximum of each column.")
@source_arguments()
@reader_options("columns", "recover", "tail", "verify", "keep_unverified", "threads")
@bytes_option
@click.option("--json", "as_json", is_flag=True, help="Print JSON: the number of rows, and an object per column.")
def command(
    format_name: str, inputs: tuple[str, ...], as_bytes: str | None, as_json: bool, options: dict[str, Any]
) -> None:
    """Print for each column of INPUT its type, the number of nulls, the smallest and the largest value. Columns of
    lists, structs and maps have no smallest value. Long values are cut to 64 characters or bytes.

    INPUT is a path, a glob in quotes, a folder, an s3:// address, or - for standard input. FORMAT may be left out if
    the first bytes of INPUT and its suffix show it.

    \b
      wireloom stat edgemq_segment segments/ --columns tenant,ts
    """
    from ..base.text import counted
    from .reading import chosen, refuse_foreign, scanning, warn
    from .sinks import sink

    format, options = chosen(format_name, options)
    with scanning(format, inputs, options, f"stat {format.name}") as (scanner, batches):
        found = [_Column(each) for each in scanner.schema]
        for batch in batches:
            for column, values in zip(found, batch.columns, strict=True):
                column.add(values)
    rows = scanner.report.rows
    if not rows:
        refuse_foreign(scanner)
    if as_json:
        columns = [each.described(as_bytes or "hex") for each in found]
        click.echo(json.dumps({"rows": rows, "columns": columns}, indent=2))
    else:
        batch = _table(found, as_bytes)
        output = standard_output()
        with sink(output, "-", "table", batch.schema, as_bytes, batch.num_rows + 1) as table:
            table.write(batch)
        output.write(f"{counted(rows, 'row')}\n".encode())
        output.flush()
    warn(scanner)
    refuse_foreign(scanner)


class _Column:
    """The statistics of a column of which more batches come."""

    def __init__(self, field: pa.Field) -> None:
        self.field = field
        self.nulls = 0
        self.bounds: pa.Array | None = None
        """The smallest and the largest value so far, NaN only if there is no other; ``None`` if there is none."""

    def add(self, values: pa.Array) -> None:
        import pyarrow as pa
        import pyarrow.compute as pc

        self.nulls += values.null_count
        if pa.types.is_dictionary(values.type):
            values = values.dictionary_decode()
        if pa.types.is_nested(values.type) or pa.types.is_null(values.type):
            return
        if pa.types.is_fixed_size_binary(values.type):
            values = values.cast(pa.binary())
        known = values if self.bounds is None else pa.concat_arrays([self.bounds, values])
        found = pc.min_max(known)
        # Python has no values for times in nanoseconds, or after the year 9999. Floats may be nothing but NaN.
        places = [pc.index(pc.equal(known, found[each]), True).as_py() for each in ("min", "max")]
        if min(places) < 0 and pa.types.is_floating(known.type):
            places = [pc.index(pc.is_valid(known), True).as_py()] * 2
        if min(places) >= 0:
            self.bounds = pa.concat_arrays([known.slice(each, 1) for each in places])

    def described(self, as_bytes: str) -> dict[str, Any]:
        """Return the statistics as values of JSON, as ``decode`` writes them."""
        from .text import json_text

        texts = ["null", "null"] if self.bounds is None else json_text(_cut(self.bounds), as_bytes).to_pylist()
        # Fractions of decimals are not rounded to floats.
        parse: Any = str if self.field.type.num_fields == 0 and "decimal" in str(self.field.type) else float
        low, high = (json.loads(each, parse_float=parse) for each in texts)
        return {"name": self.field.name, "type": str(self.field.type), "nulls": self.nulls, "min": low, "max": high}


def _cut(bounds: pa.Array) -> pa.Array:
    """Return bytes and text cut to ``SHOWN``, other values as they are."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if pa.types.is_binary(bounds.type) or pa.types.is_large_binary(bounds.type):
        return pc.binary_slice(bounds, 0, SHOWN)
    if pa.types.is_string(bounds.type) or pa.types.is_large_string(bounds.type):
        return pc.utf8_slice_codeunits(bounds, 0, SHOWN)
    return bounds


def _table(found: list[_Column], as_bytes: str | None) -> pa.RecordBatch:
    """Return a row of text for each column."""
    import pyarrow as pa

    from .text import shown_text

    texts = [[None, None] if each.bounds is None else shown_text(_cut(each.bounds), as_bytes) for each in found]
    low, high = ([None if each[side] is None else str(each[side]) for each in texts] for side in (0, 1))
    return pa.RecordBatch.from_pydict(
        {
            "column": [each.field.name for each in found],
            "type": [str(each.field.type) for each in found],
            "nulls": [each.nulls for each in found],
            "min": pa.array(low, pa.string()),
            "max": pa.array(high, pa.string()),
        }
    )
