"""The ``columns`` backend: the description of a format, its Arrow schema and the program that the column engine runs.

- ``lower.py`` returns the view of a table, ``modules.py`` renders it. ``table.py`` and ``arrow.py`` derive the columns.
- ``program.py`` compiles a program: ``row.py`` walks the fields of a row, with one file per kind of field
  (``loops.py``, ``switches.py``, ``blocks.py``, …). The state of the walk is in ``lowering_context.py``.
- ``symbols.py``: what names refer to, and the scopes of objects; ``name_resolver.py`` resolves them, ``presence.py``
  knows whether they are present, and ``expression.py`` compiles expressions to ``stack_code.py``.
- ``instructions.py``: the intermediate representation, which ``assembler.py`` collects, ``register_allocation.py``
  numbers and ``program_view.py`` prints.
- ``message_lower.py``: the same for formats of messages, with ``message_table.py`` and ``computed.py``.
"""

from operator import attrgetter
from pathlib import Path

from ..base import Backend, Output
from .lower import lower
from .modules import columns_text, loaded_columns_text, loaded_package_text, package_text

BACKEND = Backend(
    name="columns",
    folder=Path(__file__).parent,
    lower=lower,
    parts=attrgetter("parts"),
    outputs=(Output(package_text, "{name}/__init__.py"), Output(columns_text, "{name}/columns.py", parts=False)),
    outputs_in_memory=(
        Output(loaded_package_text, "{name}/__init__.py"),
        Output(loaded_columns_text, "{name}/columns.py"),
    ),
    messages=True,
)
