"""Writes the results: a page, its data, and a plot."""

from __future__ import annotations

import json
import platform
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


def markdown(rows: list[dict[str, Any]], figures: list[dict[str, Any]], features: dict[str, Any], turns: int) -> str:
    lines = [
        "# Bench",
        "",
        f"Python {platform.python_version()} on {platform.machine()}; engine: "
        + ", ".join(f"{name} {value}" for name, value in sorted(features.items()) if isinstance(value, str))
        + f"; {turns} turns, medians; a ratio is the speed of the work over the speed of what it is compared with, "
        "taken turn by turn.",
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
    lines += table_of_figures(figures)
    notes = dict.fromkeys(f"- {row['title']}: {row['note']}" for row in [*rows, *figures] if row["note"])
    lines += ["", *notes, "", "![ratios](bench.png)", ""]
    return "\n".join(lines)


ROWS_PER_PANEL = 24
"""Maximum number of comparisons in one panel of the plot; further ones go to another panel beside it, so that the
picture fits a screen."""


def plot(rows: list[dict[str, Any]], path: Path) -> None:
    """Write a PNG with a bar for each ratio, and a mark at its target."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    shown = [row for row in rows if not row.get("absent")]
    count = max(1, -(-len(shown) // ROWS_PER_PANEL))
    height = -(-len(shown) // count)
    figure, panels = pyplot.subplots(
        1, count, squeeze=False, figsize=(9 * count, 1.2 + 0.4 * height), layout="constrained"
    )
    for index, axes in enumerate(panels[0]):
        _panel(axes, shown[index * height : (index + 1) * height])
    figure.supxlabel("speed over the speed of what it is compared with (red: to reach)", fontsize=9)
    figure.savefig(path, dpi=100)
    pyplot.close(figure)


def _panel(axes: Any, rows: list[dict[str, Any]]) -> None:
    places = range(len(rows))
    ratios = [row["ratio"] for row in rows]
    errors = [
        [row["ratio"] - row["lowest_ratio"] for row in rows],
        [row["highest_ratio"] - row["ratio"] for row in rows],
    ]
    axes.barh(places, ratios, xerr=errors, color="#3b6ea5", height=0.55, ecolor="#888888")
    for place, row in zip(places, rows, strict=True):
        if row["target"] is not None:
            axes.plot([row["target"]] * 2, [place - 0.38, place + 0.38], color="#c0392b", linewidth=2)
    axes.set_yticks(places, [f"{row['title']}\nagainst {row['against']}" for row in rows], fontsize=7)
    axes.invert_yaxis()


def write(
    rows: list[dict[str, Any]], figures: list[dict[str, Any]], features: dict[str, Any], turns: int, folder: Path
) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    data = {"engine": features, "turns": turns, "results": rows, "figures": figures}
    (folder / "bench.json").write_text(json.dumps(data, indent=2))
    (folder / "bench.md").write_text(markdown(rows, figures, features, turns))
    plot(rows, folder / "bench.png")
