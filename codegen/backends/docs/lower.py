"""The view that the templates render: the page's tables and examples, and the picture."""

from __future__ import annotations

import re

from wireloom.format.columns import READER_COLUMNS

from ...expression.types import UserType
from ...passes.descriptions import condition, covered, field_type, qualified, repetition, size_of
from ...tree import Rows, Spec, Struct
from ...tree.leaves import UnitKind
from ..columns.lower import marker_of
from ..columns.message_table import MessageColumn, message_columns
from ..columns.table import TableColumn, table_columns
from ..escaping import markdown, markdown_code
from ..spark.lower import spark_type
from .examples import examples, first_examples, spark_examples
from .picture import kind_of, picture, sentence, shown_structs, table, wire_type
from .view import TableView, View

Columns = tuple[TableColumn, ...] | tuple[MessageColumn, ...]

COLUMNS = ("column", "by default", "Arrow", "Spark", "meaning")


def lower(spec: Spec) -> View | None:
    """Return the view of a spec; ``None`` for one without rows. Raises ``SpecError`` if a column has no Arrow
    type."""
    tables: list[tuple[str, Columns]]
    if spec.units is not None:
        tables = [(_kind_title(spec, each), message_columns(spec, each)) for each in spec.units.kinds]
    elif spec.rows is not None:
        tables = [(_table_title(spec, each), table_columns(spec, each)) for each in spec.tables]
    else:
        return None
    doc, _, details = spec.doc.strip().partition("\n\n")
    return View(
        title=markdown(" ".join(spec.title.split())),
        doc=markdown(doc),
        first_examples=first_examples(spec),
        facts=_facts(spec),
        details=markdown(details.strip()),
        picture=picture(spec),
        layouts=tuple(_layout(spec, each) for each in shown_structs(spec)),
        columns_heading="Tables and columns" if _tables(spec) else "Columns",
        tables=_tables(spec),
        columns=tuple(_columns(spec, title, columns) for title, columns in tables),
        everywhere=table(
            "",
            (COLUMNS[0], *COLUMNS[2:]),
            ((f"`{name}`", f"`{arrow}`", f"`{sql}`", doc) for name, arrow, sql, doc in READER_COLUMNS),
        ),
        nanoseconds=tuple(
            dict.fromkeys(
                markdown_code(each.name) for _, columns in tables for each in columns if "[ns" in each.type.name
            )
        ),
        options=_options(spec),
        examples=examples(spec),
        spark_examples=spark_examples(spec),
    )


def _facts(spec: Spec) -> tuple[str, ...]:
    found = [f"Format: `{spec.name}`"]
    if spec.file_extensions:
        found.append(f"File names end in: {', '.join(markdown_code(f'.{each}') for each in spec.file_extensions)}")
    if spec.codec != "none":
        found.append(f"Compression: {spec.codec} when written; readers look at the content")
    if spec.path_pattern is not None:
        found.append(f"Path: {markdown_code(spec.path_pattern)}, whose parts are columns")
    found.append(f"Largest record: {spec.max_record:,} bytes, unless the option for it says otherwise")
    if spec.preallocated is not None:
        found.append("Zeros after the last record are not damage: files are preallocated")
    found.append(_split_points(spec))
    return (*found, *(f"See also: {markdown(' '.join(each.split()))}" for each in spec.doc_ref))


def _split_points(spec: Spec) -> str:
    """Return the sentence about where large files are divided among Spark's tasks."""
    if any(each.framing is not None for each in spec.root.attributes):
        return "Self-synchronising: any byte range can be read independently, and `recover` finds the next record"
    blocks = max((each.block for each in spec.tables), default=0)
    if blocks:
        start = f"Blocks of {blocks:,} bytes: large"
    elif any(marker_of(spec, each) for each in spec.tables):
        start = "Markers: large"
    elif spec.searched:
        start = "With `recover`, large"
    else:
        return "No split points: Spark reads each file in one task"
    names = sorted({each.name for table in spec.tables for each in table.look_ups})
    looked_up = ", ".join(map(markdown_code, names))
    unless = f", unless a looked-up column is selected: {looked_up}" if names else ""
    return f"{start} files that are not compressed are read in byte ranges{unless}"


def _kind_title(spec: Spec, kind: UnitKind) -> str:
    if spec.units is None or not kind.name:
        return ""
    default = ", the default" if kind.name == spec.units.default else ""
    return f"`{spec.units.option}={kind.name}`{default}"


def _table_title(spec: Spec, rows: Rows) -> str:
    default = ", the default" if rows is spec.tables[0] else ""
    return f"`table={rows.name}`{default}" if rows.name else ""


def _columns(spec: Spec, title: str, columns: Columns) -> TableView:
    rows = [
        (
            markdown_code(each.name),
            "yes" if each.default else "",
            markdown_code(each.type.name),
            markdown_code(spark_type(each.type).sql),
            _doc(each),
        )
        for each in columns
    ]
    for name in re.findall(r"\{(\w+)\}", spec.path_pattern or ""):
        rows.append((f"`{name}`", "", "`utf8`", "`string`", "From the path."))
    return table(title, COLUMNS, rows)


def _doc(column: TableColumn | MessageColumn) -> str:
    return markdown(sentence(column.doc if isinstance(column, MessageColumn) else column.field.doc))


def _layout(spec: Spec, struct: Struct) -> TableView:
    doc = markdown(sentence(struct.doc)) if struct is not spec.root else ""
    name = qualified(struct.path, spec.name)
    if struct.message is not None:
        rows = [
            (
                str(each.message.number),
                str(wire_type(each)[0]),
                f"`{each.id}`",
                markdown(kind_of(each, spec.name)),
                markdown(sentence(each.doc)),
            )
            for each in struct.attributes
            if each.message is not None
        ]
        return table(f"`{name}`, a message", ("number", "wire type", "field", "type", "meaning"), rows, doc)
    checksums = {each.attribute.id: covered(each) for each in struct.checksums}
    fields = [
        (
            f"`{each.id}`",
            markdown(" ".join(filter(None, (size_of(each), repetition(each))))),
            markdown(field_type(each, spec.name)),
            markdown(_sentences(sentence(each.doc), checksums.get(each.id, ""), condition(each))),
        )
        for each in struct.attributes
    ]
    return table(f"`{name}`", ("field", "bytes", "type", "meaning"), fields, doc)


def _sentences(*parts: str) -> str:
    """Return the parts that are not empty as sentences: capitalised and with a full stop.

    >>> _sentences("The content.", "", "if is_open")
    'The content. If is_open.'
    """
    return " ".join(f"{each[0].upper()}{each[1:].rstrip('.')}." for each in parts if each)


def _tables(spec: Spec) -> tuple[TableView, ...]:
    """Return a list of the tables of a format that has several."""
    if spec.rows is None or not spec.rows.name:
        return ()
    rows = [
        (f"`{each.name}`{'' if number else ' (default)'}", markdown(sentence(each.doc or f"Rows: {each.text}")))
        for number, each in enumerate(spec.tables)
    ]
    return (table("", ("table", "meaning"), rows, "The option `table` says which table is read."),)


def _options(spec: Spec) -> tuple[TableView, ...]:
    found = []
    head = ("value", "meaning")
    for choice in spec.choices:
        rows = [(f"`{name}`", f"{size} unused bytes follow each row") for name, size in choice.padding]
        rows += [(f"`{name}`", hex(number)) for name, number in choice.values]
        if choice.variable:
            rows += [("an integer", "in decimal or hexadecimal digits"), (f"`{choice.default}`", "that of the spec")]
        elif choice.default not in dict(choice.padding):
            rows.append((f"`{choice.default}`", "detected from the first rows"))
        rows = [(f"{name} (default)" if name == f"`{choice.default}`" else name, text) for name, text in rows]
        found.append(table(f"`{choice.name}`", head, rows, markdown(choice.doc)))
    if spec.units is not None and spec.units.option:
        rows = [
            (
                f"`{each.name}`{' (default)' if each.name == spec.units.default else ''}",
                markdown(sentence(_holder(spec, each).doc)),
            )
            for each in spec.units.kinds
        ]
        found.append(table(f"`{spec.units.option}`", head, rows, "The kind of message in the input."))
    return tuple(found)


def _holder(spec: Spec, kind: UnitKind) -> Struct:
    """Return the type that contains the rows of a kind of messages."""
    found = spec.struct(kind.message)
    for name in kind.rows[:-1]:
        attribute = found.attribute(name)
        assert attribute is not None
        assert isinstance(attribute.type, UserType)
        found = spec.struct(attribute.type.path)
    return found
