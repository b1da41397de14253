"""The client of ``worker``: starts the process, sends it jobs one by one, and ends it if a job takes too long."""

from __future__ import annotations

import asyncio
import contextlib
import json
import sys
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ..base.dataclass import dataclass, field
from ..base.errors import WireloomError

STARTING = 120.0
"""Time limit in seconds for starting the process, which imports the compiler. Time limits of jobs do not include it."""
MOST_ANSWER = 256 * 1024 * 1024
"""Maximum number of bytes of a result."""


class HelperError(WireloomError):
    """A job failed; the message contains the reason."""


@dataclass
class Helper:
    """Runs jobs in a separate process with at most ``memory`` bytes. A job that exceeds its time limit ends the
    process, and the next job starts another one, in which ``text`` is compiled again."""

    spec: Path
    file: str
    options: Mapping[str, Any] = field(default_factory=dict)
    allow_modules: tuple[str, ...] = ()
    import_paths: tuple[Path, ...] = ()
    memory: int = 4 * 1024**3
    text: str | None = None
    _process: Process | None = None
    _lock: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def open(self, spec: Path, file: str, seconds: float) -> None:
        """Continue with another spec or file, in the same process. Nothing is compiled then."""
        async with self._lock:
            self.spec, self.file, self.text = spec, file, None
            if self._process is not None:
                await self._do("open", {"spec": str(spec), "file": file}, seconds)

    async def compile(self, text: str, seconds: float) -> dict[str, Any]:
        """Compile a spec, with which later jobs read."""
        self.text = None
        async with self._lock:
            result = await self._do("compile", {"text": text}, seconds)
            self.text = text
            return result

    async def do(self, job: str, seconds: float, **arguments: Any) -> dict[str, Any]:
        """Return the result of the job of that name. Raises ``HelperError``."""
        async with self._lock:
            if self._process is None and self.text is not None:
                await self._do("compile", {"text": self.text}, seconds)
            return await self._do(job, arguments, seconds)

    async def close(self) -> None:
        """End the process."""
        process, self._process = self._process, None
        if process is None:
            return
        with contextlib.suppress(ProcessLookupError):
            process.kill()
        await process.wait()

    async def _do(self, job: str, arguments: Mapping[str, Any], seconds: float) -> dict[str, Any]:
        if self._process is None or self._process.returncode is not None:
            self._process = await asyncio.create_subprocess_exec(
                sys.executable, "-m", f"{__package__}.worker", stdin=PIPE, stdout=PIPE, stderr=DEVNULL,
                limit=MOST_ANSWER,
            )  # fmt: skip
            begin = {
                "spec": str(self.spec),
                "file": self.file,
                "options": dict(self.options),
                "allow_modules": self.allow_modules,
                "import_paths": list(map(str, self.import_paths)),
                "memory": self.memory,
            }
            await self._answer(self._process, begin, STARTING)
        line = {"job": job, "arguments": arguments, "seconds": seconds}
        done: dict[str, Any] = json.loads(await self._answer(self._process, line, seconds))
        if done.get("spent"):
            await self.close()
        if "error" in done:
            raise HelperError(done["error"])
        result: dict[str, Any] = done["result"]
        return result

    async def _answer(self, process: Process, line: Mapping[str, Any], seconds: float) -> bytes:
        """Write a line to the process and return the line that it answers."""
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            process.stdin.write(json.dumps(line).encode() + b"\n")
            answer = await asyncio.wait_for(process.stdout.readline(), seconds)
        except TimeoutError:
            await self.close()
            raise HelperError(f"stopped: it took longer than {seconds:g} seconds") from None
        except (ValueError, ConnectionError) as error:
            await self.close()
            raise HelperError(f"stopped: {error}") from error
        except asyncio.CancelledError:
            await self.close()
            raise
        if not answer:
            await self.close()
            raise HelperError("stopped: the reading process ended, possibly because it exceeded its memory limit")
        return answer
