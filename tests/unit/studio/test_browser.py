"""The page in headless Chromium, as somebody uses it."""

import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from .samples import SPEC, written

playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed: no browser is driven")
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
HOSTILE = "<img src=x onerror=document.title='owned'>"


@pytest.fixture
def studio(tmp_path: Path) -> Iterator[tuple[str, Path, Path]]:
    pytest.importorskip("nicegui", reason="the extra studio is not installed")
    pytest.importorskip("uvicorn", reason="the extra studio is not installed")
    if CHROMIUM is None:
        pytest.skip("there is no Chromium")
    spec, file = written(tmp_path, wrong=3)
    begin = "from wireloom.command.entry import main; main()"
    command = [sys.executable, "-c", begin, "studio", "--no-browser", str(spec), str(file)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        yield process.stdout.readline().split()[0], spec, file
        process.terminate()


def test_a_session(studio: tuple[str, Path, Path]) -> None:
    address, spec, file = studio
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=list(QUIET))
        page = browser.new_page(viewport={"width": 1500, "height": 900})
        asked: list[str] = []
        wrong: list[str] = []
        page.on("request", lambda request: asked.append(request.url))
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.goto(address)
        page.wait_for_selector("html[data-ready=true]")
        # The whole file is read for it after the first page is shown.
        page.wait_for_function("document.getElementById('status').innerText.includes('1 damaged')")
        assert page.locator("#rows tbody tr").count() == 5
        assert page.locator("#map i").count() == 1

        # A byte leads to its field, its row and its lines.
        page.click("#hex .line > b[data-at='10']")
        chosen = page.locator("#tree [aria-selected=true] > .row")
        assert chosen.locator(".name").inner_text() == "value"
        assert "10" in chosen.locator(".value").inner_text()
        assert page.locator("#rows tr.chosen").inner_text().split()[:3] == ["8", "1", "10"]
        assert "- id: value" in page.locator(".cm-chosen").first.inner_text()

        # A row, a field and a line lead to bytes.
        page.click("#rows tbody tr:nth-child(3)")
        assert page.locator("#hex .line > b.chosen").first.get_attribute("data-at") == "14"
        page.hover("#tree .name:text-is('magic')")
        assert page.locator("#hex .line > b.lit").count() == 2
        page.click(".cm-line:has-text('id: sensor')")
        assert page.locator("#hex .line > b.chosen").first.get_attribute("data-at") == "2"

        # An error is shown at its line, and goes when it is mended.
        page.click(".cm-line:has-text('type: u4')")
        page.keyboard.press("End")
        page.keyboard.type("x")
        page.keyboard.press("Escape")
        page.wait_for_selector(".cm-line:has-text('u4x') .cm-error")
        assert "13:" in page.inner_text("#problems .error .at")
        assert page.locator("#rows tbody tr").count() == 5
        page.keyboard.press("Backspace")
        page.wait_for_selector("#problems .error", state="detached")
        page.wait_for_selector("#status:has-text('1 damaged')")

        # Saving writes the spec; what others write is seen, and is text whatever it is.
        page.click(".cm-line:has-text('id: magic')")
        page.keyboard.press("End")
        page.keyboard.type("  # mended")
        page.keyboard.press("Control+s")
        page.wait_for_selector("#save:disabled")
        assert "# mended" in spec.read_text()
        spec.write_text(
            SPEC.replace("id: sensor", f"id: sensor\n        doc: '{HOSTILE.replace(chr(39), chr(39) * 2)}'")
        )
        page.wait_for_selector(".cm-line:has-text('onerror')")
        file.write_bytes(file.read_bytes() + HOSTILE.encode()[:42])
        page.wait_for_selector("#rows tbody tr:nth-child(12)")

        page.click("#plan-tab")
        assert "sensor" in page.inner_text("#plan")
        page.click("#code-tab")
        page.wait_for_selector("#code .cm-line:has-text('class Readings')")
        assert "owned" not in page.title()
        assert wrong == []
        assert [each for each in asked if not re.match(re.escape(address.split("?")[0]), each)] == []
        browser.close()


def test_strangers_are_refused(studio: tuple[str, Path, Path]) -> None:
    import http.client

    port = int(studio[0].split(":")[2].split("/")[0])
    for path, host in (("/", f"127.0.0.1:{port}"), (studio[0].split(str(port))[1], "evil.example")):
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
        connection.request("GET", path, headers={"Host": host})
        assert connection.getresponse().status == 403
        connection.close()
