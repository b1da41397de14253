/* CRC-32C with ARMv8's crc32c instructions, eight bytes at a time. */
#include "internal.h"

#if defined(__aarch64__)

/* The two compilers specify the target differently, and arm_acle.h provides the functions only if it is enabled. */
#if defined(__clang__)
#define WITH_CRC __attribute__((target("crc")))
#define CRC8(state, value) __builtin_arm_crc32cd(state, value)
#define CRC1(state, value) __builtin_arm_crc32cb(state, value)
#else
#define WITH_CRC __attribute__((target("+crc")))
#define CRC8(state, value) __builtin_aarch64_crc32cx(state, value)
#define CRC1(state, value) __builtin_aarch64_crc32cb(state, value)
#endif

WITH_CRC uint64_t wl_crc32c_armv8(uint64_t before, const uint8_t *data, size_t size, const void *tables) {
    uint32_t state = (uint32_t)before;
    (void)tables;
    for (; size >= 32; data += 32, size -= 32) {
        state = CRC8(state, wl_load_le8(data));
        state = CRC8(state, wl_load_le8(data + 8));
        state = CRC8(state, wl_load_le8(data + 16));
        state = CRC8(state, wl_load_le8(data + 24));
    }
    for (; size >= 8; data += 8, size -= 8)
        state = CRC8(state, wl_load_le8(data));
    for (; size; size--)
        state = CRC1(state, *data++);
    return state;
}

#endif

/* ISO C forbids an empty file, which this would be on other processors. */
typedef int wl_crc32c_armv8_not_empty;
