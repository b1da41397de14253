/* SHA-1 and SHA-256 (FIPS 180-4): used against damage, so not hardened for secrets. */
#include "sums.h"

#define BLOCK 64
#define LENGTH_AT (BLOCK - 8)
#define LEFT(word, bits) ((word) << (bits) | (word) >> (32 - (bits)))
#define RIGHT(word, bits) ((word) >> (bits) | (word) << (32 - (bits)))

const uint32_t wl_sha256_constants[64] = {
    0x428A2F98, 0x71374491, 0xB5C0FBCF, 0xE9B5DBA5, 0x3956C25B, 0x59F111F1, 0x923F82A4, 0xAB1C5ED5,
    0xD807AA98, 0x12835B01, 0x243185BE, 0x550C7DC3, 0x72BE5D74, 0x80DEB1FE, 0x9BDC06A7, 0xC19BF174,
    0xE49B69C1, 0xEFBE4786, 0x0FC19DC6, 0x240CA1CC, 0x2DE92C6F, 0x4A7484AA, 0x5CB0A9DC, 0x76F988DA,
    0x983E5152, 0xA831C66D, 0xB00327C8, 0xBF597FC7, 0xC6E00BF3, 0xD5A79147, 0x06CA6351, 0x14292967,
    0x27B70A85, 0x2E1B2138, 0x4D2C6DFC, 0x53380D13, 0x650A7354, 0x766A0ABB, 0x81C2C92E, 0x92722C85,
    0xA2BFE8A1, 0xA81A664B, 0xC24B8B70, 0xC76C51A3, 0xD192E819, 0xD6990624, 0xF40E3585, 0x106AA070,
    0x19A4C116, 0x1E376C08, 0x2748774C, 0x34B0BCB5, 0x391C0CB3, 0x4ED8AA4A, 0x5B9CCA4F, 0x682E6FF3,
    0x748F82EE, 0x78A5636F, 0x84C87814, 0x8CC70208, 0x90BEFFFA, 0xA4506CEB, 0xBEF9A3F7, 0xC67178F2,
};

static void block1(uint32_t *state, const uint8_t *block) {
    static const uint32_t constants[4] = {0x5A827999, 0x6ED9EBA1, 0x8F1BBCDC, 0xCA62C1D6};
    uint32_t words[80];
    for (int i = 0; i < 16; i++)
        words[i] = wl_load_be4(block + 4 * i);
    for (int i = 16; i < 80; i++) {
        uint32_t word = words[i - 3] ^ words[i - 8] ^ words[i - 14] ^ words[i - 16];
        words[i] = LEFT(word, 1);
    }
    uint32_t a = state[0], b = state[1], c = state[2], d = state[3], e = state[4];
    for (int i = 0; i < 80; i++) {
        uint32_t mixed = i < 20 ? (b & c) | (~b & d) : i < 40 || i >= 60 ? b ^ c ^ d : (b & c) | (b & d) | (c & d);
        uint32_t next = LEFT(a, 5) + mixed + e + constants[i / 20] + words[i];
        e = d;
        d = c;
        c = LEFT(b, 30);
        b = a;
        a = next;
    }
    const uint32_t added[5] = {a, b, c, d, e};
    for (int i = 0; i < 5; i++)
        state[i] += added[i];
}

/* One round: `d` and `h` change, and take other names in the next one. */
#define ROUND256(a, b, c, d, e, f, g, h, number)                                                                       \
    do {                                                                                                               \
        h += (RIGHT(e, 6) ^ RIGHT(e, 11) ^ RIGHT(e, 25)) + ((e & f) ^ (~e & g)) + wl_sha256_constants[number] + words[number]; \
        d += h;                                                                                                        \
        h += (RIGHT(a, 2) ^ RIGHT(a, 13) ^ RIGHT(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));                              \
    } while (0)

static void block256(uint32_t *state, const uint8_t *block) {
    uint32_t words[64];
    for (int i = 0; i < 16; i++)
        words[i] = wl_load_be4(block + 4 * i);
    for (int i = 16; i < 64; i++) {
        uint32_t early = words[i - 15], late = words[i - 2];
        words[i] = words[i - 16] + (RIGHT(early, 7) ^ RIGHT(early, 18) ^ early >> 3) + words[i - 7] +
                   (RIGHT(late, 17) ^ RIGHT(late, 19) ^ late >> 10);
    }
    uint32_t a = state[0], b = state[1], c = state[2], d = state[3], e = state[4], f = state[5], g = state[6],
             h = state[7];
    for (int i = 0; i < 64; i += 8) {
        ROUND256(a, b, c, d, e, f, g, h, i);
        ROUND256(h, a, b, c, d, e, f, g, i + 1);
        ROUND256(g, h, a, b, c, d, e, f, i + 2);
        ROUND256(f, g, h, a, b, c, d, e, i + 3);
        ROUND256(e, f, g, h, a, b, c, d, i + 4);
        ROUND256(d, e, f, g, h, a, b, c, i + 5);
        ROUND256(c, d, e, f, g, h, a, b, i + 6);
        ROUND256(b, c, d, e, f, g, h, a, i + 7);
    }
    const uint32_t added[8] = {a, b, c, d, e, f, g, h};
    for (int i = 0; i < 8; i++)
        state[i] += added[i];
}

static void blocks1(uint32_t *state, const uint8_t *data, size_t count) {
    for (size_t i = 0; i < count; i++)
        block1(state, data + i * BLOCK);
}

void wl_sha256_portable(uint32_t *state, const uint8_t *data, size_t count) {
    for (size_t i = 0; i < count; i++)
        block256(state, data + i * BLOCK);
}

/* Processes the last bytes, fewer than a block, of `size` in all, with the padding and the length in bits; then writes
 * the state, big-endian. */
static void finish(uint32_t *state, size_t words, wl_sha256_function run, const uint8_t *last, size_t size,
                   uint8_t *digest) {
    uint8_t end[2 * BLOCK] = {0};
    size_t left = size % BLOCK, ends = left < LENGTH_AT ? 1 : 2;
    if (left)
        memcpy(end, last, left);
    end[left] = 0x80;
    for (size_t i = 0; i < 8; i++)
        end[ends * BLOCK - 1 - i] = (uint8_t)((uint64_t)size << 3 >> 8 * i);
    run(state, end, ends);
    for (size_t i = 0; i < 4 * words; i++)
        digest[i] = (uint8_t)(state[i / 4] >> (24 - 8 * (i % 4)));
}

static void digest_of(uint32_t *state, size_t words, wl_sha256_function run, const uint8_t *data, size_t size,
                      uint8_t *digest) {
    size_t whole = size / BLOCK;
    run(state, data, whole);
    finish(state, words, run, data + whole * BLOCK, size, digest);
}

void wl_sha1(const uint8_t *data, size_t size, uint8_t *digest) {
    uint32_t state[5] = {0x67452301, 0xEFCDAB89, 0x98BADCFE, 0x10325476, 0xC3D2E1F0};
    digest_of(state, 5, blocks1, data, size, digest);
}

#define INITIAL {0x6A09E667, 0xBB67AE85, 0x3C6EF372, 0xA54FF53A, 0x510E527F, 0x9B05688C, 0x1F83D9AB, 0x5BE0CD19}

void wl_sha256(const uint8_t *data, size_t size, uint8_t *digest) {
    uint32_t state[8] = INITIAL;
    digest_of(state, 8, wl_chosen.sha256, data, size, digest);
}

void wl_sha256_parts(const wl_part *parts, size_t count, uint8_t *digest) {
    uint32_t state[8] = INITIAL;
    uint8_t held[BLOCK];
    size_t total = 0;
    for (size_t i = 0; i < count; i++) {
        const uint8_t *at = parts[i].at, *end = at + parts[i].size;
        while (at < end) {
            size_t used = total % BLOCK, size = (size_t)(end - at);
            if (!used && size >= BLOCK) {
                size = size / BLOCK * BLOCK;
                wl_chosen.sha256(state, at, size / BLOCK);
            } else {
                size = wl_smaller(size, BLOCK - used);
                memcpy(held + used, at, size);
                if (used + size == BLOCK)
                    wl_chosen.sha256(state, held, 1);
            }
            at += size;
            total += size;
        }
    }
    finish(state, 8, wl_chosen.sha256, held, total, digest);
}

void wl_sha256d(const uint8_t *data, size_t size, uint8_t *digest) {
    uint8_t first[32];
    wl_sha256(data, size, first);
    wl_sha256(first, sizeof first, digest);
}
