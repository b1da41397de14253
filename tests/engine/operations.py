"""Derives from ``runtime/engine/ops.def`` the Python enumeration and the table in ``docs/internals/engine.md``.

``python -m tests.engine.operations`` updates both.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from textwrap import wrap
from typing import NamedTuple

ROOT = Path(__file__).parents[2]
TABLE = ROOT / "runtime" / "engine" / "ops.def"
MODULE = ROOT / "runtime" / "format" / "operations.py"
PAGE = ROOT / "docs" / "internals" / "engine.md"
ROW = re.compile(r'^OPERATION\(([^"]+),\s+((?:"(?:[^"\\]|\\.)*"\s*)+)\)$', re.MULTILINE)
TEXT = re.compile(r'"((?:[^"\\]|\\.)*)"')
WIDTH = 120
HEADER = '''"""The operations of a column program.

Derived from ``runtime/engine/ops.def`` by ``python -m tests.engine.operations``: change them there.
"""

from __future__ import annotations

from enum import IntEnum, unique
'''


class Operation(NamedTuple):
    """One row of the table. ``operands``: the kinds of the operands up to the last one that is used."""

    name: str
    operands: tuple[str, ...]
    documentation: str


def operations() -> Iterator[Operation]:
    """Yield the rows of the table in order."""
    for fields, texts in ROW.findall(TABLE.read_text("utf-8")):
        name, _, _, _, _, *operands = (each.strip() for each in fields.split(","))
        while operands and operands[-1] == "NONE":
            operands.pop()
        yield Operation(name, tuple(operands), "".join(TEXT.findall(texts)).replace('\\"', '"'))


def module() -> str:
    """Return the source of the module."""
    lines = [
        HEADER,
        "",
        "@unique",
        "class Op(IntEnum):",
        '    """The steps; operands in brackets are the fields of ``Step``."""',
        "",
    ]
    for number, each in enumerate(operations()):
        lines += [f"    {each.name} = {number}", *_docstring(each.documentation)]
    lines += ["", "", "OPERANDS: dict[Op, tuple[str, ...]] = {"]
    for each in operations():
        kinds = ", ".join(f'"{kind}"' for kind in each.operands) + ("," if len(each.operands) == 1 else "")
        lines.append(f"    Op.{each.name}: ({kinds}),")
    lines += [
        "}",
        '"""The kinds of the operands of each step up to the last that it uses: ``WL_IS_…`` of ``operations.h``."""',
    ]
    return "\n".join(lines) + "\n"


def _docstring(text: str) -> list[str]:
    first, *rest = wrap(f'"""{text}"""', WIDTH - 4, break_on_hyphens=False)
    return [f"    {each}" for each in (first, *rest)]


def page(text: str) -> str:
    """Return the page with the table derived anew."""
    head, mark, rest = text.partition("<!-- operations -->\n")
    rows = [
        f"| `{each.name}` | {', '.join(kind.lower().replace('_', ' ') for kind in each.operands) or '–'} "
        f"| {each.documentation.replace('``', '`').replace('|', chr(92) + '|')} |"
        for each in operations()
    ]
    table = "\n".join(["| Step | Operands | What it does |", "|---|---|---|", *rows])
    return head + mark + table + "\n\n" + rest[rest.index("## ") :]


if __name__ == "__main__":
    MODULE.write_text(module(), "utf-8")
    PAGE.write_text(page(PAGE.read_text("utf-8")), "utf-8")
