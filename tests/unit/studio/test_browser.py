"""The page in headless Chromium, as a user operates it."""

import re
from pathlib import Path
from typing import Any

from ...waiting import SECONDS
from .browser import Browser
from .samples import SPEC, written

HOSTILE = "<img src=x onerror=document.title='owned'>"


def places(page: Any, mark: str) -> list[str]:
    """Return the offsets of the bytes that have a mark."""
    return [each.get_attribute("data-at") or "" for each in page.locator(f"#hex .line > b.{mark}").all()]


def lit_field(page: Any) -> str:
    found: str = page.locator("#tree .name.lit").inner_text()
    return found


def test_a_session(browser: Browser, tmp_path: Path) -> None:
    spec, file = written(tmp_path, wrong=3)
    address = browser.serve(spec, file)
    page = browser.page()
    asked: list[str] = []
    wrong: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.goto(address)
    page.wait_for_selector("html[data-ready=true]")
    # The whole file is read for it after the first page is shown.
    page.wait_for_selector("#status:has-text('1 damaged')")
    assert page.locator("#rows tbody tr").count() == 5

    # Damage is marked in the map, the bytes, the fields and the rows, and a button leads to it.
    assert page.locator("#map i").count() == 1
    assert places(page, "damaged-byte") + places(page, "wrong") == [str(at) for at in range(20, 26)]
    assert "5000" in page.locator("#tree .record.damaged").inner_text()
    assert page.locator("#rows tr.damaged").inner_text().startswith("20")
    page.click("#damage")
    assert page.locator("#hex .line > b.cursor").get_attribute("data-at") == "20"

    # What is pointed at in one pane is highlighted in all others.
    value = [str(at) for at in range(10, 14)]
    page.hover("#hex .line > b[data-at='11']")
    assert (places(page, "lit"), lit_field(page)) == (value, "value")
    assert page.locator("#rows tr.lit .at").inner_text() == "8"
    assert "- id: value" in page.locator(".cm-lit").first.inner_text()
    page.hover("#tree .name:text-is('value') >> nth=1")
    assert (places(page, "lit"), page.locator("#rows tr.lit .at").inner_text()) == (value, "8")
    assert "- id: value" in page.locator(".cm-lit").first.inner_text()
    page.hover("#rows tbody tr:nth-child(2)")
    assert (places(page, "lit"), lit_field(page)) == ([str(at) for at in range(8, 14)], "record 2")
    page.hover(".cm-line:has-text('id: sensor')")
    assert (places(page, "lit"), lit_field(page)) == (["2", "3"], "sensor")
    assert page.locator("#rows tr.lit .at").inner_text() == "2"

    # A byte leads to its field, its row and its lines.
    page.click("#hex .line > b[data-at='10']")
    chosen = page.locator("#tree [aria-selected=true] > .row")
    assert chosen.locator(".name").inner_text() == "value"
    assert "10" in chosen.locator(".value").inner_text()
    assert page.locator("#rows tr[aria-selected=true]").inner_text().split()[:3] == ["8", "1", "10"]
    assert "- id: value" in page.locator(".cm-chosen").first.inner_text()

    # A row, a field and a line lead to bytes.
    page.click("#rows tbody tr:nth-child(3)")
    assert page.locator("#hex .line > b.chosen").first.get_attribute("data-at") == "14"
    page.hover("#tree .name:text-is('magic')")
    assert page.locator("#hex .line > b.lit").count() == 2
    page.click(".cm-line:has-text('id: sensor')")
    assert page.locator("#hex .line > b.chosen").first.get_attribute("data-at") == "2"

    # An error is shown at its line, and disappears when it is fixed.
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

    # Saving writes the spec; changes by others are noticed, and are always shown as text.
    page.click(".cm-line:has-text('id: magic')")
    page.keyboard.press("End")
    page.keyboard.type("  # mended")
    page.keyboard.press("Control+s")
    page.wait_for_selector("#save:disabled")
    assert "# mended" in spec.read_text()
    spec.write_text(SPEC.replace("id: sensor", f"id: sensor\n        doc: '{HOSTILE.replace(chr(39), chr(39) * 2)}'"))
    page.wait_for_selector(".cm-line:has-text('onerror')")
    file.write_bytes(file.read_bytes() + HOSTILE.encode()[:42])
    page.wait_for_selector("#rows tbody tr:nth-child(12)")

    page.click("#plan-tab")
    assert "sensor" in page.inner_text("#plan")
    page.click("#code-tab")
    page.wait_for_selector("#code .cm-line:has-text('class Readings')")

    # Keys are completed where they may be.
    page.click("#spec-tab")
    page.click(".cm-line:has-text('id: value')")
    page.keyboard.press("End")
    page.keyboard.press("Enter")
    page.keyboard.type("rep")
    page.keyboard.press("Control+Space")
    page.wait_for_selector(".cm-tooltip-autocomplete li:has-text('repeat-expr')")
    assert "owned" not in page.title()
    assert wrong == []
    assert [each for each in asked if not re.match(re.escape(address.split("?")[0]), each)] == []


def test_far_into_a_file(browser: Browser, tmp_path: Path) -> None:
    page = browser.open(*written(tmp_path, rows=200_000, wrong=199_000))
    page.wait_for_selector("#status:has-text('199,999 rows · 1 damaged')")
    page.click("#damage")
    chosen = page.locator("#tree [aria-selected=true] > .row")
    chosen.filter(has_text="sensor").wait_for()
    assert page.locator("#rows tr[aria-selected=true] .at").inner_text() == f"{2 + 6 * 199_000:,}"
    # Records before the target are shown too, and the selection is kept.
    page.fill("#goto", "600006")
    page.press("#goto", "Enter")
    page.wait_for_selector("#record-title:has-text('599,8')")
    assert chosen.locator(".name").inner_text() == "value"
    assert page.locator("#rows tr[aria-selected=true] .at").inner_text() == "600,002"


def test_strangers_are_refused(browser: Browser, tmp_path: Path) -> None:
    import http.client

    address = browser.serve(*written(tmp_path))
    port = int(address.split(":")[2].split("/")[0])
    for path, host in (("/", f"127.0.0.1:{port}"), (address.split(str(port))[1], "evil.example")):
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=SECONDS)
        connection.request("GET", path, headers={"Host": host})
        assert connection.getresponse().status == 403
        connection.close()
