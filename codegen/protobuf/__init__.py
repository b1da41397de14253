"""``.proto`` files → specs."""

from ...base.face import face

__getattr__ = face(
    __name__,
    {
        "convert": "ENUM GROUP KINDS MESSAGE REPEATED REQUIRED",
        "importing": "Imported import_proto",
        "protoc": "described",
    },
)
