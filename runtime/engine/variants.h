/* Functions with a variant per kind of processor, and the selected ones (cpu.c). Part of internal.h, which includes it
 * after the types that it uses. */
#ifndef WIRELOOM_VARIANTS_H
#define WIRELOOM_VARIANTS_H

/* Writes the position (relative to `from`) of every match that begins in [from, from + count) to `positions`; bytes up
 * to from + count + 1 … (size - 1 of them) may be read. Returns the number of matches. count ≤ WL_SCAN_BLOCK. */
#define WL_SCAN_BLOCK 8192
_Static_assert(WL_SCAN_BLOCK <= UINT16_MAX + 1, "positions in it have 16 bits");
typedef size_t (*wl_scan_function)(const uint8_t *from, size_t count, uint8_t first, uint8_t second,
                                   uint16_t *positions);

/* The number of positions to search at once if `wanted` are left and `readable` may be read: whole vectors if possible,
 * because a partial one is searched slowly. The caller ignores matches after `wanted`. */
static inline size_t wl_scan_count(size_t wanted, size_t readable) {
    wanted = wl_smaller(wanted, WL_SCAN_BLOCK);
    size_t whole = (wanted + 63) & ~(size_t)63;
    return whole <= readable ? whole : wanted;
}

/* Copies ranges one after another, with gaps of `gap` bytes of undefined contents. `largest` is the size of the largest
 * range in bytes; that many bytes plus WL_COPY_BLOCK may be read after each range, and written after the last copy. */
typedef void (*wl_copy_many_function)(uint8_t *to, size_t gap, const uint8_t *const *from, const uint32_t *sizes,
                                      size_t count, uint32_t largest);

/* Computes the states after `count` ranges, each of which starts from `state`: from begins[i] + begin up to
 * ends[i] + end. */
typedef void (*wl_crc_ranges)(uint64_t state, const uint8_t *const *begins, int64_t begin, const uint8_t *const *ends,
                              int64_t end, size_t count, uint64_t *states);

/* The product of two states of a CRC modulo its polynomial. */
typedef uint64_t (*wl_crc_multiply)(const wl_crc *crc, uint64_t left, uint64_t right);

/* Computes sixteen bytes whose CRC, starting from a state of zero, is that of `size` bytes starting from a state: at
 * least 64, a multiple of 16. For CRCs that process the lowest bit first. */
typedef void (*wl_crc_fold)(const wl_crc *crc, uint64_t state, const uint8_t *data, size_t size, uint8_t *folded);

/* Processes `count` blocks of 64 bytes of SHA-256. */
typedef void (*wl_sha256_function)(uint32_t *state, const uint8_t *data, size_t count);
extern const uint32_t wl_sha256_constants[64];

typedef struct {
    const char *level;
    const char *crc32c_name;
    const char *scan_name;
    wl_sum_function crc32c;
    wl_crc_ranges crc32c_ranges; /* NULL: no faster than one by one */
    wl_crc_multiply crc32c_multiply;
    wl_crc_fold crc_fold; /* NULL if there is none */
    wl_scan_function scan_pair; /* reads one byte after `count` */
    wl_scan_function scan_byte; /* `second` is not used */
    const wl_md5_variant *md5;
    /* Checksums and copies of a block's rows (row_block_bytes.c): of consecutive rows, which they search for, and of
     * the first `rows` current rows, after each of which `spare` bytes may be read. Return the number of valid rows. */
    size_t (*block_rows)(wl_row_block *block, const wl_ahead *ahead);
    size_t (*plain_rows)(wl_row_block *block, const wl_ahead *ahead); /* if wl_row_block.is_plain */
    size_t (*frame_rows)(wl_row_block *block, size_t rows, size_t spare);
    size_t (*copy_rows)(wl_row_block *block, size_t rows); /* only the copies, for rows that were chosen */
    /* Only the copies, for the first `rows` current rows, if all columns have copies of their own
     * (row_block_copies.c). */
    size_t (*copy_columns)(const wl_row_block *block, size_t rows);
    /* Computes the results of an expression for `rows` rows from number `first` on; false: some value has more than 64
     * bits or does not exist (row_block_expressions.c). */
    bool (*compute)(const wl_row_block *block, const wl_row_block_step *step, size_t first, size_t rows);
    wl_copy_many_function copy_many;
    wl_handler varint_columns;
    wl_handler varint;
    bool has_avx2;
    wl_sha256_function sha256; /* chosen separately: not all processors of a level have the instructions */
} wl_variant;

extern wl_variant wl_chosen;

/* The attribute that allows SSE4.2 in a function: newer versions of clang have a separate one for the crc32
 * instructions, which others do not support. */
#if defined(__clang__) && __clang_major__ >= 14
#define WL_SSE42 "sse4.2,crc32"
#else
#define WL_SSE42 "sse4.2"
#endif

void wl_copy_many_portable(uint8_t *, size_t, const uint8_t *const *, const uint32_t *, size_t, uint32_t);
void wl_copy_many_avx2(uint8_t *, size_t, const uint8_t *const *, const uint32_t *, size_t, uint32_t);
void wl_copy_many_avx512(uint8_t *, size_t, const uint8_t *const *, const uint32_t *, size_t, uint32_t);
void wl_sha256_portable(uint32_t *state, const uint8_t *data, size_t count);
void wl_sha256_x86(uint32_t *state, const uint8_t *data, size_t count);
uint64_t wl_crc32c_portable(uint64_t state, const uint8_t *data, size_t size, const void *tables);
uint64_t wl_crc32c_sse42(uint64_t state, const uint8_t *data, size_t size, const void *tables);
void wl_crc32c_ranges_avx512(uint64_t state, const uint8_t *const *begins, int64_t begin, const uint8_t *const *ends,
                             int64_t end, size_t count, uint64_t *states);
void wl_crc32c_ranges_sse42(uint64_t state, const uint8_t *const *begins, int64_t begin, const uint8_t *const *ends,
                            int64_t end, size_t count, uint64_t *states);
uint64_t wl_crc32c_avx512(uint64_t state, const uint8_t *data, size_t size, const void *tables);
uint64_t wl_crc32c_armv8(uint64_t state, const uint8_t *data, size_t size, const void *tables);
void wl_crc_fold_pclmul(const wl_crc *crc, uint64_t state, const uint8_t *data, size_t size, uint8_t *folded);
uint64_t wl_crc_multiply_portable(const wl_crc *crc, uint64_t left, uint64_t right);
uint64_t wl_crc32c_multiply_pclmul(const wl_crc *crc, uint64_t left, uint64_t right);
size_t wl_block_rows_portable(wl_row_block *, const wl_ahead *);
size_t wl_plain_rows_portable(wl_row_block *, const wl_ahead *);
size_t wl_plain_rows_avx2(wl_row_block *, const wl_ahead *);
size_t wl_plain_rows_avx512(wl_row_block *, const wl_ahead *);
size_t wl_frame_rows_portable(wl_row_block *, size_t, size_t);
size_t wl_copy_rows_portable(wl_row_block *, size_t);
size_t wl_copy_rows_avx2(wl_row_block *, size_t);
size_t wl_copy_rows_avx512(wl_row_block *, size_t);
size_t wl_copy_columns_portable(const wl_row_block *, size_t);
size_t wl_copy_columns_avx2(const wl_row_block *, size_t);
size_t wl_copy_columns_avx512(const wl_row_block *, size_t);
size_t wl_block_rows_avx2(wl_row_block *, const wl_ahead *);
size_t wl_frame_rows_avx2(wl_row_block *, size_t, size_t);
size_t wl_block_rows_avx512(wl_row_block *, const wl_ahead *);
size_t wl_frame_rows_avx512(wl_row_block *, size_t, size_t);
bool wl_compute_portable(const wl_row_block *, const wl_row_block_step *, size_t, size_t);
bool wl_compute_avx2(const wl_row_block *, const wl_row_block_step *, size_t, size_t);
void wl_crc_start(void);
void wl_crc32c_sse42_start(void);
void wl_crc32c_avx512_start(void);
void wl_short_varints_start(void);

extern wl_crc wl_crc32c;

size_t wl_scan_pair_portable(const uint8_t *, size_t, uint8_t, uint8_t, uint16_t *);
size_t wl_scan_byte_portable(const uint8_t *, size_t, uint8_t, uint8_t, uint16_t *);
size_t wl_scan_pair_sse2(const uint8_t *, size_t, uint8_t, uint8_t, uint16_t *);
size_t wl_scan_byte_sse2(const uint8_t *, size_t, uint8_t, uint8_t, uint16_t *);
size_t wl_scan_pair_avx2(const uint8_t *, size_t, uint8_t, uint8_t, uint16_t *);
size_t wl_scan_byte_avx2(const uint8_t *, size_t, uint8_t, uint8_t, uint16_t *);
size_t wl_scan_pair_avx512(const uint8_t *, size_t, uint8_t, uint8_t, uint16_t *);
size_t wl_scan_byte_avx512(const uint8_t *, size_t, uint8_t, uint8_t, uint16_t *);
size_t wl_scan_pair_neon(const uint8_t *, size_t, uint8_t, uint8_t, uint16_t *);
size_t wl_scan_byte_neon(const uint8_t *, size_t, uint8_t, uint8_t, uint16_t *);

#endif
