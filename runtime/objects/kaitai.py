"""What wireloom uses of the ``kaitaistruct`` package, which has no types of its own; ``kaitai.pyi`` gives them."""

from kaitaistruct import (
    ConsistencyError,
    EndOfStreamError,
    InvalidArgumentError,
    KaitaiStream,
    KaitaiStruct,
    KaitaiStructError,
    NoTerminatorFoundError,
    ReadWriteKaitaiStruct,
    UndecidedEndiannessError,
    ValidationExprError,
    ValidationFailedError,
    ValidationGreaterThanError,
    ValidationLessThanError,
    ValidationNotAnyOfError,
    ValidationNotEqualError,
    ValidationNotInEnumError,
)

__all__ = [
    "ConsistencyError",
    "EndOfStreamError",
    "InvalidArgumentError",
    "KaitaiStream",
    "KaitaiStruct",
    "KaitaiStructError",
    "NoTerminatorFoundError",
    "ReadWriteKaitaiStruct",
    "UndecidedEndiannessError",
    "ValidationExprError",
    "ValidationFailedError",
    "ValidationGreaterThanError",
    "ValidationLessThanError",
    "ValidationNotAnyOfError",
    "ValidationNotEqualError",
    "ValidationNotInEnumError",
]
