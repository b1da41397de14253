"""The tables of docs/live.md that are derived from the options of sources; ``python -m tests.docs.live`` updates them.

Such a table begins with a comment, ``<!-- NAME -->``, and ends with an empty line.
"""

from __future__ import annotations

import importlib
import re
from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs" / "live.md"
TABLES = {
    f"{system} {kind}s": (f"wireloom.spark.live.{system}", f"{kind.upper()}_OPTIONS")
    for system in ("s2", "kinesis")
    for kind in ("read", "write")
}
"""The module and the name of the options of each table."""


def renewed(page: str) -> str:
    """Return the page with its tables derived from the current options."""
    for name, (module, options) in TABLES.items():
        listed = getattr(importlib.import_module(module), options)
        rows = "".join(f"| `{option}` | {text} |\n" for option, text in listed.items())
        lines = f"| option | |\n|---|---|\n{rows}\n"
        before, mark, rest = page.partition(f"<!-- {name} -->\n")
        page = before + mark + lines + re.sub(r"\A(?:\|.*\n)*\n?", "", rest)
    return page


def section(title: str) -> str:
    """A section of the page, with those below it."""
    return PAGE.read_text().partition(f"\n## {title}\n")[2].partition("\n## ")[0]


if __name__ == "__main__":
    PAGE.write_text(renewed(PAGE.read_text()))
