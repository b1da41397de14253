"""Names of the options of readers, as the command line takes them."""

from __future__ import annotations

MODES = ("permissive", "dropmalformed", "failfast")
TAILS = ("complete", "growing")
NUMBERS = ("max_record", "max_window", "max_computed", "batch_rows")
"""Options of a reader that are numbers."""
LOCATION = ("region", "endpoint", "profile", "anonymous", "verify_sha256")
"""Options of object stores."""
READING = ("columns", "mode", "recover", "verify", "byte_range", "progress", "prefetch", "tail", "check_format")
OTHERS = (*READING, "allow_modules", *LOCATION)
"""Names that mean something to a reader, and are no options of this kind."""
