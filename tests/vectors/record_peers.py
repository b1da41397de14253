"""Implementations of formats of records as peers for mutations: the pieces are the records of a block or a chunk, or
what a length covers."""

from __future__ import annotations

import io
import struct
import tempfile
import zlib
from collections.abc import Iterator
from typing import Any

import bitcoin.core as btc
import crc32c
import dpkt
import lz4.frame
from backports import zstd
from bitcoin import params
from bitcoin.core.script import CScript, CScriptWitness
from bitcoin.core.serialize import VarIntSerializer
from cobs import cobs
from hypothesis import assume
from hypothesis import strategies as st
from mcap.data_stream import ReadDataStream
from mcap.records import Channel, Chunk, Message, Schema
from mcap.stream_reader import StreamReader, get_chunk_data_stream
from mcap.writer import CompressionType, IndexType, Writer
from tfrecord.reader import tfrecord_iterator

from .mutations import Peer, Unit, packed
from .peers import plain

BLOBS = st.sampled_from((b"", b"\0", b"some text " * 9)) | st.binary(max_size=12)


# COBS ----------------------------------------------------------------------------------------------------------------


COBS_FRAMES = st.lists(BLOBS.map(cobs.encode).map(Unit), max_size=4)


def sealed_frame(_number: int, unit: Unit) -> bytes:
    # A record begins with the delimiter before it.
    return b"\0" + unit.head


def frames(content: bytes) -> Iterator[Any]:
    # Nothing between two zeros is no record.
    yield from ({"payload": plain(cobs.decode(each))} for each in content.split(b"\0") if each)


# TFRecord ------------------------------------------------------------------------------------------------------------


def masked(data: bytes) -> bytes:
    """Return the checksum of a length or a record."""
    sum = crc32c.crc32c(data)
    return ((((sum >> 15) | (sum << 17)) + 0xA282EAD8) & 0xFFFFFFFF).to_bytes(4, "little")


def sealed_example(_number: int, unit: Unit) -> bytes:
    data = b"".join(unit.pieces)
    return unit.head + masked(unit.head) + data + masked(data)


def examples(content: bytes) -> Iterator[Any]:
    """The records as ``tfrecord`` finds them, with checksums that hold, which it ignores and TensorFlow does not; nor
    does TensorFlow take memory for any length."""
    with tempfile.NamedTemporaryFile() as file:
        file.write(content)
        file.flush()
        found = tfrecord_iterator(file.name)
        while content:
            size = int.from_bytes(content[:8], "little")
            assert masked(content[:8]) == content[8:12]
            assert size <= len(content)
            data = bytes(next(found))
            assert masked(data) == content[12 + size : 16 + size]
            yield {"data": plain(data)}
            content = content[16 + size :]


# Bitcoin -------------------------------------------------------------------------------------------------------------

HASH = st.binary(min_size=32, max_size=32)
SCRIPT = BLOBS.map(CScript)
INPUT = st.builds(
    btc.CTxIn, st.builds(btc.COutPoint, HASH, st.integers(0, 9)), SCRIPT, st.sampled_from((0, 0xFFFFFFFE))
)
OUTPUT = st.builds(btc.CTxOut, st.integers(0, 1 << 40), SCRIPT)


@st.composite
def transactions(draw: Any) -> bytes:
    inputs = draw(st.lists(INPUT, min_size=1, max_size=2))
    made = btc.CMutableTransaction(inputs, draw(st.lists(OUTPUT, max_size=2)), draw(st.integers(0, 500)), 2)
    if draw(st.booleans()):
        witnesses = [CScriptWitness(draw(st.lists(BLOBS, max_size=2))) for _ in inputs]
        made.wit = btc.CTxWitness([btc.CTxInWitness(each) for each in witnesses])
    return bytes(made.serialize())


@st.composite
def bitcoin_blocks(draw: Any) -> list[Unit]:
    made = []
    for content in draw(st.lists(st.lists(transactions(), max_size=3), max_size=3)):
        head = btc.CBlockHeader(2, draw(HASH), draw(HASH), draw(st.integers(0, 2_000_000_000)), 5, 6).serialize()
        made.append(Unit(head + VarIntSerializer.serialize(len(content)), tuple(content)))
    return made


def sealed_block(_number: int, unit: Unit) -> bytes:
    data = unit.head + b"".join(unit.pieces)
    return params.MESSAGE_START + len(data).to_bytes(4, "little") + data


def parsed_block(content: bytes) -> Any:
    # Of a transaction without inputs, Bitcoin Core does not take what follows for outputs.
    block = btc.CBlock.deserialize(content[8:])
    assert all(each.vin for each in block.vtx)
    return block


def bitcoin_rows(content: bytes) -> Iterator[Any]:
    block = parsed_block(content)
    row = {"hash": block.GetHash(), "version": block.nVersion, "prev_hash": block.hashPrevBlock}
    row |= {"merkle_root": block.hashMerkleRoot, "time": block.nTime, "nonce": block.nNonce}
    yield plain(row | {"num_transactions": len(block.vtx)})


def transaction_rows(content: bytes) -> Iterator[Any]:
    for each in parsed_block(content).vtx:
        spent = [
            {
                "tx_hash": of.prevout.hash,
                "output": of.prevout.n,
                "script": bytes(of.scriptSig),
                "sequence": of.nSequence,
            }
            for of in each.vin
        ]
        paid = [{"value": to.nValue, "script": bytes(to.scriptPubKey)} for to in each.vout]
        row = {"txid": each.GetTxid(), "version": each.nVersion, "inputs": spent, "outputs": paid}
        yield plain(row | {"lock_time": each.nLockTime})


# pcap ----------------------------------------------------------------------------------------------------------------

MAXIMUM = 0x8000000
"""The largest packet of libpcap."""


@st.composite
def pcap_files(draw: Any) -> list[Unit]:
    file = io.BytesIO()
    writer = dpkt.pcap.Writer(file, nano=True)
    data = draw(st.lists(BLOBS, max_size=4))
    for each in data:
        writer.writepkt_time(each, draw(st.integers(0, 2_000_000_000)))
    content, units = file.getvalue(), [Unit(file.getvalue()[:24])]
    place = 24
    for each in data:
        units.append(Unit(content[place : place + 16], (each,)))
        place += 16 + len(each)
    return units


def sealed_packet(number: int, unit: Unit) -> bytes:
    content = unit.head + b"".join(unit.pieces)
    # dpkt knows only this version.
    assume(number or content[:4] != b"\x4d\x3c\xb2\xa1" or content[4:8] == b"\2\0\4\0")
    return content


def pcap_rows(content: bytes) -> Iterator[Any]:
    """The packets of ``dpkt``, which takes what is there of one that is cut, and any length; libpcap does not."""
    file = io.BytesIO(content)
    place = 24
    for at, data in dpkt.pcap.Reader(file):
        assert int.from_bytes(content[place + 8 : place + 12], "little") == len(data) <= MAXIMUM
        yield {"ts": int(at * 10**9), "data": plain(data)}
        place = file.tell()


# pcapng --------------------------------------------------------------------------------------------------------------

SECTION, INTERFACE, PACKET = 0x0A0D0D0A, 1, 6
PCAPNG_BLOCKS = {
    SECTION: (16, dpkt.pcapng.SectionHeaderBlockLE),
    INTERFACE: (8, dpkt.pcapng.InterfaceDescriptionBlockLE),
    PACKET: (20, dpkt.pcapng.EnhancedPacketBlockLE),
}
"""Of each type of blocks the bytes before data and options, and the class that reads it."""


def pcapng_blocks(content: bytes) -> Iterator[tuple[int, bytes]]:
    """Yield the type of each block, and all of its bytes."""
    while content:
        kind, size = struct.unpack_from("<II", content)
        yield kind, content[:size]
        content = content[size:]


@st.composite
def pcapng_files(draw: Any) -> list[Unit]:
    option = dpkt.pcapng.PcapngOptionLE
    options = [option(code=2, data=bytes(4)), option(code=dpkt.pcapng.PCAPNG_OPT_ENDOFOPT)]
    file = io.BytesIO()
    dpkt.pcapng.Writer(file, idb=dpkt.pcapng.InterfaceDescriptionBlockLE(snaplen=70_000))
    for data in draw(st.lists(BLOBS, max_size=4)):
        chosen = options if draw(st.booleans()) else []
        file.write(bytes(dpkt.pcapng.EnhancedPacketBlockLE(ts_low=5, pkt_data=data, opts=chosen)))
    made = []
    for kind, block in pcapng_blocks(file.getvalue()):
        head = 8 + PCAPNG_BLOCKS[kind][0]
        end = len(block) - 4
        middle = head + (int.from_bytes(block[20:24], "little") + 3) // 4 * 4 if kind == PACKET else end
        made.append(Unit(block[8:head], tuple(each for each in (block[head:middle], block[middle:end]) if each), kind))
    return made


def sealed_pcapng(number: int, unit: Unit) -> bytes:
    """A block. dpkt reads packets of one section with one interface, and passes over other blocks."""
    assume(unit.codec == {0: SECTION, 1: INTERFACE}.get(number, PACKET))
    assume(number or unit.head[:8] == struct.pack("<IHH", dpkt.pcapng.BYTE_ORDER_MAGIC, 1, 0))
    rest = b"".join(unit.pieces)
    # dpkt takes comments for text, which readers need not.
    assume((len(unit.head) + len(rest)) % 4 == 0 and b"\1\0" not in rest)
    # It does not look for the interface of a packet.
    assume(number < 2 or unit.head[:4] == bytes(4))
    size = struct.pack("<I", 12 + len(unit.head) + len(rest))
    return struct.pack("<I", unit.codec) + size + unit.head + rest + size


def pcapng_rows(content: bytes) -> Iterator[Any]:
    """The packets of ``dpkt``, which takes what is there of a packet or an option that is cut."""
    assert content
    for kind, block in pcapng_blocks(content):
        read = PCAPNG_BLOCKS[kind][1](block)
        assert all(each.len == len(each.data) for each in read.opts)
        if kind == PACKET:
            assert read.caplen == len(read.pkt_data)
            assert read.caplen <= len(block) - 32
            row = {"interface_id": read.iface_id, "captured_len": read.caplen, "original_len": read.pkt_len}
            yield row | {"data": plain(read.pkt_data)}


# MCAP ----------------------------------------------------------------------------------------------------------------

RECORD = struct.Struct("<BQ")
CHUNK_HEAD = struct.Struct("<QQQII")
HEADER, FOOTER, MESSAGE_INDEX, DATA_END = 1, 2, 7, 15
UNKNOWN = range(16, 256)
CHUNK = {3, 4, 5, *UNKNOWN}
DATA_SECTION = {HEADER, 6, MESSAGE_INDEX, 9, 12, DATA_END, *CHUNK}
SUMMARY_SECTION = {FOOTER, 3, 4, 8, 10, 11, 13, 14, *UNKNOWN}
"""Opcodes of records in chunks and sections."""
MCAP_CODECS = {"": bytes, "lz4": lz4.frame.compress, "zstd": zstd.compress}


def mcap_records(content: bytes) -> Iterator[tuple[int, bytes]]:
    """Yield the opcode of each record, and what it says."""
    while content:
        opcode, size = RECORD.unpack_from(content)
        # mcap reads the fields of a record by their own lengths, whatever that of the record is.
        assert size <= len(content) - RECORD.size
        yield opcode, content[RECORD.size : RECORD.size + size]
        content = content[RECORD.size + size :]


@st.composite
def mcap_files(draw: Any) -> list[Unit]:
    file = io.BytesIO()
    compression = draw(st.sampled_from(CompressionType))
    options = {name: draw(st.booleans()) for name in ("use_chunking", "enable_crcs", "use_statistics")}
    writer = Writer(file, chunk_size=draw(st.sampled_from((1, 200))), compression=compression, **options)
    writer.index_types = draw(st.sampled_from((IndexType.ALL, IndexType.NONE)))
    writer.start()
    channel = writer.register_channel("/text", "json", writer.register_schema("text", "jsonschema", b"{}"))
    for number, data in enumerate(draw(st.lists(BLOBS, max_size=4))):
        writer.add_message(channel, number, data, number + 1, number)
    writer.finish()
    content = file.getvalue()
    magic, made = content[:8], [Unit(content[:8])]
    for opcode, body in mcap_records(content[8:-8]):
        if opcode != 6:
            made.append(Unit(bytes((opcode,)), (body,), "record"))
            continue
        start, end, _, _, named = CHUNK_HEAD.unpack_from(body)
        name = body[CHUNK_HEAD.size : CHUNK_HEAD.size + named].decode()
        data = body[CHUNK_HEAD.size + named + 8 :]
        data = {"": bytes, "lz4": lz4.frame.decompress, "zstd": zstd.decompress}[name](data)
        records = tuple(RECORD.pack(kind, len(each)) + each for kind, each in mcap_records(data))
        made.append(Unit(struct.pack("<QQ", start, end), records, name))
    return [*made, Unit(magic)]


def sealed_mcap(_number: int, unit: Unit) -> bytes:
    content = b"".join(unit.pieces)
    if unit.codec is None:
        return unit.head + content
    if unit.codec == "record":
        return unit.head + len(content).to_bytes(8, "little") + content
    assume(len(unit.head) == 16)
    name = unit.codec.encode()
    data = packed(unit.pieces, MCAP_CODECS[unit.codec], unit.members)
    head = unit.head + struct.pack("<QII", len(content), zlib.crc32(content), len(name)) + name
    body = head + len(data).to_bytes(8, "little") + data
    return RECORD.pack(6, len(body)) + body


class WholeReads(io.BytesIO):
    """Bytes of which no more are read than there are: ``mcap`` takes what is there for the whole of a field."""

    def read(self, size: int | None = -1, /) -> bytes:
        found = super().read(size)
        assert len(found) == size
        return found


def chunk_records(chunk: Chunk) -> Iterator[Any]:
    """Yield the records of a chunk that are known. ``mcap`` itself ignores their lengths, and so reads what follows the
    known fields of one as the next."""
    stream, size = get_chunk_data_stream(chunk, validate_crc=True)
    for opcode, body in mcap_records(stream.read(size)):
        assert opcode in CHUNK
        fields = ReadDataStream(WholeReads(body))
        if opcode == 5:
            yield Message.read(fields, len(body))
        elif opcode in (3, 4):
            yield (Schema if opcode == 3 else Channel).read(fields)


def mcap_rows(content: bytes) -> Iterator[Any]:
    """The messages as ``mcap`` reads them, of files of which each record is where the specification has it. ``mcap``
    reads records anywhere; in chunks those of C++ and TypeScript do not, nor does that of Go read opcodes of 0."""
    section = DATA_SECTION
    for opcode, body in mcap_records(content[8:]):
        assert opcode in section
        # The package passes over the entries of an index, whose size may be wrong.
        assume(opcode != MESSAGE_INDEX or int.from_bytes(body[2:6], "little") == len(body) - 6)
        if opcode == HEADER:
            # Two strings with their lengths, which the package reads without comparing them with the record's.
            profile = int.from_bytes(body[:4], "little")
            assert 8 + profile + int.from_bytes(body[4 + profile : 8 + profile], "little") <= len(body)
        section = SUMMARY_SECTION if opcode == DATA_END else section
        if opcode == FOOTER:
            break
    # The checksum of the data is not verified.
    for record in StreamReader(io.BytesIO(content), emit_chunks=True).records:
        found = [record] if not isinstance(record, Chunk) else chunk_records(record)
        for each in found:
            if isinstance(each, Message):
                # A timestamp of Arrow is a signed integer: a later time is null.
                times = ("log_time", "publish_time")
                later = {name: None for name in times if getattr(each, name) >= 1 << 63}
                names = ("channel_id", "sequence", *times, "data")
                yield {name: plain(getattr(each, name)) for name in names} | later


RECORD_PEERS = {
    "cobs": Peer(
        "cobs_log", ("payload",), st.lists(BLOBS.map(cobs.encode).map(Unit), max_size=4), sealed_frame, frames
    ),
    "tfrecord": Peer(
        "tfrecord",
        ("data",),
        st.lists(BLOBS.map(lambda data: Unit(len(data).to_bytes(8, "little"), (data,))), max_size=4),
        sealed_example,
        examples,
    ),
    "bitcoin": Peer(
        "bitcoin_blocks",
        ("hash", "version", "prev_hash", "merkle_root", "time", "nonce", "num_transactions"),
        bitcoin_blocks(),
        sealed_block,
        bitcoin_rows,
        consecutive=3,
    ),
    "transactions": Peer(
        "bitcoin_blocks",
        ("txid", "version", "inputs", "outputs", "lock_time"),
        bitcoin_blocks(),
        sealed_block,
        transaction_rows,
        options={"table": "transactions"},
        consecutive=3,
    ),
    "pcap": Peer("pcap", ("ts", "data"), pcap_files(), sealed_packet, pcap_rows, whole=True),
    "pcapng": Peer(
        "pcapng",
        ("interface_id", "captured_len", "original_len", "data"),
        pcapng_files(),
        sealed_pcapng,
        pcapng_rows,
        whole=True,
    ),
    "mcap": Peer(
        "mcap",
        ("channel_id", "sequence", "log_time", "publish_time", "data"),
        mcap_files(),
        sealed_mcap,
        mcap_rows,
        whole=True,
    ),
}
