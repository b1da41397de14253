"""The catalogue of parametrised CRC algorithms (reveng.sourceforge.io/crc-catalogue), with widths of 3 to 64 bits, and
the families of algorithms with the parameters that tell their members apart."""

from __future__ import annotations

import struct
from enum import IntEnum

from ..base.dataclass import dataclass


class Family(IntEnum):
    """How an algorithm computes. The numbers are those of the engine's programs."""

    CRC = 1
    """Ross Williams' model: a polynomial, an initial value, reflections and a final xor."""
    ADLER = 2
    """Adler-32 (RFC 1950)."""
    FLETCHER = 3
    """Two sums of little-endian words, modulo 2^n - 1."""
    SUM_LE = 4
    """The sum of bytes, or of little-endian words; the last word is padded with zeros."""
    SUM_BE = 5
    """The sum of big-endian words."""
    XOR = 6
    """The xor of all bytes."""
    INTERNET = 7
    """RFC 1071: the complement of the ones' complement sum of big-endian words."""
    XXH32 = 8
    XXH64 = 9
    XXH3 = 10
    """XXH3 of 64 bits."""
    MD5 = 11
    SHA1 = 12
    SHA256 = 13
    SHA256D = 14
    """SHA-256 of the SHA-256 digest."""
    FLETCHER_256 = 15
    """Two sums of bytes modulo 256."""
    BITCOIN_MERKLE = 16
    """The merkle root of the transactions of a Bitcoin block."""


SEEDED = {Family.XXH32, Family.XXH64, Family.XXH3}
"""Families whose initial value is a seed."""
DIGESTS = {Family.MD5, Family.SHA1, Family.SHA256, Family.SHA256D, Family.BITCOIN_MERKLE}
"""Families whose result is bytes rather than a number."""
WHOLE = SEEDED | DIGESTS
"""Families that need all bytes at once."""


@dataclass(frozen=True)
class Algorithm:
    """A checksum algorithm. ``unit``: size in bytes of the words that are added. The numbers are as in catalogues of
    CRCs: the polynomial lacks its highest term, and neither it nor the initial value is reflected."""

    name: str
    family: Family
    width: int
    """Width of the checksum in bits."""
    unit: int = 1
    reflect_in: bool = False
    reflect_out: bool = False
    polynomial: int = 0
    initial: int = 0
    final_xor: int = 0

    @property
    def is_digest(self) -> bool:
        """Return whether the result is bytes rather than a number."""
        return self.family in DIGESTS

    @property
    def in_pieces(self) -> bool:
        """Return whether the engine can compute it piece by piece, so that some bytes can be replaced."""
        return self.family not in WHOLE and (self.family is not Family.FLETCHER or self.unit == 1)

    @property
    def continues_anywhere(self) -> bool:
        """Return whether a computation can be continued from the checksum of the preceding bytes."""
        return self.family not in WHOLE and self.unit == 1

    @property
    def size(self) -> int:
        """Return the size in bytes of the smallest field that holds the checksum."""
        return -(-self.width // 8)

    def packed(self) -> bytes:
        """Return the parameters as the engine reads them: ``family, width, unit, reflections u32, polynomial, initial,
        final_xor u64``, little-endian."""
        numbers = (self.polynomial, self.initial, self.final_xor)
        return struct.pack(
            "<4I3Q", self.family, self.width, self.unit, self.reflect_in + 2 * self.reflect_out, *numbers
        )


REFLECTED = {"-": (False, False), "both": (True, True), "out": (False, True)}

# Name, width, polynomial, initial value, what is reflected, final xor, check value; then its other names.
TABLE = """\
crc-3/gsm 3 3 0 - 7 4
crc-3/rohc 3 3 7 both 0 6
crc-4/g-704 4 3 0 both 0 7 crc-4/itu
crc-4/interlaken 4 3 f - f b
crc-5/epc-c1g2 5 09 09 - 00 00 crc-5/epc
crc-5/g-704 5 15 00 both 00 07 crc-5/itu
crc-5/usb 5 05 1f both 1f 19
crc-6/cdma2000-a 6 27 3f - 00 0d
crc-6/cdma2000-b 6 07 3f - 00 3b
crc-6/darc 6 19 00 both 00 26
crc-6/g-704 6 03 00 both 00 06 crc-6/itu
crc-6/gsm 6 2f 00 - 3f 13
crc-7/mmc 7 09 00 - 00 75 crc-7
crc-7/rohc 7 4f 7f both 00 53
crc-7/umts 7 45 00 - 00 61
crc-8/autosar 8 2f ff - ff df
crc-8/bluetooth 8 a7 00 both 00 26
crc-8/cdma2000 8 9b ff - 00 da
crc-8/darc 8 39 00 both 00 15
crc-8/dvb-s2 8 d5 00 - 00 bc
crc-8/gsm-a 8 1d 00 - 00 37
crc-8/gsm-b 8 49 00 - ff 94
crc-8/hitag 8 1d ff - 00 b4
crc-8/i-432-1 8 07 00 - 55 a1 crc-8/itu
crc-8/i-code 8 1d fd - 00 7e
crc-8/lte 8 9b 00 - 00 ea
crc-8/maxim-dow 8 31 00 both 00 a1 crc-8/maxim dow-crc
crc-8/mifare-mad 8 1d c7 - 00 99
crc-8/nrsc-5 8 31 ff - 00 f7
crc-8/opensafety 8 2f 00 - 00 3e
crc-8/rohc 8 07 ff both 00 d0
crc-8/sae-j1850 8 1d ff - ff 4b
crc-8/smbus 8 07 00 - 00 f4 crc-8
crc-8/tech-3250 8 1d ff both 00 97 crc-8/aes crc-8/ebu
crc-8/wcdma 8 9b 00 both 00 25
crc-10/atm 10 233 000 - 000 199 crc-10 crc-10/i-610
crc-10/cdma2000 10 3d9 3ff - 000 233
crc-10/gsm 10 175 000 - 3ff 12a
crc-11/flexray 11 385 01a - 000 5a3 crc-11
crc-11/umts 11 307 000 - 000 061
crc-12/cdma2000 12 f13 fff - 000 d4d
crc-12/dect 12 80f 000 - 000 f5b crc-12-x
crc-12/gsm 12 d31 000 - fff b34
crc-12/umts 12 80f 000 out 000 daf crc-12/3gpp
crc-13/bbc 13 1cf5 0000 - 0000 04fa
crc-14/darc 14 0805 0000 both 0000 082d
crc-14/gsm 14 202d 0000 - 3fff 30ae
crc-15/can 15 4599 0000 - 0000 059e crc-15
crc-15/mpt1327 15 6815 0000 - 0001 2566
crc-16/arc 16 8005 0000 both 0000 bb3d arc crc-16/lha crc-ibm
crc-16/cdma2000 16 c867 ffff - 0000 4c06
crc-16/cms 16 8005 ffff - 0000 aee7
crc-16/dds-110 16 8005 800d - 0000 9ecf
crc-16/dect-r 16 0589 0000 - 0001 007e r-crc-16
crc-16/dect-x 16 0589 0000 - 0000 007f x-crc-16
crc-16/dnp 16 3d65 0000 both ffff ea82
crc-16/en-13757 16 3d65 0000 - ffff c2b7
crc-16/genibus 16 1021 ffff - ffff d64e crc-16/darc crc-16/epc crc-16/epc-c1g2 crc-16/i-code
crc-16/gsm 16 1021 0000 - ffff ce3c
crc-16/ibm-3740 16 1021 ffff - 0000 29b1 crc-16/autosar crc-16/ccitt-false
crc-16/ibm-sdlc 16 1021 ffff both ffff 906e crc-16/iso-hdlc crc-16/iso-iec-14443-3-b crc-16/x-25 crc-b x-25
crc-16/iso-iec-14443-3-a 16 1021 c6c6 both 0000 bf05 crc-a
crc-16/kermit 16 1021 0000 both 0000 2189 crc-16/ccitt crc-16/ccitt-true crc-16/v-41-lsb crc-ccitt kermit
crc-16/lj1200 16 6f63 0000 - 0000 bdf4
crc-16/m17 16 5935 ffff - 0000 772b
crc-16/maxim-dow 16 8005 0000 both ffff 44c2 crc-16/maxim
crc-16/mcrf4xx 16 1021 ffff both 0000 6f91
crc-16/modbus 16 8005 ffff both 0000 4b37 modbus
crc-16/nrsc-5 16 080b ffff both 0000 a066
crc-16/opensafety-a 16 5935 0000 - 0000 5d38
crc-16/opensafety-b 16 755b 0000 - 0000 20fe
crc-16/profibus 16 1dcf ffff - ffff a819 crc-16/iec-61158-2
crc-16/riello 16 1021 b2aa both 0000 63d0
crc-16/spi-fujitsu 16 1021 1d0f - 0000 e5cc crc-16/aug-ccitt
crc-16/t10-dif 16 8bb7 0000 - 0000 d0db
crc-16/teledisk 16 a097 0000 - 0000 0fb3
crc-16/tms37157 16 1021 89ec both 0000 26b1
crc-16/umts 16 8005 0000 - 0000 fee8 crc-16/buypass crc-16/verifone
crc-16/usb 16 8005 ffff both ffff b4c8
crc-16/xmodem 16 1021 0000 - 0000 31c3 crc-16/acorn crc-16/lte crc-16/v-41-msb xmodem zmodem
crc-17/can-fd 17 1685b 00000 - 00000 04f03
crc-21/can-fd 21 102899 000000 - 000000 0ed841
crc-24/ble 24 00065b 555555 both 000000 c25a56
crc-24/flexray-a 24 5d6dcb fedcba - 000000 7979bd
crc-24/flexray-b 24 5d6dcb abcdef - 000000 1f23b8
crc-24/interlaken 24 328b63 ffffff - ffffff b4f3e6
crc-24/lte-a 24 864cfb 000000 - 000000 cde703
crc-24/lte-b 24 800063 000000 - 000000 23ef52
crc-24/openpgp 24 864cfb b704ce - 000000 21cf02 crc-24
crc-24/os-9 24 800063 ffffff - ffffff 200fa5
crc-30/cdma 30 2030b9c7 3fffffff - 3fffffff 04c34abf
crc-31/philips 31 04c11db7 7fffffff - 7fffffff 0ce9e46c
crc-32/aixm 32 814141ab 00000000 - 00000000 3010bf7f crc-32q
crc-32/autosar 32 f4acfb13 ffffffff both ffffffff 1697d06a
crc-32/base91-d 32 a833982b ffffffff both ffffffff 87315576 crc-32d
crc-32/bzip2 32 04c11db7 ffffffff - ffffffff fc891918 crc-32/aal5 crc-32/dect-b b-crc-32
crc-32/cd-rom-edc 32 8001801b 00000000 both 00000000 6ec2edc4
crc-32/cksum 32 04c11db7 00000000 - ffffffff 765e7680 cksum crc-32/posix
crc-32/iscsi 32 1edc6f41 ffffffff both ffffffff e3069283 crc32c crc-32/castagnoli crc-32/interlaken crc-32c
crc-32/iso-hdlc 32 04c11db7 ffffffff both ffffffff cbf43926 crc32 crc-32 crc-32/adccp crc-32/v-42 crc-32/xz pkzip
crc-32/jamcrc 32 04c11db7 ffffffff both 00000000 340bc6d9 jamcrc
crc-32/mef 32 741b8cd7 ffffffff both 00000000 d2c22f51
crc-32/mpeg-2 32 04c11db7 ffffffff - 00000000 0376e6e7
crc-32/xfer 32 000000af 00000000 - 00000000 bd0be338 xfer
crc-40/gsm 40 0004820009 0000000000 - ffffffffff d4164fc646
crc-64/ecma-182 64 42f0e1eba9ea3693 0000000000000000 - 0000000000000000 6c40df5f0b497347 crc-64
crc-64/go-iso 64 000000000000001b ffffffffffffffff both ffffffffffffffff b90956c775a41001
crc-64/ms 64 259c84cba6426349 ffffffffffffffff both 0000000000000000 75d4b74f024eceea
crc-64/nvme 64 ad93d23594c93659 ffffffffffffffff both ffffffffffffffff ae8b14860a799888
crc-64/redis 64 ad93d23594c935a9 0000000000000000 both 0000000000000000 e9c6d914c4b8d9ca
crc-64/we 64 42f0e1eba9ea3693 ffffffffffffffff - ffffffffffffffff 62ec59e3f1a4f00a
crc-64/xz 64 42f0e1eba9ea3693 ffffffffffffffff both ffffffffffffffff 995dc9bbdf1939fa crc-64/go-ecma
"""

CATALOGUE: dict[str, Algorithm] = {}
"""All CRCs by name; each is listed under each of its names."""
CHECKS: dict[str, int] = {}
"""The check values by name: each is the CRC of the bytes ``123456789``."""

for _line in TABLE.splitlines():
    _name, _width, _polynomial, _initial, _reflected, _final_xor, _check, *_others = _line.split()
    _numbers = (int(_polynomial, 16), int(_initial, 16), int(_final_xor, 16))
    for _each in (_name, *_others):
        CATALOGUE[_each] = Algorithm(_each, Family.CRC, int(_width), 1, *REFLECTED[_reflected], *_numbers)
        CHECKS[_each] = int(_check, 16)
