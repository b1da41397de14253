"""Reading: scans, byte ranges, damage and how to continue after it, search."""
