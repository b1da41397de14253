"""What the page does with files: bytes without a spec, other files, search, copies, values at the cursor."""

import json
import struct
from pathlib import Path
from typing import Any

import pytest

from .browser import Browser
from .samples import SPEC, written


def values(page: Any) -> dict[str, list[str]]:
    """Return what the bytes at the cursor are, by name."""
    rows = page.locator("#values tbody tr").all()
    return {each.locator("th").inner_text(): each.locator("td").all_inner_texts() for each in rows}


def copied(page: Any, form: str) -> str:
    page.evaluate("document.getElementById('place').textContent = ''")
    page.click("#copy")
    page.click(f"#copy-menu [data-form={form}]")
    page.wait_for_selector("#place:has-text('Copied')")
    text: str = page.evaluate("navigator.clipboard.readText()")
    return text


def test_bytes_are_shown_without_a_spec_and_with_a_broken_one(browser: Browser, tmp_path: Path) -> None:
    spec, file = written(tmp_path)
    spec.unlink()
    page = browser.open(file, folder=tmp_path)
    assert page.inner_text("#spec-name").startswith("readings.ksy")
    page.wait_for_selector("#hex .line > b[data-at='0']:text-is('52')")
    assert "the file is empty" in page.inner_text("#problems")
    page.click("#hex .line > b[data-at='8']")
    page.wait_for_selector("#cursor:has-text('at 8 = 0x8')")
    assert values(page)["u2"] == ["1", "256"]
    # The first lines of a spec, with a mistake and without.
    page.click("#editor .cm-content")
    page.keyboard.insert_text(SPEC.replace("u4", "u5"))
    page.wait_for_selector("#problems:has-text('u5')")
    assert page.inner_text("#hex .line > b[data-at='0']") == "52"
    assert page.locator("#rows table").count() == 0
    page.keyboard.press("Control+a")
    page.keyboard.insert_text(SPEC)
    page.wait_for_selector("#rows tbody tr:nth-child(5)")
    page.keyboard.press("Control+s")
    page.wait_for_selector("#save:disabled")
    assert spec.read_text() == SPEC


def test_mistakes_in_imported_files_lead_there(browser: Browser, tmp_path: Path) -> None:
    spec, file = written(tmp_path)
    (tmp_path / "parts").mkdir()
    part = tmp_path / "parts" / "part.ksy"
    part.write_text("meta: {id: part}\nseq:\n  - id: a\n    type: u9\n")
    main = "meta: {id: readings, imports: [parts/part]}\nseq:\n  - {id: a, type: part}\n# 4\n# 5\n"
    spec.write_text(main)
    page = browser.open(spec, file)
    problem = page.locator("#problems .error")
    assert problem.locator(".at").inner_text() == "parts/part.ksy:4:11"
    assert page.locator("#editor .cm-error, #editor .cm-mark-error").count() == 0
    problem.click()
    # Nothing of the main spec is selected; it is the reader's choice to open the other one.
    assert page.inner_text("#editor .cm-activeLine").startswith("meta: {id: readings")
    page.click("#notice-act:text-is('Open parts/part.ksy')")
    page.wait_for_selector("#editor .cm-activeLine:has-text('type: u9')")
    page.wait_for_selector(".cm-line:has-text('u9') .cm-error")
    assert page.locator("#problems .error .at").inner_text() == "4:11"
    page.click("#notice-act:text-is('Back to readings.ksy')")
    page.wait_for_selector(".cm-line:has-text('parts/part')")


def test_other_files_and_specs_are_opened(browser: Browser, tmp_path: Path) -> None:
    spec, file = written(tmp_path)
    other = tmp_path / "other"
    other.mkdir()
    written(other, rows=9)
    (other / "readings.ksy").write_text(SPEC.replace("sensor", "probe"))
    (tmp_path / "text.txt").write_text("no spec")
    page = browser.open(spec, file)
    page.wait_for_selector("#rows tbody tr:nth-child(5)")
    page.click("#file-name")
    page.click("#opening-entries button:has-text('other/')")
    page.click("#opening-entries button:has-text('readings.bin')")
    page.wait_for_selector("#rows tbody tr:nth-child(9)")
    assert not page.is_visible("#opening")

    # What is not saved is asked about.
    page.click(".cm-line:has-text('id: magic')")
    page.keyboard.press("End")
    page.keyboard.type("  # changed")
    page.click("#spec-name")
    assert "not saved" in page.inner_text("#notice-text")
    page.click("#notice-act")
    names = page.locator("#opening-entries button")
    names.first.wait_for()
    assert [each.split("\n")[0] for each in names.all_inner_texts()] == ["../", "other/", "readings.ksy"]
    page.fill("#opening-path", str(tmp_path / "text.txt"))
    page.keyboard.press("Enter")
    page.wait_for_selector("#opening-error:has-text('a spec is a .ksy file')")
    page.fill("#opening-path", str(other / "readings.ksy"))
    page.keyboard.press("Enter")
    page.wait_for_selector("#tree .name:text-is('probe') >> nth=0")
    assert page.is_disabled("#save")
    assert spec.read_text() == SPEC


def test_bytes_and_text_are_found(browser: Browser, tmp_path: Path) -> None:
    page = browser.open(*written(tmp_path, rows=3000))

    def find(kind: str, text: str, key: str = "Enter") -> None:
        page.select_option("#search-kind", kind)
        page.fill("#query", text)
        page.press("#query", key)

    find("hex", "e7 03 DE 03")
    page.wait_for_selector(f"#byte-at-cursor[data-at='{2 + 6 * 999}']")
    assert page.locator("#hex .line > b.selected").count() == 4
    page.wait_for_selector("#rows tr[aria-selected=true] .at:text-is('5,996')")
    page.press("#query", "Shift+Enter")
    page.wait_for_selector(f"#byte-at-cursor[data-at='{2 + 6 * 999}']")
    find("text", "RD")
    page.wait_for_selector("#byte-at-cursor[data-at='0']")
    find("text", "nowhere")
    page.wait_for_selector("#notice:has-text('Not found in the file')")
    find("hex", "7")
    page.wait_for_selector("#notice:has-text('pairs of hex digits')")


def test_selections_are_copied(browser: Browser, tmp_path: Path) -> None:
    page = browser.open(*written(tmp_path))
    page.wait_for_selector("#rows tbody tr")
    page.click("#hex .line > b[data-at='10']")
    page.wait_for_selector("#tree [aria-selected=true] .name:text-is('value')")
    # The field, without a selection of bytes.
    assert copied(page, "hex") == "0a 00 00 00"
    assert json.loads(copied(page, "field")) == 10
    assert json.loads(copied(page, "record")) == {"sensor": 1, "value": 10}
    page.hover("#hex .line > b[data-at='0']")
    page.mouse.down()
    page.hover("#hex .line > b[data-at='4']")
    page.mouse.up()
    page.wait_for_selector("#place:has-text('5 bytes selected')")
    assert copied(page, "python") == r"b'RD\x00\x00\x00'"
    page.click("#rows tbody tr:nth-child(3)")
    assert json.loads(copied(page, "record")) == {"sensor": 2, "value": 20}


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (
            b"\xfe\xff\xff\xff\xff\xff\xff\xff",
            {
                "u1, s1": ["254, -2"],
                "s2": ["-2", "-257"],
                "u4": ["4294967294", "4278190079"],
                "s4": ["-2", "-16777217"],
                "s8": ["-2", "-72057594037927937"],
                "u8": ["18446744073709551614", "18374686479671623679"],
                "text": ["–"],
            },
        ),
        (
            struct.pack("<q", 1_772_431_200_123_456_789),
            {"time 8": ["2026-03-02 06:00:00 ns", "2019-03-18 22:11:39 ns"]},
        ),
        (struct.pack(">q", 1_772_431_200_123), {"time 8": ["–", "2026-03-02 06:00:00 ms"]}),
        (
            struct.pack("<I", 1_772_431_200),
            {"time 4": ["2026-03-02 06:00:00", "2021-02-13 10:09:45"], "u8": ["–", "–"]},
        ),
        (struct.pack("<d", -0.25), {"f8": ["-0.25", "2.64024e-319"]}),
        (b"\xac\x02", {"varint": ["300, zigzag 150, 2 B"], "bits": ["10101100, 0xac"]}),
        ("Zürich €\0rest".encode(), {"text": ["Zürich €"]}),
    ],
)
def test_values_at_the_cursor(browser: Browser, data: bytes, expected: dict[str, list[str]], tmp_path: Path) -> None:
    file = tmp_path / "a.bin"
    file.write_bytes(data)
    page = browser.open(file, folder=tmp_path)
    page.click("#hex .line > b[data-at='0']")
    page.wait_for_selector("#values tbody tr")
    found = values(page)
    assert {name: found[name] for name in expected} == expected


def test_a_byte_leads_to_what_is_stored_there(browser: Browser, tmp_path: Path) -> None:
    spec, file = tmp_path / "x.ksy", tmp_path / "x.bin"
    file.write_bytes(b"abcdef")
    # The instance has all of the bytes, and is the last field.
    spec.write_text("meta: {id: x}\nseq: [{id: a, type: u1}, {id: b, type: u1}]\ninstances: {all: {pos: 0, size: 6}}\n")
    page = browser.open(spec, file)
    page.wait_for_selector("#tree .name:text-is('all')")
    for at, name in (("0", "a"), ("1", "b"), ("2", "all")):
        page.click(f"#hex .line > b[data-at='{at}']")
        page.wait_for_selector(f"#tree [aria-selected=true] .name:text-is('{name}')")
