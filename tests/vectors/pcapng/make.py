"""``python make.py``: writes the files beside it with ``python-pcapng``, ``scapy``, and Wireshark's ``editcap`` and
``mergecap``, and what ``python-pcapng`` and ``tshark`` read from them."""

import json
import random
import subprocess
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path

from pcapng import FileScanner, FileWriter, blocks
from pcapng.exceptions import TruncatedFile
from pcapng.strictness import Strictness, set_strictness
from scapy.layers.inet import IP, UDP
from scapy.layers.l2 import Ether
from scapy.utils import PcapNgWriter

# Obsolete packets, and simple ones beside several interfaces.
set_strictness(Strictness.NONE)
HERE = Path(__file__).parent
PCAPS = HERE.parent / "pcap"
SOURCE = random.Random(3)
SIZES = (1, 2, 3, 4, 60, 200)
START = 1_700_000_000

INTERFACES = [
    {"link_type": 1, "snaplen": 64, "options": {"if_name": "eth0"}},
    {"link_type": 101, "options": {"if_tsresol": b"\x09", "if_name": "tun0", "if_description": "a tunnel"}},
    {"link_type": 1, "options": {"if_tsresol": b"\x94", "if_tsoffset": 3600}},
    {"link_type": 1, "options": {"if_tsresol": b"\x03"}},
]
UNITS = (10**6, 10**9, 2**20, 10**3)


def section(endianness: str) -> blocks.SectionHeader:
    """A section with all interfaces."""
    found = blocks.SectionHeader(endianness=endianness, options={"shb_userappl": "make.py"})
    for each in INTERFACES:
        found.new_member(blocks.InterfaceDescription, **each)
    return found


def write_section(writer: FileWriter, header: blocks.SectionHeader) -> None:
    """Packets of all kinds, and blocks that are none."""
    for number, size in enumerate(SIZES * 2):
        which = number % 4
        options = {"opt_comment": f"packet {number}", "epb_dropcount": number} if number % 3 == 0 else {}
        packet = header.new_member(blocks.EnhancedPacket, interface_id=which, options=options)
        data = SOURCE.randbytes(size)
        time = (START + number) * UNITS[which] + SOURCE.randrange(UNITS[which])
        packet.timestamp_high, packet.timestamp_low = time >> 32, time & 0xFFFFFFFF
        packet.packet_data, packet.packet_len = data[:64], len(data)
        writer.write_block(packet)
    for size in (3, 64, 100):
        simple = header.new_member(blocks.SimplePacket, packet_data=SOURCE.randbytes(size)[:64])
        simple.packet_len = size
        writer.write_block(simple)
    old = header.new_member(
        blocks.ObsoletePacket, interface_id=1, drops_count=2, packet_data=b"obsolete", packet_len=80
    )
    old.timestamp_high, old.timestamp_low = (START * 10**9) >> 32, (START * 10**9) & 0xFFFFFFFF
    writer.write_block(old)
    statistics = header.new_member(blocks.InterfaceStatistics, interface_id=1, options={"isb_ifrecv": 14})
    statistics.timestamp_high, statistics.timestamp_low = (START * 10**9) >> 32, (START * 10**9) & 0xFFFFFFFF
    writer.write_block(statistics)


def by_python_pcapng(name: str, *orders: str) -> None:
    """Sections in these byte orders."""
    with open(HERE / name, "wb") as file:
        first = section(orders[0])
        writer = FileWriter(file, first)
        write_section(writer, first)
        for order in orders[1:]:
            following = section(order)
            writer.write_block(following)
            write_section(writer, following)


def by_scapy(name: str) -> None:
    """Write a file with one interface that does not state its unit of time, which is then the microsecond."""
    with PcapNgWriter(str(HERE / name)) as writer:
        for number, size in enumerate(SIZES):
            packet = Ether(dst="02:00:00:00:00:01") / IP(src="192.0.2.1", dst="192.0.2.2") / UDP(sport=53, dport=number)
            packet /= SOURCE.randbytes(size)
            packet.time = Decimal(START + number) + Decimal(number * 1001) / 10**6
            writer.write(packet)


def by_wireshark(name: str, tool: str, *arguments: str) -> None:
    """Make a file from those of ``pcap`` with a tool of Wireshark."""
    subprocess.run([tool, *arguments], check=True, cwd=PCAPS)
    content = (HERE / name).read_bytes()
    assert content[:4] == b"\x0a\x0d\x0d\x0a"


by_python_pcapng("little.pcapng", "<")
by_python_pcapng("big.pcapng", ">")
by_python_pcapng("sections.pcapng", "<", ">", "<")
by_scapy("scapy.pcapng")
by_wireshark("editcap.pcapng", "editcap", "-F", "pcapng", "-s", "40", "little.pcap", str(HERE / "editcap.pcapng"))
merged = str(HERE / "mergecap.pcapng")
by_wireshark("mergecap.pcapng", "mergecap", "-F", "pcapng", "-w", merged, "little.pcap", "big_nano.pcap")
(HERE / "cut.pcapng").write_bytes((HERE / "little.pcapng").read_bytes()[:-150])


def times(name: str) -> list[int | None]:
    """Return the time of each packet in nanoseconds, as ``tshark`` prints it; ``None`` for a packet without one."""
    command = ["tshark", "-r", str(HERE / name), "-T", "fields", "-e", "frame.time_epoch"]
    found = subprocess.run(command, capture_output=True, text=True, check=name != "cut.pcapng").stdout
    return [None if not each else int(Decimal(each) * 10**9) for each in found.splitlines()]


def rows_of(name: str) -> Iterator[dict[str, object]]:
    """Yield the row of each packet, as ``python-pcapng`` reads it."""
    with open(HERE / name, "rb") as file:
        for block in FileScanner(file):
            if isinstance(block, blocks.BasePacketBlock):
                row = {"interface_id": block.interface_id, "captured_len": block.captured_len}
                row |= {"original_len": block.packet_len, "data": block.packet_data.hex()}
                yield row | {"linktype": block.interface.link_type}


def case_of(name: str) -> dict[str, object]:
    """Return the line of a file in ``cases.jsonl``."""
    rows, more = [], {}
    try:
        rows.extend(rows_of(name))
    except TruncatedFile:
        more = {"tail": "truncated"}
    together = [{"ts": time} | row for time, row in zip(times(name), rows, strict=True)]
    return {"file": name, "rows": together, **more}


with open(HERE / "cases.jsonl", "w") as cases:
    for path in sorted(HERE.glob("*.pcapng")):
        print(json.dumps(case_of(path.name)), file=cases)
