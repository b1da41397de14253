"""The progress bar of long reads, shown only if standard error is a terminal."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

READING = {"DownloadColumn": (), "TransferSpeedColumn": (), "TextColumn": ("{task.fields[what]}",)}
"""Columns of ``rich.progress`` for stored bytes, with their arguments."""


class Bar:
    """A progress bar with rows and damaged ranges; nothing is drawn until ``show`` is called."""

    def __init__(self) -> None:
        self.rows = 0
        self.damaged = 0
        self.poll: Callable[[], None] | None = None
        """Called from the bar's thread before it is drawn, to update it while no batch is complete."""
        self._progress: Any = None
        self._task: Any = None

    def show(self, label: str, columns: Mapping[str, tuple[str, ...]]) -> None:
        """Draw the bar."""
        from rich import progress
        from rich.console import Console, RenderableType

        bar = self

        class Polled(progress.Progress):
            def get_renderables(self) -> Iterable[RenderableType]:
                if bar.poll is not None:
                    bar.poll()
                return super().get_renderables()

        self._progress = Polled(
            progress.SpinnerColumn(),
            progress.TextColumn("{task.description}"),
            progress.BarColumn(),
            *(getattr(progress, name)(*arguments) for name, arguments in columns.items()),
            progress.TimeRemainingColumn(),
            console=Console(stderr=True),
            transient=True,
        )
        self._task = self._progress.add_task(label, total=None, what="")
        self._progress.start()

    def update(self, done: int, total: int | None, what: str) -> None:
        """Show that ``done`` of ``total`` are done; ``None`` if the total is not known."""
        if self._progress is not None:
            if self.damaged:
                what += f"  [red]{self.damaged:,} damaged[/red]"
            self._progress.update(self._task, completed=done, total=total, what=what)

    def notify(self, done: int, total: int | None) -> None:
        """Show that ``done`` of ``total`` stored bytes are read; ``None`` if the total is not known, as for a pipe."""
        self.update(done, total, f"{self.rows:,} rows")

    def stop(self) -> None:
        """Remove the bar from the terminal."""
        if self._progress is not None:
            self._progress.stop()


@contextmanager
def bar(label: str, *, quiet: bool = False, columns: Mapping[str, tuple[str, ...]] = READING) -> Iterator[Bar]:
    """Yield a bar; nothing is drawn if standard error is not a terminal, or with ``quiet``."""
    made = Bar()
    if not quiet and sys.stderr.isatty():
        made.show(label, columns)
    try:
        yield made
    finally:
        made.stop()
