"""Files that are truncated while they are read, on a file system that then returns zeros after the new end."""

from __future__ import annotations

import gzip
import io
import lzma
import os
import random
from pathlib import Path
from typing import Any

import pytest
import wireloom
import zstandard
from wireloom import Damage, FileReport
from wireloom.input import inputs

from ..unit.reading.samples import cobs_log, frames, payloads, word_log

RECORDS = payloads(1200, seed=3, largest=700)
"""More than the first read of a file takes."""
SEGMENT = frames(RECORDS)
CONTENTS = {
    "raw": ("edgemq_segment", SEGMENT, {}),
    "recover": ("edgemq_segment", SEGMENT, {"recover": True}),
    "zstd": ("edgemq_segment", zstandard.ZstdCompressor(level=1).compress(SEGMENT), {}),
    "xz": ("edgemq_segment", lzma.compress(SEGMENT, preset=0), {}),
    "gzip": ("edgemq_segment", gzip.compress(SEGMENT, 1), {}),
    "cobs": ("cobs_log", cobs_log(RECORDS), {}),
    "words": ("word_stuffed_log", word_log(RECORDS), {}),
}


class CuttingFile(io.FileIO):
    """A file that the first read after it is opened truncates at ``end``, as occasionally happens on ext4 in Linux."""

    end = 0

    def readinto(self, buffer: Any, /) -> int | None:
        count = super().readinto(buffer)
        after = min(count or 0, self.tell() - self.end)
        if count and after > 0:
            os.truncate(self.name, self.end)
            buffer[count - after : count] = bytes(after)
        return count


class CuttingStream(inputs.LocalStream, CuttingFile):
    """The stream of local files on such a file system."""


@pytest.mark.parametrize("prefetch", [False, True])
@pytest.mark.parametrize("name", CONTENTS)
def test_zeros_after_the_new_end_are_no_content(
    name: str, prefetch: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    format, content, options = CONTENTS[name]
    monkeypatch.setattr(inputs, "LocalStream", CuttingStream)
    path = tmp_path / "shrinking"
    for end in random.Random(name).sample(range(len(content)), 4):
        path.write_bytes(content)
        monkeypatch.setattr(CuttingFile, "end", end)
        # A compressed stream of which nothing is left counts as one of another format.
        anything = {**options, "check_format": False}
        found, report = wireloom.read_with_report(format, path, prefetch=prefetch, **anything)
        expected, shorter = wireloom.read_with_report(format, content[:end], **anything)
        assert found.equals(expected)
        [file], [other] = report.files, shorter.files
        assert file.tail == "truncated"
        assert file.error == f"the input ended at stored byte {end}, but it had {len(content)} bytes when it was opened"
        assert (file.rows, file.tail_offset) == (other.rows, other.tail_offset)
        # One more reports that the storage failed, or that the codec did, if the input is only short.
        assert _within(file) == _within(other)


def _within(file: FileReport) -> list[Damage]:
    return [each for each in file.damaged if each.reason not in ("missing", "codec")]
