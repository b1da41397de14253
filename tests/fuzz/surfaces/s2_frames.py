"""S2's frames: the same frames and the same error regardless of how the stream is cut, and the session's reader
agrees."""

from typing import Any

import wireloom.s2 as s2
from wireloom.format import registry

from ...differential.agreement import agreed
from .taking import Taker

KINDS = ("read_batch", "append_input", "append_ack")


def told(frame: s2.Frame) -> Any:
    if frame.terminal is not None:
        return s2.encode_terminal(frame.terminal)
    try:
        return frame.content(), frame.reconnect_advised
    except s2.FrameError as error:
        return error.reason, error.offset, error.frame


def read(pieces: list[bytes]) -> list[Any]:
    decoder = s2.FrameDecoder()
    found: list[Any] = []
    try:
        for piece in pieces:
            for frame in decoder.feed(piece):
                found.append(told(frame))
        decoder.finish()
    except s2.FrameError as error:
        found.append((error.reason, error.offset, error.frame, error.retryable))
    return found


def framed(taker: Taker) -> bytes:
    """Return a stream that is usually valid: messages in frames, then the remaining bytes."""
    stream = b""
    while taker.left > 4 and taker.byte() % 4:
        message = taker.bytes(taker.byte()) * (1 + taker.byte() % 8 * 4)
        stream += s2.encode_frame(message, taker.pick(s2.COMPRESSIONS), reconnect_advised=taker.flag())
    return stream + taker.rest()


def check(data: bytes) -> None:
    taker = Taker(data)
    kind, made = taker.pick(KINDS), taker.flag()
    stream = framed(taker) if made else taker.rest()
    cuts = Taker(data[::-1])
    assert read([stream]) == read(cuts.pieces(stream))
    agreed(registry.get("s2_session"), stream, message=kind)
