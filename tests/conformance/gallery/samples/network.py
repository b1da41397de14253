"""Packets, messages and captures of them."""

from __future__ import annotations

import ssl
import struct

from tests.conformance.gallery.samples import Sample, Samples, makes

UDP = struct.pack(">HHHH", 53, 40000, 8 + 5, 0x1234) + b"hello"
TCP = struct.pack(">HHIIBBHHH", 80, 40001, 1, 2, 6 << 4, 0x18, 512, 0, 0) + b"\2\4\5\xb4" + b"GET /"
ECHO = struct.pack(">BBHHH", 8, 0, 0xF7FF, 1, 2) + b"data"


def ipv4(protocol: int, body: bytes, options: bytes = b"") -> bytes:
    """Return a packet with an invalid checksum."""
    words = 5 + len(options) // 4
    addresses = bytes((10, 0, 0, 1, 10, 0, 0, 2))
    head = struct.pack(">BBHHHBBH", 0x40 | words, 0, 4 * words + len(body), 7, 0x4000, 64, protocol, 0)
    return head + addresses + options + body


def ipv6(following: int, body: bytes) -> bytes:
    """Return a packet from one address to the next."""
    return struct.pack(">IHBB", 6 << 28 | 5, len(body), following, 64) + bytes(range(16)) + bytes(range(16, 32)) + body


def ethernet(kind: int, body: bytes, tag: bytes = b"") -> bytes:
    """Return a frame, optionally of a virtual network."""
    return b"\2\0\0\0\0\1" + b"\2\0\0\0\0\2" + tag + struct.pack(">H", kind) + body


FRAMES = (
    ethernet(0x0800, ipv4(17, UDP)),
    ethernet(0x0800, ipv4(6, TCP, b"\x94\4\0\0")),
    ethernet(0x86DD, ipv6(6, TCP), b"\x81\0\x60\x07"),
    ethernet(0x0800, ipv4(1, ECHO)),
    ethernet(0x0806, bytes(28)),
)


@makes("ethernet_frame")
def ethernet_frames() -> Samples:
    yield from FRAMES


@makes("ipv4_packet")
def ipv4_packets() -> Samples:
    yield ipv4(17, UDP)
    yield ipv4(6, TCP, b"\x94\4\0\0\1\0\0\0")
    yield ipv4(99, b"unknown")


@makes("ipv6_packet")
def ipv6_packets() -> Samples:
    yield ipv6(17, UDP)
    yield ipv6(0, struct.pack(">BB", 17, 0) + bytes(6) + UDP)
    yield ipv6(59, b"")


@makes("protocol_body")
def protocol_bodies() -> Samples:
    for number, body in ((6, TCP), (17, UDP), (1, ECHO), (41, ipv6(17, UDP)), (4, ipv4(17, UDP)), (200, b"other")):
        yield Sample(body, (number,))


@makes("tcp_segment")
def tcp() -> Samples:
    yield TCP
    yield struct.pack(">HHIIBBHHH", 1, 2, 3, 4, 5 << 4, 0xFF, 5, 6, 7)


@makes("udp_datagram")
def udp() -> Samples:
    yield UDP


@makes("icmp_packet")
def icmp() -> Samples:
    yield ECHO
    yield struct.pack(">BBH", 3, 1, 0x1234)
    yield struct.pack(">BBH", 11, 0, 0x1234)


@makes("pcap")
def captures() -> Samples:
    for order, magic, kind in (("<", 0xA1B2C3D4, 1), (">", 0xA1B23C4D, 1), ("<", 0xA1B2C3D4, 101)):
        packets = b"".join(
            struct.pack(f"{order}IIII", 1_700_000_000, 5, len(each), len(each)) + each for each in FRAMES
        )
        yield struct.pack(f"{order}IHHiIII", magic, 2, 4, 0, 0, 65535, kind) + packets


def ppi() -> bytes:
    """Return a packet with the properties that a radio receiver adds."""
    common = struct.pack("<QHHHHBBbb", 1 << 40, 3, 22, 2412, 0xA0, 0, 0, -40, -90)
    extension = struct.pack("<II4B", 0x11, 7, 2, 0, 0, 0)
    other = struct.pack("<HH", 9, 3) + b"abc"
    fields = struct.pack("<HH", 2, len(common)) + common + struct.pack("<HH", 3, len(extension)) + extension + other
    return struct.pack("<BBHI", 0, 0, 8 + len(fields), 1) + fields + FRAMES[0]


@makes("packet_ppi")
def radio() -> Samples:
    yield ppi()


@makes("dns_packet")
def dns() -> Samples:
    name = b"\7example\3com\0"
    question = struct.pack(">6H", 0x1234, 0x0100, 1, 0, 0, 0) + name + struct.pack(">HH", 1, 1)
    yield question

    def answer(kind: int, payload: bytes) -> bytes:
        return b"\xc0\x0c" + struct.pack(">HHiH", kind, 1, 300, len(payload)) + payload

    start = struct.pack(">IIIII", 1, 2, 3, 4, 5)
    answers = answer(1, bytes((93, 184, 216, 34))) + answer(28, bytes(range(16))) + answer(15, b"\0\x0a\4mail\xc0\x0c")
    answers += (
        answer(16, b"\5v=one\3two") + answer(5, b"\3www\xc0\x0c") + answer(33, struct.pack(">HHH", 1, 2, 53) + name)
    )
    authority = answer(6, b"\2ns\xc0\x0c\4root\xc0\x0c" + start) + answer(2, b"\2ns\xc0\x0c")
    yield struct.pack(">6H", 0x1234, 0x8180, 1, 6, 2, 0) + question[12:] + answers + authority
    yield struct.pack(">HH", 1, 0x7800)


@makes("rtp_packet")
def rtp() -> Samples:
    yield struct.pack(">BBHII", 0x80, 0x80 | 96, 1, 2, 3) + b"media"
    yield struct.pack(">BBHII", 0xB0, 8, 1, 2, 3) + struct.pack(">HH", 0xBEDE, 1) + b"media\0\0\3"


@makes("rtpdump")
def rtp_dump() -> Samples:
    packet = struct.pack(">BBHII", 0x80, 96, 1, 2, 3) + b"media"
    head = b"#!rtpplay1.0 127.0.0.1/5004\n" + struct.pack(">IIIHH", 1_700_000_000, 0, 0x7F000001, 5004, 0)
    yield head + struct.pack(">HHI", 8 + len(packet), len(packet), 20) + packet


@makes("rtcp_payload")
def rtcp() -> Samples:
    def packet(kind: int, number: int, body: bytes) -> bytes:
        return struct.pack(">BBH", 0x80 | number, kind, len(body) // 4) + body

    report = struct.pack(">IBIIII", 5, 1, 2, 3, 4, 5) + b""
    sender = struct.pack(">IIIIII", 1, 0x83AA7E80, 7, 8, 9, 10) + report + b"\0\0\0"
    description = struct.pack(">I", 1) + b"\1\4name\2\3a@b" + b"\0"
    feedback = struct.pack(">IIHHI", 1, 2, 3, 4, 0x506) + b"rest"
    bitrate = struct.pack(">II4sB3sI", 1, 2, b"REMB", 1, b"\x0a\x12\x34", 9)
    yield packet(200, 1, sender) + packet(202, 1, description) + packet(205, 15, feedback) + packet(206, 15, bitrate)
    yield packet(201, 0, struct.pack(">I", 1)) + packet(203, 0, b"bye!")


@makes("websocket")
def websocket() -> Samples:
    yield b"\x81\x05hello"
    yield b"\x01\x83\1\2\3\4abc" + b"\x00\x02de" + b"\x80\x7e\0\3fgh"
    yield b"\x82\x7f\0\0\0\2ab"


@makes("tls_client_hello")
def tls() -> Samples:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.set_alpn_protocols(["h2", "http/1.1"])
    incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
    connection = context.wrap_bio(incoming, outgoing, server_hostname="example.com")
    try:
        connection.do_handshake()
    except ssl.SSLWantReadError:
        # A record of 5 bytes and a handshake of 4 precede the message.
        yield outgoing.read()[9:]


@makes("bitcoin_transaction")
def bitcoin() -> Samples:
    signature = b"\x30\x08\x02\x02ab\x02\x02cd"
    key = b"\x04" + bytes(range(64))
    script = bytes((len(signature) + 1,)) + signature + b"\x01" + bytes((len(key),)) + key
    spent = bytes(32) + struct.pack("<IB", 0, len(script)) + script + b"\xff" * 4
    yield struct.pack("<IB", 1, 1) + spent + b"\1" + struct.pack("<QB", 5_000_000_000, 2) + b"\x51\x52" + bytes(4)


@makes("dime_message")
def dime() -> Samples:
    def padded(data: bytes) -> bytes:
        return data + bytes(-len(data) % 4)

    option = struct.pack(">HH", 1, 3) + b"opt"
    texts = padded(option) + padded(b"id") + padded(b"text/plain") + padded(b"hello")
    yield struct.pack(">BBHHHI", 0x0E, 0x10, len(option), 2, 10, 5) + texts


@makes("hccap")
def handshakes() -> Samples:
    record = b"name".ljust(36, b"\0") + bytes(range(76)) + b"eapol".ljust(256, b"\0") + struct.pack("<II", 5, 2)
    yield (record + bytes(16)) * 2


@makes("hccapx")
def more_handshakes() -> Samples:
    record = b"HCPX" + struct.pack("<IBB", 4, 0x82, 4) + b"name".ljust(32, b"\0") + b"\2" + bytes(range(92))
    yield record + struct.pack("<H", 5) + b"eapol".ljust(256, b"\0")
