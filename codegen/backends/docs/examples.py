"""The examples of a page. They run unchanged if ``sample_name`` is a file of the format."""

from __future__ import annotations

import re

from ...tree import Spec
from ..columns.read_only import is_written, required_columns
from .view import ExampleView


def sample_name(spec: Spec) -> str:
    """Return the name of the file that the examples read; it needs no quoting in any example, including shell
    commands."""
    plain = (each for each in spec.file_extensions if re.fullmatch(r"[A-Za-z0-9_.-]+", each))
    return f"sample.{next(plain, 'bin')}"


def is_blob(spec: Spec) -> bool:
    """Return whether a single message is a valid input of the format, so that messages may be stored in a column of
    blobs."""
    return spec.units is not None and "whole" in (spec.units.framing, *spec.units.framings)


def is_file_of_messages(spec: Spec) -> bool:
    """Return whether a file of the format has framing around each message, so that it is not a message itself."""
    return spec.units is not None and spec.units.framing != "whole"


def more_columns(spec: Spec) -> tuple[str, ...]:
    """Return the columns that are required for writing a table, if they differ from the default columns."""
    if spec.rows is None:
        return ()
    needed = required_columns(spec)
    return needed if set(needed) - {*spec.rows.columns, *spec.rows.parent_columns} else ()


def first_examples(spec: Spec) -> tuple[ExampleView, ...]:
    """Return the shortest examples: a command, a line of Python, and one for Spark."""
    name, sample = spec.name, sample_name(spec)
    return (
        ExampleView("On the command line:", "sh", f"wireloom decode {name} {sample} --to table"),
        ExampleView("In Python:", "python", f'import wireloom\n\ntable = wireloom.read("{name}", "{sample}")'),
        ExampleView("In Spark:", "python", f'frame = spark.read.format("{name}").load("{sample}")'),
    )


def examples(spec: Spec) -> tuple[ExampleView, ...]:
    """Return further examples without Spark."""
    name, sample = spec.name, sample_name(spec)
    scan = f'''with wireloom.scan("{name}", "{sample}", mode="permissive") as scanner:
    for batch in scanner:
        print(batch.num_rows)
print(scanner.report.to_dict()["rows"])'''
    found = [
        ExampleView("Batch by batch in bounded memory, with a report of what was damaged:", "python", scan),
    ]
    if is_written(spec):
        more = more_columns(spec)
        option = ", columns=columns" if more else ""
        listed = f"columns = {list(more)!r}".replace("'", '"')
        again = f'{listed}\ntable = wireloom.read("{name}", "{sample}"{option})\n' if more else ""
        found.append(
            ExampleView(
                "Rows to bytes; lengths, counts and checksums are filled in:",
                "python",
                f'''{again}wireloom.write("{name}", table, "copy.bin")
assert wireloom.read("{name}", "copy.bin"{option}).equals(table)''',
            )
        )
    if is_blob(spec):
        several = is_file_of_messages(spec)
        path = "" if several else "from pathlib import Path\n\n"
        made = f'wireloom.to_wire(table, "{name}")' if several else f'[Path("{sample}").read_bytes()]'
        found.append(
            ExampleView(
                "A column of blobs, each a message; `explode` repeats the other columns for each row:",
                "python",
                f'''{path}import pyarrow as pa

content = {made}
blobs = pa.table({{"key": range(len(content)), "blob": content}})
lists = wireloom.from_wire(blobs["blob"], "{name}")
flat = wireloom.explode(blobs, "blob", "{name}")
print(lists.type, flat.num_rows, flat.schema.names)''',
            )
        )
    return tuple(found)


def spark_examples(spec: Spec) -> tuple[ExampleView, ...]:
    """Return further examples that need a Spark session, ``spark``."""
    name, sample = spec.name, sample_name(spec)
    found = [
        ExampleView(
            "A batch read in Spark; `register` is for sessions that do not find data sources by themselves:",
            "python",
            f'''import wireloom.spark

wireloom.spark.register(spark)
frame = spark.read.format("{name}").option("mode", "PERMISSIVE").load("{sample}")
print(frame.count(), frame.columns)''',
        ),
    ]
    if is_written(spec):
        more = more_columns(spec)
        listed = f'columns = "{",".join(more)}"'
        read = f'frame = spark.read.format("{name}").option("columns", columns).load("{sample}")'
        again = f"{listed}\n{read}\n" if more else ""
        found.append(
            ExampleView(
                "And a write, as `append` or `overwrite`:",
                "python",
                f'''{again}frame.write.format("{name}").mode("overwrite").save("copies")
again = spark.read.format("{name}").load("copies")
assert again.count() == frame.count()''',
            )
        )
    if is_blob(spec):
        blobs = f'''blobs = spark.read.format("binaryFile").load("{sample}").select("path", "content")'''
        libraries = ""
        if is_file_of_messages(spec):
            libraries = "import pyarrow as pa\nimport wireloom\n"
            blobs = f'''content = wireloom.to_wire(wireloom.read("{name}", "{sample}"), "{name}")
blobs = spark.createDataFrame(pa.table({{"content": content}}))'''
        found.append(
            ExampleView(
                "A binary column, also in a stream of Kinesis or Kafka:",
                "python",
                f'''{libraries}from wireloom.spark.functions import explode_wire, from_wire

{blobs}
lists = blobs.select(from_wire("content", "{name}").alias("rows"))
flat = explode_wire(blobs, "content", "{name}")
print(lists.schema.simpleString(), flat.count(), flat.columns)''',
            )
        )
    return tuple(found)
