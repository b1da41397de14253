"""A model of a query beside rotated logs (``rotated_logs``) that is restarted at any time: each record is read exactly
once, or the query stops, or ``lostFiles`` counts it; and the query does not stop if nothing was lost.

A record counts as seen when it is complete at the time when a batch is planned, in a file that the query knows: one
that matched the pattern at that or an earlier time.
"""

from __future__ import annotations

import shutil
import tempfile
from collections import Counter
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import initialize, precondition, rule
from wireloom import WireloomError

from .rotated_logs import Content, RotatedLogs
from .stream_driver import Query, payloads

PATTERNS = ("", "*", "*.log", "*.log*", "a.lo[g]", "a.*", "{*.log,*.log.1}", "*.gz")


class QueryBesideLogs(RotatedLogs):
    """The query, and the steps of planning, reading and restarting it."""

    @initialize(
        pattern=st.sampled_from(PATTERNS),
        files=st.integers(1, 3),
        size=st.sampled_from([1, 40, 100_000]),
        latest=st.booleans(),
        strict=st.booleans(),
        dated=st.booleans(),
    )
    def begin(self, pattern: str, files: int, size: int, latest: bool, strict: bool, dated: bool) -> None:
        self.make_folder(Path(tempfile.mkdtemp()), dated=dated)
        self.pattern = pattern
        self.read: Counter[str] = Counter()
        self.pending = self.loss_told = self.fixed = False
        self.query = Query(
            self.format,
            path=self.folder / pattern,
            tail="growing",
            maxFilesPerTrigger=files,
            maxBytesPerTrigger=size,
            latestFirst=str(latest).lower(),
            failOnDataLoss=str(strict).lower(),
        )

    def teardown(self) -> None:
        if hasattr(self, "query"):
            try:
                self.finish()
            finally:
                shutil.rmtree(self.base)

    def _is_read(self, content: Content) -> bool:
        return not self.pending and content.torn is None and all(self.read[each] for each in content.rows)

    def _matches(self, name: str) -> bool:
        patterns = self.pattern.strip("{}").split(",")
        return any(fnmatchcase(name, each or "*") for each in patterns)

    def _look(self) -> None:
        """Note what the query can see now."""
        for name, content in self.files.items():
            content.known |= self._matches(name) and (self.folder / name).stat().st_size > 0
            if content.known:
                content.seen |= set(content.rows)
                content.half |= content.torn is not None
                content.place = name

    def _attempt(self, what: Any) -> Any:
        """Run a part of the query. If it stops, it has a reason, and goes on with failOnDataLoss=false."""
        try:
            return what()
        except WireloomError as error:
            if "failOnDataLoss=false" not in str(error):
                raise
            if not any(each.destroyed for each in self.contents):
                raise AssertionError("nothing was lost") from error
            self.loss_told, self.fixed = True, False
            self.query.restart(failOnDataLoss="false")
            return what()

    @precondition(lambda self: not self.pending)
    @rule()
    def plan(self) -> None:
        if not self.fixed:
            self._look()
        self.pending = bool(self._attempt(self.query.plan))

    @precondition(lambda self: self.pending)
    @rule()
    def run(self) -> None:
        self.read.update(payloads(self._attempt(self.query.read)))
        self.pending = False
        # A process that ends now has told it in the progress of the batch.
        self.loss_told |= self.query.reader.reportLatestOffset()["lostFiles"] > 0
        twice = [each for each, count in self.read.items() if count > 1]
        assert not twice, f"read twice: {twice}"

    @rule()
    def restart(self) -> None:
        self.query.restart()
        self.fixed = False

    @precondition(lambda self: not self.pending)
    @rule()
    def available_now(self) -> None:
        """Plan the first batch of those that end with what is there now."""
        self._look()
        self.fix()
        self.plan()

    @precondition(lambda self: not self.pending)
    @rule()
    def fix(self) -> None:
        """Begin with what is there now, before anything else happens to it."""
        self.restart()
        self.query.reader.prepareForTriggerAvailableNow()
        self.fixed = True

    @precondition(lambda self: not self.pending)
    @rule()
    def batch(self) -> None:
        """Plan and read a batch. What is left is counted as waiting."""
        self.plan()
        if self.pending:
            self.run()
            left = [
                text for each in self.files.values() for text in each.seen if not (self.read[text] or each.destroyed)
            ]
            told = self.query.reader.reportLatestOffset()
            assert self.fixed or not left or told["waitingBytes"] > 0, f"not counted as waiting: {left}"

    def finish(self) -> None:
        """Read until there is nothing new, after a restart."""
        self.settle()
        if self.pending:
            self.run()
        self.restart()
        for _ in range(500):
            self.plan()
            if not self.pending:
                break
            self.run()
        else:
            raise AssertionError("there is no end")
        missing = {each: {text for text in each.seen if not self.read[text]} for each in self.contents}
        lost = self.loss_told or self.query.reader.reportLatestOffset()["lostFiles"] > 0
        assert lost or not self.half_lost, "half a record was lost silently"
        for content, texts in missing.items():
            assert not texts or content.destroyed, f"{sorted(texts)} exist and were not read"
            assert not texts or lost, f"{sorted(texts)} were lost silently"
