"""Values in Confluent's wire format: a zero, the number of a schema in a registry, and an object of it."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import Any

import pyarrow as pa

from ...base.dataclass import dataclass
from ...base.errors import MissingExtraError, UnsupportedError, WireloomError
from ...format import registry as formats
from ...format.description import Format
from .avro import decoded_by, schema_of
from .formats import MessageDecoder
from .registries import AVRO, PROTOBUF, Registered, Registry
from .values import DecodedValues, ValueDecoder, grouped, json_decoded

HEAD = 5
"""Size of the zero and the number of the schema in bytes."""
DEEPEST = 32
"""Maximum number of messages inside of each other that a value names."""


@lru_cache(maxsize=64)
def _descriptors(text: str) -> bytes | str:
    """Return the descriptors of a ``.proto`` file, or what is wrong with it."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "schema.proto"
        try:
            path.write_text(text, encoding="utf-8")
            return formats.descriptors(path)
        except MissingExtraError:
            raise
        except UnicodeEncodeError as error:
            return f"it is no text: {error.reason}"
        except WireloomError as error:
            return error.message.replace(f"{folder}/", "").split("\n")[0]


@lru_cache(maxsize=64)
def _messages(text: str) -> Mapping[tuple[int, ...], str]:
    """Return the messages of a ``.proto`` file: the name of each, without the package, by the numbers of the messages
    that lead to it. Raises ``WireloomError``."""
    from google.protobuf.descriptor_pb2 import FileDescriptorSet

    descriptors = _descriptors(text)
    if isinstance(descriptors, str):
        raise WireloomError(descriptors)
    waiting: list[tuple[tuple[int, ...], str, Any]] = [
        ((), "", FileDescriptorSet.FromString(descriptors).file[-1].message_type)
    ]
    found = dict[tuple[int, ...], str]()
    while waiting:
        indexes, name, inside = waiting.pop()
        for index, each in enumerate(inside):
            found[*indexes, index] = f"{name}{each.name}"
            waiting.append(((*indexes, index), f"{name}{each.name}.", each.nested_type))
    return found


@lru_cache(maxsize=64)
def _format(text: str, name: str) -> Format:
    """Return the format of a message of a ``.proto`` file. Raises ``WireloomError``."""
    from google.protobuf.descriptor_pb2 import FileDescriptorSet

    descriptors = _descriptors(text)
    if isinstance(descriptors, str):
        raise WireloomError(descriptors)
    package = FileDescriptorSet.FromString(descriptors).file[-1].package
    return formats.of_message(descriptors, f"{package}.{name}" if package else name)


@contextmanager
def _schema_named(schema: Registered) -> Iterator[None]:
    """Name the schema in errors about it."""
    try:
        yield
    except MissingExtraError:
        raise
    except WireloomError as error:
        kind = UnsupportedError if isinstance(error, UnsupportedError) else WireloomError
        raise kind(f"schema {schema.number}: {error.message}") from None


def _message(schema: Registered, indexes: tuple[int, ...]) -> str:
    """Return the name of a message of a schema. Raises ``WireloomError``."""
    found = _messages(schema.text).get(indexes)
    if found is None:
        raise WireloomError(f"it has no message {'.'.join(map(str, indexes))}")
    return found


Divided = tuple[Registered, str, bytes]
"""The schema of a value, the name of its message in a protobuf schema, and the content."""


def _divided(registry: Registry, value: bytes) -> Divided | str:
    """Divide a value. Returns a sentence for one in another format, or without a schema that can be used. Raises
    ``WireloomError`` if the registry fails."""
    if len(value) < HEAD or value[0]:
        return "it does not begin with a zero and the number of a schema, as Confluent's values do"
    schema = registry.schema(int.from_bytes(value[1:HEAD], "big"))
    if isinstance(schema, str):
        return schema
    if schema.kind != PROTOBUF:
        return schema, "", value[HEAD:]
    try:
        indexes, begin = _indexes(value)
        with _schema_named(schema):
            return schema, _message(schema, indexes), value[begin:]
    except MissingExtraError:
        raise
    except WireloomError as error:
        return error.message


def _indexes(value: bytes) -> tuple[tuple[int, ...], int]:
    """Return what leads to the message of a value, and where its content begins. Raises ``WireloomError``."""
    count, begin = _varint(value, HEAD)
    if count > DEEPEST:
        raise WireloomError(f"its message is inside of {count} others")
    indexes = list[int]()
    for _ in range(count):
        index, begin = _varint(value, begin)
        indexes.append(index)
    # No number stands for the first message.
    return tuple(indexes) or (0,), begin


def _varint(value: bytes, begin: int) -> tuple[int, int]:
    """Return a number in zigzag encoding, which is not negative, and where it ends."""
    number = shift = 0
    for place in range(begin, min(len(value), begin + HEAD)):
        number |= (value[place] & 0x7F) << shift
        shift += 7
        if value[place] < 0x80 and not number & 1:
            return number >> 1, place + 1
    raise WireloomError("it does not say which message of its schema it is")


def first_schema(registry: Registry, values: pa.Array, problems: list[str]) -> tuple[Registered, str] | None:
    """Return the schema of the first value that has one, and the name of its message. ``problems``: gets a sentence
    about the first value without one."""
    for value in values.drop_null().to_pylist():
        found = _divided(registry, value)
        if not isinstance(found, str):
            return found[:2]
        problems += [found][len(problems) :]
    return None


@dataclass(frozen=True)
class ConfluentDecoder(ValueDecoder):
    """Implements ``ValueDecoder`` for values of a registry's schemas, which are read as objects of the schema
    ``number``.

    ``control``: the column that is true for records whose values are not those of producers, or empty; ``message``: the
    name of the message of a protobuf schema, which the column has; empty: the first one.
    """

    registry: Registry
    number: int
    control: str = ""
    message: str = ""

    @property
    def needs(self) -> tuple[str, ...]:
        """Implement ``ValueDecoder.needs``."""
        return (self.control,) if self.control else ()

    @property
    def type(self) -> pa.DataType:
        """Implement ``ValueDecoder.type``."""
        schema = self.registry.usable(self.number)
        with _schema_named(schema):
            if schema.kind == AVRO:
                return schema_of(schema.text).kind.type
            if schema.kind == PROTOBUF:
                return MessageDecoder(_format(schema.text, self._name(schema))).type
            return pa.utf8()

    def _name(self, schema: Registered) -> str:
        return self.message or _message(schema, (0,))

    def decode(self, values: pa.Array, beside: Mapping[str, pa.Array], root: Any) -> DecodedValues:
        """Implement ``ValueDecoder.decode``."""
        marks = beside[self.control].to_pylist() if self.control else [False] * len(values)
        keys, contents = list[Any](), list[bytes | None]()
        for value, is_marker in zip(values.to_pylist(), marks, strict=True):
            found = None if value is None or is_marker else _divided(self.registry, value)
            keys.append(WireloomError(found) if isinstance(found, str) else 0 if found is None else found[:2])
            contents.append(None if found is None or isinstance(found, str) else found[2])
        return grouped(pa.array(contents, pa.binary()), keys, self.type, self._of_schema)

    def _of_schema(self, key: tuple[Registered, str], values: pa.Array) -> DecodedValues:
        """Decode the contents of values of one schema."""
        (schema, name), own = key, self.registry.usable(self.number)
        if schema.kind != own.kind:
            raise WireloomError(f"its schema {schema.number} is of {schema.kind}, and that of the column of {own.kind}")
        if schema.kind == PROTOBUF and name != self._name(own):
            raise WireloomError(f"it is a message {name}, and the column has messages {self._name(own)}")
        if schema.kind == AVRO:
            with _schema_named(schema):
                writer = schema_of(schema.text)
            return decoded_by(values, writer, schema_of(own.text))
        if schema.kind == PROTOBUF:
            with _schema_named(schema):
                format = _format(schema.text, name)
            return MessageDecoder(format).decode(values, {}, None)
        return json_decoded(values)


def newest_decoder(registry: Registry, first: tuple[Registered, str], control: str) -> ConfluentDecoder:
    """Return the decoder by the newest schema of the subject of the first value, as ``first_schema`` returns it; by its
    own one if the message is not in the newest."""
    schema, message = first
    newest = registry.usable(registry.newest(schema.number))
    with _schema_named(newest):
        has_message = not message or (newest.kind == PROTOBUF and message in _messages(newest.text).values())
    return ConfluentDecoder(registry, (newest if has_message else schema).number, control, message)
