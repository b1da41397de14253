/* Reading and writing integers of either byte order at any address, and copying short runs of bytes.
 *
 * Loads are written as shifts, which is correct on every host, and compilers turn them into one instruction. Stores
 * into columns use the host's order (Arrow's), through memcpy since nothing guarantees alignment. */
#ifndef WIRELOOM_BYTES_H
#define WIRELOOM_BYTES_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define WL_LIKELY(condition) __builtin_expect(!!(condition), 1)
#define WL_UNLIKELY(condition) __builtin_expect(!!(condition), 0)

/* Before a loop: unrolls it four times. */
#if defined(__clang__)
#define WL_UNROLL _Pragma("clang loop unroll_count(4)")
#else
#define WL_UNROLL _Pragma("GCC unroll 4")
#endif

static inline size_t wl_smaller(size_t left, size_t right) { return left < right ? left : right; }

static inline uint16_t wl_load_le2(const uint8_t *at) { return (uint16_t)(at[0] | at[1] << 8); }
static inline uint16_t wl_load_be2(const uint8_t *at) { return (uint16_t)(at[0] << 8 | at[1]); }

static inline uint32_t wl_load_le4(const uint8_t *at) {
    return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

static inline uint32_t wl_load_be4(const uint8_t *at) {
    return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | (uint32_t)at[3];
}

static inline uint64_t wl_load_le8(const uint8_t *at) {
    return (uint64_t)at[0] | (uint64_t)at[1] << 8 | (uint64_t)at[2] << 16 | (uint64_t)at[3] << 24 |
           (uint64_t)at[4] << 32 | (uint64_t)at[5] << 40 | (uint64_t)at[6] << 48 | (uint64_t)at[7] << 56;
}

static inline uint64_t wl_load_be8(const uint8_t *at) {
    return (uint64_t)at[0] << 56 | (uint64_t)at[1] << 48 | (uint64_t)at[2] << 40 | (uint64_t)at[3] << 32 |
           (uint64_t)at[4] << 24 | (uint64_t)at[5] << 16 | (uint64_t)at[6] << 8 | (uint64_t)at[7];
}

static inline void wl_store2(uint8_t *at, uint16_t value) { memcpy(at, &value, sizeof value); }
static inline void wl_store4(uint8_t *at, uint32_t value) { memcpy(at, &value, sizeof value); }
static inline void wl_store8(uint8_t *at, uint64_t value) { memcpy(at, &value, sizeof value); }

static inline uint32_t wl_load4(const uint8_t *at) {
    uint32_t value;
    memcpy(&value, at, sizeof value);
    return value;
}

#define WL_COPY_BLOCK 64
#define WL_COPY_SHORT 1024

/* Copies `size` bytes. `from_room` and `to_room` are the numbers of bytes that may be read at `from` and written at
 * `to` (at least `size`): if both have a block to spare, a short copy uses whole blocks and needs no call. Bytes
 * written after `size` are garbage, which the caller overwrites or never shows. */
static inline void wl_copy(uint8_t *to, const uint8_t *from, size_t size, size_t to_room, size_t from_room) {
    if (WL_LIKELY(size <= WL_COPY_SHORT && to_room - size >= WL_COPY_BLOCK && from_room - size >= WL_COPY_BLOCK)) {
        const uint8_t *end = from + size;
        do {
            memcpy(to, from, WL_COPY_BLOCK);
            to += WL_COPY_BLOCK;
            from += WL_COPY_BLOCK;
        } while (from < end);
    } else if (size) {
        memcpy(to, from, size);
    }
}

#endif
