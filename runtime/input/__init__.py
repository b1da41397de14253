"""Where bytes come from: inputs, object stores, codecs, windows."""

from ..base.face import face

__getattr__ = face(
    __name__,
    {
        "expansion": "expand",
        "inputs": "FileInput Input Location MemoryInput Stream ObjectInput",
        "object_stores": "HEAD_SIZE filesystem READ_SIZE",
        "profiles": "profile",
        "s3_client": "client",
        "stored": "StorageError Stored",
        "window": "CHUNK FIRST MemoryWindow",
    },
)
