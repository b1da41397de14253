"""Server-sent events: the same events and the same error however the stream is cut, and what is read is written."""

from typing import Any

import wireloom
import wireloom.s2 as s2

from .taking import Taker


def words() -> set[str]:
    lines = {"event: batch\n", "event: ping\n", "event: error\n", "data: ", "id: 1,2,3\n", "\n\n", "\r\n", "[DONE]"}
    return lines | {'{"records":[]}', '{"timestamp":7}', '{"code":"a","message":"b"}', "\ufeff", ": "}


def read(pieces: list[bytes], format: str) -> tuple[list[s2.BatchEvent | Any], str, str]:
    reader = s2.EventReader(format)
    found: list[Any] = []
    failure = ""
    try:
        for piece in pieces:
            for event in reader.feed(piece):
                found.append(event)
    except wireloom.WireloomError as error:
        failure = str(error)
        assert reader.ended
    return found, failure, str(reader.last_event_id)


def check(data: bytes) -> None:
    if not data:
        return
    format, stream = ("raw", "base64")[data[0] & 1], data[1:]
    whole = read([stream], format)
    assert whole == read(Taker(data[::-1]).pieces(stream), format)
    assert whole == read([stream[at : at + 1] for at in range(len(stream))], format)
    again = "".join(s2.event_to_text(event, format) for event in whole[0]).encode()
    assert read([again], format)[0] == whole[0]
