"""Sample logs from wireloom's own writers: EdgeMQ segments of JSON events, and word-stuffed logs; one file of each kind
is damaged.

The same seed gives the same bytes.
"""

from __future__ import annotations

import json
import random
import struct
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from itertools import accumulate
from pathlib import Path

import pyarrow as pa
import zstandard

from ..base.dataclass import dataclass

MEGABYTE = 1_000_000
EDGEMQ_OVERHEAD = 21
WORD_STUFFED_OVERHEAD = 11
"""The checksum, the generation, the first block's header and the delimiter."""
FIRST_HOUR = datetime(2026, 3, 2, 6, tzinfo=UTC)
HOURS = 6
TENANTS = (17, 42, 108, 256, 4711)
REGIONS = ("eu-west-1", "us-east-1")
INSTANCES = {"eu-west-1": "i-0f3a9c21", "us-east-1": "i-0b77e14d"}
EVENTS = ("page_view", "page_view", "page_view", "search", "add_to_cart", "purchase")
PATHS = ("/", "/search", "/product/1204", "/product/77", "/cart", "/checkout")


@dataclass(frozen=True)
class Sample:
    """One file that was made; ``damaged`` says how it was damaged, if at all."""

    path: Path
    rows: int
    raw_bytes: int
    damaged: str | None = None


def event(randomness: random.Random, time: int) -> bytes:
    """Return one event as an ingest service stores it: a line of JSON of about 200 bytes. ``time``: epoch
    milliseconds."""
    kind = randomness.choice(EVENTS)
    body: dict[str, object] = {
        "event": kind,
        "id": f"{randomness.getrandbits(64):016x}",
        "user": f"u-{int(randomness.paretovariate(1.1) * 1000) % 90000:05d}",
        "path": randomness.choice(PATHS),
        "sent_at": time - randomness.randrange(5, 900),
        "latency_ms": round(randomness.lognormvariate(3.2, 0.7), 2),
        "agent": randomness.choice(("ios/7.4.1", "android/7.3.0", "web/2026.9")),
    }
    if kind == "purchase":
        body["amount"] = {"value": round(randomness.uniform(3, 400), 2), "currency": "EUR"}
    if kind == "search":
        body["query"] = randomness.choice(("läufer", "walking shoes", "rain coat", "30l rucksack"))
    return json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode()


def event_table(
    randomness: random.Random, raw_bytes: int, start: int, end: int, overhead: int = EDGEMQ_OVERHEAD
) -> pa.Table:
    """Return events of about ``raw_bytes`` in total, with times that rise from ``start`` to ``end`` (epoch
    milliseconds).

    ``overhead``: bytes of a record in addition to its payload.
    """
    payloads: list[bytes] = []
    size = 0
    while size < raw_bytes:
        # The proportion of the bytes made so far determines the time of the event.
        payloads.append(event(randomness, start + int((end - start) * size / raw_bytes)))
        size += len(payloads[-1]) + overhead
    times = [start + (end - start) * index // len(payloads) for index in range(len(payloads))]
    return pa.table(
        {
            "fmt": pa.array([0] * len(payloads), pa.uint8()),
            "tenant": pa.array(randomness.choices(TENANTS, (8, 5, 3, 2, 1), k=len(payloads)), pa.uint32()),
            "ts": pa.array(times, pa.timestamp("ms", "UTC")),
            "payload": pa.array(payloads, pa.binary()),
        }
    )


def sample(path: str | Path = "events.wal.zst", rows: int = 1000) -> Path:
    """Write a sample file and return its path: a packet capture of format ``pcap`` with that many packets if its name
    ends in ``.pcap``, otherwise a segment of format ``edgemq_segment`` with that many events.

    The suffix ``.zst`` determines that a segment is compressed.
    """
    import wireloom

    start = int(FIRST_HOUR.timestamp() * 1000)
    if Path(path).suffix == ".pcap":
        wireloom.write("pcap", packet_table(random.Random(1), rows, start), path)
        return Path(path)
    # Events have about 170 bytes, including their overhead.
    table = event_table(random.Random(1), rows * 250, start, start + 3_600_000).slice(0, rows)
    wireloom.write("edgemq_segment", table, path)
    return Path(path)


def packet_table(randomness: random.Random, count: int, start: int) -> pa.Table:
    """Return packets of clients that request pages of a server, from ``start`` on (epoch milliseconds)."""
    data = []
    for _ in range(count):
        client, port = randomness.randrange(2, 250), randomness.randrange(49152, 65536)
        request = f"GET {randomness.choice(PATHS)} HTTP/1.1\r\nHost: shop.example\r\n\r\n".encode()
        data.append(packet(b"\x0a\0\0" + bytes((client,)), port, request))
    gaps = [randomness.randrange(1_000, 40_000_000) for _ in range(count)]
    times = [start * 1_000_000 + each for each in accumulate(gaps)]
    sizes = [len(each) for each in data]
    return pa.table(
        {
            "ts": pa.array(times, pa.timestamp("ns", "UTC")),
            "orig_len": pa.array(sizes, pa.uint32()),
            "data": pa.array(data, pa.binary()),
        }
    )


def packet(client: bytes, port: int, content: bytes) -> bytes:
    """Return an Ethernet frame with a TCP segment (RFC 9293) to port 80 of 10.0.0.1 in an IPv4 packet (RFC 791)."""
    server = b"\x0a\0\0\x01"
    tcp = struct.pack(">HHIIBBHHH", port, 80, 1, 1, 5 << 4, 0x18, 0xFFFF, 0, 0) + content
    covered = client + server + struct.pack(">BBH", 0, 6, len(tcp)) + tcp
    tcp = tcp[:16] + struct.pack(">H", internet_checksum(covered)) + tcp[18:]
    ip = struct.pack(">BBHHHBBH", 0x45, 0, 20 + len(tcp), 1, 0x4000, 64, 6, 0) + client + server
    ip = ip[:10] + struct.pack(">H", internet_checksum(ip)) + ip[12:]
    return bytes.fromhex("020000000001 020000000002 0800") + ip + tcp


def internet_checksum(data: bytes) -> int:
    """Return the checksum of RFC 1071.

    >>> hex(internet_checksum(bytes.fromhex("0001f203f4f5f6f7")))
    '0x220d'
    """
    total: int = sum(struct.unpack(f">{len(data) // 2 + len(data) % 2}H", data + b"\0" * (len(data) % 2)))
    while total > 0xFFFF:
        total = (total & 0xFFFF) + (total >> 16)
    return total ^ 0xFFFF


def overwrite(randomness: random.Random, data: bytearray, places: int) -> None:
    """Overwrite a few bytes at each of that many places."""
    for _ in range(places):
        at = randomness.randrange(len(data) // 10, len(data) - 64)
        data[at : at + 4] = randomness.randbytes(4)


def edgemq_segments(folder: Path, raw_bytes: int, seed: int = 1, count: int = 8) -> Iterator[Sample]:
    """Write ``count`` segments below ``folder`` under the object-key layout; the last one is damaged.

    In the damaged one, bytes of the raw content are overwritten, so that checksums do not match and one length is
    wrong.
    """
    import wireloom

    randomness = random.Random(seed)
    start = int(FIRST_HOUR.timestamp() * 1000)
    duration = HOURS * 3_600_000
    for index in range(count):
        region = REGIONS[index * len(REGIONS) // count]
        sequence = index % (count // len(REGIONS) or 1)
        steps = count // len(REGIONS) or 1
        first = start + duration * sequence // steps
        table = event_table(randomness, raw_bytes // count, first, first + duration // steps)
        path = folder / "prod" / region / INSTANCES[region] / "1" / "segments" / f"seg-{sequence + 1:08d}.wal.zst"
        path.parent.mkdir(parents=True, exist_ok=True)
        report = wireloom.write("edgemq_segment", table, path)
        damaged = None
        if index == count - 1:
            offsets = wireloom.read("edgemq_segment", path, columns=["_offset"])["_offset"]
            raw = bytearray(zstandard.ZstdDecompressor().stream_reader(path.read_bytes()).read())
            overwrite(randomness, raw, 4)
            # An impossible length: everything after it is lost, unless the reader recovers.
            raw[offsets[len(offsets) // 3].as_py()] = 0xFF
            path.write_bytes(zstandard.ZstdCompressor(level=3).compress(bytes(raw)))
            damaged = "4 bytes overwritten in 4 places, and the length of a frame"
        yield Sample(path, report.rows, report.bytes, damaged)


def word_stuffed_logs(folder: Path, raw_bytes: int, seed: int = 2, count: int = 2) -> Iterator[Sample]:
    """Write ``count`` word-stuffed logs below ``folder``; the last one has overwritten bytes and a page of zeros."""
    import wireloom

    randomness = random.Random(seed)
    start = int(FIRST_HOUR.timestamp() * 1000)
    folder.mkdir(parents=True, exist_ok=True)
    for index in range(count):
        events = event_table(randomness, raw_bytes // count, start, start + HOURS * 3_600_000, WORD_STUFFED_OVERHEAD)
        generations = pa.array([index + 1] * events.num_rows, pa.uint32())
        path = folder / f"journal-{index + 1:03d}.log"
        report = wireloom.write(
            "word_stuffed_log", pa.table({"generation": generations, "payload": events["payload"]}), path
        )
        damaged = None
        if index == count - 1:
            data = bytearray(path.read_bytes())
            overwrite(randomness, data, 5)
            page = len(data) // 2 // 4096 * 4096
            data[page : page + 4096] = bytes(4096)
            path.write_bytes(data)
            damaged = "4 bytes overwritten in 5 places, a page of 4,096 zeros"
        yield Sample(path, report.rows, report.bytes, damaged)


def make_samples(folder: Path, scale: float, progress: Callable[[Sample], None]) -> list[Sample]:
    """Make all samples: 50 MB of segments and 20 MB of logs, times ``scale``. ``progress`` is called for each file."""
    samples = []
    for sample in edgemq_segments(folder / "edgemq", int(50 * MEGABYTE * scale)):
        progress(sample)
        samples.append(sample)
    for sample in word_stuffed_logs(folder / "journal", int(20 * MEGABYTE * scale)):
        progress(sample)
        samples.append(sample)
    return samples
