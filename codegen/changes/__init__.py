"""The effects of a change of a spec on readers: columns, bytes, checks, settings."""
