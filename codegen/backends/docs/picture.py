"""The picture of the byte layout: the boxes of each panel, and their positions."""

from __future__ import annotations

from collections.abc import Iterable

from wireloom.base.dataclass import dataclass
from wireloom.base.dataclass import field as declared
from wireloom.format.stuffings import StuffingKind

from ...expression.types import EnumType, UserType
from ...passes.descriptions import bits_of, condition, covered, field_type, hexadecimal, qualified, repetition, size_of
from ...tree import Attribute, Spec, Struct
from .view import BoxView, PictureView, TableView, TextView

WIRE_TYPES = {
    **dict.fromkeys(("int32", "int64", "uint32", "uint64", "sint32", "sint64", "bool", "enum"), (0, "varint")),
    **dict.fromkeys(("fixed64", "sfixed64", "double"), (1, "8 bytes")),
    **dict.fromkeys(("string", "bytes", "message"), (2, "length, bytes")),
    **dict.fromkeys(("fixed32", "sfixed32", "float"), (5, "4 bytes")),
}
"""Number and description of protobuf's wire type, by the kind of a field (protobuf's documentation, "Encoding")."""


def wire_type(attribute: Attribute) -> tuple[int, str]:
    """Return the wire type of a field of a message. A packed field is length-delimited, and an entry of a map is a
    message."""
    field = attribute.message
    assert field is not None
    return WIRE_TYPES["bytes" if field.packed or field.key is not None else field.kind]


def kind_of(attribute: Attribute, spec: str) -> str:
    """Return the label and the type of a field of a message in a spec, as in a ``.proto`` file."""
    field = attribute.message
    assert field is not None
    named = field.kind
    if isinstance(attribute.type, (UserType, EnumType)):
        named = qualified(attribute.type.path, spec)
    if field.key is not None:
        return f"map<{field.key}, {named}>"
    return f"{'' if field.label == 'implicit' else f'{field.label} '}{named}"


def sentence(text: str) -> str:
    """Return the first paragraph of a description as one line for a cell of a table."""
    return " ".join(text.strip().split("\n\n")[0].split())


def table(title: str, head: Iterable[str], rows: Iterable[Iterable[str]], doc: str = "") -> TableView:
    """Return a table with escaped cells: bars are escaped, line breaks become spaces."""
    cells = tuple(head)
    return TableView(title, doc.strip(), _line(cells), _line("---" for _ in cells), tuple(_line(each) for each in rows))


def _line(cells: Iterable[str]) -> str:
    return f"| {' | '.join(' '.join(cell.split()).replace('|', chr(92) + '|') for cell in cells)} |"


def shown_structs(spec: Spec) -> list[Struct]:
    """Return the root, if it has bytes of its own, and every type that occurs in the input, outermost first."""
    kinds = () if spec.units is None else (each.message for each in spec.units.kinds)
    shown = dict.fromkeys((*spec.reached([spec.root.path]), *spec.reached(kinds)))
    return [each for each in map(spec.struct, shown) if each.attributes]


WIDTH = 840
MARGIN = 20
CHARACTER = 7.3
"""Width in pixels of a character of 12 pixels, in a monospaced font."""
PADDING = 16
BYTE = 13
"""Minimum width in pixels of a byte of a field of known size; larger fields are limited to ``WIDEST``."""
WIDEST = 150
VARIABLE = 150
LONGEST = 44
"""Maximum number of characters in a line of a box; the tooltip shows the whole text."""

DELIMITED = {
    StuffingKind.NONE: "the delimiter cannot occur inside a record",
    StuffingKind.WORD: "word stuffing keeps the delimiter out of the records",
    StuffingKind.COBS: "COBS keeps the delimiter out of the records",
    StuffingKind.ESCAPE: "escapes keep the delimiter out of the records",
    StuffingKind.COBS_OTHER: "COBS keeps the delimiter out of the records",
    StuffingKind.COBS_REDUCED: "COBS/R keeps the delimiter out of the records",
}


@dataclass(frozen=True)
class Box:
    """A field to be drawn. ``above``: its size; ``lines``: the text in it; ``least``: its minimum width in pixels."""

    id: str
    above: str
    lines: tuple[str, ...]
    style: str
    least: int = 0
    tooltip: str = ""

    @property
    def width(self) -> int:
        """Return the width in pixels that fits every line."""
        longest = max(len(line) for line in (self.above, *self.lines))
        return min(WIDTH - 2 * MARGIN, max(self.least, round(longest * CHARACTER) + PADDING))


@dataclass
class Canvas:
    """The shapes drawn so far; ``y`` is the top of the next line."""

    y: int = MARGIN
    boxes: list[BoxView] = declared(default_factory=list)
    brackets: list[str] = declared(default_factory=list)
    texts: list[TextView] = declared(default_factory=list)

    def text(self, x: int, y: int, style: str, anchor: str, text: str) -> None:
        """Draw a line of text."""
        self.texts.append(TextView(x, y, style, anchor, text))

    def heading(self, title: str, note: str) -> None:
        """Draw the title of a panel, with a note after it or, if there is no room, below it."""
        self.text(MARGIN, self.y + 14, "title", "start", shortened(title, 60))
        self.y += 22
        for line in folded(note, int((WIDTH - 2 * MARGIN) / CHARACTER)):
            self.text(MARGIN, self.y + 10, "note", "start", line)
            self.y += 16

    def row(self, boxes: list[Box]) -> dict[str, list[BoxView]]:
        """Draw boxes side by side, in as many lines as necessary; return their positions by name."""
        found: dict[str, list[BoxView]] = {}
        height = 14 + 16 * max(2, *(len(box.lines) for box in boxes))
        x = MARGIN
        self.y += 16
        for box in boxes:
            if x > MARGIN and x + box.width > WIDTH - MARGIN:
                x, self.y = MARGIN, self.y + height + 30
            drawn = BoxView(x, self.y, box.width, height, box.style, box.tooltip)
            self.boxes.append(drawn)
            found.setdefault(box.id, []).append(drawn)
            middle = x + box.width // 2
            if box.above:
                self.text(middle, self.y - 5, "size", "middle", box.above)
            first = self.y + height // 2 + 4 - 8 * (len(box.lines) - 1)
            for number, line in enumerate(box.lines):
                self.text(middle, first + 16 * number, "type" if number else "name", "middle", line)
            x += box.width
        self.y += height + 8
        return found

    def bracket(self, spans: list[BoxView], label: str) -> None:
        """Draw a line below the boxes that a checksum covers, once for each line of boxes."""
        lines: dict[int, list[BoxView]] = {}
        for each in spans:
            lines.setdefault(each.y, []).append(each)
        bottom = max(lines)
        for y, boxes in lines.items():
            left, right = boxes[0].x + 2, boxes[-1].x + boxes[-1].width - 2
            below = self.y if y == bottom else y + boxes[0].height + 4
            self.brackets.append(f"M{left} {below}v5H{right}v-5")
        left = min(max(MARGIN, lines[bottom][0].x + 2), WIDTH - MARGIN - round(len(label) * CHARACTER))
        self.text(left, self.y + 19, "covered", "start", label)
        self.y += 26


def shortened(text: str, longest: int = LONGEST) -> str:
    """Return the text, truncated to ``longest`` characters."""
    return text if len(text) <= longest else f"{text[: longest - 1]}…"


def folded(text: str, width: int) -> list[str]:
    """Return the words in lines of at most ``width`` characters."""
    lines: list[str] = []
    for word in text.split():
        if lines and len(lines[-1]) + len(word) < width:
            lines[-1] += f" {word}"
        else:
            lines.append(shortened(word, width))
    return lines


def picture(spec: Spec) -> PictureView:
    """Return the picture of a spec: a panel for the whole input and one for each type in it."""
    canvas = Canvas()
    for struct in shown_structs(spec):
        if struct.message is not None:
            _message(canvas, spec, struct)
        else:
            _plain(canvas, spec, struct)
        canvas.y += 18
    title = f"Byte layout of {spec.title}"
    boxes, brackets, texts = tuple(canvas.boxes), tuple(canvas.brackets), tuple(canvas.texts)
    return PictureView(WIDTH, canvas.y, title, boxes, brackets, texts)


def _plain(canvas: Canvas, spec: Spec, struct: Struct) -> None:
    whole = "the whole input" + (", decompressed" if spec.codec != "none" else "")
    canvas.heading(qualified(struct.path, spec.name), whole if struct is spec.root else sentence(struct.doc))
    boxes = [box for field in struct.attributes for box in _boxes(field)]
    found = canvas.row(boxes)
    for field in struct.attributes:
        cover = struct.checksum(field.id)
        if cover is not None:
            spans = [each for name in cover.covered for each in found.get(name, [])]
            canvas.bracket(spans, shortened(f"{cover.attribute.id}: {covered(cover)}", 100))
        if field.framing is not None:
            canvas.text(MARGIN, canvas.y + 12, "note", "start", DELIMITED[field.framing.stuffing.kind])
            canvas.y += 18


def _boxes(field: Attribute) -> list[Box]:
    """Return the boxes of a field: one or, for a repeated field, its first items and what is between them."""
    name, words = field.id, field_type(field)
    if field.repeat is None:
        return [_box(field)]
    item = Box(name, "", (f"{name}[0]", words), "variable", 120, field.doc)
    second = Box(name, "", (f"{name}[1]", words), "variable", 120, field.doc)
    rest = Box(name, "", (shortened(f"… {repetition(field)}"),), "variable", 120)
    framing = field.framing
    if framing is None:
        return [item, second, rest]
    size = len(framing.delimiter)
    between = Box("", str(size), (hexadecimal(framing.delimiter), "delimiter"), "delimiter", size * BYTE)
    return [item, between, second, between, rest]


def _box(field: Attribute) -> Box:
    bits = bits_of(field)
    style = "variable" if bits is None else "fixed"
    if field.is_checksum:
        style = "checksum"
    least = VARIABLE if bits is None else min(WIDEST, bits // 8 * BYTE)
    lines = [field.id, field_type(field), condition(field)]
    kept = tuple(shortened(line) for line in lines if line)
    return Box(field.id, shortened(size_of(field)), kept, style, least, sentence(field.doc))


def _message(canvas: Canvas, spec: Spec, struct: Struct) -> None:
    canvas.heading(f"{qualified(struct.path, spec.name)} · message", sentence(struct.doc) or "fields in any order")
    canvas.y += 4
    for attribute in struct.attributes:
        assert attribute.message is not None
        number, meaning = wire_type(attribute)
        tag = f"{attribute.message.number} · wire type {number}"
        canvas.boxes.append(BoxView(MARGIN, canvas.y, 160, 26, "delimiter", "field number and wire type, a varint"))
        canvas.text(MARGIN + 80, canvas.y + 17, "type", "middle", tag)
        canvas.boxes.append(BoxView(MARGIN + 160, canvas.y, 120, 26, "fixed", ""))
        canvas.text(MARGIN + 220, canvas.y + 17, "type", "middle", meaning)
        room = WIDTH - 2 * MARGIN - 280
        canvas.boxes.append(BoxView(MARGIN + 280, canvas.y, room, 26, "variable", sentence(attribute.doc)))
        words = shortened(f"{attribute.id}: {kind_of(attribute, spec.name)}", int((room - PADDING) / CHARACTER))
        canvas.text(MARGIN + 290, canvas.y + 17, "name", "start", words)
        canvas.y += 26
