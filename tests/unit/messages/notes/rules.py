"""The rules of the messages."""

from wireloom.format.message_rules import FieldKind, FieldRule, Label, MessageRule, MessageSet

MESSAGES = MessageSet(
    (
        MessageRule(
            "Page",
            (
                FieldRule("notes", 1, FieldKind.MESSAGE, Label.REPEATED, message=1),
                FieldRule("book", 2, FieldKind.UINT64, Label.OPTIONAL),
            ),
            check_text=False,
        ),
        MessageRule(
            "Page.Note",
            (
                FieldRule("title", 1, FieldKind.STRING, Label.REQUIRED),
                FieldRule("text", 2, FieldKind.BYTES, Label.OPTIONAL),
                FieldRule("marks", 3, FieldKind.MESSAGE, Label.REPEATED, message=2),
            ),
            check_text=False,
        ),
        MessageRule(
            "Page.Mark",
            (
                FieldRule("key", 1, FieldKind.STRING, Label.REQUIRED),
                FieldRule("value", 2, FieldKind.UINT64, Label.OPTIONAL),
            ),
            check_text=False,
        ),
        MessageRule(
            "Shelf",
            (
                FieldRule("pages", 1, FieldKind.MESSAGE, Label.REPEATED, message=0),
                FieldRule("place", 2, FieldKind.STRING, Label.IMPLICIT),
            ),
        ),
    )
)
