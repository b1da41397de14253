"""Reading: scans, byte ranges, damage and how to go on after it, search."""
