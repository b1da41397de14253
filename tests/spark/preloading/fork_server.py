"""A process that has imported what Spark's Python processes need, and is forked for each of them.

``python -m fork_server SOCKET``, with the folder of this file on Python's path. It prints a line when it can be
connected to, and ends with the process that started it.
"""

import importlib
import json
import os
import runpy
import socket
import socketserver
import sys
import traceback

from sitecustomize import preload, without_archives


class Fork(socketserver.BaseRequestHandler):
    """Runs the module of a request, in a fork of the server, in place of the process that sent it."""

    request: socket.socket

    def handle(self) -> None:
        _, files, _, _ = socket.recv_fds(self.request, 1, 3)
        wanted = json.loads(b"".join(iter(lambda: self.request.recv(1 << 16), b"")))
        for number, file in enumerate(files):
            os.dup2(file, number)
            os.close(file)
        os.chdir(wanted["folder"])
        os.environ.clear()
        os.environ.update(wanted["environment"])
        places = without_archives(wanted["environment"].get("PYTHONPATH", "").split(os.pathsep))
        sys.path[:0] = [wanted["folder"], *(each for each in places if each and each not in sys.path)]
        importlib.invalidate_caches()
        module, *arguments = wanted["arguments"]
        sys.argv = [module, *arguments]
        self.request.sendall(bytes([_code_of(module)]))


def _code_of(module: str) -> int:
    """Run a module as a program; return the exit code."""
    code: object = 0
    try:
        runpy.run_module(module, run_name="__main__", alter_sys=True)
    except SystemExit as ended:
        code = ended.code
    except BaseException:
        traceback.print_exc()
        code = 1
    sys.stdout.flush()
    sys.stderr.flush()
    return code % 256 if isinstance(code, int) else int(code is not None)


class Server(socketserver.ForkingMixIn, socketserver.UnixStreamServer):
    """Listens at a socket."""

    request_queue_size = 100
    max_children = 1000

    def __init__(self, address: str) -> None:
        super().__init__(address, Fork)
        self.parent = os.getppid()

    def service_actions(self) -> None:
        super().service_actions()
        if os.getppid() != self.parent:
            os._exit(0)


if __name__ == "__main__":
    with Server(sys.argv[1]) as server:
        print("listening", flush=True)
        preload()
        server.serve_forever()
