"""Pictures: those of Pillow, and byte by byte those that Pillow cannot write."""

from __future__ import annotations

import io
import struct
import zlib
from typing import Any

from tests.conformance.gallery.samples import Samples, UnavailableError, makes

SIGNATURE = b"\x89PNG\r\n\x1a\n"


def pillow() -> Any:
    """Return the package ``PIL.Image``."""
    try:
        from PIL import Image
    except ImportError as error:
        raise UnavailableError("Pillow is not installed") from error
    return Image


def picture(mode: str = "RGB", size: tuple[int, int] = (19, 7)) -> Any:
    """Return a small picture of some colours."""
    image = pillow().new("RGB", size)
    image.putdata([((step * 7) % 256, (step * 31) % 256, step % 256) for step in range(size[0] * size[1])])
    return image.convert(mode)


def saved(image: Any, kind: str, **options: object) -> bytes:
    """Return the bytes of a file of that kind."""
    file = io.BytesIO()
    image.save(file, kind, **options)
    return file.getvalue()


def profile() -> bytes:
    """Return a colour profile."""
    pillow()
    from PIL import ImageCms

    return ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes()


def tags() -> Any:
    """Return the tags that a camera adds to a picture."""
    found = pillow().Exif()
    found.update({0x010F: "A maker", 0x0112: 1, 0x011A: 72.0, 0x0132: "2026:01:02 03:04:05", 0x8298: "Nobody"})
    return found


@makes("png")
def png_of_pillow() -> Samples:
    from_pillow = picture()
    yield saved(from_pillow, "PNG", icc_profile=profile(), exif=tags(), dpi=(72, 72))
    yield saved(picture("P"), "PNG", transparency=3, bits=8)
    yield saved(picture("1"), "PNG")
    frames = [picture("RGBA", (4, 4)), picture("RGBA", (4, 4)).rotate(90)]
    yield saved(frames[0], "PNG", save_all=True, append_images=frames[1:], duration=40)


@makes("png")
def png_of_many_chunks() -> Samples:
    def chunk(name: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))

    header = chunk(b"IHDR", struct.pack(">IIBBBBB", 2, 1, 8, 2, 0, 0, 0))
    pixels = chunk(b"IDAT", zlib.compress(b"\0" + bytes(6)))
    rest = {
        b"cHRM": struct.pack(">8I", 31270, 32900, 64000, 33000, 30000, 60000, 15000, 6000),
        b"gAMA": struct.pack(">I", 45455),
        b"sRGB": b"\1",
        b"sBIT": b"\5\6\5",
        b"bKGD": struct.pack(">HHH", 1, 2, 3),
        b"tRNS": struct.pack(">HHH", 0x1FF, 2, 3),
        b"pHYs": struct.pack(">IIB", 2835, 2835, 1),
        b"sPLT": b"some\0\x08" + bytes((1, 2, 3, 4, 0, 9)),
        b"hIST": struct.pack(">3H", 1, 2, 3),
        b"tIME": struct.pack(">H5B", 2026, 1, 2, 3, 4, 5),
        b"tEXt": b"Author\0Nobody",
        b"zTXt": b"Comment\0\0" + zlib.compress(b"long text"),
        b"iTXt": b"Title\0\1\0en\0Titel\0" + zlib.compress("größer".encode()),
        b"cICP": b"\1\r\0\1",
        b"cLLI": struct.pack(">II", 10000000, 5000000),
        b"mDCV": struct.pack(">8H2I", 1, 2, 3, 4, 5, 6, 7, 8, 9, 10),
    }
    yield SIGNATURE + header + b"".join(chunk(*each) for each in rest.items()) + pixels + chunk(b"IEND", b"")


@makes("gif")
def gif() -> Samples:
    yield saved(picture("P"), "GIF", comment=b"made by hand", transparency=1)
    first = picture("P", (5, 5))
    yield saved(first, "GIF", save_all=True, append_images=[picture("P", (5, 5)).rotate(90)], loop=0, duration=70)


@makes("jpeg")
def jpeg() -> Samples:
    yield saved(picture(), "JPEG", exif=tags(), dpi=(96, 96), comment=b"made by hand")
    yield saved(picture("L"), "JPEG", progressive=True)
    yield saved(picture("CMYK"), "JPEG")


@makes("exif")
def exif() -> Samples:
    yield tags().tobytes().removeprefix(b"Exif\0\0")
    yield struct.pack(">2sHI", b"MM", 42, 8) + struct.pack(">HHHIII", 1, 0x100, 3, 1, 640 << 16, 0)


@makes("icc_4")
def colour_profile() -> Samples:
    yield profile()


@makes("bmp")
def bmp() -> Samples:
    for mode in ("RGB", "L", "1", "P"):
        yield saved(picture(mode), "BMP")
    core = struct.pack("<IHHHH", 12, 2, 1, 1, 24)
    yield struct.pack("<2sIHHi", b"BM", 34, 0, 0, 26) + core + bytes(8)
    info = struct.pack("<IiiHHIIIIII", 108, 2, -1, 1, 32, 3, 8, 0, 0, 0, 0)
    masks = struct.pack("<4I4s9I3I", 0xFF, 0xFF00, 0xFF0000, 0xFF000000, b"BGRs", *range(9), 1 << 16, 2 << 16, 1 << 15)
    yield struct.pack("<2sIHHi", b"BM", 130, 0, 0, 122) + info + masks + bytes(8)
    info = struct.pack("<IiiHHIIIIII", 124, 2, 1, 1, 24, 0, 8, 0, 0, 0, 0)
    masks = struct.pack("<4I4s9I3I", 0, 0, 0, 0, b"DEBM", *range(9), 0, 0, 0) + struct.pack("<4I", 4, 132, 5, 0)
    yield struct.pack("<2sIHHi", b"BM", 151, 0, 0, 138) + info + masks + bytes(8) + b"about"
    info = struct.pack("<IiiHHIIIIII", 40, 2, 1, 1, 16, 3, 4, 0, 0, 0, 0) + struct.pack("<3I", 0xF800, 0x7E0, 0x1F)
    yield struct.pack("<2sIHHi", b"BM", 70, 0, 0, 66) + info + bytes(4)


@makes("ico")
def icon() -> Samples:
    yield saved(picture("RGBA", (48, 48)), "ICO", sizes=[(16, 16), (32, 32)])
    yield saved(picture("RGBA", (16, 16)), "ICO", sizes=[(16, 16)], bitmap_format="bmp")


@makes("pcx")
def pcx() -> Samples:
    for mode in ("P", "RGB", "1"):
        yield saved(picture(mode), "PCX")


@makes("pcx_dcx")
def many_pcx() -> Samples:
    first, second = saved(picture("P"), "PCX"), saved(picture("RGB"), "PCX")
    head = struct.pack("<4I", 0x3ADE68B1, 16, 16 + len(first), 0)
    yield head + first + second


@makes("tga")
def targa() -> Samples:
    yield saved(picture("P"), "TGA", id_section=b"made by hand")
    yield saved(picture("RGBA"), "TGA", compression="tga_rle")
    texts = b"Nobody".ljust(41, b"\0") + b"".join(bytes((65 + row,)) * 80 + b"\0" for row in range(4)) + bytes(12)
    area = struct.pack("<H", 495) + texts + bytes(41) + bytes(6) + b"none".ljust(41, b"\0") + bytes(3)
    area += struct.pack("<6IB", 1, 2, 3, 0, 0, 0, 3)
    head = struct.pack("<BBBHHBHHHHBB", 0, 0, 3, 0, 0, 0, 0, 0, 2, 1, 8, 0) + b"\1\2"
    yield head + area + struct.pack("<II", len(head), 0) + b"TRUEVISION-XFILE.\0"


@makes("psx_tim")
def playstation() -> Samples:
    def bitmap(width: int, height: int) -> bytes:
        return struct.pack("<IHHHH", 12 + 2 * width * height, 1, 2, width, height) + bytes(2 * width * height)

    yield struct.pack("<II", 0x10, 8) + bitmap(16, 1) + bitmap(4, 4)
    yield struct.pack("<II", 0x10, 2) + bitmap(4, 4)


@makes("pif")
def portable_image() -> Samples:
    info = struct.pack("<HHHHIHH", 0x433C, 24, 2, 1, 6, 0, 0)
    yield struct.pack("<4sII", b"PIF\0", 34, 28) + info + b"abcdef"
    info = struct.pack("<HHHHIHH", 0x4952, 2, 4, 1, 1, 6, 0)
    yield struct.pack("<4sII", b"PIF\0", 35, 34) + info + b"abcdef" + b"\x1b"


@makes("gimp_brush")
def brush() -> Samples:
    name = b"A brush\0"
    yield struct.pack(">5I4sI", 28 + len(name), 2, 3, 2, 1, b"GIMP", 10) + name + bytes(range(6))
    yield struct.pack(">5I4sI", 28 + len(name), 2, 1, 2, 4, b"GIMP", 10) + name + bytes(range(8))


@makes("xwd")
def window_dump() -> Samples:
    creator = b"a window\0"
    numbers = (7, 2, 24, 2, 1, 0, 0, 32, 0, 32, 32, 8, 4, 0xFF0000, 0xFF00, 0xFF, 8, 256, 2, 2, 1)
    head = struct.pack(">I21IiiI", 100 + len(creator), *numbers, -1, 5, 0) + creator
    yield head + b"".join(struct.pack(">IHHHBB", entry, 1, 2, 3, 7, 0) for entry in range(2)) + bytes(8)


@makes("dicom")
def medical() -> Samples:
    def element(group: int, number: int, kind: bytes, data: bytes) -> bytes:
        long = kind in (b"OB", b"OW", b"SQ", b"UN")
        size = struct.pack("<HI", 0, len(data)) if long else struct.pack("<H", len(data))
        return struct.pack("<HH2s", group, number, kind) + size + data

    meta = element(2, 1, b"OB", b"\0\1") + element(2, 2, b"UI", b"1.2.840.10008.5.1.4.1.1.7\0")
    meta += element(2, 0x10, b"UI", b"1.2.840.10008.1.2.1\0")
    item = struct.pack("<HHI", 0xFFFE, 0xE000, 8) + element(8, 5, b"CS", b"")
    undefined = struct.pack("<HH2sHI", 8, 0x1140, b"SQ", 0, 0xFFFFFFFF) + item
    data = element(8, 0x60, b"CS", b"OT") + undefined + struct.pack("<HHI", 0xFFFE, 0xE0DD, 0)
    data += element(0x28, 0x10, b"US", b"\2\0") + element(0x7FE0, 0x10, b"OW", bytes(8))
    yield bytes(128) + b"DICM" + meta + data
