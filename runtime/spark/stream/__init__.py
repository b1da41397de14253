"""Streaming reads: offsets, files that grow or are rotated, and the content of each micro-batch."""
