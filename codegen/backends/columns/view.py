"""The view that the templates render: final strings, in order."""

from __future__ import annotations

from collections.abc import Mapping

from wireloom.base.dataclass import dataclass, field

from .lines import Listed


@dataclass(frozen=True)
class ColumnView:
    """One column: ``constructor`` constructs its Arrow type; ``arguments`` are those of ``Column``."""

    name: str
    constructor: str
    arguments: tuple[str, ...]


@dataclass(frozen=True)
class SharedView:
    """The steps of the programs of several tables. ``sets``: sets of tables and their names; ``steps``: each with the
    name of the set of the tables that have it."""

    sets: tuple[tuple[str, tuple[str, ...]], ...]
    steps: tuple[tuple[str, Listed], ...]


@dataclass(frozen=True)
class ProgramView:
    """The column program: its steps, and the further arguments of ``ColumnProgram``, as source code."""

    lines: tuple[Listed, ...]
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
class View:
    """The view that the templates render. ``program`` is ``None`` if the engine cannot run the rows, for the reason
    ``refusal``.

    ``arguments`` are those of ``wireloom.format.description.Format``; ``imports`` are the names that the modules import
    from the runtime.
    """

    doc: str
    summary: str
    columns: tuple[ColumnView, ...]
    program: ProgramView | None
    refusal: str
    imports: tuple[str, ...]
    package_imports: tuple[str, ...]
    arguments: tuple[str, ...]
    choices: tuple[str, ...]
    framed: bool
    levels: tuple[str, ...] = ()
    """The sources of the objects around rows."""
    message: MessageView | None = None
    """Set if the engine runs a message program; ``program`` is ``None`` then."""
    message_imports: tuple[str, ...] = ()
    """Import statements that message programs need."""
    table: str = ""
    parts: Mapping[str, View] = field(default_factory=dict)
    """The views of the other tables, by the names of their subpackages."""
    tables: tuple[View, ...] = ()
    """The views of all tables whose schemas and programs are in one module; empty if there is only one."""
    shared: SharedView | None = None
    """The steps of the column programs of ``tables``."""
