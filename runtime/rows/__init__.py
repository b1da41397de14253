"""Row readers: the bytes of a window as columns, by the engine or by generated classes, with one meaning."""
