"""The classes, as the python backend writes them."""

from typing import Any, ClassVar

from wireloom.format.message_rules import MessageRule
from wireloom.objects.messages import Message

from .rules import MESSAGES


class Page(Message):
    """A page of notes."""

    __slots__ = ("book", "notes")
    _fields = ("notes", "book")
    _rule: ClassVar[MessageRule] = MESSAGES.messages[0]

    @classmethod
    def _types(cls) -> dict[str, type[Any]]:
        return {"notes": cls.Note}

    class Note(Message):
        """A note."""

        __slots__ = ("marks", "text", "title")
        _fields = ("title", "text", "marks")
        _rule: ClassVar[MessageRule] = MESSAGES.messages[1]

        @classmethod
        def _types(cls) -> dict[str, type[Any]]:
            return {"marks": Page.Mark}

    class Mark(Message):
        """A mark."""

        __slots__ = ("key", "value")
        _fields = ("key", "value")
        _rule: ClassVar[MessageRule] = MESSAGES.messages[2]


class Shelf(Message):
    """A shelf of pages."""

    __slots__ = ("pages", "place")
    _fields = ("pages", "place")
    _rule: ClassVar[MessageRule] = MESSAGES.messages[3]

    @classmethod
    def _types(cls) -> dict[str, type[Any]]:
        return {"pages": Page}
