"""The files of this folder's folders are collected as tests, one per case."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from .case import Case, cases_of
from .running import DifferenceError, check


class CaseFile(pytest.File):
    """A file of cases."""

    def collect(self) -> Iterator[pytest.Item]:
        for case in cases_of(self.path):
            yield CaseItem.from_parent(self, name=case.name, case=case)


class CaseItem(pytest.Item):
    """A case."""

    def __init__(self, *, case: Case, **rest: object) -> None:
        super().__init__(**rest)  # type: ignore[arg-type]
        self.case = case

    def runtest(self) -> None:
        check(self.case)

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: object = None) -> object:  # type: ignore[override]
        """Return the differences alone, without a traceback."""
        if isinstance(excinfo.value, DifferenceError):
            return f"{self.path.name}: {self.name}\n{excinfo.value}"
        return super().repr_failure(excinfo)


def pytest_collect_file(parent: pytest.Collector, file_path: Path) -> CaseFile | None:
    return CaseFile.from_parent(parent, path=file_path) if file_path.suffix == ".yaml" else None
