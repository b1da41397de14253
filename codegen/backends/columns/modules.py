"""The text of the generated modules: the description of a format, and the schemas and programs of its tables. Like a
template it only inserts what the view contains."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ..base import indented
from ..escaping import python_comment, python_docstring, python_text
from ..shared_expressions import shared_expressions
from .instructions import ListedStep
from .program_view import ProgramView, SharedView
from .view import MessageView, ModuleView, TableView, View

DOC_OF_STEPS = '''\
"""The steps of the programs, each with the tables that have it. A step that leads to another one has the number of that
one in this list, from 0: ``steps_of`` numbers those of a table."""'''

DOC_OF_TABLES = '''\
"""By table: all its columns, default and selectable ones, in the order of ``Format.columns``, and its program; ``None``
where the engine cannot run the rows, for the reason ``Format.engine_refusal``."""'''

DOC_OF_SCHEMA = '"""All columns, default and selectable ones, in the order of ``FORMAT.columns``."""'


def package_text(view: View, part: str, header: str) -> str:
    """Return the text of the package of a table."""
    return _package(view.table(part), header)


def loaded_package_text(view: View, part: str, header: str) -> str:
    """Return the same for a spec that is loaded: what the engine refuses is in the module of the table's columns."""
    return _package(view.describe(part or view.tables[0]), header)


def _package(table: TableView, header: str) -> str:
    lines = [
        header,
        python_docstring(table.doc),
        "",
        f"from wireloom.format.description import {', '.join(table.package_imports)}",
        *(["from wireloom.format.program import Stuffing"] if table.framed else []),
        "",
        "FORMAT = Format(",
        *(f"    {each}," for each in table.arguments),
        *_tuple("columns", (f"Column({', '.join(each.arguments)})" for each in table.columns)),
        *(_tuple("levels", table.levels) if table.levels else ()),
        *(_tuple("choices", table.choices) if table.choices else ()),
        ")",
        "",
    ]
    return "\n".join(lines)


def _tuple(name: str, items: Iterable[str]) -> list[str]:
    return [f"    {name}=(", *(f"        {each}," for each in items), "    ),"]


def columns_text(view: View, part: str, header: str) -> str:
    """Return the text of the module with the schemas and programs of all tables."""
    module = view.module
    return "\n".join([*_head(module, header), *(_single(module.tables[0]) if module.single else _tables(module)), ""])


def loaded_columns_text(view: View, part: str, header: str) -> str:
    """Return the text of the module with the schema and the program of one table of a spec that is loaded, and with
    what the engine refuses."""
    module = view.lower_table(part or view.tables[0])
    [table] = module.tables
    refusals = f"ENGINE_REFUSAL = {table.engine_refusal!r}", f"COLUMN_REFUSALS = {dict(table.column_refusals)!r}"
    return "\n".join([*_head(module, header), *_single(table), "", *refusals, ""])


def _head(module: ModuleView, header: str) -> list[str]:
    lines = [header, python_docstring(module.summary), "", "import pyarrow as pa", *module.message_imports]
    if module.imports:
        lines.append(f"from wireloom.format.program import {', '.join(module.imports)}")
    return [*lines, ""]


def _single(table: TableView) -> Iterator[str]:
    yield f"SCHEMA = {_schema(table)}"
    yield DOC_OF_SCHEMA
    yield ""
    yield f"PROGRAM = {_program_of(table)}"
    if table.program is None and table.message is None:
        yield python_docstring(table.refusal)


def _tables(module: ModuleView) -> Iterator[str]:
    taken = ["TABLES", "STEPS"]
    if module.shared is not None:
        yield from _shared(module.shared)
        taken += (name for name, _ in module.shared.sets)
    names, schemas = shared_expressions([_schema(each) for each in module.tables], ["pa.struct"], taken)
    taken += (name for name, _ in names)
    sets, programs = shared_expressions([_program_in(each) for each in module.tables], ["MessageSet"], taken)
    for name, text in (*names, *sets):
        yield f"{name} = {text}"
    if names or sets:
        yield ""
    yield "TABLES = {"
    for table, schema, program in zip(module.tables, schemas, programs, strict=True):
        yield f"    {python_text(table.table)}: ("
        yield f"        {indented(schema, 8)},"
        yield f"        {indented(program, 8)},"
        yield "    ),"
    yield "}"
    yield DOC_OF_TABLES


def _program_in(table: TableView) -> str:
    """Return the program of one of several tables."""
    if table.program is None:
        return _program_of(table)
    return _call("ColumnProgram", [f"steps=steps_of({python_text(table.table)}, STEPS)", *table.program.arguments])


def _shared(shared: SharedView) -> Iterator[str]:
    for name, together in shared.sets:
        yield f"{name} = {together}"
    yield ""
    yield "STEPS = ("
    for tables, step in shared.steps:
        yield f"    ({tables}, {step.source}),{_comment(step)}"
    yield ")"
    yield DOC_OF_STEPS
    yield ""


def _comment(step: ListedStep) -> str:
    return f"  # {python_comment(step.comment)}" if step.comment else ""


def _schema(table: TableView) -> str:
    fields = (f"        pa.field({python_text(each.name)}, {each.constructor})," for each in table.columns)
    return "\n".join(["pa.schema(", "    [", *fields, "    ]", ")"])


def _program_of(table: TableView) -> str:
    if table.program is not None:
        return _program(table.program)
    return "None" if table.message is None else _message(table.message)


def _program(program: ProgramView) -> str:
    steps = (f"        {each.source},{_comment(each)}" for each in program.steps)
    return _call("ColumnProgram", ["\n".join(["steps=(", *steps, "    )"]), *program.arguments])


def _call(name: str, arguments: Iterable[str]) -> str:
    return "\n".join([f"{name}(", *(f"    {each}," for each in arguments), ")"])


def _message(message: MessageView) -> str:
    types = "\n".join(
        ["types=MessageSet(", "        (", *(f"            {each}," for each in message.types), "        )", "    )"]
    )
    columns = ["columns=("]
    for each in message.sources:
        comment = f"  # {python_comment(each.name)}"
        if each.program is None:
            columns.append(f"        {each.source},{comment}")
        else:
            program = indented(_program(each.program), 12)
            columns += [f"        ComputedSource({comment}", f"            {each.source},", f"            {program},"]
            columns.append("        ),")
    return _call("MessageProgram", [types, "\n".join([*columns, "    )"]), *message.arguments])
