/* CRC-32C with carry-less products of 512-bit vectors (AVX-512, VBMI, VPCLMULQDQ: Ice Lake, Zen 4 and later).
 *
 * A message is a polynomial; a vector contains 64 bytes of it. Moving the vector by 64 bytes multiplies each of its
 * 64-bit halves by a power of x (two products), and then the next 64 bytes are added. The products are not reduced: at
 * the end the four lanes are moved to the position of the last one, and two crc32 instructions reduce the result.
 *
 * The remainder of the size modulo 64 comes first, after zeros, which change nothing. So there is no tail, and short
 * records of all sizes are processed without a branch on their size, except for the number of whole blocks. */
#include "crc.h"

#if defined(__x86_64__)
#include <immintrin.h>

#define SHORT 256
#define LEAST 16
#define AVX512 __attribute__((target(WL_SSE42 ",pclmul,avx512f,avx512bw,avx512vl,avx512vbmi,vpclmulqdq")))

/* Powers of x by which the low and the high half of a lane are moved; set once by wl_crc32c_avx512_start(), then
 * read-only. A product of reflected polynomials is one bit short, and the halves are 64 bits apart: hence the 31 and 33
 * in addition to the distance. */
static struct {
    uint64_t block[2];         /* 64 bytes */
    uint64_t blocks[2];        /* 256 bytes */
    uint64_t to_last[8];       /* per lane, to the position of the last lane; those of the last one are unused */
    uint64_t vectors[3][2];    /* 64, 128 and 192 bytes */
    uint64_t state[SHORT + 1]; /* x^(8n − 33): moves a state by n bytes; reduced together with the rest */
} powers;

static void set_powers(uint64_t *pair, uint64_t bits) {
    pair[0] = wl_crc_power(&wl_crc32c, bits + 31);
    pair[1] = wl_crc_power(&wl_crc32c, bits - 33);
}

void wl_crc32c_avx512_start(void) {
    set_powers(powers.block, 512);
    set_powers(powers.blocks, 2048);
    for (unsigned lane = 0; lane < 3; lane++)
        set_powers(powers.to_last + 2 * lane, 128 * (3 - lane));
    for (unsigned count = 0; count < 3; count++)
        set_powers(powers.vectors[count], 512 * (count + 1));
    static const uint8_t zero[1];
    powers.state[LEAST] = wl_crc_power(&wl_crc32c, LEAST * 8 - 33);
    for (size_t size = LEAST + 1; size <= SHORT; size++)
        powers.state[size] = wl_crc32c_portable(powers.state[size - 1], zero, 1, NULL);
}

AVX512 static inline __m512i load(const uint8_t *data) { return _mm512_loadu_si512((const void *)data); }

/* Moves the vector, and adds the bytes at its new position. */
AVX512 static inline __m512i move_on(__m512i vector, __m512i power, __m512i next) {
    __m512i low = _mm512_clmulepi64_epi128(vector, power, 0x00);
    __m512i high = _mm512_clmulepi64_epi128(vector, power, 0x11);
    return _mm512_ternarylogic_epi64(low, high, next, 0x96); /* all three added */
}

/* `more` is added to the last 64 bits. */
AVX512 static inline uint32_t reduce(__m512i vector, uint64_t more) {
    __m512i moved = move_on(vector, _mm512_loadu_si512((const void *)powers.to_last), _mm512_setzero_si512());
    __m128i sum = _mm_xor_si128(_mm512_extracti32x4_epi32(moved, 0), _mm512_extracti32x4_epi32(moved, 1));
    sum = _mm_ternarylogic_epi64(sum, _mm512_extracti32x4_epi32(moved, 2), _mm512_extracti32x4_epi32(vector, 3), 0x96);
    uint64_t state = _mm_crc32_u64(0, (uint64_t)_mm_cvtsi128_si64(sum));
    return (uint32_t)_mm_crc32_u64(state, (uint64_t)_mm_extract_epi64(sum, 1) ^ more);
}

AVX512 static inline __m512i both_halves(const uint64_t *pair) {
    return _mm512_broadcast_i32x4(_mm_loadu_si128((const __m128i *)(const void *)pair));
}

/* Four vectors in parallel, for data of 512 bytes and more; leaves less than 256 bytes to the caller. */
AVX512 __attribute__((noinline)) static __m512i long_data(__m512i first, const uint8_t **data, size_t *size) {
    const __m512i four = both_halves(powers.blocks), one = both_halves(powers.block);
    const uint8_t *at = *data;
    __m512i a = first, b = load(at), c = load(at + 64), d = load(at + 128);
    size_t left = *size - 192;
    for (at += 192; left >= 256; left -= 256, at += 256) {
        a = move_on(a, four, load(at));
        b = move_on(b, four, load(at + 64));
        c = move_on(c, four, load(at + 128));
        d = move_on(d, four, load(at + 192));
    }
    *data = at;
    *size = left;
    return move_on(move_on(move_on(a, one, b), one, c), one, d);
}

/* The vector that begins `before` bytes before the end of `size` bytes; bytes outside of these are zero. */
AVX512 static inline __m512i ending(const uint8_t *data, size_t size, size_t before) {
    uint64_t inside = size >= before ? ~UINT64_C(0) : before - size < 64 ? ~UINT64_C(0) << (before - size) : 0;
    return _mm512_maskz_loadu_epi8(inside, (const void *)((uintptr_t)data + size - before));
}

/* LEAST to SHORT bytes. The vectors are independent, and hardly any branch depends on the size, so that the processing
 * of many short ranges overlaps. */
AVX512 static inline uint32_t short_data(uint32_t state, const uint8_t *data, size_t size) {
    __m512i sum = ending(data, size, 64);
    sum = move_on(ending(data, size, 128), both_halves(powers.vectors[0]), sum);
    if (size > 128) {
        sum = move_on(ending(data, size, 192), both_halves(powers.vectors[1]), sum);
        __m512i first = move_on(ending(data, size, 256), both_halves(powers.vectors[2]), _mm512_setzero_si512());
        sum = _mm512_xor_si512(sum, first);
    }
    __m128i factor = _mm_cvtsi64_si128((long long)powers.state[size]);
    __m128i moved = _mm_clmulepi64_si128(_mm_cvtsi32_si128((int)state), factor, 0);
    return reduce(sum, (uint64_t)_mm_cvtsi128_si64(moved));
}

AVX512 __attribute__((noinline)) static uint32_t not_short(uint32_t state, const uint8_t *data, size_t size) {
    static const uint8_t counting[64] = {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15,
                                         16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31,
                                         32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47,
                                         48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63};
    size_t odd = (size - 1) % 64 + 1;
    /* The state is added to the first four bytes; what does not fit into the odd bytes is carried over to the next
     * block. */
    __m512i added = _mm512_zextsi128_si512(_mm_cvtsi32_si128((int)state));
    __m512i vector = _mm512_xor_si512(_mm512_maskz_loadu_epi8(~UINT64_C(0) >> (64 - odd), (const void *)data), added);
    __m512i from = _mm512_sub_epi8(load(counting), _mm512_set1_epi8((char)(64 - odd)));
    vector = _mm512_maskz_permutexvar_epi8(~UINT64_C(0) << (64 - odd), from, vector);
    data += odd;
    size -= odd;
    const __m512i one = both_halves(powers.block);
    uint32_t rest = (uint32_t)((uint64_t)state >> 8 * (odd < 4 ? odd : 4));
    vector = move_on(vector, one, _mm512_xor_si512(load(data), _mm512_zextsi128_si512(_mm_cvtsi32_si128((int)rest))));
    data += 64;
    size -= 64;
    if (size >= 512)
        vector = long_data(vector, &data, &size);
    for (; size; size -= 64, data += 64)
        vector = move_on(vector, one, load(data));
    return reduce(vector, 0);
}

AVX512 uint64_t wl_crc32c_avx512(uint64_t state, const uint8_t *data, size_t size, const void *tables) {
    if (size < LEAST)
        return wl_crc32c_sse42(state, data, size, tables);
    if (size <= SHORT)
        return short_data(state, data, size);
    return not_short(state, data, size);
}

/* Without a call for each short range. */
AVX512 void wl_crc32c_ranges_avx512(uint64_t state, const uint8_t *const *begins, int64_t begin,
                                    const uint8_t *const *ends, int64_t end, size_t count, uint64_t *states) {
    if (begins == ends && (uint64_t)(end - begin) < LEAST) {
        wl_crc32c_ranges_sse42(state, begins, begin, ends, end, count, states);
        return;
    }
    for (size_t i = 0; i < count; i++) {
        const uint8_t *data = begins[i] + begin;
        const size_t size = (size_t)(ends[i] + end - data);
        states[i] = WL_LIKELY(size >= LEAST && size <= SHORT) ? short_data((uint32_t)state, data, size)
                                                              : wl_crc32c_avx512(state, data, size, NULL);
    }
}

#endif

/* ISO C forbids an empty file, which this would be on other processors. */
typedef int wl_crc32c_avx512_not_empty;
