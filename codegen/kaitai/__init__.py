"""Modules with the API of Kaitai's own compiler: one per spec, side by side in a folder."""
