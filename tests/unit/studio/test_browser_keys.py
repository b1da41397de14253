"""The page by keyboard alone, and as screen readers present it."""

from pathlib import Path
from typing import Any

from .browser import Browser
from .samples import written

ROLES = ("RootWebArea", "generic")
"""What may be without a name."""


def focus(page: Any) -> str:
    """Return the ids of the focused element and of those around it, from the inside out."""
    found: str = page.evaluate(
        """() => {
            const ids = [];
            for (let each = document.activeElement; each; each = each.parentElement) if (each.id) ids.push(each.id);
            return ids.join(" ");
        }"""
    )
    return found


def nodes(page: Any) -> list[dict[str, Any]]:
    """Return the nodes of the accessibility tree that are not ignored: role, name and properties."""
    tree = page.context.new_cdp_session(page).send("Accessibility.getFullAXTree")
    return [
        {
            "role": each["role"]["value"],
            "name": each.get("name", {}).get("value", ""),
            **{one["name"]: one["value"].get("value") for one in each.get("properties", [])},
        }
        for each in tree["nodes"]
        if not each["ignored"]
    ]


def test_a_session_without_a_mouse(browser: Browser, tmp_path: Path) -> None:
    spec, file = written(tmp_path, rows=5, wrong=3)
    (tmp_path / "other").mkdir()
    _, other = written(tmp_path / "other", rows=7)
    page = browser.open(spec, file)
    page.wait_for_selector("#status:has-text('1 damaged')")
    press = page.keyboard.press

    # Bytes: the cursor, a selection, a copy of it.
    press("F6")
    assert focus(page).startswith("hex")
    for _ in range(4):
        press("ArrowRight")
    page.wait_for_selector("#tree [aria-selected=true] .name:text-is('value')")
    assert page.locator("#byte-at-cursor").get_attribute("data-at") == "4"
    press("Shift+ArrowRight")
    page.wait_for_selector("#place:has-text('2 bytes selected')")
    assert page.locator("#hex .line > b.selected").count() == 2
    press("Control+c")
    page.wait_for_selector("#place:has-text('Copied')")
    assert page.evaluate("navigator.clipboard.readText()") == "00 00"
    press("F8")
    page.wait_for_selector("#tree .damaged [aria-selected=true] .name:text-is('sensor')")

    # Fields, values, rows and the spec come after them.
    press("F6")
    assert "tree" in focus(page)
    press("ArrowDown")
    page.wait_for_selector("#tree .damaged [aria-selected=true] .name:text-is('value')")
    press("F6")
    assert focus(page).startswith("values")
    press("F6")
    assert "rows" in focus(page)
    press("Home")
    press("ArrowDown")
    page.wait_for_selector("#rows tr[aria-selected=true] .at:text-is('8')")
    press("F6")
    assert "editor" in focus(page)
    # Tab indents there, so another key comes first to leave.
    press("Escape")
    press("Tab")
    assert "editor" not in focus(page)
    press("Shift+F6")
    press("Shift+F6")

    # Tabs, dividers, and the bar of the file.
    page.focus("#spec-tab")
    press("ArrowRight")
    assert focus(page).startswith("plan-tab")
    assert page.is_visible("#plan")
    press("ArrowLeft")
    before = page.locator("#right").bounding_box()["width"]
    page.focus(".divider[data-of=right]")
    press("ArrowLeft")
    assert page.locator("#right").bounding_box()["width"] > before
    page.focus("#map")
    press("End")
    page.wait_for_selector("#byte-at-cursor[data-at='31']")

    # Finding and going.
    press("Control+g")
    page.keyboard.type("0x8")
    press("Enter")
    page.wait_for_selector("#byte-at-cursor[data-at='8']")
    press("Control+f")
    page.keyboard.type("RD")
    press("Enter")
    page.wait_for_selector("#byte-at-cursor[data-at='0']")

    # The menu and the dialogs.
    page.wait_for_selector("#place:not(:has-text('Copied'))")
    page.focus("#copy")
    press("Enter")
    page.wait_for_selector("#copy-menu:popover-open")
    press("ArrowDown")
    press("Enter")
    page.wait_for_selector("#place:has-text('Copied')")
    assert page.evaluate("navigator.clipboard.readText()") == "b'RD'"
    press("F1")
    page.wait_for_selector("#help[open]")
    press("Escape")
    press("Control+o")
    page.wait_for_selector("#opening-entries button")
    page.keyboard.type(str(other))
    press("Enter")
    page.wait_for_selector("#rows tbody tr:nth-child(7)")


def test_tab_reaches_everything_and_is_not_caught(browser: Browser, tmp_path: Path) -> None:
    page = browser.open(*written(tmp_path, wrong=3))
    page.wait_for_selector("#status:has-text('1 damaged')")
    reached = []
    for _ in range(40):
        page.keyboard.press("Escape")
        page.keyboard.press("Tab")
        reached.append(focus(page))
    seen = " ".join(reached)
    for each in ("spec-name", "file-name", "damage", "keys", "map", "spec-tab", "editor", "goto", "search-kind"):
        assert each in seen
    for each in ("query", "find-previous", "find-next", "copy", "hex", "tree", "previous", "next", "values", "rows"):
        assert each in seen


def test_what_takes_keys_has_a_name_and_a_role(browser: Browser, tmp_path: Path) -> None:
    page = browser.open(*written(tmp_path, wrong=3))
    page.wait_for_selector("#status:has-text('1 damaged')")
    page.click("#damage")
    page.wait_for_selector("#tree [aria-selected=true]")

    def unnamed() -> list[dict[str, Any]]:
        return [each for each in nodes(page) if each.get("focusable") and not (each["name"] or each["role"] in ROLES)]

    assert page.locator("div[tabindex='0']:not([role]), tr[tabindex='0']:not([aria-selected])").count() == 0
    assert unnamed() == []
    found = {(each["role"], each["name"]) for each in nodes(page)}
    expected = {
        ("grid", "Bytes"),
        ("grid", "Rows"),
        ("tree", "Fields"),
        ("slider", "Place in the file"),
        ("tablist", "Spec"),
        ("tab", "Plan"),
        ("textbox", "Spec"),
        ("region", "Bytes"),
        ("region", "Fields"),
        ("region", "Values"),
        ("region", "Rows"),
        ("separator", "Width of the spec"),
    }
    assert expected <= found, expected - found
    # The byte at the cursor is read with its field.
    assert any(role == "gridcell" and name.startswith("03 at 20, sensor, damaged") for role, name in found), found
    page.click("#file-name")
    page.wait_for_selector("#opening-entries button")
    assert unnamed() == []
    assert ("dialog", "Open a file") in {(each["role"], each["name"]) for each in nodes(page)}
