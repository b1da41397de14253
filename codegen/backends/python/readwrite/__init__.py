"""Classes with the API of Kaitai's read-write mode: model → the methods that check and write."""

from .instances import cached_annotation
from .methods import class_constants, read_write_methods

__all__ = ["cached_annotation", "class_constants", "read_write_methods"]
