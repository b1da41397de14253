"""``python make.py``: writes the files beside it with ``dpkt``, ``scapy`` and Wireshark's ``editcap``, and the packets
that ``scapy`` reads. It does not read ``modified.pcap``, which has the packets of ``little.pcap``."""

import json
import random
import subprocess
from pathlib import Path

import dpkt
from scapy.utils import RawPcapReader, RawPcapWriter

HERE = Path(__file__).parent
SOURCE = random.Random(2)
PACKETS = [(1_700_000_000 + number, number * 1001 + 7, SOURCE.randbytes(number * 37 % 200)) for number in range(16)]


def by_dpkt(name: str, **options: bool) -> None:
    """Write a file in the byte order of this machine, with times in microseconds."""
    with open(HERE / name, "wb") as file:
        writer = dpkt.pcap.Writer(file, snaplen=65535, linktype=dpkt.pcap.DLT_EN10MB, **options)
        for seconds, fraction, data in PACKETS:
            writer.writepkt(data, ts=seconds + fraction / 1_000_000)


def by_scapy(name: str, **options: object) -> None:
    """Write a file. ``endianness``: the byte order; ``nano``: whether times are in nanoseconds."""
    with RawPcapWriter(str(HERE / name), linktype=101, **options) as writer:
        writer.write_header(b"")
        for seconds, fraction, data in PACKETS:
            writer.write_packet(data[:96], sec=seconds, usec=fraction, caplen=len(data[:96]), wirelen=len(data))


by_dpkt("little.pcap")
by_scapy("big.pcap", endianness=">", snaplen=96)
by_scapy("big_nano.pcap", endianness=">", nano=True, snaplen=96)
by_scapy("little_nano.pcap", endianness="<", nano=True, snaplen=96)
subprocess.run(["editcap", "-F", "modpcap", HERE / "little.pcap", HERE / "modified.pcap"], check=True)
with open(HERE / "cases.jsonl", "w") as cases:
    for name in ("little.pcap", "big.pcap", "big_nano.pcap", "little_nano.pcap", "modified.pcap"):
        rows = []
        with RawPcapReader(str(HERE / name.replace("modified", "little"))) as reader:
            for data, meta in reader:
                time = meta.sec * 1_000_000_000 + meta.usec * (1 if reader.nano else 1000)
                row = {"ts": time, "incl_len": meta.caplen, "orig_len": meta.wirelen, "data": data.hex()}
                rows.append(row | {"network": reader.linktype, "snaplen": reader.snaplen})
        print(json.dumps({"file": name, "rows": rows}), file=cases)
