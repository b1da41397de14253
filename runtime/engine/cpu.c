/* Selects the variants for this processor once, at start. */
#include <stdio.h>

#include "handlers.h"

#if defined(__x86_64__)
#include <cpuid.h>
#endif
#if defined(__aarch64__) && defined(__linux__)
#include <sys/auxv.h>
#ifndef HWCAP_CRC32
#define HWCAP_CRC32 (1 << 7)
#endif
#endif

/* Written by wl_start() only. */
wl_variant wl_chosen;

/* In ascending order of speed. */
static const wl_variant variants[] = {
    {"portable", "portable", "portable", wl_crc32c_portable, NULL, wl_crc_multiply_portable, NULL, wl_scan_pair_portable,
     wl_scan_byte_portable, &wl_md5_portable, wl_block_rows_portable, wl_plain_rows_portable, wl_frame_rows_portable,
     wl_copy_rows_portable, wl_copy_columns_portable, wl_compute_portable, wl_copy_many_portable,
     wl_varint_columns_portable, wl_varint_portable, false, wl_sha256_portable},
#if defined(__x86_64__)
    {"sse4.2", "sse4.2", "sse2", wl_crc32c_sse42, wl_crc32c_ranges_sse42, wl_crc32c_multiply_pclmul, wl_crc_fold_pclmul, wl_scan_pair_sse2, wl_scan_byte_sse2,
     &wl_md5_sse2, wl_block_rows_portable, wl_plain_rows_portable, wl_frame_rows_portable,
     wl_copy_rows_portable, wl_copy_columns_portable, wl_compute_portable, wl_copy_many_portable,
     wl_varint_columns_portable, wl_varint_portable, false, wl_sha256_portable},
    {"avx2", "sse4.2", "avx2", wl_crc32c_sse42, wl_crc32c_ranges_sse42, wl_crc32c_multiply_pclmul, wl_crc_fold_pclmul, wl_scan_pair_avx2, wl_scan_byte_avx2,
     &wl_md5_avx2, wl_block_rows_avx2, wl_plain_rows_avx2, wl_frame_rows_avx2,
     wl_copy_rows_avx2, wl_copy_columns_avx2, wl_compute_avx2, wl_copy_many_avx2,
     wl_varint_columns_portable, wl_varint_portable, true, wl_sha256_portable},
    {"avx512", "avx512", "avx512", wl_crc32c_avx512, wl_crc32c_ranges_avx512, wl_crc32c_multiply_pclmul, wl_crc_fold_pclmul, wl_scan_pair_avx512,
     wl_scan_byte_avx512, &wl_md5_avx512, wl_block_rows_avx512, wl_plain_rows_avx512, wl_frame_rows_avx512,
     wl_copy_rows_avx512, wl_copy_columns_avx512, wl_compute_avx2, wl_copy_many_avx512,
     wl_varint_columns_bmi2, wl_varint_bmi2, true, wl_sha256_portable},
#elif defined(__aarch64__)
    {"armv8", "armv8", "neon", wl_crc32c_armv8, NULL, wl_crc_multiply_portable, NULL, wl_scan_pair_neon, wl_scan_byte_neon,
     &wl_md5_neon, wl_block_rows_portable, wl_plain_rows_portable, wl_frame_rows_portable,
     wl_copy_rows_portable, wl_copy_columns_portable, wl_compute_portable, wl_copy_many_portable,
     wl_varint_columns_portable, wl_varint_portable, false, wl_sha256_portable},
#endif
};
#define VARIANTS (sizeof variants / sizeof *variants)

static bool is_supported(size_t index) {
    if (index == 0)
        return true;
#if defined(__x86_64__)
    __builtin_cpu_init();
    bool sse42 = __builtin_cpu_supports("sse4.2") && __builtin_cpu_supports("pclmul");
    if (index == 1)
        return sse42;
    if (index == 2)
        return sse42 && __builtin_cpu_supports("avx2");
    /* All instructions that any file uses, so that one level corresponds to one kind of processor: Ice Lake, Zen 4 and
     * later. */
    return sse42 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512vbmi") &&
           __builtin_cpu_supports("vpclmulqdq") && __builtin_cpu_supports("bmi2");
#elif defined(__aarch64__) && defined(__linux__)
    return getauxval(AT_HWCAP) & HWCAP_CRC32;
#else
    return true;
#endif
}

const char *wl_level_at(size_t index) {
    for (size_t i = 0; i < VARIANTS; i++) {
        if (is_supported(i) && index-- == 0)
            return variants[i].level;
    }
    return NULL;
}

#if defined(__x86_64__)
/* Whether there are instructions for SHA-256. */
static bool has_sha(void) {
    unsigned a, b, c, d;
    return __get_cpuid_count(7, 0, &a, &b, &c, &d) && b & 1u << 29;
}
#endif

static void choose(const wl_variant *variant) {
    wl_chosen = *variant;
#if defined(__x86_64__)
    if (variant != variants && has_sha())
        wl_chosen.sha256 = wl_sha256_x86;
#endif
    wl_crc_start();
    wl_short_varints_start();
#if defined(__x86_64__)
    wl_crc32c_sse42_start();
    wl_crc32c_avx512_start();
#endif
}

bool wl_start(const char *level, char *message, size_t message_size) {
    size_t best = 0;
    if (level && !strcmp(level, "neon"))
        level = "armv8";
    for (size_t i = 0; i < VARIANTS; i++) {
        if (!is_supported(i))
            continue;
        best = i;
        if (level && !strcmp(level, variants[i].level)) {
            choose(variants + i);
            return true;
        }
    }
    if (level && *level) {
        int used = snprintf(message, message_size, "there is no variant \"%s\" here; there are", level);
        for (size_t i = 0; wl_level_at(i) && used > 0 && (size_t)used < message_size; i++)
            used += snprintf(message + used, message_size - (size_t)used, "%s %s", i ? "," : "", wl_level_at(i));
        return false;
    }
    choose(variants + best);
    return true;
}

const char *wl_level(void) { return wl_chosen.level; }
const char *wl_crc32c_name(void) { return wl_chosen.crc32c_name; }
const char *wl_scan_name(void) { return wl_chosen.scan_name; }
const char *wl_md5_name(void) { return wl_chosen.md5->name; }
