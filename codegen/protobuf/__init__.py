"""``.proto`` files → specs."""
