"""The Python interfaces that process the data of others: each module has one ``check(data)``.

A check raises if something is wrong: any error except those that the interface declares, or a difference between two
ways.
"""

NAMES = ("specs", "expressions", "objects", "s2_frames", "s2_json", "s2_events", "formats", "inspecting", "damage")
"""The modules, which are also the names of the targets."""
