"""Columns of the headers in packets, of which dpkt makes some of every kind, whole and cut by a snap length."""

from __future__ import annotations

import io
import random
from typing import Any

import pytest
from wireloom import engine

from ..unit.reading.running import read

dpkt = pytest.importorskip("dpkt", reason="dpkt is not installed")

COLUMNS = [
    *("eth_dst", "eth_src", "eth_type", "vlan", "ip_version", "ip_src", "ip_dst", "ip_protocol", "ip_ttl"),
    *("ip6_src", "ip6_dst", "src_port", "dst_port", "tcp_seq", "tcp_ack", "tcp_flags", "payload_offset", "payload"),
]
SOURCE = random.Random(6)
CUTS = (0, 1, 13, 14, 17, 18, 19, 20, 33, 34, 38, 41, 42, 53, 54, 57, 58, 62, 74, 78, 1000)


EXTENSIONS: list[list[tuple[int, bytes]]] = [
    [(0, b"\0" + b"\1\4" + bytes(4))],
    [(60, b"\1" + b"\1\x0c" + bytes(12)), (43, b"\2\0\0" + bytes(20))],
    [(44, b"\0\0\1" + bytes(4))],
    [(44, b"\0\5\x28" + bytes(4))],
    [(0, bytes(7)), (51, b"\4\0\0" + bytes(20)), (44, b"\0\0\1" + bytes(4)), (60, bytes(7)), (60, bytes(7))],
]
"""Extension headers of IPv6 by type, without their first byte, which is the type of the next one."""


def ip_packets() -> list[Any]:
    """Packets of both versions, with TCP, UDP, something else, options, extension headers, and later fragments."""
    tcp = dpkt.tcp.TCP(sport=443, dport=51000, seq=0xFFFFFFF0, ack=7, flags=0x112, opts=b"\1\1\1\1", data=b"hello")
    udp = dpkt.udp.UDP(sport=53, dport=65535, data=b"question", ulen=16)
    found = []
    for protocol, inner in ((6, tcp), (17, udp), (1, b"something else that is long enough")):
        for options in (b"", b"\1\1\1\1"):
            four = dpkt.ip.IP(src=b"\xc0\0\2\1", dst=b"\x0a\0\0\xff", p=protocol, ttl=61, opts=options, data=inner)
            four.hl += len(options) // 4
            found.append(four)
        six = dpkt.ip6.IP6(src=bytes(range(16)), dst=b"\xff" * 16, nxt=protocol, hlim=255, data=inner)
        six.plen = len(bytes(inner))
        found.append(six)
        for headers in EXTENSIONS:
            chain, kinds = b"", [*(kind for kind, _ in headers), protocol]
            for (_, header), following in zip(headers, kinds[1:], strict=True):
                chain += bytes((following,)) + header
            six = dpkt.ip6.IP6(src=b"\xfe" * 16, dst=bytes(16), nxt=kinds[0], hlim=1, data=chain + bytes(inner))
            six.plen = len(chain + bytes(inner))
            found.append(six)
    later = dpkt.ip.IP(src=b"\1\2\3\4", dst=b"\5\6\7\x08", p=6, ttl=1, data=bytes(tcp))
    later.offset = 1480
    return [*found, later]


def frames() -> list[tuple[bytes, dict[str, Any]]]:
    """Ethernet frames, and what they are at most."""
    ethernet = {"eth_dst": 0x0A0B0C0D0E0F, "eth_src": 0x020304050607}
    addresses = ethernet["eth_dst"].to_bytes(6, "big") + ethernet["eth_src"].to_bytes(6, "big")
    found: list[tuple[bytes, dict[str, Any]]] = [(addresses + b"\x08\x06" + bytes(28), {**ethernet, "eth_type": 0x806})]
    for packet in ip_packets():
        kind = 0x800 if packet.v == 4 else 0x86DD
        plain = addresses + kind.to_bytes(2, "big")
        tagged = addresses + b"\x81\0\xe1\x23" + kind.to_bytes(2, "big")
        found.append((plain + bytes(packet), {**ethernet, "eth_type": kind, **described(packet, 14)}))
        found.append((tagged + bytes(packet), {**ethernet, "eth_type": kind, "vlan": 0x123, **described(packet, 18)}))
    return found


def described(packet: Any, at: int) -> dict[str, Any]:
    """What is in an IP packet that begins at ``at``, as dpkt reads it."""
    is_four = packet.v == 4
    read_back = (dpkt.ip.IP if is_four else dpkt.ip6.IP6)(bytes(packet))
    is_later = not is_four and any(getattr(each, "frag_off", 0) for each in read_back.all_extension_headers)
    found: dict[str, Any] = {"ip_version": read_back.v, "ip_protocol": read_back.p}
    found["ip_ttl"] = read_back.ttl if is_four else read_back.hlim
    if is_four:
        found |= {"ip_src": int.from_bytes(read_back.src, "big"), "ip_dst": int.from_bytes(read_back.dst, "big")}
    else:
        found |= {"ip6_src": read_back.src, "ip6_dst": read_back.dst}
    before = read_back.hl * 4 if is_four else 40 + sum(each.length for each in read_back.all_extension_headers)
    inner, transport = read_back.data, at + before
    if isinstance(inner, dpkt.tcp.TCP | dpkt.udp.UDP) and not is_later:
        found |= {"src_port": inner.sport, "dst_port": inner.dport, "payload_offset": transport + 8}
        found["payload"] = bytes(inner.data)
    if isinstance(inner, dpkt.tcp.TCP):
        found |= {"tcp_seq": inner.seq, "tcp_ack": inner.ack, "tcp_flags": inner.flags}
        found["payload_offset"] = transport + inner.off * 4
    return found


def captured(link_type: int, packets: list[bytes], format: str = "pcap") -> bytes:
    file = io.BytesIO()
    writer = getattr(dpkt, format).Writer(file, linktype=link_type)
    for number, each in enumerate(packets):
        writer.writepkt(each, ts=number)
    return file.getvalue()


def rows(link_type: int, packets: list[bytes]) -> list[dict[str, Any]]:
    """The columns of packets; both readers and formats have to agree, and nothing is damaged."""
    found = []
    for format in ("pcap", "pcapng"):
        content = captured(link_type, packets, format)
        for row_reader in ("columns", "objects") if engine.available else ("objects",):
            table, file = read(row_reader, format, content, columns=COLUMNS)
            assert (file["damaged"], file["tail"]) == ([], "clean")
            found.append(table.to_pylist())
    assert all(each == found[0] for each in found)
    made: list[dict[str, Any]] = found[0]
    return made


def test_whole_packets() -> None:
    whole = frames()
    assert rows(1, [frame for frame, _ in whole]) == [{name: each.get(name) for name in COLUMNS} for _, each in whole]


def test_raw_ip() -> None:
    packets = ip_packets()
    expected = [described(each, 0) for each in packets]
    assert rows(101, [bytes(each) for each in packets]) == [{name: e.get(name) for name in COLUMNS} for e in expected]


def test_cooked() -> None:
    """Linux's cooked captures, of both versions."""
    packets = ip_packets()
    address = b"\2\3\4\5\6\7\0\0"
    for link_type, before in ((113, 16), (276, 20)):
        found, expected = [], []
        for each in packets:
            kind = 0x800 if each.v == 4 else 0x86DD
            made: dict[str, Any] = {"ethtype": kind, "hdr": address, "hlen": 6}
            cooked = dpkt.sll.SLL(**made) if link_type == 113 else dpkt.sll2.SLL2(**made)
            cooked.data = each
            found.append(bytes(cooked))
            expected.append({"eth_type": kind, **described(each, before)})
        assert rows(link_type, found) == [{name: each.get(name) for name in COLUMNS} for each in expected]


def test_a_sixth_extension_header() -> None:
    """What follows it is not known."""
    for protocol in (6, 17):
        chain = bytes([60, *bytes(7)]) * 5 + bytes([protocol, *bytes(7)])
        six = dpkt.ip6.IP6(src=bytes(16), dst=bytes(16), nxt=60, plen=len(chain) + 40, data=chain + bytes(40))
        (row,) = rows(101, [bytes(six)])
        assert (row["ip_version"], row["ip_protocol"], row["src_port"]) == (6, None, None)


def bare(families: dict[int, list[bytes]], kind: int) -> list[tuple[bytes, dict[str, Any]]]:
    """Packets after each beginning of their version, and what they are; ``kind``: 1 if an EtherType is known."""
    return [
        (
            before + bytes(packet),
            {"eth_type": (0x800 if packet.v == 4 else 0x86DD) if kind else None, **described(packet, len(before))},
        )
        for packet in ip_packets()
        for before in families[packet.v]
    ]


def test_other_outermost_headers() -> None:
    six = (10, 23, 24, 28, 30)
    loopback = {
        4: [b"\2\0\0\0", b"\0\0\0\2"],
        6: [each.to_bytes(4, order) for each in six for order in ("big", "little")],
    }
    ppp = {4: [b"\x21", b"\0\x21", b"\xff\3\0\x21", b"\xff\3\x21"], 6: [b"\x57", b"\0\x57", b"\xff\3\0\x57"]}
    cisco = {4: [b"\x0f\0\x08\0", b"\x8f\0\x08\0"], 6: [b"\x0f\0\x86\xdd"]}
    raw = {4: [b""], 6: [b""]}
    kinds = [(0, loopback, 0), (108, loopback, 0), (9, ppp, 0), (50, ppp, 0), (50, cisco, 1), (104, cisco, 1)]
    for link_type, families, kind in (*kinds, (12, raw, 0), (14, raw, 0), (228, raw, 0), (229, raw, 0)):
        made = bare(families, kind)
        expected = [{name: each.get(name) for name in COLUMNS} for _, each in made]
        assert rows(link_type, [packet for packet, _ in made]) == expected, link_type
    for link_type, packet in (
        (0, b"\7\0\0\0E"),
        (9, b"\xc0\x21E"),
        (50, b"\xff\3\xc0\x21E"),
        (0, b"\2\0\0"),
        (9, b"\xff\3\0"),
    ):
        (row,) = rows(link_type, [packet + bytes(60) if len(packet) > 3 else packet])
        assert set(row.values()) == {None}, (link_type, packet)


@pytest.mark.slow
def test_what_is_cut_off_is_null() -> None:
    """A column of a cut packet is that of the whole one, or null; the payload is what is there of it."""
    for cut in CUTS:
        whole = frames()
        for row, (frame, expected) in zip(rows(1, [frame[:cut] for frame, _ in whole]), whole, strict=True):
            payload = row.pop("payload")
            assert payload is None or expected["payload"].startswith(payload)
            assert all(value in (None, expected.get(name)) for name, value in row.items()), (cut, frame, row)


@pytest.mark.slow
def test_other_packets_have_no_headers() -> None:
    packets = [SOURCE.randbytes(SOURCE.randrange(90)) for _ in range(50)]
    assert all(set(each.values()) == {None} for each in rows(105, packets))
    for link_type in (0, 1, 9, 50, 101, 104, 108, 113, 228, 276):
        rows(link_type, packets)
