"""What a generated package says about its format: plain data, imported without pyarrow, pyspark or the engine."""

from __future__ import annotations

import importlib
import re
from dataclasses import dataclass, field
from functools import cached_property
from types import ModuleType
from typing import TYPE_CHECKING, Any

from .errors import WireloomError
from .program import PROGRAM_VERSION, ColumnProgram, Stuffing

if TYPE_CHECKING:
    import pyarrow

    from .parsing import Struct

MODEL_VERSION = 1
"""The version of generated code that this runtime runs; equal to the one that the generator stamps."""


@dataclass(frozen=True)
class Column:
    """One column of a format's table.

    ``type`` is Arrow's name of the type (``uint32``, ``binary``, ``timestamp[ms, UTC]``); ``attribute`` the field of
    the row object that holds the value, or of the root object where ``parent`` is set.
    """

    name: str
    type: str
    default: bool = True
    attribute: str = ""
    parent: bool = False
    doc: str = ""
    labels: tuple[tuple[int, str], ...] = ()
    """For a column of an enum's labels: its values and their labels."""
    derived: bool = False
    """Nobody needs to give this to a writer: a length, a count, a checksum, fixed contents, a computed value."""
    same_as: str = ""
    """For a value instance that only shows an attribute in another form (``ts`` of ``ts_millis``): that attribute,
    which is where a writer stores it."""


@dataclass(frozen=True)
class Choice:
    """A reader's option that says how many unused bytes follow each row; ``auto`` is decided by evidence."""

    name: str
    padding: tuple[tuple[str, int], ...]
    default: str
    doc: str = ""


@dataclass(frozen=True)
class Format:
    """A format that wireloom can read and write.

    ``module`` is the generated package; it has the submodules ``parser`` (objects), ``columns`` (``SCHEMA``: all
    columns in order, and ``PROGRAM``: a ``ColumnProgram`` or ``None``) and ``spark``.
    """

    name: str
    title: str
    module: str
    root: str
    """Name of the root class in ``parser``."""
    row: str
    """Qualified name of the row's class in ``parser``, such as ``EdgemqSegment.Frame``."""
    rows_attribute: str
    columns: tuple[Column, ...]
    spec_file: str
    spec_sha256: str
    model_version: int
    codec: str = "none"
    extensions: tuple[str, ...] = ()
    max_record: int = 64 * 1024 * 1024
    delimiter: bytes = b""
    """Non-empty: rows stand between delimiters and any byte range can be read by itself."""
    stuffing: Stuffing = Stuffing.NONE
    path_pattern: str | None = None
    choices: tuple[Choice, ...] = ()
    has_prologue: bool = False
    """The root has attributes before the rows."""
    streaming: bool = True
    """Rows repeat to the end of the input and can be read one by one; otherwise the root object is read as a whole."""
    engine_refusal: str | None = None
    """Why the engine cannot run the row type; ``None`` where it can."""
    doc: str = field(default="", repr=False)

    @property
    def splittable(self) -> bool:
        """Whether any byte range of an uncompressed file can be read by itself."""
        return bool(self.delimiter)

    @property
    def default_columns(self) -> tuple[str, ...]:
        """Names of the columns that a reader gets who does not choose."""
        return tuple(each.name for each in self.columns if each.default)

    @cached_property
    def path_columns(self) -> tuple[str, ...]:
        """The columns that come from the path."""
        return tuple(re.findall(r"\{(\w+)\}", self.path_pattern or ""))

    def _submodule(self, name: str) -> ModuleType:
        return importlib.import_module(f"{self.module}.{name}")

    @cached_property
    def program(self) -> ColumnProgram | None:
        """What the engine runs per row; ``None`` where it cannot (``engine_refusal`` says why)."""
        program: ColumnProgram | None = self._submodule("columns").PROGRAM
        if program is not None and program.version != PROGRAM_VERSION:
            raise WireloomError(
                f"the column program of format {self.name!r} has version {program.version}, and this wireloom runs"
                f" version {PROGRAM_VERSION}: run 'wireloom generate' with this wireloom"
            )
        return program

    @cached_property
    def schema(self) -> pyarrow.Schema:
        """All columns of the wire, default and selectable, in order."""
        return self._submodule("columns").SCHEMA

    @cached_property
    def root_class(self) -> type[Struct]:
        """The generated class of the whole input."""
        found: type[Struct] = getattr(self._submodule("parser"), self.root)
        return found

    @cached_property
    def row_class(self) -> type[Struct]:
        """The generated class of a row."""
        found: Any = self._submodule("parser")
        for part in self.row.split("."):
            found = getattr(found, part)
        result: type[Struct] = found
        return result

    def _repr_html_(self) -> str:
        """What a notebook shows."""
        from .display import html_of_format

        return html_of_format(self)
