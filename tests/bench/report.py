"""Writes the results: a page, its data, and pictures."""

from __future__ import annotations

import json
import os
import platform
from collections.abc import Iterable
from pathlib import Path
from typing import Any


def speed(bytes_per_second: float) -> str:
    if bytes_per_second >= 1e9:
        return f"{bytes_per_second / 1e9:.2f} GB/s"
    return f"{bytes_per_second / 1e6:.0f} MB/s"


def verdict(row: dict[str, Any]) -> str:
    if row.get("absent"):
        return f"absent: {row['absent']}"
    if row["target"] is None:
        return ""
    return "reached" if row["ratio"] >= row["target"] else "**not reached**"


def table_of_figures(figures: list[dict[str, Any]]) -> list[str]:
    """Return the table of what was counted."""
    if not figures:
        return []
    lines = ["", "| counted | value | at most | |", "|---|---|---|---|"]
    for each in figures:
        reached = "reached" if each["value"] <= each["most"] else "**not reached**"
        lines.append(f"| {each['title']} | {each['value']:,} {each['unit']} | {each['most']:,} | {reached} |")
    return lines


def table_of_growth(growth: list[dict[str, Any]]) -> list[str]:
    """Return the table of what each axis takes, with the exponents of growth between its last two sizes."""
    if not growth:
        return []
    lines = ["", "| 1, 10 and 100 times | from | processor time | exponent | memory | exponent | |"]
    lines.append("|---|---|---|---|---|---|---|")
    for each in growth:
        straight = each["exponent"] <= each["most"] and each["memory_exponent"] <= each["most_memory"]
        seconds = " · ".join(f"{1000 * value:.3g}" for value in each["seconds"])
        memory = " · ".join(f"{value / 1e6:.0f}" for value in each["memory"])
        lines.append(
            f"| {each['title']} | {each['counts'][0]:,} {each['unit']} | {seconds} ms | {each['exponent']:.2f} "
            f"| {memory} MB | {each['memory_exponent']:.2f} | {'reached' if straight else '**not reached**'} |"
        )
    return lines


def markdown(
    rows: list[dict[str, Any]],
    figures: list[dict[str, Any]],
    growth: list[dict[str, Any]],
    pictures: Iterable[str],
    conditions: str,
) -> str:
    lines = [
        "# Bench",
        "",
        f"{conditions}; medians; a ratio is the speed of the work over the speed of what it is compared with, taken "
        "turn by turn.",
        "",
        "| work | speed | compared with | its speed | ratio (lowest–highest) | to reach | |",
        "|---|---|---|---|---|---|---|",
    ]
    for row in rows:
        target = "" if row["target"] is None else f"{row['target']:g}"
        if row.get("absent"):
            lines.append(f"| {row['title']} | | {row['against']} | | | {target} | {verdict(row)} |")
            continue
        span = f"{row['ratio']:.2f} ({row['lowest_ratio']:.2f}–{row['highest_ratio']:.2f})"
        lines.append(
            f"| {row['title']} | {speed(row['work_speed'])} | {row['against']} | {speed(row['against_speed'])} "
            f"| {span} | {target} | {verdict(row)} |"
        )
    lines += table_of_figures(figures) + table_of_growth(growth)
    notes = dict.fromkeys(f"- {row['title']}: {row['note']}" for row in [*rows, *figures] if row["note"])
    lines += ["", *notes, "", *(f"![ratios]({each})" for each in pictures), ""]
    return "\n".join(lines)


def conditions(features: dict[str, Any], megabytes: int, turns: int) -> str:
    """Return the kind of the machine, and how much was measured how often."""
    levels = ", ".join(f"{name} {value}" for name, value in sorted(features.items()) if isinstance(value, str))
    return (
        f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}; engine: {levels}; inputs "
        f"of {megabytes} MB, {turns} turns"
    )


def pictures(rows: list[dict[str, Any]]) -> dict[str, list[dict[str, Any]]]:
    """Return the comparisons of each picture by the name of its file: a picture for each part, and several for one that
    does not fit a screen."""
    parts: dict[str, list[dict[str, Any]]] = {}
    for row in rows:
        if not row.get("absent"):
            parts.setdefault(row["part"], []).append(row)
    found = {}
    for part, members in parts.items():
        for number, first in enumerate(range(0, len(members), ROWS_PER_PICTURE), 1):
            name = f"bench-{part}.svg" if number == 1 else f"bench-{part}-{number}.svg"
            found[name] = members[first : first + ROWS_PER_PICTURE]
    return found


ROWS_PER_PICTURE = 20
"""Maximum number of comparisons in a picture, which then fits a screen."""


def plot(rows: list[dict[str, Any]], path: Path, conditions: str) -> None:
    """Write an SVG with a bar for each ratio, from 1 to the ratio, and a mark at its target."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot
    from matplotlib.ticker import FuncFormatter, NullFormatter

    height = 1.4 + 0.36 * len(rows)
    # Texts stay texts, which can be searched and copied; the same results give the same file.
    with matplotlib.rc_context({"svg.fonttype": "none", "svg.hashsalt": "wireloom"}):
        figure, axes = pyplot.subplots(figsize=(9, height), layout="constrained")
        for place, row in enumerate(rows):
            _bar(axes, place, row)
        axes.axvline(1, color="#57606a", linewidth=1)
        axes.set_xscale("log")
        axes.margins(x=0.12)
        for set_formatter in (axes.xaxis.set_major_formatter, axes.xaxis.set_minor_formatter):
            set_formatter(NullFormatter())
        low, high = axes.get_xlim()
        axes.set_xticks([each for each in TICKS if low <= each <= high])
        axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
        axes.set_yticks(range(len(rows)), [f"{row['title']}\nagainst {row['against']}" for row in rows], fontsize=7)
        axes.set_ylim(len(rows) - 0.4, -0.6)
        axes.set_xlabel(
            "speed over the speed of what it is compared with; thin: lowest to highest; red: to reach", fontsize=8
        )
        figure.suptitle(conditions, fontsize=8)
        figure.savefig(path, metadata={"Date": None})
        pyplot.close(figure)


def plot_growth(growth: list[dict[str, Any]], path: Path, conditions: str) -> None:
    """Write an SVG with a line for each axis, for its time and for its memory, both relative to those of one time."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    with matplotlib.rc_context({"svg.fonttype": "none", "svg.hashsalt": "wireloom"}):
        figure, both = pyplot.subplots(1, 2, figsize=(9, 5), layout="constrained")
        for axes, key, label in zip(both, ("seconds", "memory"), ("processor seconds", "bytes of memory"), strict=True):
            for each in growth:
                values = [max(value, 1e6 if key == "memory" else 0) for value in each[key]]
                axes.loglog([1, 10, 100], values, marker="o", linewidth=1, markersize=3, label=each["title"])
            axes.set_xlabel("times the size", fontsize=8)
            axes.set_ylabel(label, fontsize=8)
        figure.legend(*both[0].get_legend_handles_labels(), loc="outside lower center", ncols=2, fontsize=7)
        figure.suptitle(conditions, fontsize=8)
        figure.savefig(path, metadata={"Date": None})
        pyplot.close(figure)


TICKS = [digit * 10.0**power for power in range(-3, 5) for digit in (1, 2, 5)]


def _bar(axes: Any, place: int, row: dict[str, Any]) -> None:
    ratio = row["ratio"]
    axes.barh(place, abs(ratio - 1), left=min(ratio, 1), color="#3b6ea5" if ratio >= 1 else "#b08d57", height=0.55)
    axes.plot([row["lowest_ratio"], row["highest_ratio"]], [place, place], color="#888888", linewidth=1)
    axes.annotate(
        f"{ratio:.2f}", (max(row["highest_ratio"], 1), place), (3, -2.5), textcoords="offset points", fontsize=7
    )
    if row["target"] is not None:
        axes.plot([row["target"]] * 2, [place - 0.38, place + 0.38], color="#c0392b", linewidth=2)


def write(
    rows: list[dict[str, Any]],
    figures: list[dict[str, Any]],
    growth: list[dict[str, Any]],
    features: dict[str, Any],
    megabytes: int,
    turns: int,
    folder: Path,
) -> list[str]:
    """Write page, data and pictures into a folder, and return the names of the pictures."""
    folder.mkdir(parents=True, exist_ok=True)
    data = {"engine": features, "megabytes": megabytes, "turns": turns}
    data |= {"results": rows, "figures": figures, "growth": growth}
    said = conditions(features, megabytes, turns)
    drawn = pictures(rows)
    (folder / "bench.json").write_text(json.dumps(data, indent=2))
    names = [*drawn, *(["bench-growth.svg"] if growth else [])]
    (folder / "bench.md").write_text(markdown(rows, figures, growth, names, said))
    for name, members in drawn.items():
        plot(members, folder / name, said)
    if growth:
        plot_growth(growth, folder / names[-1], said)
    return names
