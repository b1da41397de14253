"""The progress bar of long reads, on a terminal's standard error only."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

Notify = Callable[[int, int | None], None]


class Bar:
    """What a command tells the bar: stored bytes that are done, and rows and damaged ranges so far."""

    def __init__(self) -> None:
        self.rows = 0
        self.damaged = 0
        self.poll: Callable[[], None] | None = None
        """Called before the bar is drawn, from its own thread: brings it up to date where no batch comes up."""
        self._progress: Any = None
        self._task: Any = None

    def show(self, label: str) -> None:
        """Draw the bar."""
        from rich.console import Console, RenderableType
        from rich.progress import (
            BarColumn,
            DownloadColumn,
            Progress,
            SpinnerColumn,
            TextColumn,
            TimeRemainingColumn,
            TransferSpeedColumn,
        )

        bar = self

        class Polled(Progress):
            def get_renderables(self) -> Iterable[RenderableType]:
                if bar.poll is not None:
                    bar.poll()
                return super().get_renderables()

        self._progress = Polled(
            SpinnerColumn(),
            TextColumn("{task.description}"),
            BarColumn(),
            DownloadColumn(),
            TransferSpeedColumn(),
            TextColumn("{task.fields[rows]:,} rows"),
            TextColumn("[red]{task.fields[damage]}"),
            TimeRemainingColumn(),
            console=Console(stderr=True),
            transient=True,
        )
        self._task = self._progress.add_task(label, total=None, rows=0, damage="")
        self._progress.start()

    def notify(self, done: int, total: int | None) -> None:
        """``done`` of ``total`` stored bytes are read; ``None``: the total is not known, as with a pipe."""
        if self._progress is not None:
            damage = f"{self.damaged:,} damaged" if self.damaged else ""
            self._progress.update(self._task, completed=done, total=total, rows=self.rows, damage=damage)

    def stop(self) -> None:
        """Take the bar off the terminal."""
        if self._progress is not None:
            self._progress.stop()


@contextmanager
def bar(label: str, *, quiet: bool = False) -> Iterator[Bar]:
    """A bar; nothing is drawn where standard error is no terminal, or with ``quiet``."""
    made = Bar()
    if not quiet and sys.stderr.isatty():
        made.show(label)
    try:
        yield made
    finally:
        made.stop()
