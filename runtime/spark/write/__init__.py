"""Batch and streaming writes: files of a format, committed together."""
