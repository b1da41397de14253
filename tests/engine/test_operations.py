"""The table of operations, and what is derived from it."""

from __future__ import annotations

import re
from pathlib import Path

from wireloom.format.program import OPERANDS, Op

from . import operations

AGAIN = "run python -m tests.engine.operations"


def test_the_module_and_the_page_are_those_of_the_table() -> None:
    assert operations.MODULE.read_text("utf-8") == operations.module(), AGAIN
    page = operations.PAGE.read_text("utf-8")
    assert page == operations.page(page), AGAIN


def test_each_operation_has_a_row() -> None:
    rows = [each.name for each in operations.operations()]
    assert rows == [each.name for each in Op]
    assert len(rows) == operations.TABLE.read_text("utf-8").count("\nOPERATION(")
    assert list(OPERANDS) == list(Op)


def named(*files: Path) -> set[str]:
    """Return the operations that Python files name."""
    return {name for file in files for name in re.findall(r"\bOp\.([A-Z]\w*)", file.read_text("utf-8"))}


def test_each_operation_is_emitted_and_tested() -> None:
    """The reference runs those that made-up programs use; the specs of tests/differential need the others."""
    tests = Path(__file__).parent
    assert named(tests / "programs.py") == named(tests / "reference.py")
    emitted = named(*(operations.ROOT / "codegen" / "backends" / "columns").glob("*.py"))
    assert {each.name for each in Op} == emitted
