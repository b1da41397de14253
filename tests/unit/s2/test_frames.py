"""S2S frames: every legal, terminal and malformed stream of the vectors, cut anywhere, and the frames that are
written."""

import random
from collections.abc import Iterator
from typing import Any

import pytest
import wireloom
import wireloom.s2 as s2
from hypothesis import given
from hypothesis import strategies as st

from .cases import CLASSES, described, identity, vectors

MALFORMED = [row for row in vectors("malformed") if row["layer"] in ("frame", "compression", "proto")]
STREAMS = [*vectors("frames"), *vectors("terminal"), *MALFORMED]


def chunks(data: bytes, splits: list[int]) -> list[bytes]:
    return [data[begin:end] for begin, end in zip([0, *splits], [*splits, len(data)], strict=True)]


def cuts(row: dict[str, Any]) -> Iterator[list[bytes]]:
    data = bytes.fromhex(row["hex"])
    yield chunks(data, row["splits"])
    yield [data]
    yield [data[at : at + 1] for at in range(len(data))]
    randomness = random.Random(row["id"])
    for _ in range(3):
        yield chunks(data, sorted(randomness.choices(range(len(data) + 1), k=5)))


def outcome(pieces: list[bytes], kind: str) -> tuple[list[dict[str, Any]], s2.FrameDecoder]:
    """Return the result of a reader for the chunks, in the notation of the vectors."""
    decoder = s2.FrameDecoder()
    found: list[dict[str, Any]] = []
    try:
        for piece in pieces:
            for frame in decoder.feed(piece):
                found.append(told(frame, kind))
    except s2.FrameError as error:
        found.append({"frame_error": error, "frame": error.frame})
    return found, decoder


def told(frame: s2.Frame, kind: str) -> dict[str, Any]:
    if frame.terminal is not None:
        return {"terminal": {"status": frame.terminal.status, "body": frame.terminal.body}}
    try:
        message = CLASSES[kind].from_bytes(frame.content())
    except wireloom.WireloomError as error:
        return {"payload_error": error}
    return {"message": described(message), "reconnect_advised": frame.reconnect_advised}


def check(found: dict[str, Any], expected: dict[str, Any]) -> None:
    if "frame_error" in expected or "payload_error" in expected:
        assert set(found) - {"frame"} == set(expected) - {"kind"}
    elif "too_large_to_list" in expected:
        assert len(found["message"]["records"]) == expected["records"]
    else:
        assert found == expected


@pytest.mark.parametrize("row", STREAMS, ids=identity)
def test_every_stream_however_it_is_cut(row: dict[str, Any]) -> None:
    for pieces in cuts(row):
        found, decoder = outcome(pieces, row["type"])
        assert len(found) == len(row["expect"])
        for number, (each, expected) in enumerate(zip(found, row["expect"], strict=True)):
            assert each.get("frame", number) == number
            check(each, expected)
        if not decoder.ended:
            assert decoder.pending == row["leftover_bytes"]


@pytest.mark.parametrize("row", STREAMS, ids=identity)
def test_bytes_left_over_are_an_error_that_may_be_retried(row: dict[str, Any]) -> None:
    _, decoder = outcome([bytes.fromhex(row["hex"])], row["type"])
    if row["leftover_bytes"] and not decoder.ended:
        with pytest.raises(s2.FrameError, match="ends inside") as caught:
            decoder.finish()
        assert caught.value.retryable
        assert caught.value.reason == "truncated"
    else:
        decoder.finish()


def test_the_largest_length_waits_and_a_larger_one_does_not() -> None:
    decoder = s2.FrameDecoder()
    assert list(decoder.feed(b"\x20\0\0\0")) == []
    assert decoder.pending == 4
    with pytest.raises(s2.FrameError, match="2097153"):
        list(s2.FrameDecoder().feed(b"\x20\0\1"))


def test_nothing_after_a_terminal_frame_is_read() -> None:
    terminal = s2.encode_terminal(s2.Terminal(200, ""))
    decoder = s2.FrameDecoder()
    assert [each.terminal for each in decoder.feed(terminal + b"\0\0\0")] == [s2.Terminal(200, "")]
    assert list(decoder.feed(b"\xff" * 10)) == []
    assert decoder.ended
    decoder.finish()


@pytest.mark.parametrize("body", [b"\x80", b"\x80\x01"])
def test_a_terminal_message_without_a_status(body: bytes) -> None:
    with pytest.raises(s2.FrameError, match="status"):
        list(s2.FrameDecoder().feed(len(body).to_bytes(3, "big") + body))


def test_the_low_bits_of_the_flag_are_ignored() -> None:
    [frame] = s2.FrameDecoder().feed(b"\0\0\3\x0fab")
    assert (frame.compression, frame.reconnect_advised, frame.content()) == ("none", False, b"ab")


def test_frames_that_are_not_asked_for_come_later() -> None:
    decoder = s2.FrameDecoder()
    one = s2.encode_frame(b"one")
    assert next(decoder.feed(one * 3)).index == 0
    assert [(each.index, each.offset) for each in decoder.feed(b"")] == [(1, 7), (2, 14)]


def test_errors_say_where() -> None:
    good = s2.encode_frame(b"abc")
    with pytest.raises(s2.FrameError, match="byte 7: frame 1") as caught:
        list(s2.FrameDecoder().feed(good + b"\0\0\0"))
    assert (caught.value.offset, caught.value.frame, caught.value.reason) == (7, 1, "length")


@pytest.mark.parametrize("size", [0, 1023, 1024, 100_000, 2_097_151])
@pytest.mark.parametrize("compression", s2.COMPRESSIONS)
def test_messages_of_1024_bytes_and_more_are_compressed(size: int, compression: s2.Compression) -> None:
    message = b"x" * size
    [frame] = s2.FrameDecoder().feed(s2.encode_frame(message, compression))
    assert frame.compression == (compression if size >= 1024 else "none")
    assert frame.content() == message


def test_compression_is_not_left_out_where_it_does_not_pay() -> None:
    message = random.Random(1).randbytes(1024)
    [frame] = s2.FrameDecoder().feed(s2.encode_frame(message, "zstd"))
    assert len(frame.body) > 1024


def test_too_much_for_a_frame() -> None:
    with pytest.raises(wireloom.WireloomError, match="2097152 bytes"):
        s2.encode_frame(b"x" * 2_097_152, "zstd")
    with pytest.raises(wireloom.WireloomError, match="compressed message"):
        s2.encode_frame(random.Random(1).randbytes(2_097_151), "gzip")
    with pytest.raises(wireloom.WireloomError, match="brotli"):
        s2.encode_frame(b"", "brotli")


@pytest.mark.parametrize("row", vectors("terminal"), ids=identity)
def test_terminal_frames_are_written(row: dict[str, Any]) -> None:
    [expected] = row["expect"]
    data = bytearray.fromhex(row["hex"])
    # Frames that are written have neither compression bits nor advice, which have no meaning here.
    data[3] = 0x80
    assert s2.encode_terminal(s2.Terminal(**expected["terminal"])) == data


@pytest.mark.parametrize("terminal", [s2.Terminal(1 << 16, ""), s2.Terminal(-1, ""), s2.Terminal(500, "\ud800")])
def test_terminal_messages_that_cannot_be_written(terminal: s2.Terminal) -> None:
    with pytest.raises(wireloom.WireloomError):
        s2.encode_terminal(terminal)


@st.composite
def streams(draw: st.DrawFn) -> list[tuple[bytes, bool]]:
    """Return messages, and whether their frames advise reconnecting."""
    return draw(st.lists(st.tuples(st.binary(max_size=3000), st.booleans()), max_size=8))


@pytest.mark.slow
@given(streams(), st.sampled_from(s2.COMPRESSIONS), st.randoms(use_true_random=False))
def test_any_split_gives_the_same_frames(
    messages: list[tuple[bytes, bool]], compression: s2.Compression, randomness: random.Random
) -> None:
    data = b"".join(s2.encode_frame(each, compression, reconnect_advised=advised) for each, advised in messages)
    places = sorted(randomness.choices(range(len(data) + 1), k=randomness.randrange(20)))
    decoder = s2.FrameDecoder()
    found = [frame for piece in chunks(data, places) for frame in decoder.feed(piece)]
    decoder.finish()
    assert [(each.content(), each.reconnect_advised) for each in found] == messages
    assert [each.index for each in found] == list(range(len(messages)))


@given(streams(), st.sampled_from(s2.COMPRESSIONS), st.data())
def test_damage_loses_no_frame_before_it(
    messages: list[tuple[bytes, bool]], compression: s2.Compression, data: st.DataObject
) -> None:
    frames = [s2.encode_frame(each, compression) for each, _ in messages]
    stream = bytearray(b"".join(frames))
    if not stream:
        return
    place = data.draw(st.integers(0, len(stream) - 1))
    stream[place] ^= data.draw(st.integers(1, 255))
    decoder = s2.FrameDecoder()
    whole, end = 0, 0
    for frame in frames:
        end += len(frame)
        whole += end <= place
    found: list[bytes] = []
    try:
        for each in decoder.feed(bytes(stream)):
            if not each.is_terminal:
                found.append(each.content())
        decoder.finish()
    except s2.FrameError:
        pass
    assert found[:whole] == [message for message, _ in messages[:whole]]
