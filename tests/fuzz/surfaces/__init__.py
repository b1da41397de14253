"""The Python surfaces that take what others wrote: each module has one ``check(data)``.

A check raises where something is wrong: any error but those that the surface promises, or two ways that differ.
"""

NAMES = ("specs", "expressions", "objects", "s2_frames", "s2_json", "s2_events", "formats", "inspecting", "damage")
"""The modules, which are also the names of the targets."""
