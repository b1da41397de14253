"""Pictures of the page at three sizes, light and dark: ``python -m tests.unit.studio.screenshots FOLDER``.

``docs/studio.png`` is the picture ``1500x900-light.png``.
"""

from __future__ import annotations

import json
import shutil
import sys
import tempfile
from pathlib import Path

import wireloom

from .browser import Browser

SPECS = Path(__file__).parents[3] / "specs"
SIZES = ((1280, 800), (1500, 900), (1920, 1080))
USERS = ("ada", "grace", "linus", "margaret", "edsger", "barbara")
BROKEN = (180, 1630)


def doors(folder: Path) -> tuple[Path, Path]:
    """Write a log of which two records are damaged, and its spec."""
    spec = Path(shutil.copy(SPECS / "word_stuffed_log.ksy", folder))
    payloads = ({"user": USERS[n % len(USERS)], "door": n % 4 + 1, "open": n % 2 == 0} for n in range(40))
    file = folder / "doors.log"
    wireloom.write(
        "word_stuffed_log", [{"generation": 1, "payload": json.dumps(each).encode()} for each in payloads], file
    )
    content = bytearray(file.read_bytes())
    for at in BROKEN:
        content[at] ^= 1
    file.write_bytes(content)
    return spec, file


def main(target: Path) -> None:
    """Write the pictures to a folder."""
    target.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, Browser() as browser:
        spec, file = doors(Path(folder))
        for width, height in SIZES:
            for scheme in ("light", "dark"):
                page = browser.open(spec, file, width=width, height=height, scheme=scheme)
                page.wait_for_selector("#status:has-text('2 damaged')")
                page.click("#tree .name:text-is('payload') >> nth=1")
                page.wait_for_selector("#rows [aria-selected=true]")
                page.hover("#save")
                page.screenshot(path=target / f"{width}x{height}-{scheme}.png")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
