"""The tests that run in the same process, one after the other, if several processes share the suite (``-n``).

The scheduler knows only the ids of tests, so a group is defined by how the ids of its tests begin. Every process that
collects tests checks that these are the tests that request the group.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from xdist.workermanage import WorkerController

SPARK = "spark"
TOGETHER = {
    SPARK: (
        "tests/spark/live/",
        "tests/limits/test_demo.py",
        "tests/docs/test_commands.py::test_its_examples",
        "tests/docs/test_readme.py::test_everything_on_the_first_page_runs",
        "tests/docs/test_readme.py::test_its_lines_for_other_tools",
    ),
    "conformance": (
        "tests/conformance/test_gallery.py::test_the_modules_are_as_good",
        "tests/conformance/test_gallery.py::test_the_values_are_as_equal",
        "tests/conformance/test_scores.py::test_no_score_drops",
        "tests/conformance/test_write.py::test_no_file_becomes_another",
    ),
    "type checker": (
        "tests/unit/messages/test_objects_generated.py::test_the_type_checker_has_nothing_to_say",
        "tests/unit/objects/test_emitted.py::test_the_type_checker_has_nothing_to_say",
        "tests/unit/objects/test_declared.py::test_a_type_checker_knows_constructors",
    ),
    "fuzz": ("tests/fuzz/test_brief.py::test_targets_of_the_engine_run",),
}
"""The groups, and how the ids of their tests begin."""
SINGLE = ("tests/docs/", "tests/engine/")
"""Folders of tests that take long each, and are no groups by their files: they are the last ones, so that all processes
end at about the same time."""


def group_of(test: str) -> str | None:
    """Return the group of a test's id."""
    return next((name for name, beginnings in TOGETHER.items() if test.startswith(beginnings)), None)


def scope_of(test: str) -> str:
    """Return what a test belongs to that one process runs: its group, its file, whose tests share what they prepare, or
    the test alone."""
    return group_of(test) or (test if test.startswith(SINGLE) else test.partition("::")[0])


def wanted_group(item: pytest.Item) -> str | None:
    """Return the group that a test requests: by the fixture ``spark``, or by a mark."""
    if SPARK in getattr(item, "fixturenames", ()):
        return SPARK
    mark = item.get_closest_marker("xdist_group")
    return None if mark is None else str(mark.args[0])


def check_groups(items: Iterable[pytest.Item]) -> None:
    """Raise ``pytest.UsageError`` if a test would run outside the group that it requests."""
    for item in items:
        wanted = wanted_group(item)
        if wanted not in (None, group_of(item.nodeid)):
            place = "put it into tests/spark/live, or name it" if wanted == SPARK else "name it"
            raise pytest.UsageError(
                f"{item.nodeid} asks for the group {wanted!r}, which its id does not say: {place} in TOGETHER of "
                "tests/scheduling.py"
            )


class Numbered(list[str]):
    """Ids of tests, each of which is found at once."""

    def __init__(self, ids: Iterable[str]) -> None:
        super().__init__(ids)
        self.numbers = {each: number for number, each in enumerate(self)}

    def index(self, value: str, *_: Any) -> int:
        return self.numbers[value]


def scheduler(config: pytest.Config, log: Any) -> Any:
    """Return the scheduler of tests for ``--dist loadgroup``: by their groups and files."""
    from xdist.scheduler import LoadGroupScheduling

    class Scheduling(LoadGroupScheduling):
        def _split_scope(self, nodeid: str) -> str:
            return scope_of(nodeid)

        def add_node_collection(self, node: WorkerController, collection: Sequence[str]) -> None:
            super().add_node_collection(node, collection)
            self.registered_collections[node] = Numbered(collection)

        def mark_test_complete(self, node: WorkerController, item_index: int, duration: float = 0) -> None:
            super().mark_test_complete(node, item_index, duration)
            # The time for a test grows with the number of those that are listed, so finished ones are removed.
            scope = self._split_scope(self.registered_collections[node][item_index])
            if all(self.assigned_work[node][scope].values()):
                del self.assigned_work[node][scope]

    return Scheduling(config, log)
