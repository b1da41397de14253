"""Reading: scans, byte ranges, damage and recovery from it, search."""
