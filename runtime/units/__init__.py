"""Units of an input, each of them a message: how they are there, and what is around them."""

from ..base.face import face

__getattr__ = face(
    __name__,
    {
        "described": "Part unit_part",
        "framing": "Framing Prefixed Units WORDS framing_class units_of varint",
        "packing": "Packed Row enveloped",
    },
)
