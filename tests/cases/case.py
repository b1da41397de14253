"""Cases: a spec, an input, options, and what is expected, from the files ``*.yaml`` of this folder's folders.

A file has ``specs`` (texts by name, or ``{of: name, replace: {old: new}}``), ``pieces`` of bytes that inputs name, and
``cases`` by name. With ``each``, a case is a list of cases, which have its other keys in common. The keys are those of
``Case``; bytes and values are written as ``notation`` says.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

import yaml
from wireloom import Format
from wireloom.format import registry

from ..unit.specs import format_of
from .notation import bytes_of

HERE = Path(__file__).parent
EXPECTED = frozenset(("engine", "refused", "rows", "report", "fails", "types", "grows", "written", "bytes"))
"""The keys that say what is expected."""


@dataclass(frozen=True)
class Case:
    """``about``: why there is this case. ``spec``: its name in the file, by default the first, or that of a registered
    format. ``replace``: texts in the spec that this case has others for. ``input``: what is read; ``change``: other
    bytes from these offsets on; ``cut``: only so many of its bytes, or as many less if negative. ``options``: those of
    ``wireloom.read``, such as ``columns``. ``damage``: on how many damaged inputs and beginnings the readers are
    compared, ten times as many in ``make thorough``. ``write``: rows to write, in place of an input.

    ``rows``: the values of each row, of one column without a list; ``xN`` repeats the row before it. ``report``: what
    differs from a clean one. ``fails``: the error of reading or writing. ``types``: of columns in Arrow. ``grows``: the
    sizes of the input from which on each row is read. ``written``: ``same`` if writing the rows gives the input, else
    the bytes, or the error. ``bytes``: of ``write``. ``refused``: the error of the spec. ``engine``: why the engine
    does not read it.
    """

    name: str
    file: Path
    specs: Mapping[str, Any]
    pieces: Mapping[str, str]
    about: str = ""
    spec: str = ""
    replace: Mapping[str, str] | None = None
    input: str | None = None
    change: Mapping[int, str] | None = None
    cut: int | None = None
    options: Mapping[str, Any] | None = None
    damage: int = 4
    write: Any = None
    engine: str | None = None
    refused: str | None = None
    rows: Any = None
    report: Mapping[str, Any] | None = None
    fails: str | None = None
    types: Mapping[str, str] | None = None
    grows: Any = None
    written: Any = None
    bytes: str | None = None

    @cached_property
    def text(self) -> str:
        """Return the text of the spec. Raises ``KeyError`` if a text to replace is not in it."""
        found = _text(self.specs, self.spec or next(iter(self.specs), ""))
        return _replaced(found, self.replace)

    @cached_property
    def format(self) -> Format:
        """Return the format, compiled once per process. Raises ``WireloomError``."""
        return registry.get(self.spec) if self.spec and self.spec not in self.specs else format_of(self.text)

    @cached_property
    def data(self) -> Any:
        """Return the bytes of the input."""
        made = bytearray(self.bytes_of(self.input or ""))
        for place, new in (self.change or {}).items():
            content = self.bytes_of(str(new))
            begin = range(len(made))[place]
            made[begin : begin + len(content)] = content
        return bytes(made[: self.cut])

    def bytes_of(self, text: str) -> Any:
        """Return the bytes of a text, with the byte order of the spec."""
        order = "be" if self.spec in self.specs or not self.spec else "le"
        order = "be" if order == "be" and "endian: be" in self.text else "le"
        return bytes_of(text, order, self.pieces)


def _text(specs: Mapping[str, Any], name: str) -> str:
    found = specs[name]
    return found if isinstance(found, str) else _replaced(_text(specs, found["of"]), found["replace"])


def _replaced(text: str, replace: Mapping[str, str] | None) -> str:
    for old, new in (replace or {}).items():
        if old not in text:
            raise KeyError(f"the spec does not contain {old!r}")
        text = text.replace(old, new)
    return text


class Plain:
    """The scalars of YAML's core schema: ``0102``, ``on`` and dates are text."""

    yaml_implicit_resolvers: ClassVar[dict[str, Any]] = {}


for tag, pattern, first in (
    ("bool", "true|false", "tf"),
    ("null", "null", "n"),
    ("int", r"-?(?:0|[1-9]\d*)", "-0123456789"),
    ("float", r"-?(?:0|[1-9]\d*)\.\d+(?:e[-+]?\d+)?", "-0123456789"),
):
    for each in first:
        rule = f"tag:yaml.org,2002:{tag}", re.compile(f"^(?:{pattern})$")
        Plain.yaml_implicit_resolvers.setdefault(each, []).append(rule)


class Loader(Plain, yaml.CSafeLoader):
    """The loader of cases, which refuses a key that is there twice."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        made = super().construct_mapping(node, deep)
        if len(made) < len(node.value):
            raise yaml.constructor.ConstructorError(None, None, "a key is there twice", node.start_mark)
        return made


KEYS = tuple(each.name for each in fields(Case))[4:]
"""The keys of a case, in the order in which they are written."""


def loaded(path: Path) -> dict[str, Any]:
    """Return what a file contains."""
    found: dict[str, Any] = yaml.load(path.read_text(encoding="utf-8"), Loader)
    return found


def cases_of(path: Path) -> Iterator[Case]:
    """Yield the cases of a file. Raises ``ValueError`` for an unknown key."""
    found = loaded(path)
    specs, pieces = found.get("specs", {}), found.get("pieces", {})
    for name, keys in found["cases"].items():
        common = {key: value for key, value in keys.items() if key != "each"}
        for number, own in enumerate(keys.get("each", [{}])):
            values = common | own
            if unknown := values.keys() - {*KEYS}:
                raise ValueError(f"{path.name}, {name}: no key of cases: {sorted(unknown)}")
            shown = f"{name} [{number}]" if "each" in keys else name
            yield Case(shown, path, specs, {key: str(each) for key, each in pieces.items()}, **values)
