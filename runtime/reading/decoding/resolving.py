"""Which schema decodes a column: that of a spec's table, of the options, or of the first input."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from ... import codecs
from ...base.dataclass import dataclass, replace
from ...base.errors import MissingExtraError, UnknownNameError, UnsupportedError, WireloomError
from ...base.report import FileReport
from ...base.text import unknown
from ...format import registry
from ...format.decoded import DecodedFormat, decoded_format
from ...format.description import Format
from ...input import expansion
from ...input.inputs import Input
from ...input.rereading import RereadInput, is_read_once
from ..events import Event, Head, Rows
from ..input_scan import InputScan
from ..options import ScanOptions
from ..request import ScanRequest, of_table, request_of
from ..scan_readers import ScanReaders
from ..wrong_format import wrong_format
from .registries import NUMBERS, registry_of
from .registry_answers import is_address
from .schema_files import bytes_of, text_of
from .values import ValueDecoder

TRIED = 64
"""Number of inputs of which the first ones may have no schema."""
CODECS = (*(name for name in codecs.CODECS if name != "none"), codecs.AUTO)
SETS = (".desc", ".pb", ".binpb", ".protoset", ".fds")
"""Suffixes of files with protobuf's descriptors."""


def request_and_inputs(
    format: str | Path | Format, source: Any, options: Mapping[str, Any]
) -> tuple[ScanRequest, list[Input]]:
    """Return the request of a scan, of which the columns may depend on the inputs, and these."""
    general, own = ScanOptions.split(options)
    found, _ = of_table(registry.get(format, general.allow_modules), own)
    if not is_decoded(found, general):
        request = request_of(format, general, own)
        return request, expansion.expand(source, request.location)
    inputs = expansion.expand(source, general.location)
    return request_of(resolved(found, inputs, general, own), general, own), inputs


def with_columns(format: Format, source: Any, options: Mapping[str, Any]) -> tuple[Format, Any]:
    """Return ``resolved`` of a source as in ``wireloom.scan``, and the source to read it from."""
    general, own = ScanOptions.split(options)
    if not is_decoded(format, general):
        return format, source
    inputs = expansion.expand(source, general.location)
    return resolved(format, inputs, general, own), inputs


def is_decoded(format: Format, options: ScanOptions) -> bool:
    """Return whether a column of a table is to be decoded, and what decodes it is not known yet. Raises
    ``WireloomError`` for schemas of nothing."""
    if isinstance(format, DecodedFormat):
        return False
    if options.schemas is not None and not (format.decode or options.decode):
        raise WireloomError("schemas is for columns that are decoded: name one by the option decode, COLUMN:DECODER")
    return bool(format.decode or options.decode)


def resolved(format: Format, inputs: Sequence[Input], options: ScanOptions, own: Mapping[str, Any]) -> Format:
    """Return the table with the columns of the schema of these inputs, if a column of it is decoded, otherwise the same
    one. ``own``: the options of the format. In a list of inputs, those that can be read only once are replaced by ones
    whose beginning is read again; otherwise these are refused. Raises ``WireloomError`` if no input has a schema."""
    if not is_decoded(format, options):
        return format
    attribute = count = ""
    if options.decode is None:
        data, by, attribute, count = format.decode
    else:
        data, _, by = options.decode.partition(":")
    if format.in_stream or format.message is not None:
        raise UnsupportedError(f"columns of {format.name} are not decoded while it is read: use wireloom.explode")
    column = format.column_numbers.get(data)
    if column is None:
        raise unknown(f"column of {format.name}", data, format.column_numbers)
    if format.columns[column].type not in ("binary", "large_binary"):
        raise WireloomError(f"{data} is a column of {format.columns[column].type}, and only bytes can be decoded")
    asked = Asked(format, data, by, inputs, options, own, attribute, count)
    is_flat = options.decode is None and [each.name for each in format.columns if each.default] == [data]
    return decoded_format(format, data, asked.decoder(), is_flat=is_flat)


@dataclass(frozen=True)
class Asked:
    """The decoder asked for the column ``data``: ``by`` is one of ``DECODERS``, perhaps with a word after a colon, a
    codec, a format or the path of a spec. ``attribute``, ``count``: as in ``AvroDecoder``."""

    format: Format
    data: str
    by: str
    inputs: Sequence[Input]
    options: ScanOptions
    own: Mapping[str, Any]
    attribute: str = ""
    count: str = ""

    def decoder(self) -> ValueDecoder:
        """Return the decoder. Raises ``WireloomError``."""
        name, _, word = self.by.partition(":")
        if self.options.schemas is not None and name not in WITH_SCHEMAS:
            raise WireloomError(f"decode={self.data}:{self.by} takes no option schemas")
        if name in DECODERS:
            return DECODERS[name](self, word)
        from .formats import CodecDecoder, format_decoder

        if self.by in CODECS:
            return CodecDecoder(self.by)
        try:
            return format_decoder(registry.get(self.by, self.options.allow_modules))
        except UnknownNameError:
            raise unknown("decoder", self.by, [*DECODERS, *CODECS, *registry.formats()]) from None

    def schemas(self, what: str = "the file with the schema", *, is_file: bool = True) -> str:
        """Return the option ``schemas``, which is ``what``. Raises ``WireloomError`` if it is not given, or an address
        in place of a file."""
        place = self.options.schemas
        if place is None:
            raise WireloomError(f"decode={self.data}:{self.by} needs the option schemas: {what}")
        if is_file and is_address(place):
            raise WireloomError(f"{self.by.partition(':')[0]} takes no registry: schemas is {what}", path=place)
        return place

    def checked(self, decoder: ValueDecoder, path: str | None) -> ValueDecoder:
        """Return a decoder. Raises ``WireloomError`` with the path of its schema if there are no columns for it."""
        try:
            assert decoder.type is not None
        except MissingExtraError:
            raise
        except WireloomError as error:
            raise type(error)(error.message, path=error.path or path) from None
        return decoder

    @property
    def _path(self) -> str | None:
        return self.inputs[0].path if len(self.inputs) == 1 else None

    def first(
        self, columns: Sequence[str], test: Callable[[Event], Any], lacking: str, problems: Sequence[str] = ()
    ) -> tuple[Any, str | None]:
        """Return what ``test`` returns for the first event, other than ``None``, and the path of its input. Raises
        ``WireloomError`` if there is none; ``lacking``: what there is not; ``problems``: what ``test`` has found in
        place of it, in sentences."""
        general = replace(
            self.options, columns=None, filter=None, limit=None, mode="dropmalformed", byte_range=None, progress=None
        )
        request = replace(request_of(self.format, general, self.own, columns=[*columns] or None), dictionaries=True)
        reports = []
        for number, source in enumerate(self.inputs[:TRIED]):
            if is_read_once(source):
                if not isinstance(self.inputs, list):
                    message = f"it can be read only once, and the type of {self.data} is that of a schema in it"
                    raise WireloomError(f"{message}: {self._way_out}, or write its bytes to a file", path=source.path)
                source = self.inputs[number] = RereadInput.of(source)
            scan = InputScan(request, source, ScanReaders(request))
            with closing(scan.events()) as events:
                for event in events:
                    if (found := test(event)) is not None:
                        return found, source.path
            if isinstance(source, RereadInput) and source.is_full:
                message = f"it can be read only once, and its first {len(source.kept)} bytes have no schema"
                raise WireloomError(f"{message}: {self._way_out}, or write its bytes to a file", path=source.path)
            reports.append(scan.report)
        foreign = [each for each in reports if each.foreign]
        said = f"the type of {self.data} is that of a schema, and there is no {lacking}"
        cause = next(filter(None, [*problems, *map(_damage, reports)]), None)
        raise (wrong_format(request, foreign) if foreign else None) or WireloomError(
            f"{said} ({cause})" if cause else said, path=self._path
        )

    @property
    def _way_out(self) -> str:
        return WAYS_OUT.get(self.by.partition(":")[0], "name the schema by the option schemas")


def _damage(report: FileReport) -> str | None:
    """Return the first damage of an input in words; ``None`` if there is none."""
    found = [(each.offset, each.reason) for each in report.damaged[:1]]
    found += [(report.tail_offset, report.lost_end)] if report.lost_end else []
    name = report.path or "the input"
    return next((f"{name} is damaged at byte {offset}: {reason}" for offset, reason in found), None)


def _avro(asked: Asked, word: str) -> ValueDecoder:
    from .avro import AvroDecoder

    path = asked.options.schemas
    if path is not None or not asked.attribute:
        path = asked.schemas()
        schema = text_of(path)
    else:
        root, path = asked.first((), _root, "file that has it: give one, or the schema by the option schemas")
        schema = getattr(root, asked.attribute)
    return asked.checked(AvroDecoder(schema, asked.attribute, asked.count), path)


def _root(event: Event) -> Any:
    return event.root if isinstance(event, Head) else None


def _confluent(asked: Asked, word: str) -> ValueDecoder:
    from .confluent import ConfluentDecoder, first_schema, newest_decoder

    place = asked.schemas("the address of the registry, or its file", is_file=False)
    registry, numbers = registry_of(place), asked.format.column_numbers
    control = "is_control" if "is_control" in numbers else ""
    if word:
        number, _, message = word.partition(":")
        if not number.isascii() or not number.isdigit() or len(number) > 10 or int(number) >= NUMBERS:
            raise WireloomError(f"confluent:{word} does not begin with the number of a schema")
        return asked.checked(ConfluentDecoder(registry, int(number), control, message), place)
    problems = list[str]()

    def found(event: Event) -> Any:
        if not isinstance(event, Rows):
            return None
        return first_schema(registry, event.arrays[numbers[asked.data]], problems)

    first, _ = asked.first(
        [asked.data], found, "value of a schema of the registry: name the schema, confluent:NUMBER", problems
    )
    return asked.checked(newest_decoder(registry, first, control), place)


def _protobuf(asked: Asked, word: str) -> ValueDecoder:
    from .formats import MessageDecoder

    path = asked.schemas()
    if not word:
        raise WireloomError(f"decode={asked.data}:protobuf needs the name of a message: {asked.data}:protobuf:NAME")
    descriptors = bytes_of(path) if path.endswith(SETS) else registry.descriptors(Path(path))
    return MessageDecoder(registry.of_message(descriptors, word))


def _channel(asked: Asked, topic: str) -> ValueDecoder:
    from .channels import NEEDS, ChannelDecoder, channels

    numbers = asked.format.column_numbers
    if not numbers.keys() >= {*NEEDS}:
        raise UnsupportedError(f"the table {asked.format.table} of {asked.format.name} has no messages of channels")
    if not topic:
        return ChannelDecoder()

    def found(event: Event) -> Any:
        if not isinstance(event, Rows):
            return None
        beside = {name: event.arrays[numbers[name]] for name in NEEDS}
        return next((each for each in channels(beside) if each.topic == topic), None)

    return ChannelDecoder(asked.first(NEEDS, found, f"message on the topic {topic}")[0])


WAYS_OUT = {
    "channel": "decode all topics as text of JSON, by channel without one",
    "confluent": "name the schema, confluent:NUMBER",
}
"""What tells the type of a column without a look at the input, by the decoder."""
DECODERS: Mapping[str, Callable[[Asked, str], ValueDecoder]] = {
    "avro": _avro,
    "channel": _channel,
    "confluent": _confluent,
    "protobuf": _protobuf,
}
"""What decodes values by a schema, by name."""
WITH_SCHEMAS = frozenset({"avro", "confluent", "protobuf"})
"""The decoders of ``DECODERS`` that take the option ``schemas``."""
