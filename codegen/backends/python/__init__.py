"""The ``python`` backend: parser and encoder classes with Kaitai's API."""
