"""From the paths of a read to the files that are read. Runs on the driver."""

from __future__ import annotations

import os
from collections.abc import Iterable
from fnmatch import fnmatchcase

from ..codecs import HEAD, SUFFIXES, Stored, detect
from ..errors import WireloomError
from ..format import Format
from ..storage import STANDARD_INPUT, Input, expand
from .options import ReadOptions
from .planning import Candidate


def candidates(format: Format, options: ReadOptions) -> list[Candidate]:
    """The files to be read, each with what planning must know of it. Raises ``WireloomError`` where there is none."""
    if STANDARD_INPUT in options.paths:
        raise WireloomError("Spark's tasks cannot read standard input: give a path")
    inputs = [each for path in options.paths for each in _below(path, options)]
    if not inputs:
        raise WireloomError(
            "none of the files is read: check recursiveFileLookup, pathGlobFilter, modifiedAfter and modifiedBefore",
            path=", ".join(options.paths),
        )
    return [_candidate(format, each, options) for each in _unique(inputs)]


def _below(path: str, options: ReadOptions) -> Iterable[Input]:
    found = expand(path, **options.location)
    if not options.recursive:
        found = [each for each in found if _parent(each.path or "") in (_folder(path), _parent(path))]
    if options.name_filter is not None:
        found = [each for each in found if fnmatchcase(each.name, options.name_filter)]
    after, before = options.modified_after, options.modified_before
    if after is not None:
        found = [each for each in found if each.modified is None or each.modified > after]
    if before is not None:
        found = [each for each in found if each.modified is None or each.modified < before]
    return found


def _folder(path: str) -> str:
    return path.removeprefix("file://").rstrip("/")


def _parent(path: str) -> str:
    return os.path.dirname(_folder(path))


def _unique(inputs: Iterable[Input]) -> list[Input]:
    """A file that two of the paths name is read once."""
    return list({each.path: each for each in inputs}.values())


def _candidate(format: Format, found: Input, options: ReadOptions) -> Candidate:
    """Only a file that is large enough to be split is opened, to see whether its bytes are those of the format."""
    named = SUFFIXES.get(os.path.splitext(found.name.lower())[1])
    codec = options.scan.get("codec", "auto")
    if codec != "auto":
        named = None if codec == "none" else str(codec)
    large = found.size is not None and found.size > options.open_cost
    splittable = format.splittable and not format.has_prologue and named is None and found.seekable and large
    if splittable and codec == "auto":
        splittable = _is_raw(format, found)
    return Candidate(found, splittable=splittable, compressed=named is not None)


def _is_raw(format: Format, found: Input) -> bool:
    stored = Stored(found.open(), found.size)
    try:
        return detect(stored.peek(HEAD), found.name, format.codec) == "none"
    except WireloomError:
        # Whoever reads the file says what is wrong with it.
        return False
    finally:
        stored.close()
