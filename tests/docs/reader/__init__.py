"""A backend in its own style: functions that read a format into dictionaries, without wireloom at run time.

It uses only the plan of a spec, and not the model from which it is derived. It refuses what its readers do not support.
"""

from pathlib import Path

from wireloom.codegen.backends.base import Backend, Output

from .lower import lower

BACKEND = Backend("reader", Path(__file__).parent, lower, (Output("reader.py.j2", "{name}/reader.py"),))
