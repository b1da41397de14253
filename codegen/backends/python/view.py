"""The views that the templates render: final strings, in order."""

from __future__ import annotations

from wireloom.base.dataclass import dataclass

Lines = tuple[str, ...]
"""Statements, each as text."""


@dataclass(frozen=True)
class FieldView:
    """A declared field of a class; ``doc`` and ``default`` may be empty."""

    name: str
    annotation: str
    doc: str
    default: str = ""


@dataclass(frozen=True)
class MethodView:
    """A method or property: ``signature`` is the text after ``def``, without the colon. ``doc`` may be empty."""

    signature: str
    lines: Lines
    doc: str = ""
    decorators: tuple[str, ...] = ()


@dataclass(frozen=True)
class LabelView:
    """One label of an enum."""

    name: str
    value: str
    doc: str


@dataclass(frozen=True)
class EnumView:
    """An enum class."""

    name: str
    base: str
    doc: str
    labels: tuple[LabelView, ...]


@dataclass(frozen=True)
class ClassView:
    """A generated class: ``classes`` are nested ones, ``constants`` are assignments."""

    name: str
    base: str
    doc: str
    enums: tuple[EnumView, ...]
    classes: tuple[ClassView, ...]
    constants: tuple[str, ...]
    fields: tuple[FieldView, ...]
    methods: tuple[MethodView, ...]


@dataclass(frozen=True)
class ModuleView:
    """A module; ``imports``, ``constants`` (before the class of the root) and ``tables`` (after it) are complete
    statements.
    """

    doc: str
    imports: tuple[str, ...]
    constants: tuple[str, ...]
    root: ClassView
    tables: tuple[str, ...]
