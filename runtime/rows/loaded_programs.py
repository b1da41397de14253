"""Programs of formats as loaded by the engine, and the columns that are read with them."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Any, cast

import pyarrow as pa

from .. import engine
from ..base.errors import UnsupportedError
from ..format.description import Format
from ..format.program import ColumnProgram, Storage
from .maps_and_unions import has_maps_or_unions, map_paths_of, stored_type
from .nested_columns import least_size, nodes_of

if TYPE_CHECKING:
    from ..objects.structs import Struct


class ProjectedColumns:
    """Columns of a format to be read, by number."""

    def __init__(self, format: Format, program: ColumnProgram, numbers: tuple[int, ...]) -> None:
        self.labels = {number: each.labels for number, each in enumerate(format.columns)}
        kinds = [(each, format.schema.field(number).type) for number, each in enumerate(format.columns)]
        self.map_paths = {
            number: map_paths_of(each) for number, (each, kind) in enumerate(kinds) if has_maps_or_unions(kind)
        }
        self._unsigned = {number for number, each in enumerate(format.columns) if each.unsigned}
        every = {number: self._stored(number, format.schema.field(number)) for number in format.engine_columns}
        nodes = dict(zip(every, nodes_of(program, [each.type for each in every.values()]), strict=True))
        self.nodes = [nodes[number] for number in numbers]
        """For each of them, what the program fills."""
        self.is_nested = any(node.storage in (Storage.STRUCT, Storage.LIST) for node in self.nodes)
        """Whether some of them are more than one column of the program."""
        self.columns = [(number, node.number) for number, node in zip(numbers, self.nodes, strict=True)]
        """Their numbers in the format and in the program."""
        self.numbers = [each.number for node in self.nodes for each in node.all()]
        """Their columns in the program."""
        inside = set(self.numbers)
        self.flags = bytes(number in inside for number in range(len(program.columns)))
        """For each column of the program, whether it is one of them."""
        self.variable = [number for number in self.numbers if program.columns[number] is Storage.VARIABLE]
        fields = [format.schema.field(number) for number in numbers]
        self.schema = pa.schema([every[number] for number in numbers])
        self.kinds = dict(zip(numbers, (each.type for each in fields), strict=True))
        self.truths = {number for number in numbers if format.schema.field(number).type == pa.bool_()}
        self.is_plain = list(self.schema) == fields
        """Whether all are as the engine fills them."""

    def _stored(self, number: int, field: Any) -> Any:
        """Return the field as the engine stores it: numbers in place of labels, bytes of booleans and decimals."""
        if self.labels[number]:
            return field.with_type(pa.uint64() if number in self._unsigned else pa.int64())
        if pa.types.is_decimal(field.type):
            return field.with_type(pa.binary())
        if number in self.map_paths:
            return field.with_type(stored_type(field.type, self.map_paths[number]))
        return field.with_type(pa.uint8()) if field.type == pa.bool_() else field


class Loaded:
    """The program of a format as loaded by the engine, shared by all row readers of the format."""

    def __init__(self, format: Format, program: ColumnProgram) -> None:
        self.program = loaded_program(program)
        self.source = program
        # A unit may have more rows than its size divided by the minimum size of a row.
        self.least_size = 1 if program.has_rows else least_size(program)
        self.levels = max(program.levels, default=0)
        self._format = format
        self._projected: dict[tuple[int, ...], ProjectedColumns] = {}

    def knowing(self, root: Struct | None) -> Any:
        """Return the program for inputs that begin with ``root``, of which it knows values."""
        found = (value_before_rows(root, each.name) for each in self.source.known)
        values = [each.encode() if isinstance(each, str) else each or b"" for each in found]
        return loaded_program(self.source.knowing(values))

    def projected(self, numbers: tuple[int, ...]) -> ProjectedColumns:
        """Return the columns of these numbers."""
        found = self._projected.get(numbers)
        if found is None:
            found = self._projected[numbers] = ProjectedColumns(self._format, self.source, numbers)
        return found


def value_before_rows(root: Any, name: str) -> Any:
    """Return the value of a field of the root, by its name starting there; ``None`` if it, or an object that contains
    it, is absent."""
    for each in name.split("."):
        root = None if root is None else getattr(root, each)
    return root


def loaded_program(program: ColumnProgram) -> Any:
    """Return a program as the engine loads it. Raises ``UnsupportedError``."""
    try:
        return cast(Any, engine).Program(program.pack())
    except (ValueError, struct.error) as error:
        raise UnsupportedError(f"{error}; generate the package again, or set WIRELOOM_ENGINE=objects") from None


_programs: dict[int, Loaded] = {}
"""By the identity of their programs, of which there are as many as formats."""


def load(format: Format) -> Loaded:
    """Return the program of a format, which must have one. Raises ``UnsupportedError``."""
    program = format.program
    assert program is not None
    found = _programs.get(id(program))
    if found is None:
        found = _programs[id(program)] = Loaded(format, program)
    return found
