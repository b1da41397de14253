"""Sound, music and video."""

from __future__ import annotations

import io
import math
import struct
import wave

from tests.conformance.gallery.samples import Samples, makes

TONE = b"".join(struct.pack("<h", int(8000 * math.sin(step / 7))) for step in range(400))


def chunk(name: bytes, data: bytes) -> bytes:
    """Return a chunk of a RIFF file, padded to an even size."""
    return name + struct.pack("<I", len(data)) + data + bytes(len(data) % 2)


@makes("wav", "riff")
def waves() -> Samples:
    for channels, width in ((1, 1), (2, 2), (1, 3)):
        file = io.BytesIO()
        with wave.open(file, "wb") as sound:
            sound.setparams((channels, width, 8000, 0, "NONE", ""))
            sound.writeframes(TONE[: len(TONE) // (channels * width) * channels * width])
        yield file.getvalue()
    form = struct.pack("<HHIIHHHHI", 0xFFFE, 2, 44100, 176400, 4, 16, 22, 16, 3)
    form += struct.pack("<IHH", 1, 0, 16) + b"\x80\x00\x00\xaa\x00\x38\x9b\x71"
    cue = struct.pack("<III4sIII", 1, 1, 10, b"data", 0, 0, 10)
    info = chunk(b"INFO"[:0] + b"INAM", b"A tone\0") + chunk(b"ISFT", b"made by hand\0")
    yield chunk(
        b"RIFF",
        b"WAVE"
        + chunk(b"fmt ", form)
        + chunk(b"fact", struct.pack("<I", 200))
        + chunk(b"cue ", cue)
        + chunk(b"LIST", b"INFO" + info)
        + chunk(b"data", TONE),
    )


@makes("au")
def sun_audio() -> Samples:
    yield struct.pack(">4sIIIII", b".snd", 32, len(TONE), 3, 8000, 1) + b"a tone\0\0" + TONE


@makes("avi")
def audio_video_interleave() -> Samples:
    header = struct.pack("<14I", 40000, 1000, 0, 0x10, 2, 0, 1, 1000, 32, 16, 0, 0, 0, 0)
    stream = struct.pack("<4s4sIHHIIIIIIII4H", b"vids", b"DIB ", 0, 0, 0, 0, 1, 25, 0, 2, 1000, 0, 0, 0, 0, 32, 16)
    form = struct.pack("<IiiHHIIiiII", 40, 32, 16, 1, 24, 0, 1536, 0, 0, 0, 0)
    listed = chunk(b"LIST", b"strl" + chunk(b"strh", stream) + chunk(b"strf", form))
    frames = chunk(b"00db", bytes(range(256)) * 6) * 2
    index = b"".join(struct.pack("<4sIII", b"00db", 0x10, 4 + 1544 * number, 1536) for number in range(2))
    yield chunk(
        b"RIFF",
        b"AVI "
        + chunk(b"LIST", b"hdrl" + chunk(b"avih", header) + listed)
        + chunk(b"JUNK", bytes(10))
        + chunk(b"LIST", b"movi" + frames)
        + chunk(b"idx1", index),
    )


@makes("standard_midi_file")
def standard_midi_file() -> Samples:
    first = bytes.fromhex("00ff5103 07a120 00ff58 0404021808 00ff2f00")
    second = (
        b"\x00\xff\x03\x05Piano"
        + bytes.fromhex("00c000 00903c40 8360803c40 00b00764 00e00040 00a03c10 00d040")
        + bytes.fromhex("00f005 7e7f0901f7 00ff2f00")
    )
    tracks = b"".join(b"MTrk" + struct.pack(">I", len(each)) + each for each in (first, second))
    yield struct.pack(">4sIHHH", b"MThd", 6, 1, 2, 480) + tracks


@makes("stl")
def stereolithography() -> Samples:
    corners = [(0, 0, 1), (0, 0, 0), (1, 0, 0), (0, 1, 0)], [(0, 0, -1), (0.5, 0, 0), (1, 1, 0), (0, 1.25, 0)]
    facets = b"".join(struct.pack("<12fH", *sum(map(tuple, facet), ()), 7) for facet in corners)
    yield b"made by hand".ljust(80) + struct.pack("<I", 2) + facets


@makes("id3v1_1")
def old_tags() -> Samples:
    fields = (b"A title", b"An artist", b"An album", b"1999", b"A comment")
    yield bytes(50) + struct.pack("<3s30s30s30s4s30sB", b"TAG", *fields, 17)


def sync_safe(number: int) -> bytes:
    """Return a number with seven bits per byte."""
    return bytes((number >> shift) & 0x7F for shift in (21, 14, 7, 0))


@makes("id3v2_3")
def tags_of_version_3() -> Samples:
    frames = b"".join(
        struct.pack(">4sIH", name, len(text), 0) + text
        for name, text in ((b"TIT2", b"\0A title"), (b"TPE1", b"\0An artist"), (b"COMM", b"\0engnote\0text"))
    )
    body = frames + bytes(20)
    yield b"ID3\x03\x00\x00" + sync_safe(len(body)) + body


@makes("id3v2_4")
def tags_of_version_4() -> Samples:
    frames = b"".join(
        struct.pack(">4s4s2s", name, sync_safe(len(text)), b"\0\0") + text
        for name, text in ((b"TIT2", b"\x03A title"), (b"TXXX", b"\x03key\0value"))
    )
    head = b"\x04\x00\x50" + sync_safe(len(frames) + 14)
    extended = sync_safe(6) + b"\x40" + b"\0"
    yield b"ID3" + head + extended + frames + b"3DI" + head


@makes("ogg")
def ogg_pages() -> Samples:
    def page(flags: int, number: int, segments: list[bytes]) -> bytes:
        sizes = bytes(map(len, segments))
        head = struct.pack("<4sBBQIIIB", b"OggS", 0, flags, 960 * number, 1234, number, 0xCAFEBABE, len(sizes))
        return head + sizes + b"".join(segments)

    yield page(2, 0, [b"OpusHead"]) + page(0, 1, [bytes(255), b"rest", b""]) + page(4, 2, [b"end"])


@makes("quicktime_mov")
def quicktime() -> Samples:
    def atom(name: bytes, data: bytes) -> bytes:
        return struct.pack(">I4s", len(data) + 8, name) + data

    times = struct.pack(">IIII", 3600000000, 3600000001, 600, 1200)
    matrix = struct.pack(">9I", 0x10000, 0, 0, 0, 0x10000, 0, 0, 0, 0x40000000)
    movie = b"\0\0\0\0" + times + struct.pack(">iH", 0x10000, 0x100) + bytes(10) + matrix + bytes(24) + bytes(3) + b"\2"
    track = b"\0\0\0\7" + struct.pack(">IIIII", 1, 2, 1, 0, 1200) + bytes(8) + struct.pack(">HHHH", 0, 0, 256, 0)
    track += matrix + struct.pack(">ii", 320 << 16, 240 << 16)
    inner = atom(b"mvhd", movie) + atom(b"trak", atom(b"tkhd", track) + atom(b"mdia", b""))
    wide = struct.pack(">I4sQ", 1, b"mdat", 20) + b"data"
    yield atom(b"ftyp", b"qt  " + struct.pack(">I", 0x20050300) + b"qt  ") + wide + atom(b"moov", inner)


@makes("creative_voice_file")
def creative_voice() -> Samples:
    def block(kind: int, data: bytes) -> bytes:
        return bytes((kind,)) + len(data).to_bytes(3, "little") + data

    blocks = block(1, b"\xa5\0" + TONE[:100]) + block(2, TONE[:20]) + block(3, b"\x10\0\xa5") + block(4, b"\1\0")
    blocks += block(5, b"text\0") + block(6, b"\2\0") + block(7, b"") + block(8, b"\0\1\0\0")
    blocks += block(9, struct.pack("<IBBHI", 8000, 16, 1, 4, 0) + TONE[:40]) + b"\0"
    yield b"Creative Voice File\x1a" + struct.pack("<HHH", 26, 0x10A, 0x1129) + blocks


@makes("vp8_duck_ivf")
def ivf() -> Samples:
    frames = b"".join(struct.pack("<IQ", 5, number) + b"frame" for number in range(3))
    yield struct.pack("<4sHH4sHHIIII", b"DKIF", 0, 32, b"VP80", 320, 240, 30, 1, 3, 0) + frames


@makes("genmidi_op2")
def genmidi() -> Samples:
    def instrument(number: int) -> bytes:
        voice = bytes((number + step) & 0xFF for step in range(16))
        return struct.pack("<HBB", 1, 128, 60) + voice + voice

    names = b"".join(f"instrument {number}".encode().ljust(32, b"\0") for number in range(175))
    yield b"#OPL_II#" + b"".join(map(instrument, range(175))) + names


@makes("magicavoxel_vox")
def voxels() -> Samples:
    def box(name: bytes, data: bytes, inner: bytes = b"") -> bytes:
        return name + struct.pack("<II", len(data), len(inner)) + data + inner

    size = box(b"SIZE", struct.pack("<III", 2, 3, 4))
    points = box(b"XYZI", struct.pack("<I", 2) + bytes((0, 1, 2, 3, 1, 1, 1, 9)))
    palette = box(b"RGBA", bytes(range(256)) * 4)
    material = box(b"MATT", struct.pack("<IIfI", 1, 2, 0.5, 0b10000001) + struct.pack("<ff", 0.25, 1.5))
    yield b"VOX " + struct.pack("<I", 150) + box(b"MAIN", b"", size + points + palette + material)


@makes("blender_blend")
def blender() -> Samples:
    def block(code: bytes, data: bytes) -> bytes:
        return struct.pack("<4sIQII", code, len(data), 0xDEADBEEF, 0, 1) + data

    def padded(data: bytes) -> bytes:
        return data + bytes(-len(data) % 4)

    dna = b"SDNA" + padded(b"NAME" + struct.pack("<I", 2) + b"*next\0x\0")
    dna += padded(b"TYPE" + struct.pack("<I", 2) + b"int\0Link\0")
    dna += padded(b"TLEN" + struct.pack("<HH", 4, 8)) + b"STRC" + struct.pack("<IHHHH", 1, 1, 1, 1, 0)
    yield b"BLENDER-v279" + block(b"REND", bytes(8)) + block(b"DNA1", dna) + block(b"ENDB", b"")
