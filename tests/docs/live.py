"""The tables of docs/live.md that are derived from the options of sources; ``python -m tests.docs.live`` updates them.

Such a table begins with a comment, ``<!-- NAME -->``, and ends with an empty line.
"""

from __future__ import annotations

import re
from pathlib import Path

from wireloom.spark.live import kinesis, s2

PAGE = Path(__file__).parents[2] / "docs" / "live.md"
TABLES = {
    "s2 reads": s2.READ_OPTIONS,
    "s2 writes": s2.WRITE_OPTIONS,
    "kinesis reads": kinesis.READ_OPTIONS,
    "kinesis writes": kinesis.WRITE_OPTIONS,
}


def renewed(page: str) -> str:
    """Return the page with its tables derived from the current options."""
    for name, options in TABLES.items():
        rows = "".join(f"| `{option}` | {text} |\n" for option, text in options.items())
        lines = f"| option | |\n|---|---|\n{rows}\n"
        before, mark, rest = page.partition(f"<!-- {name} -->\n")
        page = before + mark + lines + re.sub(r"\A(?:\|.*\n)*\n?", "", rest)
    return page


def section(title: str) -> str:
    """A section of the page, with those below it."""
    return PAGE.read_text().partition(f"\n## {title}\n")[2].partition("\n## ")[0]


if __name__ == "__main__":
    PAGE.write_text(renewed(PAGE.read_text()))
