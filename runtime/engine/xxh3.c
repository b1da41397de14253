/* XXH3 of 64 bits (specification of xxHash 0.8), one lane of each accumulator after another. */
#include "sums.h"

#define STRIPE 64
#define SECRET 192
#define STRIPES ((SECRET - STRIPE) / 8) /* of a block, each with a secret that begins 8 bytes later */
#define MIX_1 UINT64_C(0x165667919E3779F9)
#define MIX_2 UINT64_C(0x9FB21C651E98DF25)

static const uint64_t primes32[] = {0x9E3779B1, 0x85EBCA77, 0xC2B2AE3D};
static const uint64_t primes64[] = {UINT64_C(0x9E3779B185EBCA87), UINT64_C(0xC2B2AE3D27D4EB4F),
                                    UINT64_C(0x165667B19E3779F9), UINT64_C(0x85EBCA77C2B2AE63),
                                    UINT64_C(0x27D4EB2F165667C5)};
static const uint8_t own_secret[SECRET] = {
    0xb8, 0xfe, 0x6c, 0x39, 0x23, 0xa4, 0x4b, 0xbe, 0x7c, 0x01, 0x81, 0x2c, 0xf7, 0x21, 0xad, 0x1c,
    0xde, 0xd4, 0x6d, 0xe9, 0x83, 0x90, 0x97, 0xdb, 0x72, 0x40, 0xa4, 0xa4, 0xb7, 0xb3, 0x67, 0x1f,
    0xcb, 0x79, 0xe6, 0x4e, 0xcc, 0xc0, 0xe5, 0x78, 0x82, 0x5a, 0xd0, 0x7d, 0xcc, 0xff, 0x72, 0x21,
    0xb8, 0x08, 0x46, 0x74, 0xf7, 0x43, 0x24, 0x8e, 0xe0, 0x35, 0x90, 0xe6, 0x81, 0x3a, 0x26, 0x4c,
    0x3c, 0x28, 0x52, 0xbb, 0x91, 0xc3, 0x00, 0xcb, 0x88, 0xd0, 0x65, 0x8b, 0x1b, 0x53, 0x2e, 0xa3,
    0x71, 0x64, 0x48, 0x97, 0xa2, 0x0d, 0xf9, 0x4e, 0x38, 0x19, 0xef, 0x46, 0xa9, 0xde, 0xac, 0xd8,
    0xa8, 0xfa, 0x76, 0x3f, 0xe3, 0x9c, 0x34, 0x3f, 0xf9, 0xdc, 0xbb, 0xc7, 0xc7, 0x0b, 0x4f, 0x1d,
    0x8a, 0x51, 0xe0, 0x4b, 0xcd, 0xb4, 0x59, 0x31, 0xc8, 0x9f, 0x7e, 0xc9, 0xd9, 0x78, 0x73, 0x64,
    0xea, 0xc5, 0xac, 0x83, 0x34, 0xd3, 0xeb, 0xc3, 0xc5, 0x81, 0xa0, 0xff, 0xfa, 0x13, 0x63, 0xeb,
    0x17, 0x0d, 0xdd, 0x51, 0xb7, 0xf0, 0xda, 0x49, 0xd3, 0x16, 0x55, 0x26, 0x29, 0xd4, 0x68, 0x9e,
    0x2b, 0x16, 0xbe, 0x58, 0x7d, 0x47, 0xa1, 0xfc, 0x8f, 0xf8, 0xb8, 0xd1, 0x7a, 0xd0, 0x31, 0xce,
    0x45, 0xcb, 0x3a, 0x8f, 0x95, 0x16, 0x04, 0x28, 0xaf, 0xd7, 0xfb, 0xca, 0xbb, 0x4b, 0x40, 0x7e,
};

static inline uint64_t load(const uint8_t *from) { return wl_load_le8(from); }
static inline uint64_t rotated(uint64_t word, int bits) { return word << bits | word >> (64 - bits); }

static inline uint64_t folded(uint64_t left, uint64_t right) {
    unsigned __int128 product = (unsigned __int128)left * right;
    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

static uint64_t ended(uint64_t hash) {
    hash = (hash ^ hash >> 37) * MIX_1;
    return hash ^ hash >> 32;
}

/* Finalisation like that of XXH64. */
static uint64_t ended_short(uint64_t hash) {
    hash = (hash ^ hash >> 33) * primes64[1];
    hash = (hash ^ hash >> 29) * primes64[2];
    return hash ^ hash >> 32;
}

static uint64_t up_to_16(uint64_t seed, const uint8_t *data, size_t size) {
    const uint8_t *secret = own_secret;
    if (size > 8) {
        uint64_t low = load(data) ^ ((load(secret + 24) ^ load(secret + 32)) + seed);
        uint64_t high = load(data + size - 8) ^ ((load(secret + 40) ^ load(secret + 48)) - seed);
        return ended(size + __builtin_bswap64(low) + high + folded(low, high));
    }
    if (size >= 4) {
        seed ^= (uint64_t)__builtin_bswap32((uint32_t)seed) << 32;
        uint64_t hash = wl_load_le4(data + size - 4) + ((uint64_t)wl_load_le4(data) << 32);
        hash ^= (load(secret + 8) ^ load(secret + 16)) - seed;
        hash = (hash ^ rotated(hash, 49) ^ rotated(hash, 24)) * MIX_2;
        hash = (hash ^ ((hash >> 35) + size)) * MIX_2;
        return hash ^ hash >> 28;
    }
    if (size) {
        uint32_t bytes = (uint32_t)data[0] << 16 | (uint32_t)data[size >> 1] << 24 | data[size - 1] | (uint32_t)size << 8;
        return ended_short(bytes ^ ((uint64_t)(wl_load_le4(secret) ^ wl_load_le4(secret + 4)) + seed));
    }
    return ended_short(seed ^ load(secret + 56) ^ load(secret + 64));
}

static uint64_t mixed(uint64_t seed, const uint8_t *data, const uint8_t *secret) {
    return folded(load(data) ^ (load(secret) + seed), load(data + 8) ^ (load(secret + 8) - seed));
}

/* From both ends to the middle. */
static uint64_t up_to_128(uint64_t seed, const uint8_t *data, size_t size) {
    uint64_t hash = size * primes64[0];
    for (size_t i = (size - 1) / 32 + 1; i-- > 0;) {
        hash += mixed(seed, data + 16 * i, own_secret + 32 * i);
        hash += mixed(seed, data + size - 16 * (i + 1), own_secret + 32 * i + 16);
    }
    return ended(hash);
}

static uint64_t up_to_240(uint64_t seed, const uint8_t *data, size_t size) {
    uint64_t hash = size * primes64[0];
    for (size_t i = 0; i < 8; i++)
        hash += mixed(seed, data + 16 * i, own_secret + 16 * i);
    hash = ended(hash);
    for (size_t i = 8; i < size / 16; i++)
        hash += mixed(seed, data + 16 * i, own_secret + 16 * (i - 8) + 3);
    return ended(hash + mixed(seed, data + size - 16, own_secret + 136 - 17));
}

static void accumulate(uint64_t *lanes, const uint8_t *data, const uint8_t *secret) {
    for (size_t i = 0; i < 8; i++) {
        uint64_t word = load(data + 8 * i), key = word ^ load(secret + 8 * i);
        lanes[i ^ 1] += word;
        lanes[i] += (key & UINT32_MAX) * (key >> 32);
    }
}

static uint64_t long_hash(const uint8_t *secret, const uint8_t *data, size_t size) {
    uint64_t lanes[8] = {primes32[2], primes64[0], primes64[1], primes64[2],
                         primes64[3], primes32[1], primes64[4], primes32[0]};
    const size_t stripes = (size - 1) / STRIPE; /* the last stripe consists of the last bytes, whether or not it is a
                                                 * whole one */
    for (size_t i = 0; i < stripes; i++) {
        accumulate(lanes, data + STRIPE * i, secret + 8 * (i % STRIPES));
        for (size_t k = 0; i % STRIPES == STRIPES - 1 && k < 8; k++)
            lanes[k] = (lanes[k] ^ lanes[k] >> 47 ^ load(secret + SECRET - STRIPE + 8 * k)) * primes32[0];
    }
    accumulate(lanes, data + size - STRIPE, secret + SECRET - STRIPE - 7);
    uint64_t hash = size * primes64[0];
    for (size_t i = 0; i < 4; i++)
        hash += folded(lanes[2 * i] ^ load(secret + 11 + 16 * i), lanes[2 * i + 1] ^ load(secret + 19 + 16 * i));
    return ended(hash);
}

uint64_t wl_xxh3(uint64_t seed, const uint8_t *data, size_t size, const void *tables) {
    (void)tables;
    if (size <= 16)
        return up_to_16(seed, data, size);
    if (size <= 128)
        return up_to_128(seed, data, size);
    if (size <= 240)
        return up_to_240(seed, data, size);
    if (!seed)
        return long_hash(own_secret, data, size);
    uint8_t secret[SECRET];
    for (size_t i = 0; i < SECRET; i += 16) {
        wl_store8(secret + i, load(own_secret + i) + seed);
        wl_store8(secret + i + 8, load(own_secret + i + 8) - seed);
    }
    return long_hash(secret, data, size);
}
