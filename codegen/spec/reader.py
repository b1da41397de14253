"""YAML text → nodes with positions, within limits that no real spec reaches.

PyYAML's composer recurses and resolves scalars by YAML 1.1; this one uses its events, keeps a stack instead of
recursing, and leaves the scalars to ``scalars``.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator
from typing import Any

import yaml
from wireloom.base.dataclass import dataclass, field, replace

from ..words import shortened, shown
from .diagnostics import Diagnostics
from .position import ROOT, KeyPath, Position
from .slips import glued_line, unclosed
from .tree import Mapping, Scalar, ScalarValue, Sequence, YamlNode, described, plain_value

MAX_CHARACTERS = 4 * 1024 * 1024
MAX_DEPTH = 64
MERGE = "<<"
MAX_NODES = 200_000
"""Maximum number of nodes of a spec. Aliases count at each use, since a small file may otherwise expand to a huge
one."""

_TAGS = {
    "!!str": "tag:yaml.org,2002:str",
    "!!int": "tag:yaml.org,2002:int",
    "!!float": "tag:yaml.org,2002:float",
    "!!bool": "tag:yaml.org,2002:bool",
    "!!null": "tag:yaml.org,2002:null",
    "!!map": "tag:yaml.org,2002:map",
    "!!seq": "tag:yaml.org,2002:seq",
}
_KINDS: dict[str, tuple[type, ...]] = {
    _TAGS["!!int"]: (int,),
    _TAGS["!!float"]: (float, int),
    _TAGS["!!bool"]: (bool,),
    _TAGS["!!null"]: (type(None),),
}


class _RefusedError(Exception):
    """Ends the reading of a file: the position, the sentence and the help."""

    def __init__(self, position: Position, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.position = position
        self.message = message
        self.hint = hint


@dataclass
class _Open:
    """A list or mapping that has not ended yet."""

    position: Position
    is_mapping: bool
    anchor: str | None
    path: KeyPath
    value_path: KeyPath
    """The path of the value of the last key, in a mapping."""
    children: list[YamlNode] = field(default_factory=list)
    keys: dict[str, Position] = field(default_factory=dict)
    weight: int = 1

    @property
    def expects_key(self) -> bool:
        """Return whether the next node is a key."""
        return self.is_mapping and len(self.children) % 2 == 0


def read_yaml(text: str, file: str, diagnostics: Diagnostics) -> YamlNode | None:
    """Return the only document of a file.

    Args:
        text: The text of the file.
        file: The name of the file in positions.
        diagnostics: Receives the error if the document cannot be read.

    Returns:
        The document; ``None`` if it cannot be read.
    """
    try:
        if len(text) > MAX_CHARACTERS:
            raise _RefusedError(Position(file, 1, 1), f"a spec has at most {MAX_CHARACTERS} characters")
        return _composed(text, file)
    except _RefusedError as error:
        diagnostics.error(error.position, error.message, hint=error.hint)
    except yaml.reader.ReaderError as error:
        *lines, last = lines_of(text[: error.position])
        position = Position(file, len(lines) + 1, len(last) + 1, 1, lines_of(text)[len(lines)])
        diagnostics.error(
            position,
            f"the character U+{ord(text[error.position]):04X} is not allowed in YAML: remove or escape it",
        )
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        position = _place(file, mark, 1, lines_of(text)) if mark else Position(file, 1, 1)
        parts = [part for part in (error.context, error.problem) if part]
        hint = "this is a YAML syntax error; the rest of the file was not checked"
        if "'\\t'" in str(error.problem):
            hint = "YAML does not allow tabs for indentation: use spaces"
        elif "a flow" in str(error.context):
            hint = "between { } and [ ], text with a comma, a brace or a bracket, such as 'f(a, b)', must be quoted"
        elif error.problem == "mapping values are not allowed here":
            hint = "text that contains a colon and a space, such as '? :', must be quoted"
        elif (line := unclosed(lines_of(text), error)) is not None:
            hint = f"the quotes in line {line} are odd in number: one may be missing there"
        elif "block end" in str(error.problem):
            hint = "the keys of a mapping begin in the same column, and so do the items of a list"
        slip = glued_line(file, lines_of(text), position.line - 1)
        diagnostics.error(*(slip or (position, ", ".join(parts))), hint=hint if slip is None else "")
    except (yaml.YAMLError, ValueError, OverflowError) as error:
        # PyYAML raises these for escapes and directives with invalid numbers.
        diagnostics.error(Position(file, 1, 1), f"invalid YAML: {error}")
    return None


def _composed(text: str, file: str) -> YamlNode | None:
    """Return the document. libyaml, which is several times faster than PyYAML's own parser, reads it unless it finds a
    mistake, for which its messages differ, or the text contains tabs, which it treats differently."""
    if yaml.__with_libyaml__ and "\t" not in text:
        with contextlib.suppress(yaml.YAMLError):
            return _Composer(text, file, yaml.CSafeLoader).compose()
    return _Composer(text, file, _Loader).compose()


_SURROGATE = re.compile("[\ud800-\udfff]")
_BREAK = re.compile("\r\n|[\n\r\x85\u2028\u2029]")


def lines_of(text: str) -> list[str]:
    """Return the lines, as YAML counts them."""
    return _BREAK.split(text)


def _place(file: str, mark: Any, width: int, lines: list[str]) -> Position:
    source = lines[mark.line] if mark.line < len(lines) else ""
    return Position(file, mark.line + 1, mark.column + 1, width, source)


def _merged(entries: list[tuple[Scalar, YamlNode]]) -> Iterator[tuple[Scalar, YamlNode]]:
    """Yield the entries, followed by those of the mappings under the key ``<<`` whose keys are not among them."""
    merges = [value for key, value in entries if key.text == MERGE and key.style == ""]
    if not merges:
        yield from entries
        return
    known = {key.text for key, _ in entries}
    yield from ((key, value) for key, value in entries if key.text != MERGE or key.style)
    for each in merges[0].items if isinstance(merges[0], Sequence) else merges:
        if not isinstance(each, Mapping):
            raise _RefusedError(each.position, f"the key '{MERGE}' requires mappings, found {described(each)}")
        for key, value in each.entries:
            if key.text not in known:
                known.add(key.text)
                yield key, value


class _Loader(yaml.SafeLoader):
    """A loader that accepts tabs between words and tokens, as YAML does except in indentation; PyYAML accepts spaces
    only."""

    _begun = -1
    """A line that is known to have more than blanks before the current position."""

    def scan_plain_spaces(self, indent: int, start_mark: Any) -> list[str] | None:
        """Return the white space after a word of a plain scalar; ``None`` if the document ends."""
        blank = self._blanks()
        breaks: list[str] | None = super().scan_plain_spaces(indent, start_mark)
        return [blank] if blank and breaks == [] else breaks

    def scan_to_next_token(self) -> None:
        """Continue to the next token, or to a tab in the indentation, which is then an error."""
        super().scan_to_next_token()
        while self.peek() == "\t" and (self._is_begun() or self._is_empty()):
            self._blanks()
            super().scan_to_next_token()

    def _is_begun(self) -> bool:
        if self._begun != self.line and self.buffer[self.pointer - self.column : self.pointer].strip():
            self._begun = self.line
        return bool(self._begun == self.line)

    def _is_empty(self) -> bool:
        following: str = self.peek(self._size_of_blanks())
        return following in ("\r", "\n", "#", "\0")

    def _size_of_blanks(self) -> int:
        size = 0
        while self.peek(size) in (" ", "\t"):
            size += 1
        return size

    def _blanks(self) -> str:
        size = self._size_of_blanks()
        blank: str = self.prefix(size)
        self.forward(size)
        return blank


class _Composer:
    def __init__(self, text: str, file: str, loader: type[yaml.SafeLoader] | type[yaml.CSafeLoader]) -> None:
        self.text = text
        self.loader = loader
        self.file = file
        self.stack: list[_Open] = []
        self.anchors: dict[str, tuple[YamlNode, int]] = {}
        self.nodes = 0
        self.lines = lines_of(text)
        self.root: YamlNode | None = None

    def compose(self) -> YamlNode | None:
        documents = 0
        loader = self.loader(self.text)
        try:
            while (event := loader.get_event()) is not None:
                if isinstance(event, yaml.ScalarEvent):
                    self._add(self._scalar(event), 1, event.anchor)
                elif isinstance(event, (yaml.SequenceStartEvent, yaml.MappingStartEvent)):
                    self._open(event)
                elif isinstance(event, (yaml.SequenceEndEvent, yaml.MappingEndEvent)):
                    self._close(event)
                elif isinstance(event, yaml.AliasEvent):
                    self._alias(event)
                elif isinstance(event, yaml.DocumentStartEvent):
                    documents += 1
                    if documents > 1:
                        message = "a spec file must contain a single YAML document, but this is a second one"
                        raise _RefusedError(self._position(event), message)
        finally:
            loader.dispose()
        if self.root is None:
            place = Position(self.file, 1, 1, path=ROOT)
            raise _RefusedError(place, "the file is empty: expected a mapping with the key 'meta'")
        return self.root

    def _position(self, event: yaml.Event) -> Position:
        return self._placed(event, self._path())

    def _placed(self, event: yaml.Event, path: KeyPath) -> Position:
        """Return the position of an event. It is built at once: there is one for each node of a file."""
        start, end = event.start_mark, event.end_mark
        if start is None:
            return Position(self.file, 1, 1)
        line, column = start.line, start.column
        width = end.column - column if end is not None and end.line == line else 0
        source = self.lines[line] if line < len(self.lines) else ""
        return Position(self.file, line + 1, column + 1, width, source, path)

    def _path(self) -> KeyPath:
        """Return the path of the next node. A key has the path of its value, once it is known."""
        if not self.stack:
            return ROOT
        parent = self.stack[-1]
        if not parent.is_mapping:
            return parent.path.child(len(parent.children))
        return parent.path if parent.expects_key else parent.value_path

    def _open(self, event: yaml.SequenceStartEvent | yaml.MappingStartEvent) -> None:
        if len(self.stack) >= MAX_DEPTH:
            raise _RefusedError(self._position(event), f"nested too deeply: more than {MAX_DEPTH} levels")
        is_mapping = isinstance(event, yaml.MappingStartEvent)
        if event.tag not in (None, "!", _TAGS["!!map" if is_mapping else "!!seq"]):
            raise _RefusedError(self._position(event), f"unknown YAML tag {shown(event.tag)}")
        path = self._path()
        position = self._placed(event, path)
        if not event.flow_style and position.width:
            position = replace(position, width=0)
        self.stack.append(_Open(position, is_mapping, event.anchor, path, path))

    def _close(self, event: yaml.Event) -> None:
        done = self.stack.pop()
        if done.position.width and event.end_mark is not None:
            # A flow collection ends with its bracket; all of it is underlined if it is on one line.
            same = event.end_mark.line + 1 == done.position.line
            width = event.end_mark.column + 1 - done.position.column if same else 1
            done.position = replace(done.position, width=width)
        node: YamlNode
        if done.is_mapping:
            pairs = zip(done.children[::2], done.children[1::2], strict=True)
            entries = [(key, value) for key, value in pairs if isinstance(key, Scalar)]
            node = Mapping(done.position, tuple(_merged(entries)))
        else:
            node = Sequence(done.position, tuple(done.children))
        self._add(node, done.weight, done.anchor)

    def _alias(self, event: yaml.AliasEvent) -> None:
        if any(each.anchor == event.anchor for each in self.stack):
            raise _RefusedError(
                self._position(event), f"the alias *{event.anchor} is inside the value that it refers to: remove it"
            )
        if event.anchor not in self.anchors:
            raise _RefusedError(
                self._position(event),
                f"unknown alias *{event.anchor}: no value before it has the anchor &{event.anchor}",
            )
        node, weight = self.anchors[event.anchor]
        if self.stack and self.stack[-1].expects_key:
            raise _RefusedError(self._position(event), "a key cannot be an alias: write it out")
        self._add(node, weight, None)

    def _add(self, node: YamlNode, weight: int, anchor: str | None) -> None:
        """Add a finished node to the open collection, or as the root."""
        if anchor is not None:
            self.anchors[anchor] = (node, weight)
        if not self.stack:
            self.root = node
            return
        parent = self.stack[-1]
        if parent.expects_key:
            if not isinstance(node, Scalar):
                raise _RefusedError(node.position, f"a key must be a single value, found {described(node)}")
            if node.text in parent.keys:
                first = parent.keys[node.text]
                place = replace(node.position, path=None)  # its path would be the same as that of the first one
                raise _RefusedError(place, f"found duplicate key {shortened(node.text)}", f"first in line {first.line}")
            parent.keys[node.text] = node.position
        parent.children.append(node)
        parent.weight += weight
        if parent.weight > MAX_NODES:
            raise _RefusedError(node.position, f"too large: more than {MAX_NODES} YAML nodes, aliases resolved")

    def _scalar(self, event: yaml.ScalarEvent) -> Scalar:
        text, tag, style = event.value, event.tag, event.style or ""
        if not text.isascii() and _SURROGATE.search(text):
            raise _RefusedError(self._position(event), "an unpaired surrogate is not a valid character")
        value: ScalarValue = plain_value(text) if style == "" and tag is None else text
        if tag in _KINDS:
            value = plain_value(text)
            if type(value) not in _KINDS[tag]:
                raise _RefusedError(self._position(event), f"{shown(text)} does not match its YAML tag")
        elif tag not in (None, "!", _TAGS["!!str"]):
            raise _RefusedError(self._position(event), f"unknown YAML tag {shown(tag)}")
        parent = self.stack[-1] if self.stack else None
        if parent is not None and parent.expects_key:
            path = parent.value_path = parent.path.child(text)
        else:
            path = self._path()
        start, end = event.start_mark, event.end_mark
        source = self.text[start.index : end.index] if start and end else ""
        return Scalar(self._placed(event, path), text, value, style, source)
