"""The registry of checksum algorithms by name, and CRCs by their parameters.

The dialect, the generated code and the column programs are derived from ``CHECKSUMS``. The engine computes the families
of ``Family`` (``runtime/engine/algorithms.c``); without it, the functions of this package do.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

from ..base.arguments import one_of
from .catalogue import CATALOGUE, CHECKS, Algorithm, Family
from .functions import Function, function

CHECKSUMS: dict[str, Algorithm] = {
    **CATALOGUE,
    **{
        each.name: each
        for each in (
            Algorithm("adler32", Family.ADLER, 32, initial=1),
            Algorithm("fletcher16", Family.FLETCHER, 16),
            Algorithm("fletcher16-256", Family.FLETCHER_256, 16),
            Algorithm("fletcher32", Family.FLETCHER, 32, 2),
            Algorithm("fletcher64", Family.FLETCHER, 64, 4),
            Algorithm("sum8", Family.SUM_LE, 8),
            Algorithm("sum16", Family.SUM_LE, 16),
            Algorithm("sum32", Family.SUM_LE, 32),
            Algorithm("sum16le", Family.SUM_LE, 16, 2),
            Algorithm("sum16be", Family.SUM_BE, 16, 2),
            Algorithm("sum32le", Family.SUM_LE, 32, 4),
            Algorithm("sum32be", Family.SUM_BE, 32, 4),
            Algorithm("xor8", Family.XOR, 8),
            Algorithm("internet", Family.INTERNET, 16, 2, final_xor=0xFFFF),
            Algorithm("xxh32", Family.XXH32, 32),
            Algorithm("xxh64", Family.XXH64, 64),
            Algorithm("xxh3_64", Family.XXH3, 64),
            Algorithm("md5", Family.MD5, 128),
            Algorithm("sha1", Family.SHA1, 160),
            Algorithm("sha256", Family.SHA256, 256),
            Algorithm("sha256d", Family.SHA256D, 256),
            Algorithm("bitcoin-merkle", Family.BITCOIN_MERKLE, 256),
        )
    },
}
"""Every algorithm by its name."""

PARAMETERS = ("width", "poly", "init", "refin", "refout", "xorout")
"""Notation of a CRC without a name: ``width=16 poly=0x1021 init=0x0 refin=false refout=false xorout=0x0``."""


def crc_name(width: int, polynomial: int, initial: int, reflect_in: bool, reflect_out: bool, final_xor: int) -> str:
    """Return the parameters of a CRC as a name that ``algorithm`` knows.

    >>> crc_name(16, 0x1021, 0xFFFF, False, False, 0)
    'width=16 poly=0x1021 init=0xffff refin=false refout=false xorout=0x0'
    """
    values = (width, hex(polynomial), hex(initial), *(str(each).lower() for each in (reflect_in, reflect_out)))
    return " ".join(f"{key}={value}" for key, value in zip(PARAMETERS, (*values, hex(final_xor)), strict=True))


@lru_cache(maxsize=256)
def algorithm(name: str, initial: int | None = None, final_xor: int | None = None) -> Algorithm:
    """Return the algorithm of a name or of parameters, with another initial value or final xor if they are given.

    Raises ``UnknownNameError``.
    """
    found = CHECKSUMS.get(name) or _of_parameters(name) or CHECKSUMS[one_of("checksum", name, CHECKSUMS)]
    return replace(
        found,
        initial=found.initial if initial is None else initial,
        final_xor=found.final_xor if final_xor is None else final_xor,
    )


def _of_parameters(name: str) -> Algorithm | None:
    parameters = dict(each.partition("=")[::2] for each in name.split())
    if tuple(parameters) != PARAMETERS:
        return None
    width, polynomial, initial, final_xor = (int(parameters[key], 0) for key in ("width", "poly", "init", "xorout"))
    reflected = (parameters["refin"] == "true", parameters["refout"] == "true")
    return Algorithm(name, Family.CRC, width, 1, *reflected, polynomial, initial, final_xor)


__all__ = [
    "CHECKS",
    "CHECKSUMS",
    "Algorithm",
    "Family",
    "Function",
    "algorithm",
    "crc_name",
    "function",
]
