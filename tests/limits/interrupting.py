"""Interrupts at chosen places, and the files that a process has open afterwards."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Callable
from pathlib import Path
from types import CodeType, FrameType
from typing import Any


def interrupt(*_: Any, **__: Any) -> Any:
    """Replace a function by one that is interrupted."""
    raise KeyboardInterrupt


def open_below(folder: Path) -> list[str]:
    """Return the files in a folder that the process has open."""
    found = []
    for each in Path("/proc/self/fd").iterdir():
        try:
            found.append(os.readlink(each))
        except FileNotFoundError:
            continue
    return [each for each in found if each.startswith(str(folder))]


def interrupted_everywhere(work: Callable[[], object], functions: list[Any], check: Callable[[], object]) -> int:
    """Run ``work`` repeatedly, interrupted before another instruction of ``functions`` each time, and check what is
    left; return the number of these places."""
    codes = {function.__code__ for function in functions}
    done: set[tuple[CodeType, int]] = set()
    before = sys.gettrace()
    while True:
        places = len(done)
        try:
            sys.settrace(_trace(codes, done))
            work()
        except KeyboardInterrupt:
            pass
        finally:
            sys.settrace(before)
        # Only recent objects; a full collection takes too long to be repeated so often.
        gc.collect(1)
        check()
        if len(done) == places:
            return places


def _trace(codes: set[CodeType], done: set[tuple[CodeType, int]]) -> Any:
    first = len(done)

    def trace(frame: FrameType, event: str, _: Any) -> Any:
        if frame.f_code not in codes or len(done) > first:
            return None
        frame.f_trace_opcodes = True
        place = (frame.f_code, frame.f_lasti)
        if event == "opcode" and place not in done:
            done.add(place)
            raise KeyboardInterrupt
        return trace

    return trace
