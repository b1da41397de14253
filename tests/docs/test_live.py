"""The page about live streams describes the current options. Its examples run in tests/spark/live/test_live_page.py."""

from .live import PAGE, TABLES, renewed


def test_the_options() -> None:
    text = PAGE.read_text()
    assert renewed(text) == text, "run 'python -m tests.docs.live' and look at what it changes"
    assert all(f"<!-- {name} -->" in text for name in TABLES)
