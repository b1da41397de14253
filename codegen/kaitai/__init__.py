"""Modules with the API of Kaitai's own compiler, for its users: one per spec, side by side in a folder."""
