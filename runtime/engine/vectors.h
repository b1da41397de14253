/* Copies in vectors, for functions that are compiled once per level. */
#ifndef WIRELOOM_VECTORS_H
#define WIRELOOM_VECTORS_H

#include "internal.h"

/* Any address will do. */
typedef uint8_t wl_vector16 __attribute__((vector_size(16), aligned(1), may_alias));
typedef uint8_t wl_vector32 __attribute__((vector_size(32), aligned(1), may_alias));
typedef uint8_t wl_vector64 __attribute__((vector_size(64), aligned(1), may_alias));

/* Copies `count` times WL_COPY_BLOCK bytes in vectors of `width`, which is a compile-time constant that the level
 * supports: if GCC has to split wider ones, it uses the stack. */
static inline __attribute__((always_inline)) void wl_copy_vectors(uint8_t *to, const uint8_t *from, size_t count,
                                                                  size_t width) {
    for (size_t i = 0; i < count * (WL_COPY_BLOCK / width); i++) {
        void *target = to + i * width;
        const void *source = from + i * width;
        if (width == sizeof(wl_vector64))
            *(wl_vector64 *)target = *(const wl_vector64 *)source;
        else if (width == sizeof(wl_vector32))
            *(wl_vector32 *)target = *(const wl_vector32 *)source;
        else
            *(wl_vector16 *)target = *(const wl_vector16 *)source;
    }
}

#define WL_COPY_STEP 4     /* in units of WL_COPY_BLOCK */
#define WL_COPY_STEPS_MOST 2048 /* maximum size in bytes of what is copied in such steps */

/* Like wl_copy(), in steps of several vectors: the fewer steps, the fewer branches that depend on the size. A step more
 * may be read and written. */
static inline __attribute__((always_inline)) void wl_copy_in_steps(uint8_t *to, const uint8_t *from, size_t size,
                                                                   size_t width) {
    if (size <= WL_COPY_BLOCK) {
        wl_copy_vectors(to, from, 1, width);
        return;
    }
    const uint8_t *end = from + size;
    do {
        wl_copy_vectors(to, from, WL_COPY_STEP, width);
        to += WL_COPY_STEP * WL_COPY_BLOCK;
        from += WL_COPY_STEP * WL_COPY_BLOCK;
    } while (from < end);
}

/* The same if there is that much room; otherwise byte by byte. */
static inline __attribute__((always_inline)) void wl_copy_steps(uint8_t *to, const uint8_t *from, size_t size,
                                                                size_t to_room, size_t from_room, size_t width) {
    if (WL_LIKELY(size <= WL_COPY_STEPS_MOST && to_room - size >= WL_COPY_STEP * WL_COPY_BLOCK &&
                  from_room - size >= WL_COPY_STEP * WL_COPY_BLOCK))
        wl_copy_in_steps(to, from, size, width);
    else if (size)
        memcpy(to, from, size);
}

#endif
