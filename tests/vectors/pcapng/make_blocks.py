"""``python make_blocks.py``: writes files with secrets by Wireshark's ``editcap``, with custom blocks by ``pycapng``,
and with all blocks that are neither packets nor about them, which ``tshark`` reads as the rows say."""

import json
import struct
import subprocess
from pathlib import Path

import pycapng

HERE = Path(__file__).parent
KEYS = "CLIENT_RANDOM 0a0b 0c0d\nCLIENT_RANDOM 01 02\n"
TEXT = {"__CURSOR": b"s=1", "__REALTIME_TIMESTAMP": b"1700000000000000", "MESSAGE": b"started"}
BINARY = {"MESSAGE_2": b"two\nlines\0=", "EMPTY": b"", "A": b"b=c"}
ENTRIES = ((TEXT, b""), (TEXT, b"\n"), (TEXT | BINARY, b""), ({"A": b""}, b""))
"""Entries, and what follows their fields."""


def field(name: str, value: bytes) -> bytes:
    """A field in systemd's journal export format."""
    if b"\n" in value:
        return name.encode() + b"\n" + struct.pack("<Q", len(value)) + value + b"\n"
    return name.encode() + b"=" + value + b"\n"


def block(order: str, kind: int, body: bytes) -> bytes:
    """A block in a byte order."""
    body += bytes(-len(body) % 4)
    ends = struct.pack(f"{order}I", 12 + len(body))
    return struct.pack(f"{order}I", kind) + ends + body + ends


def section(order: str) -> bytes:
    """A section with all blocks."""
    found = block(order, 0x0A0D0D0A, struct.pack(f"{order}IHHq", 0x1A2B3C4D, 1, 0, -1))
    for fields, end in ENTRIES:
        found += block(order, 9, b"".join(field(*each) for each in fields.items()) + end)
    comment = struct.pack(f"{order}HH2s2xHH", 1, 2, b"hi", 0, 0)
    found += block(order, 10, struct.pack(f"{order}II", 0x57474B4C, 5) + b"k = v\0\0\0" + comment)
    found += block(order, 10, struct.pack(f"{order}II", 7, 0))
    found += block(order, 0xBAD, struct.pack(f"{order}I", 32473) + b"any data")
    return found + block(order, 0x40000BAD, struct.pack(f"{order}I", 1))


def custom(pen: int, data: bytes, *, may_be_copied: bool = True) -> dict[str, object]:
    """The row of a custom block, whose data end with the block."""
    return {"pen": pen, "may_be_copied": may_be_copied, "data": (data + bytes(-len(data) % 4)).hex()}


(HERE / "keys.txt").write_text(KEYS)
command = ["editcap", "--inject-secrets", f"tls,{HERE / 'keys.txt'}", HERE / "little.pcapng", HERE / "secrets.pcapng"]
subprocess.run(command, check=True)
(HERE / "keys.txt").unlink()
file = pycapng.PcapNG()
file.OpenFile(str(HERE / "custom.pcapng"), "w")
file.WriteCustom(32473, b"some bytes")
file.WritePacket(bytes(60))
file.WriteCustom(1, b"")
file.CloseFile()
(HERE / "journal.pcapng").write_bytes(section("<") + section(">"))

tls = {"secrets_type": 0x544C534B, "name": "tls_key_log", "data": KEYS.encode().hex(), "options": None}
options = [{"code": 1, "value": b"hi".hex()}, {"code": 0, "value": ""}]
wireguard = {"secrets_type": 0x57474B4C, "name": "wireguard_key_log", "data": b"k = v".hex(), "options": options}
others = [wireguard, {"secrets_type": 7, "name": "7", "data": "", "options": None}]
entries = [{"fields": [[name, value.hex()] for name, value in fields.items()]} for fields, _ in ENTRIES]
CASES = (
    ("secrets.pcapng", "secrets", [tls]),
    ("custom.pcapng", "custom", [custom(32473, b"some bytes"), custom(1, b"")]),
    ("journal.pcapng", "journal", entries * 2),
    ("journal.pcapng", "secrets", others * 2),
    ("journal.pcapng", "custom", [custom(32473, b"any data"), custom(1, b"", may_be_copied=False)] * 2),
)
with open(HERE / "cases_blocks.jsonl", "w") as cases:
    for name, table, rows in CASES:
        print(json.dumps({"file": name, "table": table, "rows": rows}), file=cases)
