"""Rows as messages, and messages as files or columns of blobs."""
