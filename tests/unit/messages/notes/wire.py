"""The bytes of pages, put together by hand."""

from wireloom.units import varint


def field(number: int, content: bytes) -> bytes:
    """A length-delimited field."""
    return varint(number << 3 | 2) + varint(len(content)) + content


def note(title: str, text: bytes | None = None, marks: tuple[tuple[str, int], ...] = ()) -> bytes:
    """A note."""
    made = field(1, title.encode())
    if text is not None:
        made += field(2, text)
    for key, value in marks:
        made += field(3, field(1, key.encode()) + b"\x10" + varint(value))
    return made


def page(*notes: bytes, book: int | None = None) -> bytes:
    """A page of notes."""
    return b"".join(field(1, each) for each in notes) + (b"\x10" + varint(book) if book is not None else b"")
