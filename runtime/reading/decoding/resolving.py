"""Which schema decodes a column: that of a spec's table, of the options, or of the first input."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from ...base.dataclass import replace
from ...base.errors import UnsupportedError, WireloomError
from ...format import registry
from ...format.decoded import DecodedFormat, decoded_format
from ...format.description import Format
from ...input import expansion
from ...input.inputs import Input
from ..events import Head
from ..input_scan import InputScan
from ..options import ScanOptions
from ..request import ScanRequest, of_table, request_of
from ..scan_readers import ScanReaders
from ..wrong_format import wrong_format
from .avro import AvroDecoder, schema_of
from .values import ValueDecoder

LARGEST_SCHEMA = 16 * 1024 * 1024
"""Maximum size of a file with a schema in bytes."""
TRIED = 64
"""Number of inputs of which the first ones may have no schema."""


def request_and_inputs(
    format: str | Path | Format, source: Any, options: Mapping[str, Any]
) -> tuple[ScanRequest, list[Input]]:
    """Return the request of a scan, of which the columns may depend on the inputs, and these."""
    general, own = ScanOptions.split(options)
    found, _ = of_table(registry.get(format, general.allow_modules), own)
    if not found.decode or isinstance(found, DecodedFormat):
        request = request_of(format, general, own)
        return request, expansion.expand(source, request.location)
    inputs = expansion.expand(source, general.location)
    return request_of(resolved(found, inputs, general), general, own), inputs


def with_columns(format: Format, source: Any, options: Mapping[str, Any]) -> Format:
    """Return ``resolved`` of a source as in ``wireloom.scan``."""
    if not format.decode:
        return format
    general, _ = ScanOptions.split(options)
    return resolved(format, expansion.expand(source, general.location), general)


def resolved(format: Format, inputs: Sequence[Input], options: ScanOptions) -> Format:
    """Return the table with the columns of the schema of these inputs, if a column of it is decoded, otherwise the same
    one. Raises ``WireloomError`` if no input has a schema."""
    if not format.decode or isinstance(format, DecodedFormat):
        return format
    data, by, attribute, count = format.decode
    if by != "avro":
        raise UnsupportedError(f"{format.name} is decoded by {by!r}, and only by 'avro' a table can be")
    path = options.schemas
    if path is not None:
        schema = text_of(path)
    else:
        root, path = first_root(format, inputs, options)
        schema = getattr(root, attribute)
    try:
        schema_of(schema)
    except WireloomError as error:
        raise type(error)(error.message, path=path) from None
    decoder: ValueDecoder = AvroDecoder(schema, attribute, count)
    return decoded_format(
        format, data, decoder, is_flat=[each.name for each in format.columns if each.default] == [data]
    )


def text_of(path: str) -> str:
    """Return the text of the file with a schema. Raises ``WireloomError``."""
    try:
        with open(path, "rb") as file:
            data = file.read(LARGEST_SCHEMA + 1)
        if len(data) > LARGEST_SCHEMA:
            raise WireloomError(f"the schema has more than {LARGEST_SCHEMA} bytes", path=path)
        return data.decode()
    except OSError as error:
        raise WireloomError(f"the schema cannot be read: {error.strerror}", path=path) from None
    except UnicodeDecodeError:
        raise WireloomError("the schema is no text in UTF-8", path=path) from None


def first_root(format: Format, inputs: Sequence[Input], options: ScanOptions) -> tuple[Any, str | None]:
    """Return the object before the rows of the first input that has one, and its path. Raises ``WireloomError`` if none
    has."""
    request = replace(
        options, columns=None, filter=None, limit=None, mode="dropmalformed", byte_range=None, progress=None
    )
    made = request_of(format, request, {})
    reports = []
    for source in inputs[:TRIED]:
        scan = InputScan(made, source, ScanReaders(made))
        with closing(scan.events()) as events:
            for event in events:
                if isinstance(event, Head) and event.root is not None:
                    return event.root, source.path
        reports.append(scan.report)
    foreign = [each for each in reports if each.foreign]
    raise (wrong_format(made, foreign) if foreign else None) or WireloomError(
        f"the columns of the table {format.table} of {format.name} are those of a schema in its files, and there is no"
        " file that has one: give one, or the schema itself by the option schemas",
        path=inputs[0].path if inputs else None,
    )
