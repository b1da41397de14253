"""The parts of docs/options.md about Spark's options, derived from the options; ``python -m tests.docs.options``
updates them.

The first two columns of its tables are updated; the other two, about Spark's own sources and Cobrix, are written by
hand.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from wireloom.spark.options import READ_OPTIONS, STREAM_OPTIONS, WRITE_OPTIONS

PAGE = Path(__file__).parents[2] / "docs" / "options.md"
SECTIONS = {"Reading": READ_OPTIONS, "Reading a stream": STREAM_OPTIONS, "Writing": WRITE_OPTIONS}
ROW = re.compile(r"^\| `(\w+)` \| (.*?) \| ([^|]+ \| [^|]+) \|\n", re.MULTILINE)


def renewed(page: str) -> str:
    """Return the page with its tables derived from the current options; a new option has dashes in the columns about
    others."""
    for title, options in SECTIONS.items():
        before, rest = page.split(f"## {title}\n")
        section, mark, after = rest.partition("\n## ")
        page = f"{before}## {title}\n{_section(section, options)}{mark}{after}"
    return page


def _section(section: str, options: Mapping[str, str]) -> str:
    others = {name: other for name, _, other in ROW.findall(section)}
    rows = "".join(
        f"| `{name}` | {text.replace('|', chr(92) + '|')} | {others.get(name, '– | –')} |\n"
        for name, text in options.items()
    )
    first = ROW.search(section)
    assert first is not None
    return section[: first.start()] + rows + ROW.sub("", section[first.start() :])


if __name__ == "__main__":
    PAGE.write_text(renewed(PAGE.read_text()))
