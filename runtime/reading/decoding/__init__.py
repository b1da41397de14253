"""Decoding of the values of a column of bytes by a schema: one in the file, in another file, or in a registry."""
