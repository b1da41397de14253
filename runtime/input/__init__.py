"""Sources of bytes: inputs, object stores, windows."""
