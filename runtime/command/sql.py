"""``wireloom sql``: a query over files through DuckDB."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import click

from ..base.errors import WireloomError
from .parameters import Command, bytes_option, reader_options
from .standard import standard_output

if TYPE_CHECKING:
    from ..reading.dataset import LogDataset
    from ..reading.scanning import Scanner

BATCH_ROWS = 32768
DUCKDB_SUFFIXES = (".parquet", ".csv", ".json", ".ndjson", ".jsonl", ".csv.gz", ".json.gz")
"""Files that DuckDB reads by itself."""
COMMENT = re.compile(r"--[\w-]*\s")
"""Begins a query, and no option."""
TIMES = "TIMESTAMPTZ_NS"


class QueryCommand(Command):
    """A command whose argument may begin with a comment."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the words of the command."""
        return super().parse_args(ctx, [f" {each}" if COMMENT.match(each) else each for each in args])


@click.command("sql", cls=QueryCommand, short_help="Query files with SQL, through DuckDB.")
@click.argument("query", metavar="QUERY")
@click.option(
    "--format", "format_name", metavar="FORMAT", help="The format of the files; by default identified for each file."
)
@click.option("-o", "--output", metavar="OUT", default="-", help="File to write; by default standard output.")
@click.option(
    "--to",
    "kind",
    type=click.Choice(("ndjson", "parquet", "arrow", "csv", "table")),
    help="Output format; by default that of OUT's suffix, and table on standard output.",
)
@reader_options("mode", "recover", "tail", "verify", "keep_unverified", "threads")
@bytes_option
def command(
    query: str,
    format_name: str | None,
    output: str,
    kind: str | None,
    as_bytes: str | None,
    options: dict[str, Any],
) -> None:
    """Print the result of a SELECT in which 'FILE' in quotes stands for the rows of a file, a glob, a folder or an s3://
    address, with all columns of the format. Only those that the query uses are read, and its comparisons with constants
    are applied while reading. If the query names _path, _offset, _error or _corrupt_record, the rows have them. DuckDB
    itself reads files of its own formats, such as Parquet. It is installed by "pip install 'wireloom[duckdb]'".

    \b
      wireloom sql "select tenant, count(*) from 'events.wal' group by 1"
    """
    from ..base.extras import require

    require("duckdb", "duckdb", "wireloom sql")
    failure = None
    try:
        _run(query, format_name, output, kind, as_bytes, options)
    except WireloomError as error:
        # Objects of DuckDB in the frames of a traceback would still exist when Python ends, which DuckDB reports.
        failure = error.with_traceback(None)
        failure.__cause__ = failure.__context__ = None
    if failure is not None:
        raise failure


def _run(
    query: str, format_name: str | None, output: str, kind: str | None, as_bytes: str | None, options: dict[str, Any]
) -> None:
    """Run a query and write its result. Parameters are those of the command."""
    import duckdb

    from ..writing import opened
    from .overwriting import refuse_overwrite
    from .parameters import location_of
    from .sinks import kind_of, sink

    kind = kind or ("table" if output == "-" else kind_of(output))
    connection = duckdb.connect()
    tables: dict[str, LogDataset] = {}
    try:
        tables = _registered(connection, query, format_name, options)
        refuse_overwrite((output,), tuple(tables), format_name or "")
        result: Any = connection.sql(query)
        # Older versions of DuckDB have the second name.
        reader = getattr(result, "to_arrow_reader", None) or result.fetch_arrow_reader
        batches = reader(BATCH_ROWS)
        with (
            opened(standard_output() if output == "-" else output, location_of(options)) as file,
            sink(file, output, kind, batches.schema, as_bytes) as rows,
        ):
            for batch in batches:
                rows.write(batch)
                if rows.enough:
                    break
    except RuntimeError as error:
        if "interrupted" not in str(error).lower():
            raise
        raise KeyboardInterrupt from error
    except duckdb.Error as error:
        for each in tables.values():
            if each.failures:
                raise each.failures[0] from None
        advice = "write the time as text ('2026-01-31 10:00Z'), not as TIMESTAMPTZ" if TIMES in str(error) else None
        said = "; ".join(filter(None, str(error).splitlines()))
        raise WireloomError(f"DuckDB: {said}", advice=advice) from error
    _report_damage(tables)


def _registered(connection: Any, query: str, format_name: str | None, options: dict[str, Any]) -> dict[str, LogDataset]:
    """Register the files that a query names as relations of these names, and return them."""
    from .. import duckdb
    from ..reading.decoding.resolving import with_columns
    from .reading import chosen
    from .sources import format_name_of, is_input

    found: dict[str, LogDataset] = {}
    folded: dict[str, str] = {}
    tree = _parsed(connection, query)
    names = dict.fromkeys(_tables(tree))
    more = _reader_columns(tree)
    for name in names:
        alike = folded.setdefault(name.lower(), name)
        if alike != name:
            raise WireloomError(f"DuckDB does not distinguish {alike} and {name}: query one at a time, or a copy")
    for name in names:
        if not is_input(name) or (format_name is None and name.lower().endswith(DUCKDB_SUFFIXES)):
            continue
        # Inputs of other formats are refused when everything else has been written.
        own = format_name or format_name_of(name, options, "name it with --format FORMAT")
        format, others = chosen(own, {**options, "check_format": False})
        format, source = with_columns(format, name, others)
        columns = [*(each.name for each in format.columns), *format.path_columns, *more]
        found[name] = duckdb.register(connection, name, format, source, columns=columns, **others)
    return found


def _parsed(connection: Any, query: str) -> Any:
    """Return the tree of a query. Raises ``WireloomError`` if it is not a SELECT."""
    tree = json.loads(connection.execute("select json_serialize_sql(?)", [query]).fetchall()[0][0])
    if tree["error"] and tree.get("error_type") == "not implemented":
        raise WireloomError("only a SELECT is run: use DuckDB itself for other statements")
    if tree["error"]:
        raise WireloomError(
            f"DuckDB: {tree.get('error_message', 'the query cannot be parsed')}",
            advice=_word_of_sql(connection, query, tree.get("position")),
        )
    if len(tree["statements"]) != 1:
        raise WireloomError(f"one SELECT is run at a time, and these are {len(tree['statements'])}")
    return tree


def _word_of_sql(connection: Any, query: str, position: str | None) -> str | None:
    """Return advice for a query that cannot be parsed from a character on, if a column's name before it may be the
    reason; ``None`` otherwise."""
    before = re.search(r"(\w+)\W*$", query[: int(position)]) if position else None
    known = "select keyword_name from duckdb_keywords() where keyword_category != 'reserved'"
    if before is None or (before[1].lower(),) not in connection.execute(known).fetchall():
        return None
    return f'{before[1]} is a word of SQL too: as the name of a column, write "{before[1]}" in double quotes'


def _tables(tree: Any) -> Iterator[str]:
    """Yield the names of tables in the tree of a query."""
    from .sources import is_input

    for each in _nodes(tree):
        if each.get("type") == "BASE_TABLE":
            dotted = f"{each.get('schema_name')}.{each['table_name']}"
            if each.get("schema_name") and os.path.exists(dotted):
                raise WireloomError(f"the name of a file is in quotes: write FROM '{dotted}'")
            yield each["table_name"]
        elif each.get("function_name") == "query_table":
            # Its names are those of SQL: without quotes, the dot of a file's name ends that of a schema.
            for name in _texts(each):
                if name.startswith('"'):
                    yield name[1:-1].replace('""', '"')
                elif is_input(name):
                    raise WireloomError(f"query_table('{name}'): write FROM '{name}', or query_table('\"{name}\"')")


def _texts(tree: Any) -> Iterator[str]:
    """Yield the constants in a part of the tree that are text."""
    for each in _nodes(tree):
        if each.get("type") == "VALUE_CONSTANT":
            # The second place is that of DuckDB 1.
            found = each["literal"]["text"] if "literal" in each else each["value"].get("value")
            if isinstance(found, str):
                yield found


def _reader_columns(tree: Any) -> list[str]:
    """Return the names of columns in a query that readers add to those of a format."""
    from ..format.columns import READER_NAMES

    named = {each["column_names"][-1] for each in _nodes(tree) if each.get("type") == "COLUMN_REF"}
    return [each for each in READER_NAMES if each in named]


def _nodes(tree: Any) -> Iterator[Mapping[str, Any]]:
    """Yield the mappings in the tree of a query."""
    waiting = [tree]
    while waiting:
        each = waiting.pop()
        if isinstance(each, dict):
            yield each
            waiting += each.values()
        elif isinstance(each, list):
            waiting += each


def _report_damage(tables: dict[str, LogDataset]) -> None:
    """Print which files were damaged. Raises ``WrongFormatError`` for those that are not of their format."""
    from .reading import refuse_foreign, warn

    for each in tables.values():
        # A query may read a file several times, and not all of it each time.
        for scanner in sorted(each.scanners, key=_extent)[-1:]:
            warn(scanner)
        for scanner in each.scanners:
            refuse_foreign(scanner)


def _extent(scanner: Scanner) -> tuple[int, int]:
    """Return how much damage a scan has found."""
    return scanner.report.damaged, sum(not each.clean for each in scanner.report.files)
