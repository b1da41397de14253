"""The bytes of pages, assembled by hand."""

from wireloom.objects.messages.wire import write_varint


def field(number: int, content: bytes) -> bytes:
    """Return a length-delimited field."""
    return write_varint(number << 3 | 2) + write_varint(len(content)) + content


def note(title: str, text: bytes | None = None, marks: tuple[tuple[str, int], ...] = ()) -> bytes:
    """Return a note."""
    made = field(1, title.encode())
    if text is not None:
        made += field(2, text)
    for key, value in marks:
        made += field(3, field(1, key.encode()) + b"\x10" + write_varint(value))
    return made


def page(*notes: bytes, book: int | None = None) -> bytes:
    """Return a page of notes."""
    return b"".join(field(1, each) for each in notes) + (b"\x10" + write_varint(book) if book is not None else b"")
