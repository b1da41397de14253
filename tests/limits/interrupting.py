"""Interrupts at chosen places, and what a process has open after them."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Callable
from pathlib import Path
from types import CodeType, FrameType
from typing import Any


def interrupt(*_: Any, **__: Any) -> Any:
    """What takes the place of a function."""
    raise KeyboardInterrupt


def open_below(folder: Path) -> list[str]:
    """What the process has open in a folder."""
    found = []
    for each in Path("/proc/self/fd").iterdir():
        try:
            found.append(os.readlink(each))
        except FileNotFoundError:
            continue
    return [each for each in found if each.startswith(str(folder))]


def interrupted_everywhere(work: Callable[[], object], functions: list[Any], check: Callable[[], object]) -> int:
    """Does ``work`` again and again, interrupted before another instruction of ``functions`` each time, and looks at
    what is left; gives the number of these places."""
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
        # What was made just now; the whole takes too long so often.
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
