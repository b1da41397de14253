"""Attributes of bytes and text: with a size, up to a terminator, or to the end; padded, in several encodings."""

from __future__ import annotations

import zlib
from random import Random
from typing import Any

from wireloom.codecs import BLOCK_CODECS

from .pieces import Expression, Parts, Piece, Scope, Values, size_expression

ENCODINGS = {
    "UTF-8": "aé€ 😀z,",
    "ASCII": "abc ,~",
    "ISO-8859-1": "aéÿ b",
    "UTF-16LE": "aé€z",
    "UTF-16BE": "bĀ€",
    "windows-1252": "a€é",
}
"""Encodings, with letters that each can represent."""
TERMINATORS = (0, 0x2C, 0x0A, 0x7C)


def pick_encoding(random: Random, scope: Scope) -> str:
    """Return an encoding, usually one that every reader supports; the engine reads no others in a table's columns."""
    return random.choice(["UTF-8", "ASCII"] if random.random() < (0.95 if scope.table else 0.3) else [*ENCODINGS])


def some_text(random: Random, encoding: str, most: int) -> str:
    return "".join(random.choice(ENCODINGS[encoding]) for _ in range(random.randint(0, most)))


def fixed_or_computed(random: Random, scope: Scope) -> Expression:
    if scope.sizes and random.random() < 0.7:
        return size_expression(random, random.choice(scope.sizes))
    size = random.randint(0, 9)
    return Expression(str(size), lambda _: size)


def sized(random: Random, name: str, scope: Scope, *, text: bool) -> Piece:
    """Return content of a given size, alone or with a terminator, padding or both."""
    size = fixed_or_computed(random, scope)
    attribute: dict[str, Any] = {"id": name, "size": size.text}
    encoding = pick_encoding(random, scope) if text else None
    if encoding:
        attribute |= {"type": "str", "encoding": encoding}
    # A terminator of one byte is not part of a wide encoding's characters.
    single = encoding is None or not encoding.startswith("UTF-16")
    terminator = random.choice(TERMINATORS) if single and random.random() < 0.35 else None
    pad = random.choice((0, 0x20, 0x2C)) if single and random.random() < 0.35 else None
    if terminator is not None:
        attribute["terminator"] = terminator
        if random.random() < 0.3:
            attribute["include"] = True
    if pad is not None:
        attribute["pad-right"] = pad

    def write(random: Random, values: Values) -> Parts:
        room = size.value(values)
        if encoding is None:
            made = random.randbytes(random.randint(0, room) if attribute.keys() & {"terminator", "pad-right"} else room)
            filler = b"\0"
        else:
            found = some_text(random, encoding, room)
            while len(found.encode(encoding)) > room:
                found = found[:-1]
            made, filler = found.encode(encoding), "a".encode(encoding)
        if pad is not None:
            filler = bytes([pad])
        elif terminator is not None:
            filler = bytes([terminator])
        return ((made + filler * room)[:room],)

    return Piece([attribute], write, texts=[name] if text else [], chunks=[] if text else [name])


def ruled(random: Random, name: str, scope: Scope) -> Piece:
    """Return bytes or text that must be one of some values, and a number that may depend on which one it is."""
    allowed = random.sample([b"ab", b"zz", b"a,"], 2)
    attribute: dict[str, Any] = {"id": name, "size": 2}
    text = random.random() < 0.5
    if text:
        attribute |= {"type": "str", "encoding": "ASCII"}
    shown = [f'"{each.decode()}"' if text else str([*each]) for each in allowed]
    attribute["valid"] = random.choice([{"any-of": shown}, {"eq": shown[0]}, {"min": '"a"' if text else "[0x61]"}])

    more: list[dict[str, Any]] = []
    if random.random() < 0.5:
        more = [{"id": f"{name}_more", "type": "u1", "if": f"{shown[0]} == {name} or {name} != {shown[1]}"}]
    elif random.random() < 0.5:
        more = [{"id": f"{name}_more", "type": {"switch-on": name, "cases": {shown[0]: "u1", "_": "u2le"}}}]

    def write(random: Random, values: Values) -> Parts:
        return (allowed[0], *(b"\7" for _ in more))

    return Piece([attribute, *more], write, texts=[name] if text else [], chunks=[] if text else [name])


def processed(random: Random, name: str, scope: Scope) -> Piece:
    """Return bytes that are the encoded form of others."""
    size = random.randint(0, 6)
    process = random.choice(["xor(0x5a)", "xor([1, 2, 3])", "rol(3)", "ror(1)", "zlib"])
    attribute = {"id": name, "size": size if process != "zlib" else len(zlib.compress(b"a" * size)), "process": process}

    def write(random: Random, values: Values) -> Parts:
        return (zlib.compress(b"a" * size) if process == "zlib" else random.randbytes(size),)

    return Piece([attribute], write, chunks=[name])


CODECS = sorted(BLOCK_CODECS)


def compressed(random: Random, name: str, scope: Scope) -> Piece:
    """Return compressed bytes, with a codec that a preceding number selects."""
    chosen, size = f"{name}_codec", f"{name}_size"
    cases = dict(enumerate(random.sample(CODECS, random.randint(1, 4))))
    codec = {"switch-on": chosen, "cases": cases, "size-decompressed": size, "max-expanded": 50}
    given = {"given": True}
    attributes: list[dict[str, Any]] = [
        {"id": chosen, "type": "u1"},
        {"id": size, "type": "u1", "-wireloom": given},
        {"id": f"{name}_len", "type": "u1"},
        {"id": name, "size": f"{name}_len", "-wireloom": {"codec": codec}},
    ]

    def write(random: Random, values: Values) -> Parts:
        number = random.randrange(len(cases))
        content = random.choice([b"", b"ab", b"abc" * 9, random.randbytes(3)])
        block = BLOCK_CODECS[cases[number]].compress(content)
        return (bytes([number, len(content), len(block)]) + block,)

    return Piece(attributes, write, chunks=[name])


def terminated(random: Random, name: str, scope: Scope, *, text: bool, stream_ends: bool) -> Piece:
    """Return content up to a terminator."""
    attribute: dict[str, Any] = {"id": name}
    encoding = pick_encoding(random, scope) if text else None
    terminator = random.choice(TERMINATORS)
    if encoding:
        zero = random.random() < 0.5 or encoding.startswith("UTF-16")
        attribute |= {"type": "strz" if zero else "str", "encoding": encoding}
        terminator = 0 if zero else terminator
        if not zero:
            attribute["terminator"] = terminator
    else:
        attribute["terminator"] = terminator
    if random.random() < 0.3:
        attribute["include"] = True
    consumed = random.random() < 0.8
    if not consumed:
        attribute["consume"] = False
    lenient = stream_ends and random.random() < 0.3
    if lenient:
        attribute["eos-error"] = False
    wide = bool(encoding and encoding.startswith("UTF-16"))
    end = bytes([terminator]) * (2 if wide else 1)

    def write(random: Random, values: Values) -> Parts:
        content = some_text(random, encoding, 6).encode(encoding) if encoding else random.randbytes(random.randrange(8))
        if not wide:
            content = content.replace(end, b"")
        return (content + end,)

    return Piece([attribute], write, texts=[name] if text else [], chunks=[] if text else [name])


def rest(random: Random, name: str, _: Scope, *, text: bool) -> Piece:
    """Return everything up to the end of the stream."""
    attribute: dict[str, Any] = {"id": name, "size-eos": True}
    encoding = random.choice(["UTF-8", "ASCII", "ISO-8859-1"]) if text else None
    if encoding:
        attribute |= {"type": "str", "encoding": encoding}
    if random.random() < 0.2:
        attribute["pad-right"] = 0x20
    elif random.random() < 0.2:
        attribute["terminator"] = 0x2C

    def write(random: Random, values: Values) -> Parts:
        return (
            some_text(random, encoding, 8).encode(encoding) if encoding else random.randbytes(random.randrange(12)),
        )

    return Piece([attribute], write, texts=[name] if text else [], chunks=[] if text else [name], ends=True)
