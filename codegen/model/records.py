"""Rows inside the bytes of another table's rows: ``blocks.records.data.as<batch>.changes``.

If these bytes are records that were reassembled from fragments, readers concatenate them, each with its size before it,
and read the rows of the other table from that sequence. The types of the sequence are declared here. If they are a
stream that was cut into containers (``stream``), they are concatenated as they are, and the type is that of the stream.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from wireloom.base.dataclass import dataclass, replace

from ..expression.types import Path
from ..expression.walk import expressions_in, names_in
from ..spec.diagnostics import Diagnostics
from ..spec.position import Position
from ..spec.reader import read_yaml
from ..spec.syntax import Entries, Section, Text
from ..spec.validator import Validator
from ..tree import Struct
from ..tree.leaves import InheritedEndian
from ..words import shown, suggestion
from .row_path import CAST, PathStep, steps_of
from .symbols import SourceFile

LAYOUT = """
meta: {{id: made}}
types:
  {name}_records:
    doc: Joined records.
    seq: [{{id: records, type: {name}_record, repeat: eos, doc: The records.}}]
  {name}_record:
    doc: A joined record.
    seq:
      - {{id: len_data, type: u4le, doc: Size of the record in bytes.}}
      - {{id: data, type: '{type}', size: len_data, doc: The record.}}
"""
"""The types for records of one type."""
FIRST = "records"
"""The attribute of these types that the path to the rows begins with."""


def table_sections(meta: Section | None) -> Iterator[tuple[str, Section]]:
    """Yield the sections of the tables that the extensions of ``meta`` describe, each with the table's name."""
    if meta is None:
        return
    if "tables" not in meta.keys:
        yield "", meta
    for entry in meta.entries("tables"):
        if isinstance(entry.key, Text) and isinstance(entry.value, Section):
            yield entry.key.value, entry.value


@dataclass(frozen=True)
class RecordPath:
    """The path to rows inside records. ``table``: the table of the records; ``before``: the path of attributes to
    these; ``type``: the type that they are read as; ``steps``: the path from the sequence of records on, or from the
    stream on; ``is_stream``: whether the records are containers of a stream."""

    table: str
    before: str
    type: str
    steps: tuple[PathStep, ...]
    is_stream: bool = False

    @property
    def name(self) -> str:
        """Return the prefix of the names of the types for them."""
        return self.type.replace("::", "_")

    def top(self, root: Struct, structs: Mapping[Path, Struct]) -> Struct | None:
        """Return the type that the steps begin with; ``None`` if there is none, which has been reported."""
        return structs.get((*root.path, *(self.type.split("::") if self.is_stream else (f"{self.name}_records",))))


def stream_data(section: Section) -> Text | None:
    """Return the name of the attribute whose bytes are a stream; ``None`` if there is none."""
    keys = section.section("stream") if "stream" in section else None
    return keys.text("data") if keys is not None else section.text("stream") if "stream" in section else None


def record_paths(meta: Section | None) -> dict[str, RecordPath]:
    """Return the paths of the tables whose rows are inside records of another one, by name."""
    sections = dict(table_sections(meta))
    texts = {name: each.texts("rows") for name, each in sections.items()}
    paths = {name: each[0].value for name, each in texts.items() if len(each) == 1}
    records: dict[str, tuple[str, str, bool]] = {}
    for name, section in sections.items():
        fragments = section.section("fragments")
        stream = stream_data(section)
        data = fragments.text("data") if fragments is not None else stream
        if data is not None and name in paths:
            records.setdefault(f"{paths[name]}.{data.value}.", (name, paths[name], data is stream))
    found: dict[str, RecordPath] = {}
    for name, rows in paths.items():
        for prefix, (table, before, is_stream) in records.items():
            cast, _, rest = rows.removeprefix(prefix).partition(".")
            match = CAST.fullmatch(cast) if rows.startswith(prefix) else None
            if match is not None and (rest or not is_stream):
                first = () if is_stream else (PathStep(FIRST), PathStep("data"))
                steps = (*first, *(steps_of(rest) if rest else ()))
                found[name] = RecordPath(table, before, match[1], steps, is_stream)
    return found


def paths_to_rows(
    root: Struct, table: str, section: Section, inside: Mapping[str, RecordPath], structs: Mapping[Path, Struct]
) -> list[tuple[Struct, list[PathStep]]]:
    """Return the paths to the rows of a table: the type that each begins with, and its steps.

    Args:
        root: The root of the spec.
        table: The name of the table; empty for a single one.
        section: The keys of the table.
        inside: The paths of the tables whose rows are inside records, by name.
        structs: All types of the spec and its imports, by path.
    """
    record = inside.get(table)
    if record is None:
        return [(root, steps_of(each.value)) for each in section.texts("rows")]
    records = record.top(root, structs)
    return [] if records is None else [(records, list(record.steps))]


def with_record_types(file: SourceFile, meta: Section | None, diagnostics: Diagnostics) -> SourceFile:
    """Return a spec with the types of its sequences of records. Reports conflicts of their names."""
    section = file.section
    sections = dict(table_sections(meta))
    for name, path in record_paths(meta).items():
        section = _with_types(section, path, file.display, sections[name].position_of("rows"), diagnostics)
    return file if section is file.section else replace(file, section=section)


def _with_types(
    section: Section, path: RecordPath, display: str, position: Position, diagnostics: Diagnostics
) -> Section:
    names, inner = _names(section), section
    for part in path.type.split("::"):
        found = _names(inner).get(part)
        if found is None:
            if "types" not in section.missing:
                diagnostics.error(position, f"unable to find type {shown(path.type)}{suggestion(path.type, names)}")
            return section
        inner = found
    types = section.get("types")
    if path.is_stream or f"{path.name}_records" in names or not isinstance(types, Entries):
        return section
    node = read_yaml(LAYOUT.format(name=path.name, type=path.type), display, diagnostics)
    layout = Validator(diagnostics).spec(node) if node is not None else None
    if layout is None:
        return section
    added = replace(types, entries=(*types.entries, *layout.entries("types")))
    return replace(section, values={**section.values, "types": added})


def _names(section: Section) -> dict[str, Section]:
    """Return the sections of the types that are declared in a type, by name."""
    entries = section.entries("types")
    return {e.key.value: e.value for e in entries if isinstance(e.key, Text) and isinstance(e.value, Section)}


def check_records(
    record: Struct, structs: Mapping[Path, Struct], what: str, position: Position, diagnostics: Diagnostics
) -> None:
    """Report types that depend on the file around their bytes. ``record``: the type of these; ``what``: what they are,
    in words."""
    if isinstance(record.endian, InheritedEndian):
        name = "::".join(record.path)
        sentence = f"{name} has the byte order of its file, which is not known in {what}"
        diagnostics.error(position, sentence)
    for struct in _inside(record, structs):
        if any("_root" in names_in(node) for node in expressions_in(struct)):
            name = "::".join(struct.path)
            sentence = f"{name} uses '_root', which is not available in {what}"
            diagnostics.error(position, sentence)
            return


def _inside(type: Struct, structs: Mapping[Path, Struct]) -> Iterator[Struct]:
    """Yield the types that an object of a type may contain."""
    waiting, seen = [type.path], {type.path}
    while waiting:
        struct = structs[waiting.pop()]
        yield struct
        kinds = (kind for each in struct.all_attributes for kind in each.object_types)
        new = {each.path for each in kinds if not each.opaque and each.path in structs} - seen
        seen |= new
        waiting += sorted(new)
