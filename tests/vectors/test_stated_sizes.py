"""Every size and count of the formats in the box, changed by a little in files of their own implementations: it is
damage, or the format allows it.

The fields come from the model of the spec: those that sizes, counts and the key ``size-of`` use, and those that these
are compared with. Checksums are not verified, which is as if they were those of the changed bytes.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import groupby
from pathlib import Path as FilePath
from typing import Any

import pytest
import wireloom
from wireloom.codegen.backends.python.names import class_name
from wireloom.codegen.expression.nodes import MemberAccess, Name
from wireloom.codegen.expression.types import IntegerType, Path, UserType, VarintType
from wireloom.codegen.expression.walk import walk as walked
from wireloom.codegen.model.load import load as load_spec
from wireloom.codegen.passes import with_facts
from wireloom.codegen.tree import Attribute, Spec, Struct
from wireloom.codegen.tree.leaves import RepeatUntil
from wireloom.format.registry import get as format_of
from wireloom.inspecting import Field as Shown
from wireloom.inspecting import Trace, tree
from wireloom.objects import ConsistencyError, KaitaiStructError, varint

from ..differential.agreement import agreed, outcome
from ..examples import PROFILE
from .peers import FORMATS, cases

pytestmark = pytest.mark.slow

SPECS = FilePath(__file__).parents[2] / "specs"
LARGEST = 40_000
"""Files that are larger contain the same fields."""
DELTAS = (-9, -2, -1, 1, 2, 9)
PLACES = 5
"""How many of the places of a field are changed in a file."""
ATTEMPTS = 1 << 30 if PROFILE == "thorough" else 3
"""How many changes of a field are tried of which the format allows a wrong value."""

READ = agreed if PROFILE == "thorough" else outcome
"""That both readers agree, the campaigns and the mutations of peers show too."""

NEWER = "a record may have more fields, of a newer version, after those that are known"
REST = "kafka-clients and kafka-python read the value of a message of version 0 or 1, and ignore bytes after it"
ORIGINAL = "libpcap takes any size of the packet on the network"
SWAPPED = "the version decides which of two sizes is which, and libpcap takes any pair of them"
ALLOWED: dict[str, dict[str, str]] = {
    "kafka_log": dict.fromkeys(
        ("batches.message.len_value -", "batches.set.messages.messages.message.len_value -"), REST
    ),
    "mcap": dict.fromkeys(
        (
            "records.body.len_data -",
            "records.body.len_library -",
            "records.body.records.records.body.len_data -",
            "records.summary.records.body.len_compression -",
            "records.summary.records.body.len_data -",
            "records.summary.records.body.len_media_type -",
        ),
        NEWER,
    ),
    "pcap": {
        **dict.fromkeys(("packets.second_len -", "packets.second_len +"), ORIGINAL),
        **dict.fromkeys(("header.version_major -", "header.version_major +", "header.version_minor +"), SWAPPED),
    },
}
"""Fields by format and path, and whether they are larger or smaller, of which a wrong value goes unnoticed; each with
the reason why the format allows it."""


@dataclass(frozen=True)
class Place:
    """A field that states a size or a count, in an object that was read."""

    path: str
    field: Attribute
    begin: int
    end: int
    value: int

    def changed(self, data: bytes, delta: int) -> bytes | None:
        """Return the bytes with another value; ``None`` if the field cannot have it in the same bytes."""
        kind, old = self.field.type, data[self.begin : self.end]
        if self.value + delta < 0 or self.value < 0:
            # A negative size is another matter; -1 often means that there is no value.
            return None
        try:
            if isinstance(kind, VarintType):
                order = {"big_endian": kind.big_endian, "zigzag": kind.zigzag}
                new = varint(self.value + delta, kind.groups, self.path, **order)
            else:
                assert isinstance(kind, IntegerType)
                signed = {"signed": kind.signed}
                orders = (each for each in ("little", "big") if int.from_bytes(old, each, **signed) == self.value)
                new = (self.value + delta).to_bytes(len(old), next(orders), **signed)
        except (OverflowError, ConsistencyError):
            return None
        return data[: self.begin] + new + data[self.end :] if len(new) == len(old) else None


@cache
def planned(name: str) -> Spec:
    return with_facts(load_spec(SPECS / f"{name}.ksy"))


@cache
def stated(name: str) -> dict[tuple[str, str], Attribute]:
    """Return the integers of a format that state sizes or counts, by the names of their classes and their ids."""
    fields = [(type, each) for type in planned(name).family for each in type.attributes]
    compared = set(_compared(fields))
    return {
        (".".join(map(class_name, type.path)), each.id): each
        for type, each in fields
        if (each.reason == "length" or each.size_of is not None or (type.path, each.id) in compared)
        and isinstance(each.type, IntegerType | VarintType)
    }


def _compared(fields: list[tuple[Struct, Attribute]]) -> Iterator[tuple[Path, str]]:
    """Yield the fields that the ends of lists, and checks of sizes, compare something with."""
    for type, each in fields:
        nodes = [each.repeat.expression] if isinstance(each.repeat, RepeatUntil) else []
        nodes += [node for check in each.checks if each.reason == "length" for node in check.operands]
        for node in (part for whole in nodes for part in walked(whole)):
            if isinstance(node, Name):
                yield type.path, node.id
            elif isinstance(node, MemberAccess) and isinstance(node.value.type, UserType):
                yield node.value.type.path, node.name


def places(name: str, root: Any, data: bytes) -> Iterator[Place]:
    """Yield the places of these fields in the bytes of an object, by their paths."""
    trace, failure = Trace(), None
    try:
        trace.read(root, data, 0, "_read")
    except (KaitaiStructError, EOFError) as error:
        # After the records there are zeros, or the file is compressed.
        failure = error
    for each in trace.readings:
        # Content that is not compressed is in the file as it is.
        if each.stream.shift is None and data.count(each.stream.data) == 1:
            each.stream.shift = data.index(each.stream.data) - each.stream.base
    found = sorted(_places(name, tree(trace, root, failure), ""), key=lambda each: each.path)
    for _, same in groupby(found, key=lambda each: each.path):
        together = list(same)
        yield from together[:: max(1, len(together) // PLACES)][:PLACES]


def _places(name: str, fields: list[Shown], path: str) -> Iterator[Place]:
    for each in fields:
        inner = path if each.name.startswith("[") else f"{path}.{each.name}".lstrip(".")
        field = stated(name).get((each.owner, each.name))
        if field is not None and each.begin >= 0 and not each.computed and isinstance(each.value, int):
            yield Place(inner, field, each.begin, each.end, int(each.value))
        yield from _places(name, each.children, inner)


def changes(name: str, content: bytes) -> Iterator[tuple[str, tuple[str, ...], bytes]]:
    """Yield files with one wrong size or count, each with the path of the field, whether it is larger or smaller, and
    the tables that may contain it."""
    parser = importlib.import_module(f"wireloom.formats.{name}.parser")
    tables = planned(name).tables
    whole = tuple(each.name for each in tables if not each.inside)
    for path, changed in _changes(name, getattr(parser, class_name(name))(), content):
        yield path, whole, changed
    for inside, kind in {(each.inside, each.types[1]) for each in tables if each.inside}:
        made, own = parser, tuple(each.name for each in tables if each.inside and each.types[1] == kind)
        for part in kind:
            made = getattr(made, class_name(part))
        records = wireloom.read(name, content, table=inside, columns=["data"])["data"].to_pylist()
        for record in (each for each in records if content.count(each) == 1):
            for path, changed in _changes(name, made(), record):
                yield f"{kind[-1]}.{path}", own, content.replace(record, changed)


def _changes(name: str, root: Any, data: bytes) -> Iterator[tuple[str, bytes]]:
    for place in places(name, root, data):
        for delta in DELTAS:
            if (changed := place.changed(data, delta)) is not None:
                yield f"{place.path} {'+' if delta > 0 else '-'}", changed


@cache
def found(name: str, table: str, content: bytes) -> Any:
    options = {"verify": False, **({"table": table} if table else {})}
    return READ(format_of(name), content, **options)


def is_noticed(name: str, tables: tuple[str, ...], content: bytes, changed: bytes) -> bool:
    """Return whether a table says that something is wrong, and each that does not returns the same rows."""
    is_damaged = False
    for table in tables:
        rows, reports = found.__wrapped__(name, table, changed)[:2]
        if not isinstance(rows, dict) or reports[0]["tail"] != "clean" or reports[0]["damaged"]:
            is_damaged = True
        elif rows != found(name, table, content)[0]:
            return False
    return is_damaged


@pytest.mark.parametrize("name", FORMATS)
def test_a_wrong_size_or_count_is_damage(name: str) -> None:
    files = {each.content for each in cases() if each.format == name and not each.damaged}
    # A change may result in another valid record by chance, so that one that is noticed shows that there is a check.
    noticed: dict[str, bool] = {}
    allowed = dict.fromkeys(ALLOWED.get(name, ()), ATTEMPTS)
    for content in sorted((each for each in files if len(each) <= LARGEST), key=len):
        for path, tables, changed in changes(name, content):
            if not noticed.get(path) and allowed.get(path, 1):
                noticed[path] = is_noticed(name, tables, content, changed)
                if path in allowed:
                    allowed[path] -= 1
    assert {path for path, is_noticed in noticed.items() if not is_noticed} == set(allowed)
