"""``python make_headers.py``: writes packets of several link types beside it with ``scapy``, Wireshark's ``editcap``
and ``tcpdump``, and into the folder of ``pcapng`` what ``mergecap`` makes of them; and what ``scapy`` reads."""

import json
import subprocess
from pathlib import Path

from scapy.layers.inet import ICMP, IP, TCP, UDP
from scapy.layers.inet6 import IPv6
from scapy.layers.l2 import ARP, CookedLinux, CookedLinuxV2, Dot1AD, Dot1Q, Ether
from scapy.packet import Packet, Padding
from scapy.utils import PcapNgReader, PcapReader, PcapWriter

HERE = Path(__file__).parent
PCAPNG = HERE.parent / "pcapng"
START = 1_700_000_000
TCP_OPTIONS = [("MSS", 1460), ("NOP", None), ("WScale", 7)]


def packets() -> list[Packet]:
    """Return packets without an outermost header: both versions of IP, with TCP, UDP and other content."""
    four, six = IP(src="192.0.2.1", dst="198.51.100.7", ttl=61), IPv6(src="2001:db8::1", dst="ff02::fb", hlim=255)
    return [
        four / TCP(sport=443, dport=51000, seq=0xFFFFFFF0, ack=7, flags="SA", options=TCP_OPTIONS),
        four / TCP(sport=51000, dport=443, seq=1, ack=2, flags="PA") / b"GET / HTTP/1.1\r\n\r\n",
        IP(src="192.0.2.1", dst="198.51.100.7", options=[b"\x94\4\0\0"]) / UDP(sport=53, dport=5353) / b"question",
        four / UDP(sport=1, dport=65535),
        IP(src="192.0.2.1", dst="198.51.100.7", frag=9, proto=17) / (b"a later fragment" * 3),
        four / ICMP() / b"echo",
        six / TCP(sport=80, dport=40000, seq=5, ack=6, flags="FA") / b"bye",
        six / UDP(sport=5353, dport=5353) / b"answer",
    ]


def ethernet() -> list[Packet]:
    """Frames, also with tags of VLANs, with padding, and without IP."""
    outer = Ether(src="02:03:04:05:06:07", dst="0a:0b:0c:0d:0e:0f")
    frames = [outer / each for each in packets()]
    frames += [outer / Dot1Q(vlan=291, prio=7) / each for each in packets()[:3]]
    frames += [outer / Dot1AD(vlan=100) / Dot1Q(vlan=200) / each for each in packets()[5:]]
    short = outer / IP(src="192.0.2.1", dst="192.0.2.2") / UDP(sport=7, dport=9) / b"x"
    return [*frames, short / Padding(bytes(17)), outer / ARP()]


def columns(packet: Packet) -> dict[str, object]:
    """The headers of a packet as its columns."""
    found: dict[str, object] = dict.fromkeys(NAMES)
    if Ether in packet:
        found |= {name: int(packet[Ether].fields[key].replace(":", ""), 16) for name, key in ETHERNET}
    tags = [each for each in packet.layers() if each in (Dot1Q, Dot1AD)]
    kinds = [packet[each].type for each in tags] or [packet.fields.get("type", packet.fields.get("proto"))]
    if not isinstance(packet, IP | IPv6):
        found["eth_type"] = kinds[-1]
    if tags:
        found["vlan"] = packet[tags[0]].vlan
    ip = next((packet[each] for each in (IP, IPv6) if each in packet), None)
    if isinstance(ip, IP):
        found |= {"ip_version": 4, "ip_protocol": ip.proto, "ip_ttl": ip.ttl}
        found |= {f"ip_{key}": int.from_bytes(bytes(map(int, getattr(ip, key).split("."))), "big") for key in ENDS}
    if isinstance(ip, IPv6):
        found |= {"ip_version": 6, "ip_protocol": ip.nh, "ip_ttl": ip.hlim}
        found |= {f"ip6_{key}": bytes(ip)[at : at + 16].hex() for key, at in zip(ENDS, (8, 24), strict=True)}
    inner = next((packet[each] for each in (TCP, UDP) if each in packet), None)
    if inner is not None:
        found |= {"src_port": inner.sport, "dst_port": inner.dport}
        size = inner.dataofs * 4 if isinstance(inner, TCP) else 8
        found["payload_offset"] = packet.original.index(inner.original) + size
        found["payload"] = inner.payload.original.hex() if inner.payload else ""
    if isinstance(inner, TCP):
        found |= {"tcp_seq": inner.seq, "tcp_ack": inner.ack, "tcp_flags": int(inner.flags)}
    return found


ENDS = ("src", "dst")
ETHERNET = (("eth_dst", "dst"), ("eth_src", "src"))
NAMES = (
    *("eth_dst", "eth_src", "eth_type", "vlan", "ip_version", "ip_src", "ip_dst", "ip6_src", "ip6_dst", "ip_protocol"),
    *("ip_ttl", "src_port", "dst_port", "tcp_seq", "tcp_ack", "tcp_flags", "payload_offset", "payload"),
)
FILES = {
    "headers_ethernet.pcap": (1, ethernet(), {}),
    "headers_sll.pcap": (113, [CookedLinux(src=b"\2\3\4\5\6\7") / each for each in packets()], {"endianness": ">"}),
    "headers_sll2.pcap": (276, [CookedLinuxV2(src=b"\2\3\4\5\6\7") / each for each in packets()], {}),
    "headers_raw.pcap": (101, packets(), {"nano": True}),
}


def write() -> None:
    """The files; two of them go through other programs."""
    for name, (link, found, options) in FILES.items():
        with PcapWriter(str(HERE / name), linktype=link, sync=True, **options) as writer:
            for number, packet in enumerate(found):
                packet.time = START + number
                writer.write(packet)
    through("editcap", "-F", "nsecpcap", "headers_sll2.pcap", "made")
    (HERE / "made").replace(HERE / "headers_sll2.pcap")
    through("tcpdump", "--time-stamp-precision=nano", "-r", "headers_raw.pcap", "-w", "made")
    (HERE / "made").replace(HERE / "headers_raw.pcap")
    through("mergecap", "-F", "pcapng", "-w", str(PCAPNG / "headers.pcapng"), *FILES)


def through(*command: str) -> None:
    """Run another program."""
    subprocess.run(command, check=True, cwd=HERE, capture_output=True)


write()
with open(HERE / "cases_headers.jsonl", "w") as cases:
    for name in FILES:
        with PcapReader(str(HERE / name)) as reader:
            rows = [{"network": reader.linktype, "ts": int(each.time * 10**9), **columns(each)} for each in reader]
        print(json.dumps({"file": name, "rows": rows}), file=cases)
with open(PCAPNG / "cases_headers.jsonl", "w") as cases, PcapNgReader(str(PCAPNG / "headers.pcapng")) as reader:
    rows = [{"ts": int(each.time * 10**9), **columns(each)} for each in reader]
    print(json.dumps({"file": "headers.pcapng", "rows": rows}), file=cases)
