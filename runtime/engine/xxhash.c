/* xxHash of 32 and 64 bits (specification of its version 0.8), one lane of each accumulator after another. */
#include "sums.h"

#define ROTATED(word, bits) ((word) << (bits) | (word) >> (8 * sizeof(word) - (bits)))

static const uint32_t primes32[] = {0x9E3779B1, 0x85EBCA77, 0xC2B2AE3D, 0x27D4EB2F, 0x165667B1};
static const uint64_t primes64[] = {UINT64_C(0x9E3779B185EBCA87), UINT64_C(0xC2B2AE3D27D4EB4F),
                                    UINT64_C(0x165667B19E3779F9), UINT64_C(0x85EBCA77C2B2AE63),
                                    UINT64_C(0x27D4EB2F165667C5)};

static inline uint32_t round32(uint32_t lane, uint32_t word) {
    lane += word * primes32[1];
    return ROTATED(lane, 13) * primes32[0];
}

uint64_t wl_xxh32(uint64_t given, const uint8_t *data, size_t size, const void *tables) {
    const uint32_t seed = (uint32_t)given;
    const uint64_t whole = size;
    uint32_t hash = seed + primes32[4];
    (void)tables;
    if (size >= 16) {
        uint32_t lanes[4] = {seed + primes32[0] + primes32[1], seed + primes32[1], seed, seed - primes32[0]};
        for (; size >= 16; size -= 16, data += 16) {
            for (size_t i = 0; i < 4; i++)
                lanes[i] = round32(lanes[i], wl_load_le4(data + 4 * i));
        }
        hash = ROTATED(lanes[0], 1) + ROTATED(lanes[1], 7) + ROTATED(lanes[2], 12) + ROTATED(lanes[3], 18);
    }
    hash += (uint32_t)whole;
    for (; size >= 4; size -= 4, data += 4) {
        hash += wl_load_le4(data) * primes32[2];
        hash = ROTATED(hash, 17) * primes32[3];
    }
    for (; size; size--) {
        hash += *data++ * primes32[4];
        hash = ROTATED(hash, 11) * primes32[0];
    }
    hash = (hash ^ hash >> 15) * primes32[1];
    hash = (hash ^ hash >> 13) * primes32[2];
    return hash ^ hash >> 16;
}

static inline uint64_t round64(uint64_t lane, uint64_t word) {
    lane += word * primes64[1];
    return ROTATED(lane, 31) * primes64[0];
}

uint64_t wl_xxh64(uint64_t seed, const uint8_t *data, size_t size, const void *tables) {
    const uint64_t whole = size;
    uint64_t hash = seed + primes64[4];
    (void)tables;
    if (size >= 32) {
        uint64_t lanes[4] = {seed + primes64[0] + primes64[1], seed + primes64[1], seed, seed - primes64[0]};
        for (; size >= 32; size -= 32, data += 32) {
            for (size_t i = 0; i < 4; i++)
                lanes[i] = round64(lanes[i], wl_load_le8(data + 8 * i));
        }
        hash = ROTATED(lanes[0], 1) + ROTATED(lanes[1], 7) + ROTATED(lanes[2], 12) + ROTATED(lanes[3], 18);
        for (size_t i = 0; i < 4; i++)
            hash = (hash ^ round64(0, lanes[i])) * primes64[0] + primes64[3];
    }
    hash += whole;
    for (; size >= 8; size -= 8, data += 8) {
        hash ^= round64(0, wl_load_le8(data));
        hash = ROTATED(hash, 27) * primes64[0] + primes64[3];
    }
    if (size >= 4) {
        hash ^= wl_load_le4(data) * primes64[0];
        hash = ROTATED(hash, 23) * primes64[1] + primes64[2];
        data += 4;
        size -= 4;
    }
    for (; size; size--) {
        hash ^= *data++ * primes64[4];
        hash = ROTATED(hash, 11) * primes64[0];
    }
    hash = (hash ^ hash >> 33) * primes64[1];
    hash = (hash ^ hash >> 29) * primes64[2];
    return hash ^ hash >> 32;
}
