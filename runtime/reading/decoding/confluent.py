"""Values in Confluent's wire format: a zero, the number of a schema in a registry, and an object of it."""

from __future__ import annotations

import json
import tempfile
import urllib.error
import urllib.request
from base64 import b64encode
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import pyarrow as pa

from ...base.dataclass import dataclass
from ...base.errors import TemporaryError, UnsupportedError, WireloomError
from ...format import registry as formats
from ...format.description import Format
from .avro import decoded_by, schema_of
from .formats import MessageDecoder
from .schema_files import LARGEST_SCHEMA, text_of
from .values import DecodedValues, ValueDecoder, grouped, json_decoded, of_value

HEAD = 5
"""Size of the zero and the number of the schema in bytes."""
SECONDS = 30
"""Time limit of a request to a registry."""
DEEPEST = 32
"""Maximum number of messages inside of each other that a value names."""
AVRO, PROTOBUF, JSON = "AVRO", "PROTOBUF", "JSON"


@dataclass(frozen=True)
class Registered:
    """A schema of a registry."""

    text: str
    kind: str = AVRO


class UnknownSchemaError(WireloomError):
    """A registry has no schema of a number."""


def registry_of(place: str) -> str:
    """Return the registry of an address; of a file its text, an object of JSON with a schema for each number."""
    if _is_address(place):
        return place
    text = text_of(place)
    try:
        _schemas(text)
    except WireloomError as error:
        raise WireloomError(error.message, path=place) from None
    return text


def registered(registry: str, number: int) -> Registered:
    """Return the schema of a number. ``registry``: as ``registry_of`` returns it. Raises ``UnknownSchemaError`` if it
    has none, and ``WireloomError`` for a registry that cannot be read."""
    found = _registered(registry, number)
    if found is None:
        raise UnknownSchemaError(f"the registry has no schema {number}")
    return found


@lru_cache(maxsize=4096)
def _registered(registry: str, number: int) -> Registered | None:
    remote = _is_address(registry)
    found = _asked(registry, f"/schemas/ids/{number}") if remote else _schemas(registry).get(str(number))
    # A file may have the schema itself in place of what a registry answers.
    if not (isinstance(found, dict) and isinstance(found.get("schema"), str)):
        return None if found is None else Registered(json.dumps(found))
    if found.get("references"):
        raise UnsupportedError(f"schema {number} refers to others: a registry file can have it written out")
    return Registered(found["schema"], str(found.get("schemaType", AVRO)))


def _is_address(registry: str) -> bool:
    return registry.startswith(("http://", "https://"))


@lru_cache(maxsize=16)
def _schemas(text: str) -> Mapping[str, Any]:
    try:
        found = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise WireloomError(f"the registry file is not JSON: {error}") from None
    if not isinstance(found, dict):
        raise WireloomError("the registry file is no JSON object of numbers and schemas")
    return found


def _asked(registry: str, path: str) -> Any:
    """Return what a registry answers; ``None`` if it does not have that."""
    parts = urlsplit(registry)
    address = parts._replace(netloc=parts.netloc.rpartition("@")[2], path=parts.path.rstrip("/") + path).geturl()
    headers = {"Accept": "application/vnd.schemaregistry.v1+json"}
    if parts.username is not None:
        user = f"{unquote(parts.username)}:{unquote(parts.password or '')}"
        headers["Authorization"] = f"Basic {b64encode(user.encode()).decode()}"
    try:
        with urllib.request.urlopen(urllib.request.Request(address, headers=headers), timeout=SECONDS) as answer:
            return json.loads(answer.read(LARGEST_SCHEMA))
    except urllib.error.HTTPError as error:
        if error.code == 404:
            return None
        raise TemporaryError(f"the registry answers {error.code} {error.reason}", path=address) from None
    except (OSError, ValueError, RecursionError) as error:
        raise TemporaryError(f"the registry does not answer: {error}", path=address) from None


def newest(registry: str, number: int) -> int:
    """Return the number of the newest schema of the same subject; in a file, of the same name."""
    if _is_address(registry):
        subjects = _asked(registry, f"/schemas/ids/{number}/subjects") or []
        latest = [_asked(registry, f"/subjects/{each}/versions/latest") for each in subjects[:1]]
        return next((each["id"] for each in latest if isinstance(each, dict) and "id" in each), number)
    name = _name(registered(registry, number))
    others = (int(each) for each in _schemas(registry) if each.isascii() and each.isdigit())
    return max((each for each in others if name and _name(registered(registry, each)) == name), default=number)


def _name(schema: Registered) -> Any:
    """Return the name of a schema, by which its versions are known; ``None`` for one without a name."""
    try:
        parsed = json.loads(schema.text) if schema.kind == AVRO else None
    except (ValueError, RecursionError):
        return None
    return (parsed.get("namespace"), parsed.get("name")) if isinstance(parsed, dict) else None


@lru_cache(maxsize=64)
def _message(text: str, indexes: tuple[int, ...]) -> Format:
    """Return the format of a message of a ``.proto`` file: the numbers of the messages that lead to it."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "schema.proto"
        path.write_text(text)
        descriptors = formats.descriptors(path)
    from google.protobuf.descriptor_pb2 import FileDescriptorSet

    file = FileDescriptorSet.FromString(descriptors).file[-1]
    inside, names = file.message_type, [file.package] if file.package else []
    for index in indexes:
        if index >= len(inside):
            raise WireloomError(f"its schema has no message {index}")
        names.append(inside[index].name)
        inside = inside[index].nested_type
    return formats.of_message(descriptors, ".".join(names))


Divided = tuple[int, tuple[int, ...], bytes]
"""The number of a value's schema, the numbers of the messages that lead to that of the value, and its content."""


def _divided(registry: str, value: bytes) -> Divided:
    """Divide a value. Raises ``WireloomError`` for one in another format, or of an unknown schema."""
    if len(value) < HEAD or value[0]:
        raise WireloomError("it does not begin with a zero and the number of a schema, as Confluent's values do")
    number = int.from_bytes(value[1:HEAD], "big")
    if registered(registry, number).kind != PROTOBUF:
        return number, (), value[HEAD:]
    count, begin = _varint(value, HEAD)
    if count > DEEPEST:
        raise WireloomError(f"its message is inside of {count} others")
    indexes = list[int]()
    for _ in range(count):
        index, begin = _varint(value, begin)
        indexes.append(index)
    # No number stands for the first message.
    return number, tuple(indexes) or (0,), value[begin:]


def _varint(value: bytes, begin: int) -> tuple[int, int]:
    """Return a number in zigzag encoding, which is not negative, and where it ends."""
    number = shift = 0
    for place in range(begin, min(len(value), begin + HEAD)):
        number |= (value[place] & 0x7F) << shift
        shift += 7
        if value[place] < 0x80 and not number & 1:
            return number >> 1, place + 1
    raise WireloomError("it does not say which message of its schema it is")


def first_schema(registry: str, values: pa.Array) -> tuple[int, tuple[int, ...]] | None:
    """Return the number of the schema of the first value that has one, and what leads to its message."""
    for value in values.drop_null().to_pylist():
        try:
            return _divided(registry, value)[:2]
        except (TemporaryError, ImportError):
            raise
        except WireloomError:
            continue
    return None


@dataclass(frozen=True)
class ConfluentDecoder(ValueDecoder):
    """Implements ``ValueDecoder`` for values of a registry's schemas, which are read as objects of the schema
    ``number``.

    ``registry``: as ``registry_of`` returns it; ``control``: the column that is true for records whose values are not
    those of producers, or empty; ``indexes``: what leads to the message of a protobuf schema.
    """

    registry: str
    number: int
    control: str = ""
    indexes: tuple[int, ...] = (0,)

    @property
    def needs(self) -> tuple[str, ...]:
        """Implement ``ValueDecoder.needs``."""
        return (self.control,) if self.control else ()

    @property
    def _schema(self) -> Registered:
        return registered(self.registry, self.number)

    @property
    def type(self) -> pa.DataType:
        """Implement ``ValueDecoder.type``."""
        schema = self._schema
        if schema.kind == AVRO:
            return schema_of(schema.text).kind.type
        return MessageDecoder(_message(schema.text, self.indexes)).type if schema.kind == PROTOBUF else pa.utf8()

    def decode(self, values: pa.Array, beside: Mapping[str, pa.Array], root: Any) -> DecodedValues:
        """Implement ``ValueDecoder.decode``."""
        marks = beside[self.control].to_pylist() if self.control else [False] * len(values)
        keys, contents = list[Any](), list[bytes | None]()
        for value, is_marker in zip(values.to_pylist(), marks, strict=True):
            key: Any = 0
            content = None
            if value is not None and not is_marker:
                try:
                    *key, content = _divided(self.registry, value)
                    key = tuple(key)
                except WireloomError as error:
                    of_value(error)
                    key = error
            keys.append(key)
            contents.append(content)
        return grouped(pa.array(contents, pa.binary()), keys, self.type, self._of_schema)

    def _of_schema(self, key: tuple[int, tuple[int, ...]], values: pa.Array) -> DecodedValues:
        """Decode the contents of values of one schema."""
        (number, indexes), own = key, self._schema
        schema = registered(self.registry, number)
        if schema.kind != own.kind:
            raise WireloomError(f"its schema {number} is of {schema.kind}, and that of the column of {own.kind}")
        if schema.kind == AVRO:
            return decoded_by(values, schema_of(schema.text), schema_of(own.text))
        if schema.kind == PROTOBUF:
            return MessageDecoder(_message(schema.text, indexes)).decode(values, {}, None)
        return json_decoded(values)
