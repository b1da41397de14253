"""Small specs for the tests: the fields of a row, with everything around them."""

from __future__ import annotations

from wireloom import Format
from wireloom.codegen.backends.columns.lower import compile_program
from wireloom.codegen.backends.columns.table import table_columns
from wireloom.codegen.model.load import load
from wireloom.codegen.passes import with_facts
from wireloom.codegen.tree import Spec
from wireloom.format.program import ColumnProgram

from ..specs import format_of as compiled_once

HEAD = """\
meta:
  id: sample
  endian: le
  -wireloom:
    rows: rows
{meta}
seq:
{before}
  - id: rows
    type: row
    repeat: eos
{attribute}
types:
  row:
{row}
{types}
"""


def spec_text(row: str, *, meta: str = "", before: str = "", attribute: str = "", types: str = "") -> str:
    """Return a spec whose rows have the ``seq``, ``instances`` … of ``row``; every part is indented as required."""
    parts = {
        "meta": (meta, 4),
        "before": (before, 2),
        "attribute": (attribute, 4),
        "row": (row, 4),
        "types": (types, 2),
    }
    return HEAD.format(**{name: indent(text, width) for name, (text, width) in parts.items()})


def indent(text: str, width: int) -> str:
    """Return the lines of a block with another indentation."""
    lines = [line for line in text.split("\n") if line.strip()]
    own = min((len(line) - len(line.lstrip()) for line in lines), default=0)
    return "\n".join(" " * width + line[own:] for line in lines)


def format_of(text: str) -> Format:
    """Return the format of a spec, ready to read."""
    return compiled_once(text, "sample")


def planned(text: str) -> Spec:
    """Return the tree of a spec, with what the passes derive."""
    return with_facts(load("sample.ksy", text=text))


def compiled(text: str) -> tuple[ColumnProgram | None, str | None]:
    """Return the column program of a spec, or why there is none."""
    plan = planned(text)
    assert plan.rows is not None
    found = compile_program(plan, plan.rows, table_columns(plan, plan.rows))
    listing, refusal = found.listing, found.refusal
    return (listing.program if listing else None), refusal
