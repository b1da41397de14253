"""The view that the templates render: final strings, in order."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class ColumnView:
    """One column: ``constructor`` constructs its Arrow type; ``arguments`` are those of ``Column``."""

    name: str
    constructor: str
    arguments: tuple[str, ...]


@dataclass(frozen=True)
class StepView:
    """One step and its comment."""

    source: str
    comment: str


@dataclass(frozen=True)
class ProgramView:
    """The column program: its steps, and the further arguments of ``ColumnProgram``, as source code."""

    steps: tuple[StepView, ...]
    arguments: tuple[str, ...]


@dataclass(frozen=True)
class FunctionView:
    """A computed column: its name, and its function, which returns ``result``."""

    column: str
    name: str
    parameters: str
    result: str


@dataclass(frozen=True)
class MessageView:
    """The message program: its import statements, the message types, for each column the source and the name, the
    further arguments of ``MessageProgram``, and the functions of computed columns."""

    imports: tuple[str, ...]
    types: tuple[str, ...]
    sources: tuple[tuple[str, str], ...]
    arguments: tuple[str, ...]
    functions: tuple[FunctionView, ...]


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
