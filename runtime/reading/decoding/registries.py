"""Registries of schemas by number: an address that is asked, or a file."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from ...base.dataclass import dataclass, field
from ...base.errors import WireloomError
from ...base.text import printable
from .registry_answers import asked, is_address, is_valid
from .schema_files import text_of

AVRO, PROTOBUF, JSON = KINDS = ("AVRO", "PROTOBUF", "JSON")
MOST_UNKNOWN = 256
"""Maximum number of schemas for which a registry is asked in vain: more are in values that are not of it."""
LARGEST_TOTAL = 64 * 1024 * 1024
"""Maximum number of characters of all schemas that are kept of a registry."""
NUMBERS = 1 << 32
"""Number of numbers that a schema can have."""


@dataclass(frozen=True)
class Registered:
    """A schema of a registry: its number, its text, and which of ``KINDS`` it is."""

    number: int
    text: str
    kind: str = AVRO


@dataclass(frozen=True)
class Registry:
    """A registry. ``place``: its address, perhaps with a password, or the path of its file; ``text``: what is in the
    file."""

    place: str = field(repr=False)
    text: str = field(default="", repr=False)

    def schema(self, number: int) -> Registered | str:
        """Return the schema of a number, or a sentence why it has none that can be used. Raises ``WireloomError`` if
        the registry fails, or has been asked in vain for too many."""
        known = _known(self)
        found = known.get(number)
        if found is None:
            found = self._schema(number)
            if sum(len(each.text) for each in known.values() if isinstance(each, Registered)) > LARGEST_TOTAL:
                raise self._error(f"its schemas have more than {LARGEST_TOTAL} characters")
            known[number] = found
        return found

    def usable(self, number: int) -> Registered:
        """Return the schema of a number. Raises ``WireloomError`` if it has none that can be used."""
        found = self.schema(number)
        if isinstance(found, str):
            raise self._error(found)
        return found

    def newest(self, number: int) -> int:
        """Return the number of the newest schema of the same subject; in a file, of the same name."""
        if not is_address(self.place):
            name = _name(self.schema(number))
            others = [int(each) for each in _schemas(self.text) if each.isascii() and each.isdigit() and len(each) < 11]
            return max((each for each in others if name and _name(self.schema(each)) == name), default=number)
        subjects = asked(self.place, "schemas", "ids", str(number), "subjects")
        if subjects is not None and not (
            isinstance(subjects, list) and all(isinstance(each, str) for each in subjects)
        ):
            raise self._error(f"the answer is no list of the subjects of schema {number}")
        if not subjects:
            return number
        latest = asked(self.place, "subjects", subjects[0], "versions", "latest")
        if latest is None:
            return number
        found = latest.get("id") if isinstance(latest, dict) else None
        if type(found) is not int or not 0 <= found < NUMBERS:
            raise self._error(f"the answer is no version of the subject {printable(subjects[0])}")
        return found

    def _schema(self, number: int) -> Registered | str:
        if not is_address(self.place):
            schemas = _schemas(self.text)
            return _of_file(number, schemas[str(number)]) if str(number) in schemas else _lacking(number)
        if sum(isinstance(each, str) for each in _known(self).values()) >= MOST_UNKNOWN:
            raise self._error(
                f"it has none of {MOST_UNKNOWN} schemas that values name: are they in Confluent's format? If they are,"
                " give a registry file, which has no such limit"
            )
        found = asked(self.place, "schemas", "ids", str(number))
        if found is None:
            return _lacking(number)
        if not (isinstance(found, dict) and isinstance(found.get("schema"), str)):
            raise self._error(f"the answer is no schema {number}: is this the address of a registry?")
        return _of_answer(number, found)

    def _error(self, sentence: str) -> WireloomError:
        return WireloomError(sentence, path=self.place)


@lru_cache(maxsize=16)
def _known(registry: Registry) -> dict[int, Registered | str]:
    """Return what ``Registry.schema`` has returned."""
    return {}


def registry_of(place: str) -> Registry:
    """Return the registry of an address; of a file its text, an object of JSON with a schema for each number. Raises
    ``WireloomError``."""
    if is_address(place):
        if not is_valid(place):
            # Any part of it may be one of a password.
            raise WireloomError("the address of the registry is not valid: write : / ? # @ in its password as %3A …")
        return Registry(place)
    registry = Registry(place, text_of(place))
    try:
        _schemas(registry.text)
    except WireloomError as error:
        raise WireloomError(error.message, path=place) from None
    return registry


@lru_cache(maxsize=16)
def _schemas(text: str) -> Mapping[str, Any]:
    try:
        found = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise WireloomError(f"the registry file is not JSON: {error}") from None
    if not isinstance(found, dict):
        raise WireloomError("the registry file is no JSON object of numbers and schemas")
    return found


def _lacking(number: int) -> str:
    return f"the registry has no schema {number}"


def _of_file(number: int, found: Any) -> Registered | str:
    """Return a schema of a file: what a registry answers, the text in it, or the schema of Avro itself."""
    if isinstance(found, dict) and isinstance(found.get("schema"), str):
        return _of_answer(number, found)
    if (isinstance(found, dict) and "type" in found) or isinstance(found, list):
        return Registered(number, json.dumps(found))
    if isinstance(found, str):
        # The name of a type is a schema of Avro too.
        return Registered(number, found if found.lstrip()[:1] in ("{", "[", '"') else json.dumps(found))
    return f"schema {number} of the registry file is neither a schema of Avro nor the answer of a registry"


def _of_answer(number: int, found: Mapping[str, Any]) -> Registered | str:
    kind = found.get("schemaType") or AVRO
    if kind not in KINDS:
        return f"schema {number} is of the type {printable(str(kind))}, which cannot be decoded"
    if found.get("references"):
        return f"schema {number} refers to others: a registry file can have it written out"
    return Registered(number, found["schema"], kind)


def _name(schema: Registered | str) -> Any:
    """Return the name of a schema, by which its versions are known; ``None`` for one without a name."""
    if isinstance(schema, str) or schema.kind != AVRO:
        return None
    try:
        parsed = json.loads(schema.text)
    except (ValueError, RecursionError):
        return None
    return (parsed.get("namespace"), parsed.get("name")) if isinstance(parsed, dict) else None
