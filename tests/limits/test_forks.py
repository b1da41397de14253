"""Processes that are forked while a thread computes what all readers share: they do not wait for that thread."""

from __future__ import annotations

import os
import subprocess
import sys
from concurrent.futures import Future
from typing import Any

import pytest
from wireloom import WireloomError
from wireloom.base.threads import Job
from wireloom.s2 import Slots, encode_frame, find_run

from ..waiting import SECONDS

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="there are no forks")

# A thread pauses inside such a computation, and the process is forked there.
FORKED = """
import os, signal, sys, threading
from wireloom import read
from wireloom.format import description, registry
from wireloom.objects.messages import descriptors

shared = sys.argv[1]
inside, outside = threading.Event(), threading.Event()
main = threading.main_thread()

def stopping(function):
    def stopped(*arguments):
        if threading.current_thread() is not main:
            inside.set()
            outside.wait()
        return function(*arguments)
    return stopped

if shared == "descriptor":
    descriptors._fill = stopping(descriptors._fill)
    target = lambda: descriptors.descriptor_of(registry.get("s2_messages").message_class)
else:
    description.Format.columns_module = property(stopping(description.Format.columns_module.fget))
    description.Format.class_of = stopping(description.Format.class_of)
    target = lambda: getattr(registry.get("word_stuffed_log"), shared)

threading.Thread(target=target, daemon=True).start()
assert inside.wait(900)
child = os.fork()
if child == 0:
    signal.alarm(900)
    for each in (registry.get("word_stuffed_log"), registry.get("cobs_log")):
        assert each.schema is each.schema and each.row_class is each.row_class and each.program is each.program
    assert read("cobs_log", b"\\x02a\\0").num_rows == 1
    descriptor = descriptors.descriptor_of(registry.get("s2_messages").message_class)
    assert descriptor is descriptors.descriptor_of(registry.get("s2_messages").message_class) and descriptor.steps
    os._exit(0)
_, status = os.waitpid(child, 0)
outside.set()
sys.exit(status and f"the child ended with {status}")
"""


@pytest.mark.parametrize("shared", ["schema", "row_class", "program", "descriptor"])
def test_a_fork_while_a_thread_computes_what_is_shared(shared: str) -> None:
    command = [sys.executable, "-W", "ignore", "-c", FORKED, shared]
    done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_what_a_thread_of_the_parent_decompresses_is_not_waited_for() -> None:
    content = b"\x0a\x0a\x08\x01\x10\x05\x22\x04body" * 100
    view = memoryview(encode_frame(content, "zstd"))
    for process in (os.getpid(), os.getpid() + 1):
        slots, run = Slots(), find_run(view, 0)
        future: Future[Any] = Future()
        future.set_running_or_notify_cancel()
        future.set_exception(WireloomError("by the thread"))
        run._ahead = Job(future)
        run._ahead._process = process
        if process == os.getpid():
            with pytest.raises(WireloomError, match="by the thread"):
                run.contents(view, slots)
        else:
            [(begin, size)] = run.contents(view, slots)
            assert bytes(slots.memory[begin : begin + size]) == content
