"""A broker of Kafka on this machine, a single node, run from the jars in a folder.

``mvn dependency:copy-dependencies -DoutputDirectory=…`` fills such a folder for a project that depends on
``org.apache.kafka:kafka_2.13``.
"""

from __future__ import annotations

import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from .ports import free_ports
from .waiting import SECONDS

"""A broker that does not answer within this time never will."""
ID = "AAAAAAAAAAAAAAAAAAAAAQ"
"""Identifier of a cluster: 16 bytes in base64."""


@contextmanager
def running(jars: Path, folder: Path) -> Iterator[str]:
    """Start a broker whose files are in ``folder``; yield its address."""
    address, controller = (f"127.0.0.1:{port}" for port in free_ports(2))
    settings = {
        "process.roles": "broker,controller",
        "node.id": "1",
        "controller.quorum.voters": f"1@{controller}",
        "listeners": f"PLAINTEXT://{address},CONTROLLER://{controller}",
        "controller.listener.names": "CONTROLLER",
        "log.dirs": str(folder / "logs"),
        "offsets.topic.replication.factor": "1",
        "transaction.state.log.replication.factor": "1",
        "transaction.state.log.min.isr": "1",
        "group.initial.rebalance.delay.ms": "0",
    }
    properties = folder / "server.properties"
    properties.write_text("".join(f"{name}={value}\n" for name, value in settings.items()))
    java = ["java", "-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-cp", f"{jars}/*"]
    format_logs = [*java, "kafka.tools.StorageTool", "format", "-t", ID, "-c", str(properties)]
    subprocess.run(format_logs, check=True, stdout=subprocess.DEVNULL)
    with (folder / "broker.log").open("wb") as log:
        process = subprocess.Popen([*java, "kafka.Kafka", str(properties)], stdout=log, stderr=subprocess.STDOUT)
    try:
        _wait(address, process, folder / "broker.log")
        yield address
    finally:
        process.kill()
        process.wait()


def _wait(address: str, process: subprocess.Popen[bytes], log: Path) -> None:
    host, _, port = address.partition(":")
    end = time.monotonic() + SECONDS
    while time.monotonic() < end and process.poll() is None:
        try:
            socket.create_connection((host, int(port)), 1).close()
        except OSError:
            time.sleep(0.1)
        else:
            return
    raise AssertionError(f"the broker does not answer:\n{log.read_text()}")
