"""Errors, reports and text helpers that all other packages use."""

from ..base.face import face

__getattr__ = face(
    __name__,
    {
        "errors": "MissingExtraError NothingThereError",
        "extras": "require",
        "html_tables": "plain",
        "iso_times": "UNITS iso_time time_count time_range",
        "limits": "MAX_COMPUTED MAX_DECIMAL_BITS MAX_INTEGER_BITS",
        "options": "FLAG NUMBER camel_case check_options documented option options_of",
        "pool": "Job",
        "printable": "markup",
        "report": "SOURCE_FAILURES",
    },
)
