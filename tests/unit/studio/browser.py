"""Headless Chromium, with studios that are served to it."""

from __future__ import annotations

import shutil
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from ...waiting import SECONDS

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
QUIET = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


class Browser:
    """A browser; leaving its context ends it and the studios."""

    def __init__(self) -> None:
        playwright = pytest.importorskip(
            "playwright.sync_api", reason="playwright is not installed: no browser is driven"
        )
        for module in ("nicegui", "uvicorn"):
            pytest.importorskip(module, reason="the extra studio is not installed")
        if CHROMIUM is None:
            pytest.skip("there is no Chromium")
        self._ends = ExitStack()
        driver = self._ends.enter_context(playwright.sync_playwright())
        self._browser = driver.chromium.launch(executable_path=CHROMIUM, args=list(QUIET))
        self._ends.callback(self._browser.close)

    def __enter__(self) -> Browser:
        return self

    def __exit__(self, *_: object) -> None:
        self._ends.close()

    def serve(self, *names: Path, folder: Path | None = None) -> str:
        """Start a studio with these arguments. Return its address."""
        begin = "from wireloom.command.entry import main; main()"
        command = [sys.executable, "-c", begin, "studio", "--no-browser", *map(str, names)]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=folder)
        self._ends.callback(process.wait)
        self._ends.callback(process.terminate)
        assert process.stdout is not None
        self._ends.callback(process.stdout.close)
        return process.stdout.readline().split()[0]

    def page(self, width: int = 1500, height: int = 900, scheme: str = "light") -> Any:
        """Return an empty page of that size, whose scripts may use the clipboard."""
        context = self._browser.new_context(
            viewport={"width": width, "height": height},
            color_scheme=scheme,
            permissions=["clipboard-read", "clipboard-write"],
        )
        page = context.new_page()
        page.set_default_timeout(1000 * SECONDS)
        return page

    def open(self, *names: Path, folder: Path | None = None, **look: Any) -> Any:
        """Return a page with a studio that has compiled the spec."""
        page = self.page(**look)
        page.goto(self.serve(*names, folder=folder))
        page.wait_for_selector("html[data-ready=true]")
        return page
