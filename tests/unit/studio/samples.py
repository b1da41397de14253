"""A spec and a file for the studio."""

import struct
from pathlib import Path

SPEC = """\
meta: {id: readings, endian: le, -wireloom: {rows: readings}}
seq:
  - {id: magic, contents: "RD"}
  - id: readings
    type: reading
    repeat: eos
types:
  reading:
    seq:
      - id: sensor
        type: u2
      - id: value
        type: u4
        valid: {max: 1000}
"""


def written(folder: Path, rows: int = 5, wrong: int = -1) -> tuple[Path, Path]:
    """Write a spec and a file of that many rows, one of them with a refused value."""
    spec, file = folder / "readings.ksy", folder / "readings.bin"
    spec.write_text(SPEC)
    file.write_bytes(
        b"RD" + b"".join(struct.pack("<HI", n % 65536, 5000 if n == wrong else 10 * (n % 100)) for n in range(rows))
    )
    return spec, file
