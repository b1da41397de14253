"""The view that the modules are rendered from: final strings, in order."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from wireloom.base.cached import cached_property
from wireloom.base.dataclass import dataclass, field

from .program_view import ProgramView, SharedView


@dataclass(frozen=True)
class ColumnView:
    """One column: ``constructor`` constructs its Arrow type; ``arguments`` are those of ``Column``."""

    name: str
    constructor: str
    arguments: tuple[str, ...]


@dataclass(frozen=True)
class SourceView:
    """The source of a column of messages: its name and its source code. ``program``: of a computed column, of which the
    source code is that of the inputs."""

    name: str
    source: str
    program: ProgramView | None = None


@dataclass(frozen=True)
class MessageView:
    """The message program: the message types, the sources of the columns, and the further arguments of
    ``MessageProgram``."""

    types: tuple[str, ...]
    sources: tuple[SourceView, ...]
    arguments: tuple[str, ...]


@dataclass(frozen=True)
class TableView:
    """One table. ``program`` is ``None`` if the engine cannot run the rows, for the reason ``engine_refusal``, of which
    ``refusal`` is the sentence in the module, or runs the message program ``message``. ``column_refusals``: why the
    engine omits columns.

    ``arguments`` are those of ``wireloom.format.description.Format``; ``package_imports``: the names that the package
    of the table imports from there; ``framed``: whether it also imports ``Stuffing``; ``levels``: the sources of the
    objects around rows.
    """

    doc: str
    columns: tuple[ColumnView, ...]
    program: ProgramView | None
    refusal: str
    package_imports: tuple[str, ...]
    arguments: tuple[str, ...]
    choices: tuple[str, ...] = ()
    framed: bool = False
    levels: tuple[str, ...] = ()
    message: MessageView | None = None
    table: str = ""
    engine_refusal: str | None = None
    column_refusals: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class ModuleView:
    """The module with the schemas and programs of all tables. ``imports``: what it imports from
    ``wireloom.format.program``; ``message_imports``: the import statements that message programs need; ``shared``: the
    steps of column programs; ``single``: whether the spec has one table, without a name."""

    summary: str
    imports: tuple[str, ...]
    message_imports: tuple[str, ...]
    tables: tuple[TableView, ...]
    shared: SharedView | None = None
    single: bool = False


@dataclass(frozen=True)
class View:
    """The view of a spec. Programs are compiled when their module is rendered: this takes longer than all else, and a
    loaded spec may be read without some of its tables.

    ``tables``: their names; the first one is read unless another is chosen. ``describe``: returns a table without its
    program, as if the engine could run all of it. ``lower``: returns the module with all tables. ``lower_table``:
    returns one with a single table.
    """

    tables: tuple[str, ...]
    describe: Callable[[str], TableView]
    lower: Callable[[], ModuleView]
    lower_table: Callable[[str], ModuleView]

    @property
    def parts(self) -> tuple[str, ...]:
        """Return the names of all tables but the default one."""
        return self.tables[1:]

    @cached_property
    def module(self) -> ModuleView:
        """Return the module with all tables."""
        return self.lower()

    def table(self, part: str) -> TableView:
        """Return one of ``parts``, or the default table for an empty name."""
        return self.module.tables[self.tables.index(part or self.tables[0])]
