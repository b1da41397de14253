"""The extension keys of ``meta``: the tables of the format."""

from __future__ import annotations

from wireloom.base.dataclass import replace

from ..expression.types import Path
from ..spec.diagnostics import Diagnostics
from ..spec.position import Position
from ..spec.syntax import Section, Text
from ..tree import Attribute, Instance, Rows, Spec, Struct
from ..tree.leaves import AlternativePath, OwnSize, RepeatEos
from ..tree.spec import CONDITIONS
from ..words import shown, suggestion
from .fragments import read_decode, read_fragments, read_stream
from .layout import begins_with_bits, end_of_byte, ends_inside_a_byte
from .look_ups import look_up_names, with_look_ups
from .records import RecordPath, check_records, record_paths
from .row_conditions import condition_of
from .row_layout import block_size, has_no_bytes, has_sized_rows, is_streaming
from .row_path import attribute_of, steps_of
from .settings import read_options, read_path, read_preallocated, read_xor_key_file
from .symbols import World
from .table_paths import TablePath, read_paths, read_units
from .units import ROW_KEYS, UnitsReader, column_names, refuse_module_name

DEFAULT_MAX_RECORD = 64 * 1024 * 1024


def _other(path: TablePath, *, streaming: bool) -> AlternativePath:
    """Return a further path to the rows, from a unit on."""
    return AlternativePath(tuple(each.path for each in path.types[streaming:]), path.ids[streaming:])


class TableReader:
    """Reads the extensions of ``meta`` against the finished structs."""

    def __init__(self, root: Struct, structs: dict[Path, Struct], world: World, diagnostics: Diagnostics) -> None:
        self.root = root
        self.structs = structs
        self.world = world
        self.diagnostics = diagnostics

    def read(self, section: Section | None, spec: Spec) -> Spec:
        """Return the spec with its tables, if it declares any, and with the settings that concern all of them."""
        if section is None:
            return spec
        of_messages = "message" in section.keys
        tables = () if of_messages else self._tables(section)
        reader = UnitsReader(self.root, self.structs, self.world, self.diagnostics)
        units = reader.read(section) if of_messages else None
        columns = tuple(
            name
            for each in tables
            for name in (
                *each.columns,
                *each.selectable,
                *each.parent_columns,
                *(look_up.name for look_up in each.look_ups),
            )
        )
        return replace(
            spec,
            tables=tables,
            units=units,
            codec=section.word("codec", "none"),
            path_pattern=read_path(section, column_names(units) if units is not None else columns, self.diagnostics),
            max_record=section.integer("max-record") or DEFAULT_MAX_RECORD,
            nonempty=section.flag("nonempty"),
            advice=section.word("advice"),
            xor_key_file=read_xor_key_file(section, self.diagnostics),
            preallocated=read_preallocated(section, tables, self.diagnostics),
            choices=read_options(section, self.root, self.diagnostics),
        )

    # Rows and columns ------------------------------------------------------------------------------------------------

    def _tables(self, meta: Section) -> tuple[Rows, ...]:
        if "tables" not in meta.keys:
            rows = self._rows(meta, meta) if "tables" not in meta.missing else None
            return () if rows is None else (rows,)
        for key in ROW_KEYS:
            if key in meta.keys:
                message = f"{shown(key)} is a key of each table: move it into 'tables'"
                self.diagnostics.error(meta.keys[key], message)
        found: list[Rows] = []
        sections: dict[str, Section] = {}
        inside = record_paths(meta)
        entries = list(meta.entries("tables"))
        for entry in entries:
            if isinstance(entry.key, Text) and isinstance(entry.value, Section):
                refuse_module_name("a table", entry.key, self.diagnostics)
                path = inside.get(entry.key.value)
                reader = self if path is None else self._of_records(path)
                rows = None if reader is None else reader._rows(entry.value, meta, entry.key.value, path)
                if rows is not None:
                    doc = entry.value.word("doc").strip()
                    found.append(replace(rows, name=entry.key.value, doc=doc, position=entry.key.position))
                    sections[entry.key.value] = entry.value
        if not entries and "tables" not in meta.missing:
            self.diagnostics.error(meta.position_of("tables"), "expected at least one table")
        return with_look_ups(found, sections, self.diagnostics)

    def _of_records(self, path: RecordPath) -> TableReader | None:
        """Return a reader for rows inside records; ``None`` if there is no type for these, which is reported."""
        root = path.top(self.root, self.structs)
        return None if root is None else TableReader(root, self.structs, self.world, self.diagnostics)

    def _rows(self, section: Section, meta: Section, table: str = "", inside: RecordPath | None = None) -> Rows | None:
        """Return the rows of one table. ``section``: the section with its keys; ``meta``: the section with those of all
        tables; ``inside``: the records that contain the rows."""
        if "rows" not in section and not section.missing.isdisjoint(("rows", "message")):
            return None
        if "rows" not in section:
            for key in (*ROW_KEYS[1:], "max-record", "options", "path"):
                if key in section:
                    self.diagnostics.error(section.keys[key], f"{shown(key)} requires the key 'rows'")
                    break
            return None
        paths = read_paths(section, self.root, self.structs, self.world, self.diagnostics, inside)
        if not paths:
            return None
        position, types, (first, *path) = paths[0].position, list(paths[0].types), paths[0].ids
        attribute = attribute_of(self.root, first)
        assert attribute is not None
        streaming = all(is_streaming(list(each.types), list(each.ids), self.structs) for each in paths)
        if not self._framing_fits(meta, attribute, streaming=streaming):
            return None
        if inside is not None:
            what = "a joined stream" if inside.is_stream else "joined records"
            check_records(types[0 if inside.is_stream else 2], self.structs, what, position, self.diagnostics)
        if not self._rows_are_whole(paths, attribute, position):
            return None
        if isinstance(attribute.repeat, RepeatEos) and attribute.framing is None and has_no_bytes(attribute, types[1]):
            symbol = self.world.at(types[1].path)
            if symbol is None or not (symbol.unknown_members or self.world.failing(types[1].path)):
                message = f"{shown(first)} is repeated to the end of the input, but its items have no bytes"
                self.diagnostics.error(position, message)
            return None
        before = [] if inside is None else [each.id for each in steps_of(inside.before)]
        units = read_units(section, paths, before, self.diagnostics)
        if streaming:
            types = types[1:]
        else:
            path = [first, *path]
        row = types[-1]
        # The enclosing objects differ between paths.
        enclosing = types[:-1] if len(paths) == 1 else []
        parents = self._parent_columns(section, attribute)
        inner = {*path}
        columns = self._columns(section, "columns", [*enclosing, row], inner, parents)
        of_rows = [frozenset(each.types[-1].columns) for each in paths]
        scalars = tuple(each for each in row.columns if all(each in others for others in of_rows))
        if "columns" not in section and "columns" not in section.missing:
            own = row.flat_columns if section.flag("flatten") else scalars
            columns = tuple(each for each in own if each not in parents)
        if "selectable" in section:
            selectable = self._columns(section, "selectable", [*enclosing, row], inner, (*parents, *columns))
        else:
            taken = {*columns, *parents}
            outer = (each for struct in reversed(enclosing) for each in struct.columns)
            selectable = tuple(dict.fromkeys(each for each in (*scalars, *outer) if each not in taken))
        self._check_kinds(section, paths, (*columns, *selectable))
        fragments = read_fragments(section, row, self.structs, self.diagnostics)
        stream = read_stream(section, row, self.diagnostics)
        decode = read_decode(section, row, self.root, self.diagnostics)
        key = "stream" if stream else "fragments"
        if inside is not None and key in section:
            message = f"{shown(key)} cannot be used for rows that are inside joined records"
            self.diagnostics.error(section.keys[key], message)
        where = section.expression("where")
        if fragments is not None and section.flag("distinct"):
            self.diagnostics.error(section.keys["distinct"], "'distinct' and 'fragments' cannot be used together")
        if fragments is not None and where is not None:
            self.diagnostics.error(where.position, "'where' and 'fragments' cannot be used together")
        evidence = section.expression("evidence")
        if evidence is not None and (path or not streaming):
            self.diagnostics.error(evidence.position, "'evidence' requires rows that are read one by one at the root")
        there = {*columns, *selectable, *parents}
        needed = stream or (() if fragments is None else fragments.columns)
        needed = (*needed, *filter(None, (*decode[:1], *decode[3:])))
        selectable = (*selectable, *(each for each in needed if each not in there))
        return Rows(
            attribute=attribute.id,
            types=tuple(each.path for each in types),
            columns=columns,
            selectable=selectable,
            parent_columns=parents,
            path=tuple(path),
            others=tuple(_other(each, streaming=streaming) for each in paths[1:]),
            text=" and ".join(each.text for each in paths),
            streaming=streaming,
            sized=streaming and has_sized_rows(self.root, attribute),
            block=block_size(self.root, attribute, self.structs.values()),
            units=units,
            fragments=fragments,
            stream=stream,
            decode=decode,
            where=condition_of(row, table, "where"),
            unsupported=condition_of(row, table, "unsupported"),
            evidence=condition_of(row, table, "evidence"),
            flatten=section.flag("flatten"),
            distinct=section.flag("distinct"),
            names_columns="columns" in section,
            names_selectable="selectable" in section,
            root=() if inside is None else self.root.path,
            inside="" if inside is None else inside.table,
        )

    def _check_kinds(self, section: Section, paths: list[TablePath], columns: tuple[str, ...]) -> None:
        """Report row types of further paths that lack columns of the first one, and conditions of such tables."""
        first = paths[0].types[-1]
        conditions = {key: found for key in CONDITIONS if (found := section.expression(key)) is not None}
        for path in paths[1:]:
            row = path.types[-1]
            if row is first:
                continue
            known = [each.id for each in row.members]
            for name in (each for each in columns if each not in known and not self.world.has_failed(row.path, each)):
                what, hint = "::".join(row.path), suggestion(name, known)
                message = f"{what} has no attribute or instance {shown(name)}, which is a column of the table{hint}"
                self.diagnostics.error(path.position, message)
            for key, condition in conditions.items():
                self.diagnostics.error(condition.position, f"'{key}' requires rows of one type, but these have several")

    def _rows_are_whole(self, paths: list[TablePath], rows: Attribute, position: Position) -> bool:
        """Return whether rows and their units begin at whole bytes, and report them otherwise: offsets are in bytes,
        and a stream with bits left has not ended."""
        if rows.framing is not None:
            return True
        for path in paths:
            for struct, each, item in zip(path.types, path.attributes, path.types[1:], strict=False):
                if each is None or each.repeat is None or not isinstance(each.size, OwnSize):
                    continue
                what = "rows" if item in (paths[0].types[1], path.types[-1]) else f"items of {shown(each.id)}"
                if ends_inside_a_byte(item.attributes, self.structs):
                    message = f"{what} must consist of whole bytes, but these end inside a byte"
                    left, last = 8 - min(end_of_byte(item.attributes, self.structs)), item.attributes[-1]
                    hint = f"add a bit field of the bits that are left of the last byte (type: b{left})"
                    self.diagnostics.error(last.position or position, message, hint=hint)
                    return False
                before = struct.attributes[: struct.attributes.index(each)] if each in struct.attributes else []
                if ends_inside_a_byte(before, self.structs) and begins_with_bits(item, self.structs):
                    message = f"{what} must consist of whole bytes, but these begin inside a byte"
                    self.diagnostics.error(position, message)
                    return False
        return True

    def _framing_fits(self, section: Section, rows: Attribute, *, streaming: bool) -> bool:
        """Return whether the framing is possible, and report it otherwise: delimited rows must fill the file, so that a
        reader can begin anywhere, and padding requires rows that are not read as a whole."""
        other = next((each for each in self.root.attributes if each.framing is not None and each is not rows), None)
        if other is not None and other.position is not None:
            self.diagnostics.error(other.position, f"'framing' is only allowed for the rows, {shown(rows.id)}")
            return False
        if rows.framing is not None and rows is not self.root.attributes[0]:
            first = self.root.attributes[0]
            position = first.position or section.position
            self.diagnostics.error(
                position, f"rows with 'framing' must fill the input, but {shown(first.id)} precedes them"
            )
            return False
        if rows.framing is not None and not streaming:
            later = self.root.attributes[1:]
            why = f"{shown(later[0].id)} follows them" if later else "these do not repeat up to the end"
            self.diagnostics.error(
                rows.position or section.position, f"rows with 'framing' must fill the input, but {why}"
            )
            return False
        if "options" in section and (rows.framing is not None or not streaming):
            what = "rows without 'framing'" if streaming else "rows that repeat up to the end of the input"
            self.diagnostics.error(section.keys["options"], f"'options' with padding require {what}")
            return False
        return True

    def _columns(
        self, section: Section, key: str, types: list[Struct], inner: set[str], taken: tuple[str, ...]
    ) -> tuple[str, ...]:
        """Return the names of columns. ``inner``: the enclosing attributes that contain the row, which are not
        columns."""
        found: list[str] = []
        row = types[-1]
        enclosing = (each for struct in types[:-1] for each in struct.members if each.id not in inner)
        known = {each.id: each for each in (*enclosing, *row.members) if not getattr(each, "anonymous", False)}
        looked_up, placed = look_up_names(section) if key == "columns" else set(), set[str]()
        for name in section.texts(key):
            if name.value in looked_up and name.value not in known:
                # Its place among the columns.
                self._fresh(name, tuple(placed))
                placed.add(name.value)
                continue
            member = known.get(name.value)
            if member is None and self.world.has_failed(row.path, name.value):
                continue
            if member is None:
                hint = suggestion(name.value, [*known, *self.world.failing(row.path)])
                if any(name.value == each.id for struct in types for each in struct.parameters):
                    hint = f"; it is a parameter: add a value instance of another name, '{{value: {name.value}}}'"
                elif name.value in self.root.columns:
                    hint = "; name attributes of the root in 'parent-columns'"
                what = "::".join(row.path) + (" with its enclosing objects" if types[1:] else "")
                message = f"{what} has no attribute or instance {shown(name.value)}{hint}"
                self.diagnostics.error(name.position, message)
            elif self._fresh(name, (*taken, *found), section.texts("parent-columns")):
                if isinstance(member, Instance) and member.attribute is not None:
                    self.diagnostics.error(
                        name.position, f"{shown(name.value)} is a parse instance (with 'pos') and cannot be a column"
                    )
                else:
                    found.append(name.value)
        return tuple(found)

    def _fresh(self, name: Text, taken: tuple[str, ...], parents: tuple[Text, ...] = ()) -> bool:
        if name.value in taken:
            is_parent = any(each.value == name.value for each in parents)
            hint = " in 'parent-columns': rename one attribute, which does not change the bytes" if is_parent else ""
            self.diagnostics.error(name.position, f"the column {shown(name.value)} already exists{hint}")
        return name.value not in taken

    def _parent_columns(self, section: Section, rows: Attribute) -> tuple[str, ...]:
        found: list[str] = []
        known = {each.id: each for each in self.root.members if each.id != rows.id}
        for name in section.texts("parent-columns"):
            member = known.get(name.value)
            if member is None and name.value != rows.id and self.world.has_failed(self.root.path, name.value):
                continue
            if member is None:
                hint = suggestion(name.value, known)
                message = f"the root has no attribute or instance {shown(name.value)} other than the rows{hint}"
                self.diagnostics.error(name.position, message)
            elif name.value not in self.root.columns:
                self.diagnostics.error(name.position, f"{shown(name.value)} is not a single value")
            elif self._fresh(name, tuple(found)):
                found.append(name.value)
        return tuple(found)
