"""Sources of bytes: inputs, object stores, windows."""

from ..base.face import face

__getattr__ = face(
    __name__,
    {
        "expansion": "expand",
        "inputs": "FileInput Input Location MemoryInput Stream ObjectInput",
        "object_stores": "filesystem",
        "profiles": "profile",
        "remote_files": "HEAD_SIZE READ_SIZE RemoteInput VerifiedStream",
        "s3_client": "client",
        "stored": "StorageError Stored",
        "stores": "Store store_of",
        "window": "CHUNK FIRST MemoryWindow",
    },
)
