"""Streaming reads: offsets, files that grow or are rotated, and what each micro-batch takes."""
