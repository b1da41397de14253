"""Columns from the path of an input: ``{region}/{instance_id}/{epoch}/segments/{segment}.wal.zst``."""

from __future__ import annotations

import re
from functools import cache

from ..base.cached import cached_property
from ..codecs import without_suffix


class PathPattern:
    """A pattern whose ``{name}`` parts are matched against the end of a path; no part crosses a slash.

    The path may have any prefix before the pattern. The suffix of a codec is ignored in the pattern and in the path:
    ``.wal``, ``.wal.zst`` and ``.wal.gz`` are the same.
    """

    def __init__(self, pattern: str) -> None:
        self.pattern = pattern
        self.names: tuple[str, ...] = tuple(re.findall(r"\{(\w+)\}", pattern))

    @cached_property
    def _expression(self) -> re.Pattern[str]:
        parts = re.split(r"\{(\w+)\}", without_suffix(self.pattern))
        seen: set[str] = set()
        built = []
        for index, part in enumerate(parts):
            if index % 2 == 0:
                built.append(re.escape(part))
            elif part in seen:
                built.append(f"(?P={part})")
            else:
                seen.add(part)
                built.append(f"(?P<{part}>[^/]+?)")
        return re.compile(rf"(?:^|.*/){''.join(built)}$", re.DOTALL)

    def match(self, path: str | None) -> dict[str, str | None]:
        """Return the values by name; all values are ``None`` if the path does not match.

        >>> PathPattern("{region}/{name}.log").match("s3://bucket/logs/eu/a.log")
        {'region': 'eu', 'name': 'a'}
        """
        found = self._expression.match(without_suffix(path.replace("\\", "/"))) if path is not None else None
        return {name: found[name] if found else None for name in self.names}


@cache
def path_pattern(pattern: str) -> PathPattern:
    """Return the compiled pattern, which is cached."""
    return PathPattern(pattern)
