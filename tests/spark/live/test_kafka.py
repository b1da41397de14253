"""The page's program for Kafka, with Spark's own connector and a broker.

Neither is on the package index of Python: ``WIRELOOM_KAFKA_BROKER`` and ``WIRELOOM_KAFKA_CONNECTOR`` name folders with
their jars (``org.apache.kafka:kafka_2.13``, ``org.apache.spark:spark-sql-kafka-0-10_2.13``, each with what it depends
on).
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pyarrow.dataset
import pytest
from wireloom.kpl import Aggregator

from ... import kafka_broker
from ...docs.live import section
from ...java import QUICK_JAVA

kafka = pytest.importorskip("kafka", reason="records are sent by kafka-python: pip install kafka-python")
FOLDERS = [os.environ.get(f"WIRELOOM_KAFKA_{name}") for name in ("BROKER", "CONNECTOR")]
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        not all(FOLDERS), reason="WIRELOOM_KAFKA_BROKER and WIRELOOM_KAFKA_CONNECTOR name no folders with Kafka's jars"
    ),
]
TOPIC = "orders"


@pytest.fixture(scope="module")
def broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with kafka_broker.running(Path(FOLDERS[0] or ""), tmp_path_factory.mktemp("kafka")) as address:
        admin = kafka.KafkaAdminClient(bootstrap_servers=address)
        admin.create_topics([kafka.admin.NewTopic(TOPIC, num_partitions=2, replication_factor=1)])
        admin.close()
        yield address


def send(broker: str, first: int, messages: int) -> Counter[str]:
    """Send messages of three records each, and one without a value; return the records."""
    producer = kafka.KafkaProducer(bootstrap_servers=broker)
    sent: Counter[str] = Counter()
    for number in range(first, first + messages):
        aggregator = Aggregator(shards="one")
        for each in range(3):
            aggregator.add(f"customer {number}", f"order {number}.{each}".encode())
            sent[f"order {number}.{each}"] += 1
        value = aggregator.flush()[0].data
        producer.send(TOPIC, bytes(value), partition=number % 2)
    producer.send(TOPIC, None, key=b"deleted", partition=0)
    producer.flush()
    producer.close()
    return sent


def test_the_page(broker: str, tmp_path: Path) -> None:
    text = section("Kafka")
    [program] = re.findall(r"^```python\n(# orders.py\n.*?)^```$", text, re.MULTILINE | re.DOTALL)
    (tmp_path / "orders.py").write_text(program.replace("broker:9092", broker))
    jars = ",".join(str(each) for each in sorted(Path(FOLDERS[1] or "").glob("*.jar")))
    command = [str(Path(sys.executable).parent / "spark-submit"), "--master", "local[1]", "--jars", jars, "orders.py"]
    environment = {**os.environ, **QUICK_JAVA, "PYSPARK_PYTHON": sys.executable, "SPARK_LOCAL_IP": "127.0.0.1"}

    def run() -> list[str]:
        done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
        told = [line for line in done.stderr.splitlines() if " INFO " not in line and "\tat " not in line]
        assert done.returncode == 0, "\n".join(told[-60:])
        rows = pyarrow.dataset.dataset(tmp_path / "table", format="parquet").to_table()
        assert set(rows["topic"].to_pylist()) == {TOPIC}
        found = Counter(each.decode() for each in rows["data"].to_pylist())
        assert found == held
        return done.stdout.splitlines()

    held = send(broker, 0, 6)
    assert run() == ["18 records in 7 messages, 1 of them empty"]
    held += send(broker, 6, 2)
    # The checkpoint contains the connector's offsets: only new messages are read.
    assert run() == ["24 records in 10 messages, 2 of them empty"]
    assert run() == ["24 records in 10 messages, 2 of them empty"]
