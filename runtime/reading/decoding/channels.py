"""Messages on channels, as those of MCAP, by the schemas of the channels."""

from __future__ import annotations

import base64
import json
import math
from collections.abc import Mapping
from typing import Any

import pyarrow as pa

from ...base.dataclass import dataclass
from ...base.errors import UnsupportedError, WireloomError
from ...format import registry
from .formats import MessageDecoder
from .ros import RosDecoder
from .values import DecodedValues, ValueDecoder, grouped, json_decoded

ROS1, ROS2 = ("ros1", "ros1msg"), ("cdr", "ros2msg")
"""The encodings of messages and of their schemas."""
NEEDS = ("topic", "message_encoding", "schema_encoding", "schema_name", "schema_data")
"""The columns of a table of messages that say what these are."""


@dataclass(frozen=True)
class Channel:
    """A channel of messages, with the values of ``NEEDS``."""

    topic: str | None
    encoding: str | None
    schema_encoding: str | None
    name: str | None
    schema: bytes | None

    @property
    def type(self) -> pa.DataType:
        """Return the type of its messages. Raises ``WireloomError``."""
        return pa.utf8() if self.encoding == "json" else self._decoder().type

    def decode(self, values: pa.Array) -> DecodedValues:
        """Decode its messages. Raises ``WireloomError``."""
        return json_decoded(values) if self.encoding == "json" else self._decoder().decode(values, {}, None)

    def _decoder(self) -> ValueDecoder:
        encodings = (self.encoding, self.schema_encoding)
        if encodings == ("protobuf", "protobuf") and self.schema and self.name:
            return MessageDecoder(registry.of_message(self.schema, self.name))
        if encodings in (ROS1, ROS2) and self.schema is not None and self.name:
            return RosDecoder(self.name, self.schema.decode("utf-8", "replace"), encodings == ROS2)
        raise UnsupportedError(
            f"messages of {self.topic} in {self.encoding or 'no encoding'}, with a schema in "
            f"{self.schema_encoding or 'no encoding'}, cannot be decoded"
        )


@dataclass(frozen=True)
class ChannelDecoder(ValueDecoder):
    """Implements ``ValueDecoder`` for messages on channels: those on the topic of ``first``, whose type is that of this
    channel; or those of all channels, each as text of JSON."""

    first: Channel | None = None

    @property
    def needs(self) -> tuple[str, ...]:
        """Implement ``ValueDecoder.needs``."""
        return NEEDS

    @property
    def type(self) -> pa.DataType:
        """Implement ``ValueDecoder.type``."""
        return pa.utf8() if self.first is None else self.first.type

    def decode(self, values: pa.Array, beside: Mapping[str, pa.Array], root: Any) -> DecodedValues:
        """Implement ``ValueDecoder.decode``."""
        keys = [self._key(each) for each in channels(beside)]
        return grouped(values, keys, self.type, self._of_channel)

    def _key(self, channel: Channel) -> Channel | WireloomError | None:
        """Return the channel of a message that is decoded; ``None`` for one on another topic."""
        if channel.topic is None:
            return WireloomError("its channel is not known")
        return channel if self.first is None or channel.topic == self.first.topic else None

    def _of_channel(self, channel: Channel, values: pa.Array) -> DecodedValues:
        first = self.first
        if first is not None and first.encoding != "json" and channel.name != first.name:
            raise WireloomError(f"it is a message {channel.name}, and the column has messages {first.name}")
        found = channel.decode(values)
        if self.first is not None or pa.types.is_string(found.items.type):
            return found
        texts = [None if each is None else json.dumps(_plain(each)) for each in found.items.to_pylist()]
        return DecodedValues(pa.array(texts, pa.utf8()), found.counts, found.problems)


def channels(beside: Mapping[str, pa.Array]) -> list[Channel]:
    """Return the channel of each row. ``beside``: the columns of ``NEEDS``, as dictionaries or not."""
    columns = [beside[name] for name in NEEDS]
    columns = [each if isinstance(each, pa.DictionaryArray) else each.dictionary_encode() for each in columns]
    rows = zip(*(each.indices.to_pylist() for each in columns), strict=True)
    known: dict[tuple[int | None, ...], Channel] = {}
    found = list[Channel]()
    for row in rows:
        if row not in known:
            indexes = zip(row, columns, strict=True)
            known[row] = Channel(*(None if n is None else each.dictionary[n].as_py() for n, each in indexes))
        found.append(known[row])
    return found


def _plain(value: Any) -> Any:
    """Return a value for JSON, as protobuf writes it there: bytes in base64, and numbers that are none as text."""
    if isinstance(value, dict):
        return {name: _plain(each) for name, each in value.items()}
    if isinstance(value, list):
        return [_plain(each) for each in value]
    if isinstance(value, bytes):
        return base64.b64encode(value).decode()
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    return value
