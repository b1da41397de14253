"""One kind of message of units: its rows and its columns."""

from __future__ import annotations

from wireloom.base.dataclass import dataclass, field

from ..expression.types import BytesType, Path, UserType
from ..spec.diagnostics import Diagnostics
from ..spec.syntax import Section, Text
from ..tree import Attribute, Instance, Struct
from ..tree.leaves import UnitColumn, UnitKind
from ..words import shown, suggestion
from .column_fit import TOO_LARGE, ColumnFit
from .symbols import World

Column = UnitColumn | str


@dataclass
class _Columns:
    """The columns found so far. ``rows``: the path of fields to the rows; ``made``: names of columns that are not a
    field of a message."""

    rows: tuple[str, ...]
    made: tuple[str, ...]
    names: list[str] = field(default_factory=list)


class KindReader:
    """Reads one kind of message. ``unit``: the type of the message."""

    def __init__(self, unit: Struct, structs: dict[Path, Struct], world: World, diagnostics: Diagnostics) -> None:
        self.unit = unit
        self.fit = ColumnFit(structs.get)
        self.structs = structs
        self.world = world
        self.diagnostics = diagnostics

    def read(self, section: Section, name: str) -> UnitKind | None:
        """Return the kind; ``None`` if it has no valid rows, which is reported."""
        path = section.text("rows")
        levels = self._levels(path) if path is not None else [self.unit]
        if levels is None:
            return None
        number = self._made(section, "row-number", levels)
        otherwise = section.section("otherwise")
        mark = self._made(otherwise, "mark", levels) if otherwise is not None else ""
        if number and number == mark:
            self.diagnostics.error(section.position_of("row-number"), f"the column {shown(number)} already exists")
        rows = tuple(path.value.split(".")) if path is not None else ()
        columns = _Columns(rows, tuple(each for each in (number, mark) if each))
        chosen = self._chosen(section, "columns", levels, columns)
        if "columns" not in section.keys:
            chosen = self._all(levels[-1], columns)
        others = self._chosen(section, "selectable", levels, columns)
        if "selectable" not in section.keys:
            others = self._all(levels[-1], columns)
        others += tuple(each for each in columns.made if each not in columns.names)
        return UnitKind(
            name=name,
            message=self.unit.path,
            rows=rows,
            row=levels[-1].path,
            columns=chosen,
            selectable=others,
            unit_columns=self._unit_columns(section),
            row_number=number,
            mark=mark,
            whole=self._whole(otherwise, levels[-1], (*chosen, *others)) if otherwise is not None else "",
        )

    # Rows ------------------------------------------------------------------------------------------------------------

    def _levels(self, path: Text) -> list[Struct] | None:
        """Return the types from the unit to the row."""
        levels = [self.unit]
        *_, last = names = path.value.split(".")
        offset = 0
        for name in names:
            here = levels[-1]
            attribute = here.attribute(name)
            position = path.scalar.place(offset, offset + len(name))
            offset += len(name) + 1
            if attribute is None:
                if not self._failed(here, name):
                    hint = suggestion(name, [each.id for each in here.attributes])
                    self.diagnostics.error(position, f"{_name(here)} has no field {shown(name)}{hint}")
                return None
            problem = ""
            if not isinstance(attribute.type, UserType):
                problem = "does not have a message type"
            elif attribute.message is not None and attribute.message.key is not None:
                problem = "is a map"
            elif name is last and attribute.repeat is None:
                problem = "is not repeated, so each unit would be one row: remove 'rows'"
            if problem or not isinstance(attribute.type, UserType):
                self.diagnostics.error(position, f"the rows cannot be {shown(path.value)}: {shown(name)} {problem}")
                return None
            levels.append(self.structs[attribute.type.path])
        return levels

    def _failed(self, struct: Struct, name: str) -> bool:
        """Return whether a member that the struct lacks was, or may have been, declared with an error that was
        reported.
        """
        symbol = self.world.at(struct.path)
        return symbol is not None and (symbol.unknown_members or name in symbol.members)

    # Columns ---------------------------------------------------------------------------------------------------------

    def _made(self, section: Section, key: str, levels: list[Struct]) -> str:
        """Return the name of a column that is not a field."""
        name = section.text(key)
        if name is None:
            return ""
        row = levels[-1]
        if row.attribute(name.value) or row.instance(name.value):
            message = f"{_name(row)} already has a field or instance {shown(name.value)}: '{key}' must be a new name"
            self.diagnostics.error(name.position, message)
        return name.value

    def _chosen(self, section: Section, key: str, levels: list[Struct], columns: _Columns) -> tuple[Column, ...]:
        found: list[Column] = []
        for name in section.texts(key):
            column = self._column(name, levels, columns)
            if column is None:
                continue
            if name.value in columns.names:
                self.diagnostics.error(name.position, f"the column {shown(name.value)} already exists")
                continue
            columns.names.append(name.value)
            found.append(column)
        return tuple(found)

    def _column(self, name: Text, levels: list[Struct], columns: _Columns) -> Column | None:
        if name.value in columns.made:
            return name.value
        for up, struct in enumerate(reversed(levels)):
            member = struct.attribute(name.value) or struct.instance(name.value)
            if member is not None:
                if up and name.value == columns.rows[-up]:
                    message = f"{shown(name.value)} contains the rows and cannot be one of their columns"
                    self.diagnostics.error(name.position, message)
                    return None
                if not self.fit.holds(member):
                    self.diagnostics.error(name.position, f"{shown(name.value)} cannot be a column: {TOO_LARGE}")
                    return None
                return UnitColumn(name.value, struct.path, up)
        if not any(self._failed(each, name.value) for each in levels):
            known = [each.id for struct in levels for each in _members(struct)]
            hint = suggestion(name.value, [*known, *columns.made])
            what = f"field or instance {shown(name.value)}{hint}"
            message = f"{_name(levels[-1])} has no {what}"
            if len(levels) > 1:
                message = f"neither {_name(levels[-1])} nor its enclosing messages have a {what}"
            self.diagnostics.error(name.position, message)
        return None

    def _all(self, row: Struct, columns: _Columns) -> tuple[Column, ...]:
        """Return the fields and instances of the row that can be columns and are not columns yet."""
        found = [each.id for each in _members(row) if each.id not in columns.names and self.fit.holds(each)]
        columns.names += found
        return tuple(UnitColumn(each, row.path) for each in found)

    def _unit_columns(self, section: Section) -> tuple[str, ...]:
        found: list[str] = []
        for name in section.texts("unit-columns"):
            attribute = self.unit.attribute(name.value)
            if attribute is None:
                if not self._failed(self.unit, name.value):
                    hint = suggestion(name.value, [each.id for each in self.unit.attributes])
                    message = f"{_name(self.unit)} has no field {shown(name.value)}{hint}"
                    self.diagnostics.error(name.position, message)
            elif name.value in found:
                self.diagnostics.error(name.position, f"the column {shown(name.value)} already exists")
            elif not self.fit.holds(attribute):
                self.diagnostics.error(name.position, f"{shown(name.value)} cannot be a column: {TOO_LARGE}")
            else:
                found.append(name.value)
        return tuple(found)

    def _whole(self, otherwise: Section, row: Struct, columns: tuple[Column, ...]) -> str:
        name = otherwise.text("whole")
        if name is None:
            return ""
        own = UnitColumn(name.value, row.path)
        attribute = row.attribute(name.value)
        is_bytes = attribute is not None and isinstance(attribute.type, BytesType) and attribute.repeat is None
        if own not in columns and attribute is None and self._failed(row, name.value):
            return ""
        if own not in columns:
            hint = suggestion(
                name.value, [each.name for each in columns if isinstance(each, UnitColumn) and not each.up]
            )
            self.diagnostics.error(
                name.position, f"'whole' must name a column of the row, found {shown(name.value)}{hint}"
            )
        elif not is_bytes:
            self.diagnostics.error(
                name.position, f"'whole' must name a field of type bytes, but {shown(name.value)} has another type"
            )
        return name.value


def _members(struct: Struct) -> tuple[Attribute | Instance, ...]:
    return (*struct.attributes, *struct.instances)


def _name(struct: Struct) -> str:
    return "::".join(struct.path)
