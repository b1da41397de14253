"""A backend in a style of its own: functions that read a format into dictionaries, without wireloom at run time.

It knows the plan of a spec and nothing of the model after it. What its readers cannot do it refuses.
"""

from pathlib import Path

from wireloom.codegen.backends import Backend, Output

from .lower import lower

BACKEND = Backend("reader", Path(__file__).parent, lower, (Output("reader.py.j2", "{name}/reader.py"),))
