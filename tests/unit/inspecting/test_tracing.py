"""Threads and processes that trace at once: classes are what they were behind them."""

import os
import subprocess
import sys
import threading

import pytest
from wireloom.inspecting import tracing
from wireloom.inspecting.tracing import Trace, taken
from wireloom.objects import Struct

SECONDS = 60

# A thread stays inside of a trace, and the process is forked there.
FORKED = """
import os, signal, sys, threading
from wireloom.inspecting.tracing import Trace, taken
from wireloom.objects import Struct

refuse = Struct._refuse
inside, outside = threading.Event(), threading.Event()

def stay():
    with taken(Trace()):
        inside.set()
        outside.wait()

threading.Thread(target=stay, daemon=True).start()
assert inside.wait(60)
child = os.fork()
if child == 0:
    signal.alarm(30)
    assert Struct._refuse is refuse and "__setattr__" not in vars(Struct)
    with taken(Trace()):
        assert Struct._refuse is not refuse
    assert Struct._refuse is refuse
    os._exit(0)
_, status = os.waitpid(child, 0)
assert Struct._refuse is not refuse, "the thread of the parent traces on"
outside.set()
sys.exit(status and f"the child ended with {status}")
"""


class Asked:
    """A lock that tells when it is asked for."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.times = threading.Semaphore(0)

    def __enter__(self) -> None:
        self.times.release()
        self.lock.acquire()

    def __exit__(self, *_: object) -> None:
        self.lock.release()


def test_a_thread_that_waits_for_another_one(monkeypatch: pytest.MonkeyPatch) -> None:
    before, asked, going_on = Struct._refuse, Asked(), threading.Event()
    monkeypatch.setattr(tracing, "_lock", asked)

    def trace() -> None:
        with taken(Trace()):
            going_on.wait(SECONDS)

    threads = [threading.Thread(target=trace) for _ in range(2)]
    for each in threads:
        each.start()
        assert asked.times.acquire(timeout=SECONDS)
    going_on.set()
    for each in threads:
        each.join(SECONDS)
    assert Struct._refuse is before
    assert "__setattr__" not in vars(Struct)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there are no forks")
def test_a_fork_while_a_thread_traces() -> None:
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", FORKED], capture_output=True, text=True, timeout=SECONDS, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there are no forks")
def test_a_fork_inside_of_a_trace_goes_on() -> None:
    before = Struct._refuse
    with taken(Trace()):
        child = os.fork()
        if child == 0:
            # Still traced here, until the block ends.
            os._exit(Struct._refuse is before)
        assert os.waitpid(child, 0)[1] == 0
    assert Struct._refuse is before
