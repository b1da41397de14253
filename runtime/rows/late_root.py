"""The object before the rows, if its bytes are the same in all inputs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..base.cached import cached_property

if TYPE_CHECKING:
    from ..format.description import Format
    from ..input.window import Window


class LateRoot:
    """Stands for the object before the rows, which is read when something of it is needed: the engine needs nothing,
    and so no generated class.

    Args:
        format: A format with a ``head``.
        begin: The offset at which the object begins.
    """

    def __init__(self, format: Format, begin: int) -> None:
        self._format = format
        self._begin = begin

    @classmethod
    def at(cls, format: Format, window: Window) -> LateRoot | None:
        """Return the object at the beginning of a window; ``None`` if its bytes are others, or may be."""
        head = format.head
        if head and (len(window.view) >= len(head) or window.extend()) and window.view[: len(head)] == head:
            return cls(format, window.base)
        return None

    @cached_property
    def struct(self) -> Any:
        """Return the object."""
        from ..objects.streams import MemoryStream

        found = self._format.root_class()
        found._io, found._refusals = MemoryStream(self._format.head, self._begin), []
        found._read_prologue()
        return found

    def __getattr__(self, name: str) -> Any:
        return getattr(self.struct, name)


def struct_of(root: Any) -> Any:
    """Return the object itself, for what changes it; ``None`` for none."""
    return root.struct if isinstance(root, LateRoot) else root
