"""The generator: specs in, code out. Nothing here is needed to run what it made."""
