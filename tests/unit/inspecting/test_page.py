"""The command, and its page in a real browser."""

import html
import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from ...waiting import SECONDS
from .samples import HOSTILE, ZOO, animal, log, run, segment

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
QUIET = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


def test_text(tmp_path: Path) -> None:
    path = segment(tmp_path / "a.wal")
    text = run("inspect", "edgemq_segment", path, "--record", 5, "-n", 1)
    assert "record 5  bytes" in text
    assert "✓ holds" in text
    assert "1970-01-01T00:00:04.000Z" in text
    assert "\x1b" not in text
    assert all(line == line.rstrip() for line in text.splitlines())


def test_text_shows_stuffing_and_no_control_characters(tmp_path: Path) -> None:
    text = run("inspect", "word_stuffed_log", log(tmp_path / "a.log"), "--at", 1, "-n", 1)
    assert "as stored, with delimiter and stuffing:" in text
    assert "\x1b" not in text
    assert "\\x1b[31m" in text


def test_text_of_a_spec_of_ones_own(tmp_path: Path) -> None:
    path = tmp_path / "a.zoo"
    path.write_bytes(b"ZOO\x01" + animal(1, b"tom", 2, b"\0\0\0\x09"))
    text = run("inspect", ZOO, path)
    assert "cat (1)" in text
    assert "head of the file" in text


def test_long_records_are_cut(tmp_path: Path) -> None:
    path = log(tmp_path / "a.log", 1)
    assert "more bytes (--bytes 0 shows all)" in run("inspect", "word_stuffed_log", path, "--bytes", 16)
    assert "more bytes" not in run("inspect", "word_stuffed_log", path, "--bytes", 0)


def test_wrong_use(tmp_path: Path) -> None:
    path = log(tmp_path / "a.log", 1)
    run("inspect", "word_stuffed_log", path, "--at", 1, "--record", 2, code=2)
    run("inspect", "word_stuffed_log", tmp_path / "none.log", code=2)
    assert "there is no record 9: there is one" in run("inspect", "word_stuffed_log", path, "--record", 9, code=2)


@pytest.fixture
def page(tmp_path: Path) -> Path:
    path = log(tmp_path / "<b>&.log")
    data = bytearray(path.read_bytes())
    data[30] ^= 1
    data[-20] ^= 1
    path.write_bytes(data)
    out = tmp_path / "page.html"
    run("inspect", "word_stuffed_log", path, "--html", out, "-n", 20)
    assert sorted(each.name for each in tmp_path.iterdir()) == ["<b>&.log", "page.html"]
    return out


def test_page_needs_nothing_from_elsewhere(page: Path) -> None:
    text = page.read_text()
    around = re.sub(r'(id="data">).*?</script>', r"\1", text, flags=re.DOTALL)
    assert not re.search(r"(src|href)\s*=|url\(|@import|https?://|fetch\(|innerHTML", around)
    assert text.count("</script>") == 2
    assert HOSTILE[5:40].decode() not in text
    assert "<b>&" not in text
    data: Any = json.loads(re.search(r'id="data">(.*?)</script>', text, re.DOTALL)[1])  # type: ignore[index]
    assert len(data["records"]) == 21
    assert [each["reason"] for each in data["records"] if each["reason"]] == ["checksum", "checksum"]
    assert data["ranges"][0]["begin"] == 0


def test_a_failure_leaves_no_page(tmp_path: Path) -> None:
    run("inspect", "edgemq_segment", tmp_path / "none.wal", "--html", tmp_path / "page.html", code=2)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
@pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed (Debian: apt-get install chromium)")
def test_page_in_a_browser(page: Path, tmp_path: Path) -> None:
    # The actions of a reader, added after the page's own script; the outcome is written to the page's title.
    steps = """
    const results = {};
    const at = (place) => document.querySelector(`#content .dump b[data-at="${place}"]`);
    results.title = document.title;
    at(5).dispatchEvent(new MouseEvent("mouseover", {bubbles: true}));
    results.litBytes = document.querySelectorAll("#content .dump div > b.lit").length;
    results.litField = document.querySelector(".name.lit").textContent;
    at(1).click();
    results.chosen = document.querySelector('[aria-selected="true"] .name').textContent;
    results.wrong = document.querySelector('[aria-selected="true"] .bad').textContent;
    document.querySelectorAll("#tree .row")[2].dispatchEvent(new MouseEvent("mouseenter"));
    results.litByField = document.querySelectorAll("#content .dump div > b.lit").length > 20;
    const query = document.getElementById("query");
    query.value = "17: ";
    query.dispatchEvent(new Event("input"));
    results.found = document.getElementById("title").textContent.split(":")[0];
    query.value = "31 39 3a";
    query.dispatchEvent(new Event("input"));
    results.foundHex = document.getElementById("title").textContent.split(":")[0];
    const marks = document.querySelectorAll("#map button:not(.part)");
    results.marks = marks.length;
    marks[1].click();
    results.damaged = document.getElementById("title").textContent.split(":")[0];
    results.images = document.querySelectorAll("img").length;
    const told = document.createElement("pre");
    told.id = "results";
    told.textContent = JSON.stringify(results);
    document.body.append(told);
    """
    page.write_text(page.read_text().replace("</body>", f"<script>{steps}</script></body>"))
    profile = tmp_path / "profile"
    command = [str(CHROMIUM), *QUIET, f"--user-data-dir={profile}", "--dump-dom", page.as_uri()]
    done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, check=True)
    found = re.search(r'<pre id="results">(.*?)</pre>', done.stdout, re.DOTALL)
    assert found, done.stdout[-2000:]
    results = json.loads(html.unescape(found[1]))
    assert results.pop("title").endswith("<b>&.log · word_stuffed_log")
    assert results == {
        "litBytes": 4,
        "litField": "generation",
        "chosen": "crc",
        "wrong": results["wrong"],
        "litByField": True,
        "found": "record 18",
        "foundHex": "record 20",
        "marks": 2,
        "damaged": "record 40",
        "images": 0,
    }
    assert "checksum of the bytes" in results["wrong"]
