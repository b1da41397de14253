"""Replacements for what the engine does not read, from the table ``replacements.yaml``."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import yaml

TABLE = Path(__file__).with_name("replacements.yaml")


@cache
def replacements() -> dict[str, list[tuple[list[str], str]]]:
    """Return the reasons by chapter, in the order of the documentation: those with one replacement, and that, as
    Markdown."""
    data = yaml.safe_load(TABLE.read_text("utf-8"))
    return {title: [(each["reasons"], each["instead"]) for each in rows] for title, rows in data.items()}


@cache
def _patterns() -> list[tuple[re.Pattern[str], str]]:
    """Return the reasons as patterns, those with the most words first, each with its replacement as plain text."""
    rows = [(reason, instead) for each in replacements().values() for reasons, instead in each for reason in reasons]
    rows.sort(key=lambda row: len(row[0].replace("…", "")), reverse=True)
    return [(re.compile(".+".join(map(re.escape, reason.split("…")))), _plain(instead)) for reason, instead in rows]


def _plain(text: str) -> str:
    """Return Markdown as plain text."""
    return re.sub(r"\[(.+?)\]\(.+?\)", r"\1", text).replace("`", "'")


def replacement(sentence: str) -> str:
    """Return what to write instead of what a reason refuses; '' for an unknown reason.

    >>> replacement('the engine does not support the size "size"')
    "'size-of' at an integer of a fixed size."
    """
    # Those about messages begin with a column or a table.
    for text in (sentence.partition(" is computed: ")[2], sentence, sentence.partition(": ")[2]):
        for pattern, instead in _patterns():
            if pattern.fullmatch(text):
                return instead
    return ""
