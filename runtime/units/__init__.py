"""Units of an input, each of which is a message: their framing and envelopes."""

from ..base.face import face

__getattr__ = face(
    __name__,
    {
        "described": "Part unit_part",
        "framing": "Framing Prefixed Units WORDS framing_class units_of varint",
        "packing": "Packed Row enveloped",
    },
)
