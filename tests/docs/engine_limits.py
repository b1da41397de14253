"""Writes the tables of what the engine does not read, in ``docs/dialect.md``, from the table of replacements.

``python -m tests.docs.engine_limits``
"""

from __future__ import annotations

import re
from pathlib import Path

from wireloom.codegen.backends.columns.replacements import replacements

PAGE = Path(__file__).parents[2] / "docs" / "dialect.md"
HEADING = "## What the engine does not read\n"


def renewed(page: str) -> str:
    """Return the page with its tables derived from the table of replacements; text around them is kept."""
    before, heading, rest = page.partition(HEADING)
    section, mark, after = rest.partition("\n## ")
    introduction, *chapters = re.split(r"^### ", section, flags=re.MULTILINE)
    texts = {title: text for title, _, text in (each.partition("\n") for each in chapters)}
    written = [f"### {title}\n{_chapter(texts.get(title, ''), rows)}" for title, rows in replacements().items()]
    return f"{before}{heading}{introduction}{''.join(written).rstrip()}\n{mark}{after}"


def _chapter(text: str, rows: list[tuple[list[str], str]]) -> str:
    others = "".join(f"{line}\n\n" for line in text.splitlines() if line and not line.startswith("|"))
    lines = [f"| {'<br>'.join(f'`{each}`' for each in reasons)} | {instead} |\n" for reasons, instead in rows]
    return f"\n| `wireloom check` says | write instead |\n|---|---|\n{''.join(lines)}\n{others}"


if __name__ == "__main__":
    PAGE.write_text(renewed(PAGE.read_text("utf-8")), "utf-8")
