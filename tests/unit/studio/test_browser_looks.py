"""The page at three sizes, light and dark: everything fits, is readable and has its colour."""

import re
from pathlib import Path
from typing import Any

import pytest

from .browser import Browser
from .samples import SPEC, written

SIZES = [(1280, 800), (1500, 900), (1920, 1080)]
WIDE = SPEC.replace("id: sensor", "id: sensor\n        doc: " + "A line that is wider than the pane, " * 8)
LIGHT, DARK = 0.75, 0.25


def luminance(page: Any, selector: str) -> float:
    """Return the brightness of the background of an element, 0 to 1."""
    text = page.locator(selector).first.evaluate(
        """each => {
            for (; each; each = each.parentElement) {
                const found = getComputedStyle(each).backgroundColor;
                if (found !== "rgba(0, 0, 0, 0)") return found;
            }
        }"""
    )
    red, green, blue = (float(each) for each in re.findall(r"[\d.]+", text)[:3])
    return (0.2126 * red + 0.7152 * green + 0.0722 * blue) / 255


def cut_off(page: Any, selector: str) -> list[str]:
    """Return the texts of elements that are wider than their room."""
    script = "all => all.filter(each => each.scrollWidth > each.clientWidth + 1).map(each => each.textContent)"
    found: list[str] = page.locator(selector).evaluate_all(script)
    return found


def box(page: Any, selector: str) -> dict[str, float]:
    found: dict[str, float] = page.locator(selector).first.bounding_box()
    return found


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_everything_fits(browser: Browser, tmp_path: Path, size: tuple[int, int], scheme: str) -> None:
    spec, file = written(tmp_path, rows=2000, wrong=3)
    spec.write_text(WIDE)
    page = browser.open(spec, file, width=size[0], height=size[1], scheme=scheme)
    page.wait_for_selector("#status:has-text('1 damaged')")
    page.click("#damage")
    page.wait_for_selector("#values tbody tr")
    assert page.evaluate("[document.documentElement.scrollWidth, document.documentElement.scrollHeight]") == [*size]
    # No pane is out of sight, and none is without content for half of its room.
    for pane in ("#left", "#middle", "#right", "#bottom", "#inspector"):
        found = box(page, pane)
        assert found["x"] >= 0
        assert found["x"] + found["width"] <= size[0]
        assert found["y"] + found["height"] <= size[1]
        assert found["width"] > 300
    cells = page.locator("#hex .line").first.locator("b")
    assert cells.count() == 2 * 16
    last, pane = cells.last.bounding_box(), box(page, "#hex")
    assert pane["x"] + pane["width"] / 2 < last["x"] + last["width"] <= pane["x"] + pane["width"] - 14
    assert box(page, "#rows table")["width"] > 0.9 * box(page, "#rows")["width"]
    assert cut_off(page, "#values td, #tree .value, #tree .name, #rows td, .legend, .bar h2, .bar button") == []
    # The editor wraps.
    scroller = page.locator("#editor .cm-scroller")
    assert scroller.evaluate("each => each.scrollWidth <= each.clientWidth")

    is_in_scheme = (lambda each: each > LIGHT) if scheme == "light" else (lambda each: each < DARK)
    for selector in ("body", "#editor .cm-content", "#editor .cm-gutters", "#hex", "#tree", "#rows", "#values"):
        assert is_in_scheme(luminance(page, selector)), selector


def test_the_editor_follows_a_change_of_the_scheme(browser: Browser, tmp_path: Path) -> None:
    page = browser.open(*written(tmp_path))
    assert luminance(page, "#editor .cm-gutters") > LIGHT
    key = page.locator(".cm-line:has-text('id: magic') span").first
    before = key.evaluate("each => getComputedStyle(each).color")
    page.emulate_media(color_scheme="dark")
    assert luminance(page, "#editor .cm-gutters") < DARK
    assert key.evaluate("each => getComputedStyle(each).color") != before


def test_an_attribute_has_one_colour_and_only_damage_is_red(browser: Browser, tmp_path: Path) -> None:
    page = browser.open(*written(tmp_path, wrong=3))
    page.wait_for_selector("#status:has-text('1 damaged')")
    colour = "each => getComputedStyle(each).backgroundColor"

    def of_byte(at: int) -> str:
        found: str = page.locator(f"#hex .line > b[data-at='{at}']").evaluate(colour)
        return found

    # Of five records of six bytes, from 2 on, the fourth is damaged.
    sensors = {of_byte(2 + 6 * n) for n in (0, 1, 2, 4)}
    values = {of_byte(4 + 6 * n) for n in (0, 1, 2, 4)}
    assert (len(sensors), len(values), len({of_byte(0), *sensors, *values})) == (1, 1, 3)
    names = page.locator("#tree .name:text-is('value')")
    assert [names.nth(n).evaluate(colour) for n in (0, 1, 2, 4)] == [*values] * 4
    legend = {name: page.locator(f".legend .of-{name}").evaluate(colour) for name in ("damage", "wrong")}
    assert {of_byte(20), of_byte(21)} == {legend["damage"]}
    assert {of_byte(22), names.nth(3).evaluate(colour)} == {legend["wrong"]}
    assert page.locator("#map i").evaluate(colour) == legend["wrong"]
    assert page.inner_text(".legend").split("\n") == ["attributes", "damaged", "wrong field"]
    # A change of the spec does not change the colours.
    page.click(".cm-line:has-text('id: magic')")
    page.keyboard.press("End")
    page.keyboard.press("Enter")
    page.keyboard.type("- {id: more, size: 0}")
    page.wait_for_selector("#tree .name:text-is('more')", state="attached")
    assert {of_byte(2), of_byte(8)} == sensors


def test_a_skeleton_is_shown_while_a_spec_is_compiled(browser: Browser, tmp_path: Path) -> None:
    page = browser.page()
    held: list[Any] = []
    page.route("**/api/compile", lambda route: held.append(route))
    page.goto(browser.serve(*written(tmp_path)))
    page.wait_for_selector("#tree[aria-busy=true] .skeleton")
    page.wait_for_selector("#rows[aria-busy=true] .skeleton")
    assert page.inner_text("#status") == "compiling …"
    # The bytes need not wait for it.
    page.wait_for_selector("#hex .line > b[data-at='0']:text-is('52')")
    held[0].continue_()
    page.wait_for_selector("#tree:not([aria-busy]) .record")
    page.wait_for_selector("#rows:not([aria-busy]) tbody tr")
    assert page.locator(".skeleton").count() == 0
