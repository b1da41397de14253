"""The description of a format in a generated package: plain data that needs neither pyarrow, pyspark nor the engine."""

from __future__ import annotations

import importlib
import re
import sys
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from ..base.cached import cached_property
from ..base.dataclass import dataclass, field, fields
from ..base.errors import UnknownNameError, WireloomError
from ..base.late import late
from ..base.text import nearest
from .choices import Choice, class_with, program_with, variant
from .columns import Column, LookUp, PlainRow, RowChecksum, only_read, written_as_objects
from .fragments import Fragments
from .message_program import MESSAGE_PROGRAM_VERSION, MessageProgram, MessageUnits
from .program import PROGRAM_VERSION, ColumnProgram
from .stuffings import Stuffing

if TYPE_CHECKING:
    import pyarrow

__all__ = [
    "MODEL_VERSION",
    "Choice",
    "Column",
    "Format",
    "Fragments",
    "Level",
    "LookUp",
    "MessageUnits",
    "PlainRow",
    "RowChecksum",
]

MODEL_VERSION = 2
"""The version of generated code. It is increased whenever code that was generated before no longer runs."""


@dataclass(frozen=True)
class Level:
    """An object that contains rows, as a writer creates it. ``type``: the qualified name of its class, as in
    ``Format.row``; ``attribute``: the field that leads to the rows."""

    type: str
    attribute: str
    repeated: bool = False
    most: int = 0
    """The maximum number of items of the field, by the width of their count; 0: unlimited."""
    until: bool = False
    """Whether an item ends the field: the method ``_ends_ATTRIBUTE`` of the class tests an item for it."""
    begins: bool = False
    ends: bool = False
    """Whether there are items before those with rows, which the method ``_begins_ATTRIBUTE`` of the class creates, or
    (``ends``) after them: ``_after_ATTRIBUTE``."""
    notes: int = 0
    """The number of parts of the items after those with rows that refer to the latter: ``_note_ATTRIBUTE`` creates
    them, item by item."""
    indexer: str = ""
    """The place of a class that creates items after those with rows, see ``wireloom.writing.indexing``; or empty."""
    tags: tuple[tuple[str, int], ...] = ()
    """The field by which a switch chooses the type that leads to the rows, and the value that chooses it."""


@dataclass(frozen=True)
class Format:
    """A format that wireloom can read and write.

    ``module`` is the generated package; it has the submodules ``parser`` (objects), ``columns`` (``SCHEMA``: all
    columns in order, and ``PROGRAM``: a ``ColumnProgram`` or ``None``; or ``TABLES``: both by table) and ``spark``.
    """

    name: str
    title: str
    module: str
    root: str
    """The name of the root class in ``parser``."""
    row: str
    """The qualified name of the row's class in ``parser``, such as ``EdgemqSegment.Frame``; for a class of an imported
    spec with its module, relative to the package: ``..s2_messages.parser:S2Messages.ReadBatch``."""
    rows_attribute: str
    """The root's attribute at the beginning of the path to the rows. Empty for messages and for specs without rows."""
    columns: tuple[Column, ...]
    spec_file: str
    spec_sha256: str
    model_version: int
    codec: str = "none"
    extensions: tuple[str, ...] = ()
    max_record: int = 64 * 1024 * 1024
    delimiter: bytes = b""
    """The delimiter between rows. If it is not empty, any byte range can be read independently."""
    stuffing: Stuffing = Stuffing.NONE
    path_pattern: str | None = None
    choices: tuple[Choice, ...] = ()
    has_prologue: bool = False
    """Whether the root has attributes before the rows."""
    head: bytes = b""
    """Their bytes, if these are the same in all inputs and the root has nothing else."""
    ahead: tuple[str, ...] = ()
    """Instances of the root at explicit positions, in units or before them."""
    option: str = ""
    """The reader's option that chooses one of several tables: ``table``, or that for the kind of message. The
    ``FORMAT`` of the package is the default table; those of the others are in subpackages with their names."""
    table: str = ""  # the name of this table
    tables: tuple[str, ...] = ()  # the names of all tables, if there is an option
    unit: str = ""
    """The qualified name of the class of a unit, as in ``row``; empty if units are the rows."""
    rows_path: tuple[str, ...] = ()
    """The attributes that lead from a unit to its rows; the first one is ``rows_attribute`` if the root is the unit."""
    levels: tuple[Level, ...] = ()
    """The objects around a row, from the outermost one down; empty if a file consists of rows alone."""
    unfilled: tuple[str, ...] = ()
    """Attributes of the row and of the objects around it that no column contains and that a writer cannot fill in."""
    settable: tuple[tuple[str, str, int], ...] = ()
    """Columns that only tables to be written may have: attributes around rows, Arrow's names of their types, and their
    numbers of levels above the row."""
    row_paths: tuple[tuple[int, ...], ...] = ()
    """For each path from a unit to its rows, the numbers of its steps in the generated code of all tables."""
    where: str = ""
    """The property of a row's object that says whether the row is in the table; empty: all rows are."""
    unsupported: str = ""
    """The property of a row's object that says whether it contains rows of the table that cannot be read; empty: none
    does."""
    evidence: str = ""
    """The property of a row's object that is true unless the row may be other bytes that are taken for one by chance: a
    search after damage does not end at such a row. Empty: all rows are evidence."""
    distinct: bool = False  # rows that equal an earlier one in all default columns, apart from look-ups, are left out
    units: tuple[tuple[str, ...], ...] = ()
    """For each of these steps: ``plain`` or ``sums`` if the items of its field are units inside the outermost one,
    without and with a checksum; ``row`` for the last step if a row begins with its unit. Empty if there are none."""
    positions: bool = False  # a path to the rows leads through instances at explicit positions
    positional: bool = False
    """Whether a value instance of a row depends on the stream's position: columns have its value at the row's end."""
    running_checksums: bool = False  # checksums of units continue those of the previous units
    variables: tuple[str, ...] = ()  # the properties of the root's variables, which units set for later ones
    fixed: tuple[str, ...] = ()  # those of them that no unit sets, only an option
    given: tuple[tuple[str, int], ...] = ()  # what options have set variables to, before the first unit
    base: Format | None = field(default=None, repr=False)  # the format without ``given``
    sums_units: bool = False  # parts of a unit other than its rows have a checksum
    fills_input: bool = False
    """For inputs read as a whole: whether the root's attributes must cover all bytes, so that others are damage."""
    streaming: bool = True
    """Whether units repeat to the end of the input and can be read one by one; otherwise the root is the only unit."""
    sized_rows: int = 0
    """The size in bytes of each row's own stream, if that does not depend on its content, so that the root object reads
    it; -1 if it is not the same for all inputs, 0 if there is none."""
    block: int = 0
    """The size in bytes of the blocks of the input, which are read one by one (the last may be shorter); 0: none."""
    marker: str = ""
    """The marker of units: a field of the object before them. Empty: there is none, or it is ``marker_bytes``."""
    marker_bytes: bytes = b""
    """The marker, if it is the same in all inputs."""
    marker_lead: int = -1
    """The number of bytes of a unit before its marker, which some units may lack; -1: each unit ends with it."""
    fixed_rows: bool = False
    """Whether all rows have the same size, so that the position of a row does not depend on the previous one."""
    plain: PlainRow | None = None  # how rows are written without their class, if they can be
    preallocated: tuple[int, int] | None = None  # zeros after the last record are not damage: sizes of sector, header
    xor_key_file: str = ""  # the file beside inputs with the key that their bytes are combined with
    nonempty: bool = False  # an input without bytes is truncated
    advice: str = ""  # about inputs that are not in the format
    searched: bool = False  # with recover, the start of a byte range is found by searching for a unit
    own_magic: bytes = b""  # the bytes at the beginning of inputs, if those of a codec are alike
    fragments: Fragments | None = None  # set if rows are assembled from several rows on the wire
    inside: str = ""
    """The table of the records that contain the rows, each with its size before it, or of their stream's containers."""
    stream: tuple[str, ...] = ()  # the column of bytes that, joined, contain rows, and that of whether one begins there
    decode: tuple[str, ...] = ()
    """The column of bytes with a schema, its decoder, the root's schema, and the column of counts."""
    unwritable: str = ""  # why objects on the way to the rows cannot be written, if they cannot
    message: MessageUnits | None = None  # set if the input consists of messages
    parser: str = ""  # the module of the classes, if it is not ``parser`` of ``module``
    engine_refusal: str | None = late(None)  # why the engine cannot run the row type, if it cannot
    doc: str = field(default="", repr=False)

    def __repr__(self) -> str:
        return f"<Format {self.name!r} of {self.spec_file}: {', '.join(self.default_columns)}>"

    @property
    def read_only(self) -> str:
        """Return the reason why tables of the format cannot be written; empty if they can."""
        found = written_as_objects(
            self.name,
            self.root,
            pieces=self.fragments is not None and not self.fragments.block,
            positions=self.positions,
            inside=self.inside,
            ahead=bool(self.ahead),
            decoded=bool(self.decode),
        )
        return found or self.unwritable or (only_read(self.name, self.root, self.unfilled) if self.unfilled else "")

    @property
    def is_plain(self) -> bool:
        """Return whether the spec declares no rows, so that an input is read as one object."""
        return not self.rows_attribute and self.message is None

    @property
    def stateful(self) -> bool:
        """Return whether units set variables for later ones."""
        return len(self.variables) > len(self.fixed)

    @property
    def splittable(self) -> bool:
        """Return whether any byte range of an uncompressed file can be read independently, apart from look-ups."""
        if self.in_pieces:
            return self.input_format.block > 0 and not self.in_stream
        return bool(self.block or self.delimiter or self.has_marker)

    @property
    def has_marker(self) -> bool:
        """Return whether units have markers, by which they are found."""
        return bool(self.marker or self.marker_bytes)

    def marker_in(self, root: Any) -> bytes:
        """Return the marker of an input. ``root``: the object before its units, if there is one."""
        found: bytes = attrgetter(self.marker)(root) if self.marker else self.marker_bytes
        return found

    @property
    def input_format(self) -> Format:
        """Return the format of the bytes in inputs: the table of the records that contain the rows, or this format."""
        return self.of_table(self.inside) if self.inside else self

    @property
    def in_stream(self) -> bool:
        """Return whether rows are in a stream that is cut into containers."""
        return bool(self.input_format.stream and self.inside)

    @property
    def in_pieces(self) -> bool:
        """Return whether rows are assembled from several rows on the wire, or are inside such records."""
        return self.fragments is not None or bool(self.inside)

    @cached_property
    def has_lengths(self) -> bool:
        """Return whether the beginning of a row depends on the content of the previous one."""
        return not (self.delimiter or self.sized_rows or self.fixed_rows)

    @property
    def stands_alone(self) -> bool:
        """Return whether a file consists of rows alone, each of which can be written on its own."""
        return not self.levels

    @cached_property
    def default_columns(self) -> tuple[str, ...]:
        """Return the names of the default columns."""
        return tuple(each.name for each in self.columns if each.default)

    @cached_property
    def engine_columns(self) -> tuple[int, ...]:
        """Return the numbers of the columns that the engine's program fills, in order."""
        others = self.refused_columns | self.looked_up_columns
        return tuple(number for number in range(len(self.columns)) if number not in others)

    @cached_property
    def refused_columns(self) -> frozenset[int]:
        """Return the numbers of the columns that the engine cannot read."""
        return frozenset(number for number, each in enumerate(self.columns) if each.engine_refusal)

    @cached_property
    def looked_up_columns(self) -> frozenset[int]:
        """Return the numbers of the columns whose values are looked up in other tables."""
        return frozenset(number for number, each in enumerate(self.columns) if each.looked_up)

    @cached_property
    def column_numbers(self) -> dict[str, int]:
        """Return the number of each column by its name."""
        return {each.name: number for number, each in enumerate(self.columns)}

    @property
    def looks_up(self) -> bool:
        """Return whether a column depends on earlier rows, so that inputs are read from their first byte on."""
        return self.distinct or bool(self.looked_up_columns)

    @cached_property
    def path_columns(self) -> tuple[str, ...]:
        """Return the columns that come from the path."""
        return tuple(re.findall(r"\{(\w+)\}", self.path_pattern or ""))

    @property
    def columns_module(self) -> str:
        """Return the module with the schemas and programs of all tables of the spec."""
        return f"{self.package}.columns"

    @cached_property
    def _lowered(self) -> tuple[pyarrow.Schema, Any]:
        """Return the schema and the program of the table."""
        module = importlib.import_module(self.columns_module)
        return module.TABLES[self.table] if self.tables else (module.SCHEMA, module.PROGRAM)

    @property
    def package(self) -> str:
        """Return the package of the spec, which contains those of all tables but the default one."""
        return self.parser.rpartition(".")[0] if self.parser else self.module

    def of_table(self, table: str) -> Format:
        """Return another table of the same spec. Raises ``UnknownNameError``, which lists the tables."""
        if table not in self.tables:
            near = nearest(table, self.tables)
            hint = "" if near is None else f"did you mean {near!r}? "
            names = f"it has {', '.join(self.tables)}" if self.tables else "it has one table, without a name"
            raise UnknownNameError(f"unknown {self.option or 'table'} {table!r} of {self.name}: {hint}{names}")
        if table == self.table:
            return self
        if self.base is not None:
            return variant(self.base.of_table(table), self.given)
        found: Format = importlib.import_module(self.package).FORMAT
        return found if found.table == table else importlib.import_module(f"{self.package}.{table}").FORMAT

    @cached_property
    def message_program(self) -> MessageProgram | None:
        """Return the engine's program for units; ``None`` if the engine cannot read them or there are no messages."""
        return self._program(MESSAGE_PROGRAM_VERSION) if self.message is not None else None

    @cached_property
    def message_class(self) -> type[Any]:
        """Return the generated class of a unit's message."""
        return self.class_of(self.message.message if self.message is not None else self.row)

    def class_of(self, name: str) -> type[Any]:
        """Return a generated class by its qualified name, as in ``row``."""
        # A class of another spec has its module before a colon, relative to this one's package.
        module, _, name = name.rpartition(":")
        found: Any = importlib.import_module(module or self.parser or ".parser", self.package)
        for part in name.split("."):
            found = getattr(found, part)
        result: type[Any] = found
        return result

    @cached_property
    def program(self) -> ColumnProgram | None:
        """Return the engine's program for a unit; ``None`` if there is none, for the reason ``engine_refusal``."""
        if self.message is not None or self.engine_refusal is not None:
            return None
        return program_with(self._program(PROGRAM_VERSION), self.variables, self.given)

    def _program(self, version: int) -> Any:
        program = self._lowered[1]
        if program is not None and program.version != version:
            versions = f"has version {program.version}, and this wireloom supports version {version}"
            raise WireloomError(f"the program of format {self.name!r} {versions}: run 'wireloom generate' with it")
        return program

    @cached_property
    def schema(self) -> pyarrow.Schema:
        """Return all columns of the wire, default and selectable, in order."""
        return self._lowered[0]

    @cached_property
    def root_class(self) -> type[Any]:
        """Return the generated class of the whole input."""
        return class_with(self.class_of(self.root), self.given)

    @cached_property
    def row_class(self) -> type[Any]:
        """Return the generated class of a row."""
        return self.class_of(self.row)

    @cached_property
    def unit_class(self) -> type[Any]:
        """Return the generated class of a unit: that of a row, or of an object that contains rows."""
        return self.class_of(self.unit or self.row)

    def __reduce__(self) -> tuple[Any, ...]:
        # By the name of the package, so that all tasks of a process of Spark use one object and what it has cached.
        if self.base is not None:
            return variant, (self.base, self.given)
        if getattr(sys.modules.get(self.module), "FORMAT", None) is self:
            return _packaged, (self.module,)
        return type(self), tuple(getattr(self, each.name) for each in fields(self))

    def _repr_html_(self) -> str:
        """Return the HTML representation for notebooks."""
        # Imported here: only notebooks need it.
        from .notebook import html_of

        options = ((each.name, each.names, each.doc) for each in self.choices)
        return html_of((self.name, self.title), self.columns, self.path_columns, options)


def _packaged(module: str) -> Format:
    found: Format = importlib.import_module(module).FORMAT
    return found
