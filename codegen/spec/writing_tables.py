"""The part of the dialect's reference about values that a writer uses if none is given."""

from __future__ import annotations

from .kinds import EitherKind, ExpressionKind, IntegerKind, Key, ListKind, ObjectsKind, Table, TableKind, TextKind

EXPRESSION = ExpressionKind()
CLASS = TextKind("a module and a class in it (package.module:Class)", r"[A-Za-z_][\w.]*:[A-Za-z_]\w*")
FOR_EACH = "for-each"
"""The key of a list of objects that repeats an object, and the name of its table."""

AROUND_ITEMS = {
    "begins-with": Key(ObjectsKind(), "The items that a writer writes before those with the rows of a table."),
    "ends-with": Key(ObjectsKind(), "The items that a writer writes after these. They may contain for-each."),
    "indexer": Key(CLASS, "The class that creates items after those with rows, and completes those of ends-with."),
}

WRITING_TABLES: dict[str, Table] = {}
WRITING_TABLES["default"] = Table(
    "a default",
    {
        "largest": Key(EXPRESSION, "The largest value of this expression among the items of a list; `_` is the item."),
        "smallest": Key(EXPRESSION, "The smallest value, likewise."),
        "of": Key(EXPRESSION, "The list."),
        "if": Key(EXPRESSION, "A condition that selects the items."),
        "otherwise": Key(EXPRESSION, "The value if there are no items."),
        "random": Key(IntegerKind(1, 4096), "The number of random bytes."),
    },
)

WRITING_TABLES[FOR_EACH] = Table(
    FOR_EACH,
    {
        FOR_EACH: Key(
            EXPRESSION,
            "A condition, which selects the items, `_`, of the outermost list that have been written so far. `_offset` "
            "and `_size` are the position of `_` in the file and its size, in bytes.",
            required=True,
        ),
        "item": Key(
            ObjectsKind(),
            "In a list: an item for each of these items, as a mapping of attributes to expressions.",
        ),
        "total": Key(EXPRESSION, "As a value: the sum of this expression; with `total: 1` the number of these items."),
        "largest": Key(EXPRESSION, "As a value: the largest value of this expression."),
        "smallest": Key(EXPRESSION, "The smallest value, likewise."),
        "otherwise": Key(EXPRESSION, "The largest or smallest value if there are no such items; by default an error."),
    },
)


def default_kind() -> EitherKind:
    """Return the kind of the key ``default`` of an attribute."""
    expected = "an expression, a mapping with largest, smallest or random, or a list of objects"
    return EitherKind(expected, EXPRESSION, TableKind("default"), ObjectsKind())


def size_kind(name: TextKind) -> EitherKind:
    """Return the kind of the key ``size-of``. ``name``: the kind of names of attributes."""
    return EitherKind(
        "an attribute, or a list of the first and the last one", name, sequence=ListKind(name, False, 2, 2)
    )
