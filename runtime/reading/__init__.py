"""Reading: scans, byte ranges, damage and recovery from it, search."""

from ..base.face import face

__getattr__ = face(
    __name__,
    {
        "blobs.memory": "memory_of",
        "coalescing": "ENOUGH_BYTES ENOUGH_ROWS coalesced",
        "damage_log": "DamageLog MOST_LISTED",
        "opening": "Opened",
        "options": "LIMITS ScanOptions",
        "pushed_filter": "Pushed pushed",
        "recovery": "CONTENT",
        "request": "of_table scan_request",
        "search": "Log LINEAR OPTIONS:SEARCH_OPTIONS",
    },
)
