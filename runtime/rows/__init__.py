"""Row readers: turn the bytes of a window into columns, by the engine or by generated classes, with equal results."""
