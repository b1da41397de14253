"""The ``docs`` backend: a page about a format and a picture of its byte layout, in the format's generated package."""

from pathlib import Path

from ..base import Backend, Output, lazy_lower

BACKEND = Backend(
    name="docs",
    folder=Path(__file__).parent,
    lower=lazy_lower(__name__),
    outputs=(Output("page.md.j2", "{name}/README.md"), Output("layout.svg.j2", "{name}/layout.svg")),
    messages=True,
)
