"""Comments in ``.proto`` files → documentation."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .yaml_text import Value

if TYPE_CHECKING:
    from google.protobuf.descriptor_pb2 import FileDescriptorProto


class Comments:
    """The comments of a file, by the path of their declarations."""

    def __init__(self) -> None:
        self._of: dict[str, dict[tuple[int, ...], str]] = {}

    def doc(self, file: FileDescriptorProto, path: tuple[int, ...]) -> dict[str, Value]:
        """Return the key ``doc`` with the comment before a declaration, or else the one after it; empty if there is
        none.
        """
        if file.name not in self._of:
            self._of[file.name] = {
                tuple(each.path): _tidy(each.leading_comments or each.trailing_comments)
                for each in file.source_code_info.location
            }
        text = self._of[file.name].get(path, "")
        return {"doc": text} if text else {}


def _tidy(comment: str) -> str:
    """Return a comment without the space after ``//`` and without empty lines at both ends.

    >>> _tidy(" One.\\n   Two.\\n\\n")
    'One.\\n  Two.'
    """
    lines = [line.rstrip() for line in comment.replace("\r\n", "\n").expandtabs().split("\n")]
    margin = min((len(line) - len(line.lstrip()) for line in lines if line), default=0)
    return "\n".join(line[margin:] for line in lines).strip("\n").lstrip()
