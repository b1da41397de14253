"""How long tests wait for what other threads, processes and servers do."""

SECONDS = 900
"""Seconds after which a test fails, although the machine may be slow; tests that pass wait for milliseconds."""
