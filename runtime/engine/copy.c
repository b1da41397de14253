/* Copies many short ranges one after another, in whole vectors. Excess bytes are overwritten by the next range, or are
 * after the last one, where the caller provides room. */
#include "vectors.h"

#define INLINE static inline __attribute__((always_inline))

/* Copies as many vectors for each range as the largest needs, so that no branch depends on a range's size. */
INLINE void copy_alike(uint8_t *to, size_t gap, const uint8_t *const *from, const uint32_t *sizes, size_t count,
                       size_t each, size_t width) {
    for (size_t i = 0; i < count; i++) {
        wl_copy_vectors(to, from[i], each, width);
        to += sizes[i] + gap;
    }
}

INLINE void copy_many(uint8_t *to, size_t gap, const uint8_t *const *from, const uint32_t *sizes, size_t count,
                      uint32_t largest, size_t width) {
    switch ((largest + WL_COPY_BLOCK - 1) / WL_COPY_BLOCK) {
    case 0:
        return;
    case 1:
        copy_alike(to, gap, from, sizes, count, 1, width);
        return;
    case 2:
        copy_alike(to, gap, from, sizes, count, 2, width);
        return;
    case 3:
        copy_alike(to, gap, from, sizes, count, 3, width);
        return;
    case 4:
        copy_alike(to, gap, from, sizes, count, 4, width);
        return;
    default:
        for (size_t i = 0; i < count; i++) {
            wl_copy_vectors(to, from[i], ((size_t)sizes[i] + WL_COPY_BLOCK - 1) / WL_COPY_BLOCK, width);
            to += sizes[i] + gap;
        }
    }
}

void wl_copy_many_portable(uint8_t *to, size_t gap, const uint8_t *const *from, const uint32_t *sizes, size_t count,
                           uint32_t largest) {
    copy_many(to, gap, from, sizes, count, largest, sizeof(wl_vector16));
}

#if defined(__x86_64__)

__attribute__((target("avx2"))) void wl_copy_many_avx2(uint8_t *to, size_t gap, const uint8_t *const *from,
                                                       const uint32_t *sizes, size_t count, uint32_t largest) {
    copy_many(to, gap, from, sizes, count, largest, sizeof(wl_vector32));
}

__attribute__((target("avx512f,avx512bw"))) void wl_copy_many_avx512(uint8_t *to, size_t gap,
                                                                     const uint8_t *const *from, const uint32_t *sizes,
                                                                     size_t count, uint32_t largest) {
    copy_many(to, gap, from, sizes, count, largest, sizeof(wl_vector64));
}

#endif
