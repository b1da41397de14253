/* CRCs that process the lowest bit of each byte first, of any polynomial, by carry-less products: 64 bytes are reduced
 * to 16 with the same CRC.
 *
 * Sixteen bytes are a polynomial A·x^64 + B. Moved by n bits they are A·x^(n+64) + B·x^n, and the powers of x may be
 * reduced: then both products fit into sixteen bytes again, and are added to the bytes at that position. The product of
 * two reflected numbers is one bit too low, so the factors have one power less. */
#include "crc.h"

#if defined(__x86_64__)
#include <immintrin.h>

#define PCLMUL __attribute__((target("sse4.2,pclmul")))

PCLMUL static inline __m128i load(const uint8_t *data) { return _mm_loadu_si128((const __m128i *)data); }

PCLMUL static inline __m128i moved(__m128i bytes, __m128i factors, __m128i onto) {
    __m128i first = _mm_clmulepi64_si128(bytes, factors, 0x00), second = _mm_clmulepi64_si128(bytes, factors, 0x11);
    return _mm_xor_si128(_mm_xor_si128(first, second), onto);
}

PCLMUL void wl_crc_fold_pclmul(const wl_crc *crc, uint64_t state, const uint8_t *data, size_t size, uint8_t *folded) {
    const __m128i far = load((const uint8_t *)crc->fold_far), near = load((const uint8_t *)crc->fold_near);
    __m128i a = _mm_xor_si128(load(data), _mm_cvtsi64_si128((long long)state));
    __m128i b = load(data + 16), c = load(data + 32), d = load(data + 48);
    const uint8_t *end = data + size;
    for (data += 64; end - data >= 64; data += 64) {
        a = moved(a, far, load(data));
        b = moved(b, far, load(data + 16));
        c = moved(c, far, load(data + 32));
        d = moved(d, far, load(data + 48));
    }
    a = moved(moved(moved(a, near, b), near, c), near, d);
    for (; end - data >= 16; data += 16)
        a = moved(a, near, load(data));
    _mm_storeu_si128((__m128i *)folded, a);
}

#endif

/* ISO C forbids an empty file, which this would be on other processors. */
typedef int wl_crc_fold_x86_not_empty;
