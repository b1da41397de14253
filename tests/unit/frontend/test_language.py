"""The language, with a line for each way to use a key or an operator: what is accepted, and what is not.

A file of ``language/`` contains a line about it, a spec in which ``{}`` is the place of the lines after it, and these
lines.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from wireloom.codegen.model.load import analyse

FOLDER = Path(__file__).parent / "language"
FILES = sorted(path.stem for path in FOLDER.glob("*.txt"))


def parts(name: str) -> tuple[str, list[str]]:
    _, spec, lines = (FOLDER / f"{name}.txt").read_text().split("----\n")
    return spec, lines.splitlines()


@pytest.mark.slow
@pytest.mark.parametrize("name", FILES)
def test_language(name: str) -> None:
    spec, lines = parts(name)
    assert spec.count("{}") == 1
    wrong = []
    for line in lines:
        result = analyse("x.ksy", spec.replace("{}", line[2:]), display_name="x.ksy")
        if line[:2] != ("- " if result.spec is None else "+ "):
            wrong.append((line, [each.message for each in result.diagnostics]))
    assert wrong == []


def test_there_are_lines() -> None:
    assert sum(len(parts(name)[1]) for name in FILES) > 600
