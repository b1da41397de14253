"""The methods that the page calls, without a browser."""

import asyncio
import threading
from pathlib import Path
from typing import Any

import pytest
from wireloom import WireloomError
from wireloom.studio.helper import Helper

from ...waiting import SECONDS
from .samples import SPEC, written

pytest.importorskip("starlette", reason="the extra studio is not installed")

from wireloom.studio import application
from wireloom.studio.application import Studio


def run(folder: Path, session: Any, spec_text: str | None = SPEC) -> None:
    spec, file = written(folder)
    if spec_text is None:
        spec.unlink()
    else:
        spec.write_text(spec_text)

    async def whole() -> None:
        studio = Studio(Helper(spec, str(file)))
        try:
            await session(studio)
        finally:
            await studio.close()

    asyncio.run(whole())


@pytest.mark.parametrize("text", [None, "", "meta: [", SPEC.replace("u4", "u5")])
def test_bytes_are_shown_without_a_valid_spec(tmp_path: Path, text: str | None) -> None:
    async def session(studio: Studio) -> None:
        begun = await studio.begin({})
        assert (begun["text"], begun["size"]) == (text or "", 32)
        assert (await studio.compile({"text": begun["text"]}))["name"] is None
        assert (await studio.unpack({}))["size"] == 32
        assert studio.bytes(0, 4) == b"RD\0\0"
        assert (await studio.find({"hex": "0a00", "offset": 0}))["at"] == 10

    run(tmp_path, session, text)


def test_a_spec_that_is_not_there_yet_is_saved(tmp_path: Path) -> None:
    async def session(studio: Studio) -> None:
        begun = await studio.begin({})
        await studio.save({"text": SPEC, "stamp": begun["stamps"]["spec"]})
        assert (tmp_path / "readings.ksy").read_text() == SPEC

    run(tmp_path, session, None)


def test_another_file_and_another_spec_are_opened(tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    spec, file = written(other, rows=9)
    spec.write_text(SPEC.replace("readings,", "others,"))

    async def session(studio: Studio) -> None:
        await studio.compile({"text": SPEC})
        # What is asked about the previous file is answered first.
        earlier = asyncio.create_task(studio.unpack({}))
        await asyncio.sleep(0)
        found = await studio.open({"file": str(file)})
        assert (await earlier)["size"] == 32
        assert (found["file"], found["size"], found["text"]) == (str(file), 56, SPEC)
        await studio.compile({"text": SPEC})
        assert len((await studio.rows({}))["rows"]) == 9
        found = await studio.open({"spec": str(spec)})
        assert (found["spec"], found["file"]) == (str(spec), str(file))
        assert (await studio.compile({"text": found["text"]}))["name"] == "others"
        listed = await studio.list({})
        assert [each["name"] for each in listed["entries"]] == ["readings.bin", "readings.ksy"]
        for wrong in ({"file": "/nowhere"}, {"spec": str(file)}, {"file": 7}):
            with pytest.raises(WireloomError):
                await studio.open(wrong)
        assert (studio.spec, studio.file) == (spec, file)

    run(tmp_path, session)


def test_requests_are_answered_during_a_completion(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    answered = threading.Event()

    def waits(_text: str, _position: int) -> dict[str, Any]:
        assert answered.wait(SECONDS)
        return {"from": 0, "options": []}

    monkeypatch.setattr(application, "_completions", waits)

    async def session(studio: Studio) -> None:
        completion = asyncio.create_task(studio.complete({"text": "meta:", "position": 5}))
        await asyncio.sleep(0)
        assert (await studio.state({}))["spec"]
        answered.set()
        assert await completion == {"from": 0, "options": []}

    run(tmp_path, session)
