"""The parts of ``kaitaistruct`` that wireloom uses; ``kaitai.pyi`` has their types, which the package lacks."""

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
