"""Two versions of a table: columns added, removed, retyped or reordered, and the default table."""

from __future__ import annotations

from collections.abc import Iterator

from wireloom.base.dataclass import replace

from ..backends.columns.lower import compile_program
from ..backends.columns.table import TableColumn, table_columns
from ..expression.unparsing import unparse
from ..tree import Rows, Spec
from .change import COLUMNS, SETTINGS, Change, Severity


def column_changes(old: Spec, new: Spec) -> Iterator[Change]:
    """Yield the changes of the tables and their columns."""
    if old.rows is None or new.rows is None:
        if old.rows is None and new.rows is not None:
            yield Change(Severity.COMPATIBLE, COLUMNS, "rows", "the format is a table now")
        elif old.rows is not None:
            yield Change(Severity.BREAKING, COLUMNS, "rows", "the format is no longer a table")
        return
    before, after = ({each.name: each for each in spec.tables} for spec in (old, new))
    if "" in before or "" in after:
        # A table without a name is read by default.
        yield from _table(old, old.rows, new, new.rows)
        return
    for name, rows in before.items():
        if name not in after:
            yield Change(Severity.BREAKING, SETTINGS, "option table", f"the value {name} was removed")
            continue
        for each in _table(old, rows, new, after[name]):
            yield replace(each, place=f"{name}.{each.place}")
    for name in after:
        if name not in before:
            yield Change(Severity.COMPATIBLE, SETTINGS, "option table", f"the value {name} was added")
    if old.rows.name != new.rows.name:
        text = f"the default changed: {old.rows.name} → {new.rows.name}"
        yield Change(Severity.BREAKING, SETTINGS, "option table", text)


def _table(old: Spec, old_rows: Rows, new: Spec, new_rows: Rows) -> Iterator[Change]:
    paths = [each.text for each in (new_rows, old_rows)]
    if paths[0] != paths[1]:
        text = f"the path of the rows changed: {paths[1]} → {paths[0]}"
        yield Change(Severity.BREAKING, COLUMNS, "rows", text)
    conditions = ["all" if each.where is None else unparse(each.where) for each in (new_rows, old_rows)]
    if conditions[0] != conditions[1]:
        text = f"the condition of the rows changed: {conditions[1]} → {conditions[0]}"
        yield Change(Severity.BREAKING, COLUMNS, "where", text)
    if old_rows.distinct != new_rows.distinct:
        text = f"equal rows are {'left out' if new_rows.distinct else 'returned'} now"
        yield Change(Severity.BREAKING, COLUMNS, "distinct", text)
    if old_rows.decode != new_rows.decode:
        yield Change(Severity.BREAKING, COLUMNS, "decode", "the columns are decoded in another way now")
    before = {each.name: each for each in table_columns(old, old_rows)}
    after = {each.name: each for each in table_columns(new, new_rows)}
    for name, column in before.items():
        if name not in after:
            yield Change(Severity.BREAKING, COLUMNS, name, f"this column was removed ({column.type.name})")
        else:
            yield from _column(name, column, after[name])
    for name, column in after.items():
        if name not in before:
            how = "" if column.default else ", only if selected"
            yield Change(Severity.COMPATIBLE, COLUMNS, name, f"this column was added ({column.type.name}{how})")
    yield from _order(before, after)
    yield from _engine(old.of_table(old_rows), old_rows, new.of_table(new_rows), new_rows)


def _column(name: str, old: TableColumn, new: TableColumn) -> Iterator[Change]:
    if old.type.name != new.type.name:
        yield Change(Severity.BREAKING, COLUMNS, name, f"this column's type: {old.type.name} → {new.type.name}")
    if old.type.absents != new.type.absents:
        text = f"the numbers of no time in this column: {_counts(old)} → {_counts(new)}"
        yield Change(Severity.BREAKING, COLUMNS, name, text)
    if old.default and not new.default:
        yield Change(Severity.BREAKING, COLUMNS, name, "this column is no longer returned by default")
    if new.default and not old.default:
        yield Change(Severity.COMPATIBLE, COLUMNS, name, "this column is now returned by default")
    if (old.parent, old.up, old.look_up) != (new.parent, new.up, new.look_up):
        text = f"the source of this column changed: {_place(old)} → {_place(new)}"
        yield Change(Severity.BREAKING, COLUMNS, name, text)
    if old.derived != new.derived:
        text = "a writer now derives it" if new.derived else "a writer now requires it"
        yield Change(Severity.COMPATIBLE if new.derived else Severity.BREAKING, COLUMNS, name, text)


def _counts(column: TableColumn) -> str:
    return ", ".join(f"{path.removeprefix('.')} {count}".strip() for path, count in column.type.absents) or "none"


def _place(column: TableColumn) -> str:
    if column.look_up is not None:
        found = column.look_up
        return f"{found.value} of {found.table}, where {found.match} is {found.key}"
    if column.parent:
        return "before the rows"
    return "around the row" if column.up else "the row"


def _order(before: dict[str, TableColumn], after: dict[str, TableColumn]) -> Iterator[Change]:
    """Yield the change of the column order, which does not affect readers that select columns by name."""
    one = [name for name, column in before.items() if column.default and name in after and after[name].default]
    other = [name for name, column in after.items() if column.default and name in one]
    if one != other:
        text = f"their order changed: {', '.join(one)} → {', '.join(other)}"
        yield Change(Severity.COMPATIBLE, COLUMNS, "columns", text)


def _engine(old: Spec, old_rows: Rows, new: Spec, new_rows: Rows) -> Iterator[Change]:
    before = compile_program(old, old_rows, table_columns(old, old_rows)).refusal
    after = compile_program(new, new_rows, table_columns(new, new_rows)).refusal
    if before is None and after is not None:
        text = f"the engine can no longer read the rows; the object parser reads them, more slowly: {after}"
        yield Change(Severity.COMPATIBLE, COLUMNS, "rows", text)
    elif before is not None and after is None:
        yield Change(Severity.COMPATIBLE, COLUMNS, "rows", "the engine can now read the rows")
