"""Objects inside of others, and values whose type a switch chooses, as statements that make and read them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from wireloom.base.dataclass import dataclass

from ...expression.nodes import BooleanLiteral, Node
from ...expression.types import UserType
from ...passes.running_checksums import running_checksums_inside
from ...tree import Attribute, Switch
from ...tree.leaves import OwnSize, WithinSize
from .checksums import checked_content
from .endian import inherited_argument
from .expressions import BIT_OR, OR
from .names import field_name
from .scope import ClassScope
from .statements import attempt, block, branched, when
from .view import Lines
from .wire_bytes import contains_process_errors, stream_text


@dataclass(frozen=True)
class Store:
    """The text around a value that stores it. ``item``: in a list; ``cased``: the value may have several types."""

    before: str
    after: str = ""
    item: bool = False
    cased: bool = False

    def statement(self, value: str) -> str:
        """Return the statement that stores a value."""
        return f"{self.before}{value}{self.after}"


def object_in_place(scope: ClassScope, field: Attribute, kind: UserType, store: Store) -> Lines:
    """Return the statements that read an object and store it."""
    checked = checked_content(scope, field)
    stream = "io" if isinstance(field.size, OwnSize) else stream_text(scope, field)
    part, first = f"part_{field_name(field.id)}", checked
    contains = field.contains_content_errors and scope.own and not scope.lazy
    if (contains or field.arguments) and stream != "io" and not checked:
        # What the object is given is computed after its bytes have been read.
        first = (f"{part} = {stream}",)
    made = object_lines(scope, field, kind, part if first else stream, store)
    if not contains:
        return _or_nothing(scope, field, kind, (*first, *made), store)
    is_within = isinstance(field.size, WithinSize)
    if not is_within:
        made = _or_nothing(scope, field, kind, made, store, if_shown=True)
    name, before = ("inner", ()) if is_within else ("part", scope.steps_before(field))
    refused = f"self._refuse_{name}({', '.join(('error', *map(str, before)))})"
    return (*first, attempt(made, f"{scope.use('FAILURES')} as error", [refused, *_lose(scope, field)]))


def _or_nothing(
    scope: ClassScope, field: Attribute, kind: UserType, made: Lines, store: Store, *, if_shown: bool = False
) -> Lines:
    """Return the statements that store an empty object where ``process`` made too much of a field, or where a message
    cannot be read. ``if_shown``: only if the outermost object is shown with all that could be read."""
    if not contains_process_errors(scope, field):
        return made
    nothing = (store.statement(constructed(scope, field, kind, "")),)
    first = ("self._raise_unless_shown(error)",) if if_shown else ()
    if scope.spec.struct(kind.path).message is not None:
        made = message_or_refused(scope, field, made, nothing, first)
    if field.process is None:
        return made
    refused = f"self._refuse_computed(error, {field.key_path!r})"
    return (attempt(made, f"{scope.use('ComputedError')} as error", [*first, refused, *nothing]),)


def message_or_refused(scope: ClassScope, field: Attribute, made: Lines, nothing: Lines, first: Lines = ()) -> Lines:
    """Return the statements that refuse a message that cannot be read, after ``first``, and store ``nothing`` then."""
    refused = 'self._refuse(error, error.reason or "message")'
    handler = [*first, refused, *_lose(scope, field), *nothing]
    return (attempt(made, f"{scope.use('MessageError')} as error", handler),)


def _lose(scope: ClassScope, field: Attribute) -> Lines:
    """Return the statement that forgets the running checksums in a field that is not read to its end, if any."""
    lost = lost_checksums(scope, field)
    return (scope.call("forget_running_checksums", "self", repr(lost)),) if lost else ()


def object_lines(scope: ClassScope, field: Attribute, kind: UserType, stream: str, store: Store) -> Lines:
    """Return the statements that create an object, read it if its constructor does not, and store it.

    Args:
        scope: The scope of the class.
        field: The field.
        kind: The type of the object.
        stream: The text of the stream that the object is read from.
        store: Where the object is stored.
    """
    made = constructed(scope, field, kind, stream)
    if scope.module.reads_at_once(kind):
        return (store.statement(made),)
    # A type checker allows a name only one type per method.
    name = f"object_{field_name(field.id)}{f'_{kind.path[-1]}' if store.cased else ''}"
    if not store.item:
        return (f"{name} = {made}", store.statement(name), f"{name}._read()")
    # The readable part of an item is kept, even if nothing can be read after it.
    return (f"{name} = {made}", block("try:", [f"{name}._read()"]), block("finally:", [store.statement(name)]))


def constructed(scope: ClassScope, field: Attribute, kind: UserType, stream: str) -> str:
    """Return the text that makes an object of a field.

    Args:
        scope: The scope of the class.
        field: The field.
        kind: The type of the object.
        stream: The text of the stream that the object is read from; empty for an object that is not read.
    """
    arguments = [scope.text(each, field) for each in field.arguments]
    inside = scope.spec.owns(kind)
    # A type of another spec is its own root; with Kaitai's API it has no parent either.
    family = [parent_text(scope, field), *(["self._root"] if inside else [])] if inside or scope.own else []
    if stream:
        arguments += [stream, *family]
    else:
        arguments += [f"{name}={each}" for name, each in zip(("_parent", "_root"), family, strict=False)]
    if inside and not scope.own:
        arguments += inherited_argument(scope, kind)
    return f"{scope.module.class_of(kind.path)}({', '.join(arguments)})"


def parent_text(scope: ClassScope, field: Attribute) -> str:
    """Return the text of the parent of an object that is read."""
    if field.parent is None:
        return "self"
    return "None" if isinstance(field.parent, BooleanLiteral) else scope.text(field.parent, field)


def lost_checksums(scope: ClassScope, field: Attribute) -> tuple[tuple[int, str], ...]:
    """Return the running checksums in a field, which are unknown if it is not read to its end."""
    return tuple((each.up, field_name(each.name)) for each in running_checksums_inside(scope.spec, scope.struct, field))


Branches = Sequence[tuple[tuple[Node, ...], Lines]]
"""Pairs of the matches and the statements of a branch."""


def switch_branches(
    scope: ClassScope, field: Attribute, switch: Switch, lines_of: Callable[[Attribute], Lines]
) -> Lines:
    """Return the branches of a switch.

    Args:
        scope: The scope of the class.
        field: The field with the switch.
        switch: The switch.
        lines_of: Returns the statements for the field in one of its cases.
    """
    groups: list[tuple[tuple[Node, ...], Lines]] = []
    for matches, form in switch.branches:
        body = lines_of(form)
        if groups and groups[-1][1] == body:
            groups[-1] = ((*groups[-1][0], *matches), body)
        else:
            groups.append((matches, body))
    otherwise: Lines = () if switch.otherwise is None else lines_of(switch.otherwise)
    return branching(scope, field, switch.on, groups, otherwise)


def branching(scope: ClassScope, holder: Attribute, on: Node, branches: Branches, otherwise: Lines) -> Lines:
    """Return the statements that select a branch; ``otherwise`` is executed if nothing matches."""
    if not branches:
        return otherwise
    if all(isinstance(each, BooleanLiteral) for matches, _ in branches for each in matches):
        bodies = {_is_true(each): body for matches, body in branches for each in matches}
        return _on_condition(scope, holder, on, bodies, otherwise)
    variable = f"on_{field_name(holder.id)}"
    translator = scope.translator(holder.position, _on=variable)
    texts = [([translator.text(each, BIT_OR) for each in matches], body) for matches, body in branches]
    conditions = [(f"== {each[0]}" if len(each) == 1 else f"in ({', '.join(each)})", body) for each, body in texts]
    return (f"{variable} = {scope.text(on, holder)}", branched(variable, conditions, otherwise))


def _on_condition(scope: ClassScope, holder: Attribute, on: Node, bodies: dict[bool, Lines], otherwise: Lines) -> Lines:
    """Return the statements of a switch on a boolean: a plain condition."""
    translator = scope.translator(holder.position)
    if True not in bodies:
        return (when(translator.negation(on), bodies[False], otherwise),)
    return (when(translator.text(on, OR), bodies[True], bodies.get(False, otherwise)),)


def _is_true(match: Node) -> bool:
    return isinstance(match, BooleanLiteral) and match.value
