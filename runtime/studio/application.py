"""The server's routes for the studio's page."""

from __future__ import annotations

import asyncio
import importlib.util
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from importlib.resources import files
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from .. import inspecting
from ..base.errors import WireloomError
from . import page
from .arguments import bytes_of, json_object, json_text, name_of, position_of, text_of, window_of
from .files import MOST_SPEC, page_of_bytes, read_spec, size_of, stamp, write_spec
from .folders import listing, openable
from .helper import Helper
from .searching import MOST_WANTED, find_bytes

Method = Callable[[dict[str, Any]], Awaitable[dict[str, Any]]]

SECONDS = 15.0
"""Time limit in seconds for compiling a spec, and for reading records."""
SEARCH_SECONDS = 5.0
MOST_UNPACKED = 512 * 1024 * 1024
"""Maximum number of decompressed bytes that are kept for display."""
SHARED = ("field_tree.js", "palette.css")
"""Parts of the page that ``wireloom inspect --html`` uses as well."""
METHODS = (
    *("begin", "state", "list", "open", "compile", "complete", "save", "unpack", "find"),
    *("records", "rows", "value", "survey", "code"),
)
"""The methods of ``Studio`` that the page calls."""
TYPES = {".html": "text/html", ".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}


def editor_folder() -> Path:
    """Return the folder with the editor, CodeMirror, which is included in NiceGUI's package. Raises
    ``WireloomError``."""
    found = importlib.util.find_spec("nicegui")
    places = found.submodule_search_locations if found is not None else None
    folder = Path(next(iter(places)), "elements", "codemirror", "dist") if places else Path()
    if not (folder / "index.js").is_file():
        raise WireloomError(
            "the installed nicegui does not contain the editor at the expected place: pip install 'wireloom[studio]'"
        )
    return folder


class StaleError(WireloomError):
    """The page that asks is not the one whose spec was compiled last."""


class Studio:
    """A spec and a file that are examined together."""

    def __init__(self, helper: Helper) -> None:
        self.helper = helper
        self.spec = helper.spec
        self.file = Path(helper.file)
        self._folder = tempfile.TemporaryDirectory(prefix="wireloom-studio-")
        self._content = self.file
        """The file, or the file with its decompressed content."""
        self._compiled = 0
        """Counts what pages have had compiled or opened, so that each knows whether the last of it is its own."""

    async def close(self) -> None:
        """End the process that reads, and remove decompressed content."""
        await self.helper.close()
        self._folder.cleanup()

    async def state(self, _document: dict[str, Any]) -> dict[str, Any]:
        """Return the stamps of the files on disk and what other pages may have changed, which the page polls."""
        paths = [str(self.spec), str(self.file)]
        return {"spec": stamp(self.spec), "file": stamp(self.file), "compiled": self._compiled, "paths": paths}

    async def begin(self, _document: dict[str, Any]) -> dict[str, Any]:
        """Return the spec on disk, which may not exist yet, and the names and size of what is shown."""
        stamps = await self.state({})
        return {
            "spec": str(self.spec),
            "file": str(self.file),
            "text": read_spec(self.spec) if stamps["spec"] else "",
            "stamps": stamps,
            "size": size_of(self._content),
        }

    async def list(self, document: dict[str, Any]) -> dict[str, Any]:
        """Return the entries of a folder: that of the spec or file if none is named."""
        return await asyncio.to_thread(listing, name_of(document, "path") or str(self.file))

    async def open(self, document: dict[str, Any]) -> dict[str, Any]:
        """Show another spec or another file, as if the command had been called with it."""
        spec, file = name_of(document, "spec"), name_of(document, "file")
        new_spec = openable(spec, is_spec=True) if spec else self.spec
        new_file = openable(file, is_spec=False) if file else self.file
        if spec:
            read_spec(new_spec)
        self.spec, self.file = new_spec, new_file
        self._compiled += 1
        await self.helper.open(new_spec, str(new_file), SECONDS)
        # Only now are the requests about the previous file answered.
        self._content = new_file if file else self._content
        return await self.begin({})

    async def compile(self, document: dict[str, Any]) -> dict[str, Any]:
        """Return the diagnostics of a text, with the plan and the views that it allows."""
        text = text_of(document)
        self._compiled += 1
        number = self._compiled
        return await self.helper.compile(text, SECONDS) | {"number": number}

    async def save(self, document: dict[str, Any]) -> dict[str, Any]:
        """Write the spec, unless it was changed by others meanwhile."""
        text, known = text_of(document), document.get("stamp")
        if known != stamp(self.spec) and not document.get("anyway"):
            raise WireloomError(
                "has changed on disk: load it again, or save again to overwrite it", path=str(self.spec)
            )
        write_spec(self.spec, text)
        return {"stamp": stamp(self.spec)}

    async def unpack(self, _document: dict[str, Any]) -> dict[str, Any]:
        """Return the number of bytes that are shown, which are the decompressed ones of a compressed file. ``state``
        changes whenever they do."""
        # Another file may be opened meanwhile.
        path, file = Path(self._folder.name, "content"), self.file
        done = await self.helper.do("unpack", SECONDS, path=str(path), most=MOST_UNPACKED)
        self._content = file if done["size"] is None else path
        message = done["error"]
        if done["size"] is not None and done["size"] >= MOST_UNPACKED:
            message = f"the first {done['size']:,} decompressed bytes are shown"
        return {"size": size_of(self._content), "state": done["state"], "message": message}

    async def records(self, document: dict[str, Any]) -> dict[str, Any]:
        """Return records from an offset on."""
        self._check(document)
        return await self.helper.do("records", SECONDS, **window_of(document))

    async def rows(self, document: dict[str, Any]) -> dict[str, Any]:
        """Return rows of the table from an offset on."""
        self._check(document)
        return await self.helper.do("rows", SECONDS, **window_of(document))

    async def value(self, document: dict[str, Any]) -> dict[str, Any]:
        """Return the values of a record or of one of its fields, as JSON text."""
        self._check(document)
        window, number = window_of(document), document.get("number")
        number = number if isinstance(number, int) else -1
        return await self.helper.do("value", SECONDS, offset=window["offset"], number=number, table=window["table"])

    async def find(self, document: dict[str, Any]) -> dict[str, Any]:
        """Return the next place of bytes, from an offset on; -1 if there is none. ``stopped``: where a search that took
        too long goes on, or -1."""
        begin, wanted = window_of(document)["offset"], bytes_of(document, MOST_WANTED)
        arguments = self._content, wanted, begin, SEARCH_SECONDS
        backwards = bool(document.get("backwards"))
        at, stopped = await asyncio.to_thread(find_bytes, *arguments, backwards=backwards)
        return {"at": at, "stopped": stopped}

    async def survey(self, document: dict[str, Any]) -> dict[str, Any]:
        """Return the damage of the file, as far as it has been read; each call reads a little further."""
        self._check(document)
        return await self.helper.do("survey", SECONDS, table=str(document.get("table") or ""))

    async def code(self, document: dict[str, Any]) -> dict[str, Any]:
        """Return the generated modules."""
        self._check(document)
        return await self.helper.do("code", SECONDS)

    async def complete(self, document: dict[str, Any]) -> dict[str, Any]:
        """Return the completions at a position of the spec."""
        # In a thread, so that other requests are answered meanwhile.
        return await asyncio.to_thread(_completions, text_of(document), position_of(document))

    def _check(self, document: dict[str, Any]) -> None:
        """Refuse to read with a spec that another page has compiled since. Raises ``StaleError``."""
        if document.get("compiled", self._compiled) != self._compiled:
            raise StaleError("another tab of this studio has compiled its spec since")

    def bytes(self, offset: int, size: int) -> bytes:
        """Return a page of the bytes that are shown."""
        return page_of_bytes(self._content, offset, size)


def _completions(text: str, position: int) -> dict[str, Any]:
    from ..codegen.spec.completion import completions

    return completions(text, position)


def application(studio: Studio) -> Starlette:
    """Return the server's routes, protected by ``guard``."""

    def answered(
        method: Callable[[dict[str, Any]], Awaitable[dict[str, Any]]],
    ) -> Callable[[Request], Awaitable[Response]]:
        async def endpoint(request: Request) -> Response:
            try:
                document = await _body(request)
                return json_response(await method(document))
            except (WireloomError, OSError) as error:
                return json_response({"error": str(error)}, 409 if isinstance(error, StaleError) else 422)

        return endpoint

    async def content(request: Request) -> Response:
        try:
            offset, size = int(request.query_params["offset"]), int(request.query_params["size"])
            return Response(studio.bytes(max(offset, 0), max(size, 0)), media_type="application/octet-stream")
        except (KeyError, ValueError, OverflowError):
            return json_response({"error": "offset and size must be numbers"}, 422)
        except OSError as error:
            return json_response({"error": str(error)}, 422)

    async def part(request: Request) -> Response:
        name = request.path_params.get("name", "page.html")
        found = files(inspecting if name in SHARED else page).joinpath(name)
        suffix = Path(name).suffix
        if suffix not in TYPES or not found.is_file():
            raise HTTPException(404)
        return Response(found.read_bytes(), media_type=TYPES[suffix])

    @asynccontextmanager
    async def lifespan(_app: Starlette) -> AsyncIterator[None]:
        yield
        await studio.close()

    routes: list[Route | Mount] = [
        Route(f"/api/{name}", answered(getattr(studio, name)), methods=["POST"]) for name in METHODS
    ]
    routes += [
        Route("/", part),
        Route("/bytes", content),
        Route("/page/{name}", part),
        Mount("/editor", StaticFiles(directory=editor_folder())),
    ]
    return Starlette(routes=routes, lifespan=lifespan)


def json_response(content: dict[str, Any], status: int = 200) -> Response:
    """Return a response with a JSON object."""
    return Response(json_text(content), status, media_type="application/json")


async def _body(request: Request) -> dict[str, Any]:
    data = b""
    async for piece in request.stream():
        data += piece
        if len(data) > 2 * MOST_SPEC:
            raise WireloomError("the request is too large")
    return json_object(data)
