"""What the page says of files and specs is true when it is said, and is taken away when it is over."""

from pathlib import Path

from .browser import Browser
from .samples import SPEC, written


def test_a_change_on_disk_is_not_overwritten_without_a_question(browser: Browser, tmp_path: Path) -> None:
    spec, file = written(tmp_path)
    page = browser.open(spec, file)
    page.click(".cm-line:has-text('id: magic')")
    page.keyboard.press("End")
    page.keyboard.type("  # mine")
    theirs = SPEC + "# theirs\n"
    spec.write_text(theirs)
    page.wait_for_selector("#notice:has-text('changed on disk, and here too')")
    page.keyboard.press("Control+s")
    page.wait_for_selector("#notice-act:text-is('Save anyway')")
    assert spec.read_text() == theirs
    page.click("#notice-act")
    page.wait_for_selector("#save:disabled")
    assert "# mine" in spec.read_text()


def test_bytes_that_are_not_read_are_not_green(browser: Browser, tmp_path: Path) -> None:
    spec, file = written(tmp_path, wrong=1)
    file.write_bytes(file.read_bytes() + b"\1")
    page = browser.open(spec, file)
    page.wait_for_selector("#status:has-text('not read from byte 32 on: truncated')")
    assert page.get_attribute("#map s.wrong", "title") == "not read from byte 32 on: truncated"
    assert page.inner_text("#rows-title").startswith("4 rows and 1 damaged from byte 2 on")
    file.write_bytes(file.read_bytes()[:-1])
    page.wait_for_selector("#map s", state="detached")
    assert "not read" not in page.inner_text("#status")


def test_a_file_that_is_not_read_is_not_without_damage(browser: Browser, tmp_path: Path) -> None:
    spec, file = written(tmp_path)
    file.write_bytes(b"no such file")
    page = browser.open(spec, file)
    page.wait_for_selector("#status:has-text('no damage so far · not read from byte 0 on')")
    assert page.locator("#map s.wrong").bounding_box()["width"] == page.locator("#map").bounding_box()["width"]


def test_messages_end_and_bytes_are_reached(browser: Browser, tmp_path: Path) -> None:
    page = browser.open(*written(tmp_path, rows=5))
    page.fill("#goto", "ffff")
    page.press("#goto", "Enter")
    page.wait_for_selector("#notice:has-text('There is no byte ffff')")
    page.fill("#goto", "0eh")
    page.press("#goto", "Enter")
    page.wait_for_selector("#byte-at-cursor[data-at='14']")
    assert not page.is_visible("#notice")
    # The bytes have the focus then.
    page.keyboard.press("Control+Shift+End")
    page.wait_for_selector("#place:has-text('18 bytes selected')")
    page.keyboard.press("Control+a")
    page.wait_for_selector("#place:has-text('32 bytes selected')")
    page.keyboard.press("Control+Home")
    page.keyboard.press("Shift+Home")
    page.wait_for_selector("#place:has-text('1 byte selected')")


def test_deep_lines_have_room_for_text(browser: Browser, tmp_path: Path) -> None:
    page = browser.open(*written(tmp_path))
    text = "- {id: text, type: str, encoding: UTF-8, size: text_len, doc: abc}"
    for depth in (70, 90):
        page.click("#editor .cm-content")
        page.keyboard.press("Control+a")
        page.keyboard.insert_text("a:\n" + " " * depth)
        page.keyboard.type(text, delay=15)
        assert text in page.locator("#editor .cm-content").inner_text()
        assert page.locator(".cm-line").last.bounding_box()["height"] < 200


def test_each_of_two_tabs_reads_with_its_own_spec(browser: Browser, tmp_path: Path) -> None:
    address = browser.serve(*written(tmp_path))
    first, second = browser.page(), browser.page()
    first.goto(address)
    first.wait_for_selector("#status:has-text('no damage')")
    first.click("#hex .line > b[data-at='10']")
    first.wait_for_selector("#tree [aria-selected=true] .name:text-is('value')")
    second.goto(address)
    second.wait_for_selector("#status:has-text('no damage')")
    second.click(".cm-line:has-text('type: u4')")
    second.keyboard.press("End")
    second.keyboard.type("x")
    second.wait_for_selector("#problems .error")
    first.wait_for_selector("#status:has-text('another tab of this studio has compiled its spec')")
    first.click("#copy")
    first.click("#copy-menu [data-form=record]")
    first.wait_for_selector("#place:has-text('Copied')")
    assert first.evaluate("navigator.clipboard.readText()") == '{\n  "sensor": 1,\n  "value": 10\n}'
    first.wait_for_selector("#status:has-text('no damage')")
