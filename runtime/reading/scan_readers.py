"""The row readers and decoders of one scan."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..rows import select

if TYPE_CHECKING:
    from ..objects.structs import Struct
    from ..rows.messages.decoding import UnitDecoder
    from ..rows.reader import RowReader, Settings
    from .request import ScanRequest


class ScanReaders:
    """Creates each row reader and decoder once for all inputs of a scan, since creating one takes as long as reading a
    small file.

    ``root``: the object whose attributes precede the rows of the current input, if any. ``request``: the request for
    the bytes in inputs.
    """

    def __init__(self, request: ScanRequest) -> None:
        self.root: Struct | None = None
        self.request = request.encoded.physical()
        self._logical_request = request.encoded
        self._inside: RowReader | None = None
        self._of_containers: ScanReaders | None = None
        self._row_readers: dict[Settings, RowReader] = {}
        self._decoders: dict[tuple[tuple[int, ...], bool], UnitDecoder] = {}

    def begin(self, root: Struct | None) -> None:
        """Begin the next input."""
        self.root = root
        for row_reader in self._row_readers.values():
            row_reader.begin(root)

    def rows(self, settings: Settings) -> RowReader:
        """Return the row reader with these settings for the current input."""
        found = self._row_readers.get(settings)
        if found is None:
            request = self.request
            found = self._row_readers[settings] = select.make(request.engine, request.format, self.root, settings)
        return found

    def other(self, settings: Settings) -> RowReader:
        """Return another row reader with these settings for the current input, for a thread."""
        request = self.request
        return select.make(request.engine, request.format, self.root, settings)

    def inside(self, settings: Settings) -> RowReader:
        """Return the row reader for the rows inside the reassembled records of an input, which begins."""
        if self._inside is None:
            self._inside = select.make(self._logical_request.engine, self._logical_request.format, None, settings)
        else:
            self._inside.begin(None)
        return self._inside

    @property
    def of_containers(self) -> ScanReaders:
        """Return the readers of the containers of streams."""
        if self._of_containers is None:
            self._of_containers = ScanReaders(self._logical_request.containers())
        return self._of_containers

    def decoder(self, projected: tuple[int, ...], *, null_rows: bool = False) -> UnitDecoder:
        """Return the decoder for the columns of these numbers."""
        found = self._decoders.get((projected, null_rows))
        if found is None:
            # Imported here: rows read by the engine need no generated classes.
            from ..rows.messages.stored_units import StoredUnits, UnitForms

            request = self.request
            found = select.decoder_of(
                request.engine,
                request.format,
                projected,
                verify=request.verify,
                null_rows=null_rows,
                max_computed=request.max_computed,
            )
            if forms := UnitForms(request.format, request.max_record):
                found = StoredUnits(found, forms)
            self._decoders[projected, null_rows] = found
        return found
