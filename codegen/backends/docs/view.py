"""The view that the templates render: final strings and coordinates, in order. Lengths are in pixels."""

from __future__ import annotations

from wireloom.base.dataclass import dataclass


@dataclass(frozen=True)
class TextView:
    """A line of text that begins, ends or is centred at ``x`` (``anchor``); ``style`` is a CSS class of the picture."""

    x: int
    y: int
    style: str
    anchor: str
    text: str


@dataclass(frozen=True)
class BoxView:
    """A rectangle with a tooltip; ``style`` is a CSS class of the picture."""

    x: int
    y: int
    width: int
    height: int
    style: str
    tooltip: str


@dataclass(frozen=True)
class PictureView:
    """The byte layout; ``brackets`` are SVG paths."""

    width: int
    height: int
    title: str
    boxes: tuple[BoxView, ...]
    brackets: tuple[str, ...]
    texts: tuple[TextView, ...]


@dataclass(frozen=True)
class TableView:
    """A table of the page. ``head`` and each of ``rows``: cells, already joined by bars."""

    title: str
    doc: str
    head: str
    rule: str
    rows: tuple[str, ...]


@dataclass(frozen=True)
class ExampleView:
    """A piece of code and its description."""

    doc: str
    kind: str
    code: str


@dataclass(frozen=True)
class View:
    """The view that the templates render.

    - ``doc``: the first paragraph of the documentation; ``details``: all others.
    - ``first_examples``: a line each for a terminal, Python and Spark.
    - ``everywhere``: the columns of every table.
    - ``nanoseconds``: the columns with times that Spark rounds.
    """

    title: str
    doc: str
    first_examples: tuple[ExampleView, ...]
    facts: tuple[str, ...]
    details: str
    picture: PictureView
    layouts: tuple[TableView, ...]
    columns_heading: str
    tables: tuple[TableView, ...]
    columns: tuple[TableView, ...]
    everywhere: TableView
    nanoseconds: tuple[str, ...]
    options: tuple[TableView, ...]
    examples: tuple[ExampleView, ...]
    spark_examples: tuple[ExampleView, ...]
