"""A model of the logs in a folder, which programs write, rotate, compress, cut and delete, in any order.

It owns what a file system leaves open: modification times increase with each step, and the number of a removed file is
used again in the rule ``reuse`` only.
"""

from __future__ import annotations

import gzip
import os
import shutil
from abc import abstractmethod
from dataclasses import dataclass, field
from pathlib import Path

import zstandard
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, precondition, rule

from .stream_driver import age, write

PROGRAMS = ("a.log", "b.log")
KEPT = 3
"""Rotated files of a log that its rotation keeps."""
ROWS = 300

pick = st.integers(0, 1000)


@dataclass(eq=False)
class Content:
    """The records that a program writes between two rotations. ``rows``: complete ones; ``torn``: the bytes of the last
    one that are still to be written. ``known``: whether the query has seen a file with it; ``seen``: the records that
    were there then, and ``place`` the name of the file. ``destroyed``: whether it is gone, although it may not have
    been read. ``half``: whether a part of a record was there. ``size``: the number of bytes without preallocated
    space."""

    rows: list[str] = field(default_factory=list)
    torn: tuple[str, bytes] | None = None
    known: bool = False
    seen: set[str] = field(default_factory=set)
    place: str = ""
    destroyed: bool = False
    half: bool = False
    size: int = 0


class RotatedLogs(RuleBasedStateMachine):
    """The folder ``base / "in"`` with the logs, and the steps of the programs that write them."""

    format = "cobs_log"
    encoded: tuple[tuple[str, bytes], ...] = ()

    def make_folder(self, base: Path, *, dated: bool) -> None:
        """Begin with an empty folder in ``base``. ``dated``: whether rotated files have dates in place of numbers."""
        self.base, self.dated = base, dated
        self.folder, self.attic = self.base / "in", self.base / "attic"
        self.folder.mkdir()
        self.attic.mkdir()
        self.clock = self.number = 0
        self.files: dict[str, Content] = {}
        self.written_to: set[str] = set()
        """Files that a program may write to: not those that are copies."""
        self.removed: set[str] = set()
        """Names without a number of compressed files that were removed: another file with such a name counts as lost,
        since it may be the same data, corrected."""
        self.contents: list[Content] = []
        self.copying: dict[str, str] = {}
        """The copies of logs that are to be truncated."""
        self.packing: dict[str, tuple[str, bytes]] = {}
        """The names of compressed files that are being written, by those of their logs, and what they will contain."""
        self.freed: list[Path] = []
        """Files that were removed, and whose number a copy may get."""
        self.half_lost = False
        """Whether a file with half a record, which the query has seen, was removed."""

    @abstractmethod
    def _is_read(self, content: Content) -> bool:
        """Return whether the query has read all records of a content."""

    @abstractmethod
    def _matches(self, name: str) -> bool:
        """Return whether the query reads files with this name."""

    def _touch(self, name: str) -> None:
        self.clock += 1
        age(self.folder / name, self.clock)

    def _write(self, name: str, data: bytes) -> None:
        content = self.files[name]
        with os.fdopen(os.open(self.folder / name, os.O_RDWR | os.O_CREAT), "r+b") as file:
            file.seek(content.size)
            file.write(data)
        content.size += len(data)
        self._touch(name)

    def _plain(self) -> list[str]:
        return [each for each in self.files if not each.endswith((".gz", ".zst"))]

    def _settle(self, name: str) -> None:
        """End what a rotation has begun with a file."""
        if name in self.copying:
            to = self.copying.pop(name)
            self.files[to] = self.files.pop(name)
            os.truncate(self.folder / name, 0)
            self._touch(name)
            self._begin(name)
        if name in self.packing:
            packed, content = self.packing.pop(name)
            (self.folder / packed).write_bytes(content)
            self._touch(packed)
            self._name(self.files.pop(name), packed)
            self.written_to.discard(name)
            self._unlink(name)

    def _unlink(self, name: str) -> Path:
        """Remove a file; its number is not used again."""
        kept = self.attic / str(len(list(self.attic.iterdir())))
        (self.folder / name).rename(kept)
        return kept

    def _complete(self, name: str) -> None:
        """Write the rest of a record."""
        content = self.files[name]
        if content.torn is not None:
            text, rest = content.torn
            content.rows.append(text)
            content.torn = None
            self._write(name, rest)

    def _begin(self, name: str) -> None:
        if name not in self.files:
            self.files[name] = Content()
            self.contents.append(self.files[name])
            self.written_to.add(name)

    @rule(program=st.sampled_from(PROGRAMS), late=pick, count=st.integers(1, 3), cut=st.integers(0, 9))
    def append(self, program: str, late: int, count: int, cut: int) -> None:
        """Write some records, the last one possibly in part; to a log, or to a former log that its program still
        has open."""
        others = sorted(self.written_to - set(PROGRAMS))
        name = others[late % len(others)] if others and late % 3 == 0 else program
        self._settle(name)
        self._begin(name)
        self._complete(name)
        for each in range(count):
            text, data = self.encoded[self.number % ROWS]
            self.number += 1
            if each == count - 1 and cut < len(data) - 1 and any(data[:cut]):
                self.files[name].torn = text, data[cut:]
                self._write(name, data[:cut])
            else:
                self.files[name].rows.append(text)
                self._write(name, data)

    def _name(self, content: Content, name: str) -> None:
        self.files[name] = content
        content.destroyed |= name in self.removed

    def _move(self, name: str, to: str) -> None:
        self._settle(name)
        if name not in self.files:
            return
        (self.folder / name).rename(self.folder / to)
        self._name(self.files.pop(name), to)
        if name in self.written_to:
            self.written_to.remove(name)
            self.written_to.add(to)

    def _delete(self, name: str) -> None:
        self._settle(name)
        if name not in self.files:
            return
        content = self.files.pop(name)
        self.half_lost |= content.half and content.torn is not None
        if name.removesuffix(".gz").removesuffix(".zst") in PROGRAMS:
            self.removed.add(name)
        self.written_to.discard(name)
        # A program that begins a new log under the name of one that was removed cannot be told from one that cuts it.
        content.destroyed |= name in PROGRAMS or content.place in PROGRAMS or not self._is_read(content)
        self._unlink(name)

    def _rotated(self, name: str) -> str:
        """Make room for a rotated file, and return its name."""
        if self.dated:
            self.clock += 1
            return f"{name}-{20260000 + self.clock}"
        for number in range(KEPT, 0, -1):
            for ending in ("", ".gz", ".zst"):
                former = f"{name}.{number}{ending}"
                if former in self.files:
                    self._delete(former) if number == KEPT else self._move(former, f"{name}.{number + 1}{ending}")
        return f"{name}.1"

    @precondition(lambda self: any(each in self.files for each in PROGRAMS))
    @rule(which=pick)
    def rename(self, which: int) -> None:
        logs = [each for each in PROGRAMS if each in self.files]
        name = logs[which % len(logs)]
        self._move(name, self._rotated(name))

    @precondition(lambda self: any(each in self.files for each in PROGRAMS))
    @rule(which=pick, reuse=st.booleans())
    def copy(self, which: int, reuse: bool) -> None:
        """Copy a log, possibly to a file with the number of a removed one. It is truncated before anything else happens
        to it."""
        logs = [each for each in PROGRAMS if each in self.files]
        name = logs[which % len(logs)]
        self._settle(name)
        if name not in self.files or not self.files[name].size:
            return
        self._complete(name)
        to = self._rotated(name)
        if reuse and self.freed:
            self.freed.pop().rename(self.folder / to)
        shutil.copyfile(self.folder / name, self.folder / to)
        self._touch(to)
        self.copying[name] = to

    @rule()
    def settle(self) -> None:
        """Truncate what was copied, and remove what was compressed."""
        for name in [*self.copying, *self.packing]:
            self._settle(name)

    @precondition(lambda self: any(each in self.files for each in PROGRAMS))
    @rule(which=pick)
    def copy_and_truncate(self, which: int) -> None:
        self.copy(which, reuse=False)
        self.settle()

    @precondition(lambda self: any(each in self.files for each in PROGRAMS))
    @rule(which=pick)
    def replace(self, which: int) -> None:
        """Replace a log by a copy of itself."""
        logs = [each for each in PROGRAMS if each in self.files]
        name = logs[which % len(logs)]
        self._settle(name)
        if name not in self.files:
            return
        former = self._unlink(name)
        shutil.copyfile(former, self.folder / name)
        self._touch(name)
        self.freed = [former]

    @precondition(lambda self: self.format == "edgemq_segment" and any(each in self.files for each in PROGRAMS))
    @rule(which=pick, size=st.sampled_from([1, 10, 5000]))
    def allocate(self, which: int, size: int) -> None:
        """Add zeros to a log, which its program overwrites later."""
        logs = [each for each in PROGRAMS if each in self.files]
        name = logs[which % len(logs)]
        self._settle(name)
        if name in self.files:
            os.truncate(self.folder / name, self.files[name].size + size)
            self._touch(name)

    @precondition(lambda self: self._plain())
    @rule(which=pick, codec=st.sampled_from(["gz", "zst"]), share=st.integers(0, 100))
    def begin_compressing(self, which: int, codec: str, share: int) -> None:
        """Write a part of a compressed file, or all of it. The log is removed before anything else happens to it."""
        plain = sorted(self._plain())
        name = plain[which % len(plain)]
        self._settle(name)
        if name not in self.files:
            return
        self._complete(name)
        packed, content = f"{name}.{codec}", (self.folder / name).read_bytes()
        if packed in self.files or any(packed == each for each, _ in self.packing.values()):
            return
        content = gzip.compress(content) if codec == "gz" else zstandard.compress(content)
        if self._matches(name) or not self._matches(packed):
            (self.folder / packed).write_bytes(content[: share * len(content) // 100])
            self._touch(packed)
        self.packing[name] = packed, content

    @precondition(lambda self: self._plain())
    @rule(which=pick, codec=st.sampled_from(["gz", "zst"]))
    def compress(self, which: int, codec: str) -> None:
        self.begin_compressing(which, codec, 0)
        self.settle()

    @precondition(lambda self: self.files)
    @rule(which=pick)
    def delete(self, which: int) -> None:
        names = sorted(self.files)
        self._delete(names[which % len(names)])

    def _cut(self, name: str) -> None:
        os.truncate(self.folder / name, 0)
        self._touch(name)
        del self.files[name]
        self._begin(name)

    @precondition(lambda self: self.written_to)
    @rule(which=pick)
    def cut(self, which: int) -> None:
        """Truncate a file in place. What is in it then is new."""
        names = sorted(self.written_to)
        name = names[which % len(names)]
        self._settle(name)
        if name not in self.files:
            return
        self.files[name].destroyed = True
        self._cut(name)

    @precondition(lambda self: self.written_to - set(PROGRAMS))
    @rule(which=pick)
    def reuse(self, which: int) -> None:
        """Remove a file, and begin another one that gets its number."""
        names = sorted(self.written_to - set(PROGRAMS))
        name = names[which % len(names)]
        self._settle(name)
        if name not in self.files:
            return
        content, to = self.files[name], f"c{self.clock}.log"
        content.destroyed |= content.place in PROGRAMS or not self._is_read(content)
        self._cut(name)
        self._move(name, to)
        self.append(to, 1, 2, 0)


def encoded(name: str, folder: Path) -> tuple[tuple[str, bytes], ...]:
    """Return records of various sizes, and the bytes of each."""
    found = []
    for number in range(ROWS):
        path = folder / f"{number}"
        text = f"{number:03}" + "x" * (number * 7 % 30)
        found.append((text, write(name, path, text, codec="none")))
    return tuple(found)
