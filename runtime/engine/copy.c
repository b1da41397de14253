/* Copying many short ranges one behind the other, in whole vectors. What is copied too much is overwritten by the next
 * range, or lies behind the last one, where the caller has room. */
#include "internal.h"

/* Any address will do, and the compiler takes as many instructions for it as the processor needs. */
typedef uint8_t vector __attribute__((vector_size(WL_COPY_BLOCK), aligned(1), may_alias));

#define INLINE static inline __attribute__((always_inline))

INLINE void copy_vectors(uint8_t *to, const uint8_t *from, size_t count) {
    for (size_t i = 0; i < count; i++)
        ((vector *)(void *)to)[i] = ((const vector *)(const void *)from)[i];
}

/* As many vectors for each range as the largest needs: so no branch depends on a range's size. */
INLINE void copy_alike(uint8_t *to, const uint8_t *const *from, const uint32_t *sizes, size_t count, size_t each) {
    for (size_t i = 0; i < count; i++) {
        copy_vectors(to, from[i], each);
        to += sizes[i];
    }
}

INLINE void copy_many(uint8_t *to, const uint8_t *const *from, const uint32_t *sizes, size_t count, uint32_t largest) {
    switch ((largest + WL_COPY_BLOCK - 1) / WL_COPY_BLOCK) {
    case 0:
        return;
    case 1:
        copy_alike(to, from, sizes, count, 1);
        return;
    case 2:
        copy_alike(to, from, sizes, count, 2);
        return;
    case 3:
        copy_alike(to, from, sizes, count, 3);
        return;
    case 4:
        copy_alike(to, from, sizes, count, 4);
        return;
    default:
        for (size_t i = 0; i < count; i++) {
            copy_vectors(to, from[i], ((size_t)sizes[i] + WL_COPY_BLOCK - 1) / WL_COPY_BLOCK);
            to += sizes[i];
        }
    }
}

void wl_copy_many_portable(uint8_t *to, const uint8_t *const *from, const uint32_t *sizes, size_t count,
                           uint32_t largest) {
    copy_many(to, from, sizes, count, largest);
}

#if defined(__x86_64__)

__attribute__((target("avx2"))) void wl_copy_many_avx2(uint8_t *to, const uint8_t *const *from, const uint32_t *sizes,
                                                       size_t count, uint32_t largest) {
    copy_many(to, from, sizes, count, largest);
}

__attribute__((target("avx512f,avx512bw"))) void
wl_copy_many_avx512(uint8_t *to, const uint8_t *const *from, const uint32_t *sizes, size_t count, uint32_t largest) {
    copy_many(to, from, sizes, count, largest);
}

#endif
