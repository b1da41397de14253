/* SHA-256 with the instructions for it: two rounds each, over a state whose words are in the order that they take. */
#include "sums.h"

#if defined(__x86_64__)
#include <immintrin.h>

#define SHA __attribute__((target("sha,sse4.1")))

typedef struct {
    __m128i abef, cdgh;
} halves;

SHA static inline __m128i load(const void *at) { return _mm_loadu_si128((const __m128i *)at); }

/* Four rounds, with four words of the schedule. */
SHA static inline void rounds(halves *state, __m128i words, int number) {
    const __m128i sum = _mm_add_epi32(words, load(wl_sha256_constants + number));
    state->cdgh = _mm_sha256rnds2_epu32(state->cdgh, state->abef, sum);
    state->abef = _mm_sha256rnds2_epu32(state->abef, state->cdgh, _mm_shuffle_epi32(sum, 0x0E));
}

/* The four words after the last sixteen. */
SHA static inline __m128i next(__m128i first, __m128i second, __m128i third, __m128i fourth) {
    const __m128i begun = _mm_add_epi32(_mm_sha256msg1_epu32(first, second), _mm_alignr_epi8(fourth, third, 4));
    return _mm_sha256msg2_epu32(begun, fourth);
}

SHA static inline void block(halves *state, const uint8_t *data) {
    const __m128i order = _mm_set_epi64x(0x0C0D0E0F08090A0B, 0x0405060700010203);
    const halves before = *state;
    __m128i w0 = _mm_shuffle_epi8(load(data), order), w1 = _mm_shuffle_epi8(load(data + 16), order),
            w2 = _mm_shuffle_epi8(load(data + 32), order), w3 = _mm_shuffle_epi8(load(data + 48), order);
    for (int i = 0; i < 64; i += 16) {
        rounds(state, w0, i);
        rounds(state, w1, i + 4);
        rounds(state, w2, i + 8);
        rounds(state, w3, i + 12);
        w0 = next(w0, w1, w2, w3);
        w1 = next(w1, w2, w3, w0);
        w2 = next(w2, w3, w0, w1);
        w3 = next(w3, w0, w1, w2);
    }
    state->abef = _mm_add_epi32(state->abef, before.abef);
    state->cdgh = _mm_add_epi32(state->cdgh, before.cdgh);
}

SHA void wl_sha256_x86(uint32_t *state, const uint8_t *data, size_t count) {
    const __m128i cdab = _mm_shuffle_epi32(load(state), 0xB1), hgfe = _mm_shuffle_epi32(load(state + 4), 0x1B);
    halves now = {_mm_alignr_epi8(cdab, hgfe, 8), _mm_blend_epi16(hgfe, cdab, 0xF0)};
    for (size_t i = 0; i < count; i++)
        block(&now, data + 64 * i);
    const __m128i feba = _mm_shuffle_epi32(now.abef, 0x1B), dchg = _mm_shuffle_epi32(now.cdgh, 0xB1);
    _mm_storeu_si128((__m128i *)state, _mm_blend_epi16(feba, dchg, 0xF0));
    _mm_storeu_si128((__m128i *)(state + 4), _mm_alignr_epi8(dchg, feba, 8));
}
#endif
