"""The backends: one folder each, with the structure that ``base`` describes. A new backend is a new folder here."""

from ...base.face import face

__getattr__ = face(
    __name__,
    {
        "base": "FILTERS HEADER_START HEADER_STARTS Backend Output Target backends header own_backends refusal refuse"
        " template_environment",
        "docs.examples": "sample_name",
        "docs.picture": "CHARACTER MARGIN WIDTH folded shortened",
        "escaping": "markdown markdown_code python_comment python_docstring xml_comment",
    },
)
