"""Renders every backend over every spec, formats the result, and writes it or compares it with what is there."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Changes:
    """What ``generate`` did or, with ``check``, would have done. Paths are relative to the output folder.

    ``written``: new or different files; ``removed``: generated files that no spec accounts for; ``unchanged``;
    ``diff``: one unified diff of it all, empty where nothing changed.
    """

    written: tuple[str, ...]
    removed: tuple[str, ...]
    unchanged: tuple[str, ...]
    diff: str

    @property
    def clean(self) -> bool:
        """Whether the folder held exactly what the specs say."""
        return not self.written and not self.removed


def generate(
    spec_paths: Iterable[Path],
    output_dir: Path,
    *,
    check: bool = False,
    progress: Callable[[str], None] | None = None,
) -> Changes:
    """Compiles the specs into ``output_dir``; with ``check`` nothing is written.

    ``progress`` is called with the name of each spec as its turn comes. Raises ``wireloom.errors.SpecError`` where a
    spec is refused (nothing is written then) and ``wireloom.errors.UnsupportedError`` where ``ruff`` is not installed.
    """
    raise SystemExit("written in the next minutes")
