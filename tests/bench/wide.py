"""Rows of 200 fixed fields, compared with C written by hand for this one layout."""

from __future__ import annotations

import ctypes
import random
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import wireloom

from .data import drain
from .measure import Comparison, Work

SIZES = (4, 8, 2, 4, 1)
FIELDS = [(f"field_{number:03d}", SIZES[number % len(SIZES)]) for number in range(200)]
ROW = sum(size for _, size in FIELDS)
BATCH = 16_384
COMPILER = shutil.which("cc") or shutil.which("gcc")


def spec() -> str:
    lines = [
        "meta: {id: wide_rows, endian: be, -wireloom: {rows: items}}",
        "seq: [{id: items, type: item, repeat: eos}]",
    ]
    lines += ["types:", "  item:", "    seq:"]
    return "\n".join(lines + [f"      - {{id: {name}, type: u{size}}}" for name, size in FIELDS])


def by_hand(folder: Path) -> ctypes.CDLL:
    """Return the loop that a programmer would write: a load, a byte swap and a store for each field."""
    lines = [
        "#include <stdint.h>",
        "#include <string.h>",
        "void read_rows(const uint8_t *row, long rows, void **out) {",
    ]
    for number, (_, size) in enumerate(FIELDS):
        lines.append(f"  uint{8 * size}_t *c{number} = out[{number}];")
    lines.append(f"  for (long i = 0; i < rows; i++, row += {ROW}) {{")
    at = 0
    for number, (_, size) in enumerate(FIELDS):
        swap = f"__builtin_bswap{8 * size}(v)" if size > 1 else "v"
        lines.append(f"    {{ uint{8 * size}_t v; memcpy(&v, row + {at}, {size}); c{number}[i] = {swap}; }}")
        at += size
    source = folder / "wide.c"
    source.write_text("\n".join([*lines, "  }", "}"]))
    library = folder / "wide.so"
    assert COMPILER is not None
    subprocess.run([COMPILER, "-O3", "-march=native", "-shared", "-fPIC", str(source), "-o", str(library)], check=True)
    return ctypes.CDLL(str(library))


def comparisons(size: int) -> Iterator[Comparison]:
    rows = min(size, 64_000_000) // ROW
    data = random.Random(1).randbytes(ROW * min(rows, 1000)) * (rows // 1000 or 1)
    title = "200 fixed fields → Arrow"
    with tempfile.TemporaryDirectory() as name:
        path = Path(name) / "wide_rows.ksy"
        path.write_text(spec())
        format = wireloom.load_spec(path)
        work = Work("wireloom", len(data), lambda: drain(format, data))
        if COMPILER is None:
            nothing = Work("C by hand", len(data), lambda: None)
            yield Comparison(title, work, nothing, target=0.8, absent="there is no C compiler")
            return
        library = by_hand(Path(name))
        columns = [bytearray(BATCH * width) for _, width in FIELDS]
        places = [(ctypes.c_char * len(each)).from_buffer(each) for each in columns]
        pointers = (ctypes.c_void_p * len(FIELDS))(*(ctypes.addressof(each) for each in places))
        begin = ctypes.cast(ctypes.c_char_p(data), ctypes.c_void_p).value or 0

        def run() -> None:
            total = len(data) // ROW
            for first in range(0, total, BATCH):
                count = min(BATCH, total - first)
                library.read_rows(ctypes.c_void_p(begin + first * ROW), ctypes.c_long(count), pointers)

        yield Comparison(title, work, Work("C by hand, into memory that is used again", len(data), run), target=0.8)
