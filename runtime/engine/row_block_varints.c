/* Locates and reads the varints between two stretches of a row. */
#include "row_block_strings.h"
#include "varint.h"

INLINE int64_t value_of(const wl_block_varint *varint, uint64_t value) {
    return varint->zigzag ? wl_varint_signed(value) : (int64_t)value;
}

/* Reads a varint of any kind into the values; NULL if it needs a check. */
static const uint8_t *take_varint(wl_row_block *block, size_t number, const uint8_t *at, const uint8_t *limit, size_t row) {
    const wl_block_varint *varint = block->varints + number;
    uint64_t bytes;
    if (block->readable - at >= 8)
        bytes = wl_load_le8(at);
    else if (at < limit && *at < 0x80)
        bytes = *at;
    else
        return NULL;
    const unsigned last = wl_varint_last(bytes);
    if (last >= varint->plain || last >= limit - at)
        return NULL;
    block->values[number][row] = value_of(varint, wl_groups(wl_varint_bytes(bytes, last, varint->big_endian)));
    return at + last + 1;
}

LAYOUT(any_varints) {
    PASS;
    for (size_t i = 0; i < string->count; i++) {
        at = take_varint(block, string->first + i, at, limit, row);
        if (WL_UNLIKELY(!at))
            return NULL;
    }
    value = block->values[string->first + string->count - 1][row];
    string->begins[row] = at;
    GO_ON_WITH(string + 1);
}

/* Many: their ends are looked up for sixteen bytes at once, so they do not depend on each other. */
LAYOUT(many_varints) {
    PASS;
    size_t number = string->first;
    const size_t last_number = number + string->count;
    while (number < last_number && limit - at >= 16 + 8) {
        unsigned ends = wl_varint_ends(at), from = 0;
        for (; ends && number < last_number; ends &= ends - 1, number++) {
            const wl_block_varint *varint = block->varints + number;
            const unsigned last = (unsigned)__builtin_ctz(ends);
            if (WL_UNLIKELY(last - from >= varint->plain))
                return NULL;
            const uint64_t bytes = wl_varint_bytes(wl_load_le8(at + from), last - from, varint->big_endian);
            block->values[number][row] = value_of(varint, wl_groups(bytes));
            from = last + 1;
        }
        if (WL_UNLIKELY(!from))
            return NULL;
        at += from;
    }
    for (; number < last_number; number++) {
        at = take_varint(block, number, at, limit, row);
        if (WL_UNLIKELY(!at))
            return NULL;
    }
    value = block->values[last_number - 1][row];
    string->begins[row] = at;
    GO_ON_WITH(string + 1);
}

/* Those of one or two bytes, four at once, without branches on their sizes --------------------------------------- */

#define AT_ONCE 4

typedef struct {
    uint8_t lanes[2 * AT_ONCE]; /* for each of the first varints the numbers of its bytes; 0x80: none */
    uint8_t ends[AT_ONCE];      /* the number of bytes up to its end */
    uint8_t count;              /* number of varints before the first one that is longer, at most AT_ONCE */
} wl_short_varints;

/* By the bits of eight bytes: whether they end a varint. Written by wl_short_varints_start() only. */
static wl_short_varints short_ones[256];

void wl_short_varints_start(void) {
    for (unsigned ends = 0; ends < 256; ends++) {
        wl_short_varints *found = short_ones + ends;
        memset(found->lanes, 0x80, sizeof found->lanes);
        found->count = 0;
        for (unsigned at = 0; found->count < AT_ONCE && ends >> at & 3;) {
            const unsigned last = ends >> at & 1 ? at : at + 1;
            found->lanes[2 * found->count] = (uint8_t)at;
            if (last != at)
                found->lanes[2 * found->count + 1] = (uint8_t)last;
            at = found->ends[found->count++] = (uint8_t)(last + 1);
        }
    }
}

#if defined(__x86_64__)
#define AVX2 __attribute__((target("avx2")))

/* The values of the first four varints, 16 bits each. */
AVX2 INLINE __m128i short_values(__m128i bytes, const wl_short_varints *found, bool zigzag) {
    __m128i words = _mm_shuffle_epi8(bytes, _mm_loadl_epi64((const void *)found->lanes));
    words = _mm_or_si128(_mm_and_si128(words, _mm_set1_epi16(0x7F)),
                         _mm_and_si128(_mm_srli_epi16(words, 1), _mm_set1_epi16(0x3F80)));
    if (zigzag)
        words = _mm_xor_si128(_mm_srli_epi16(words, 1),
                              _mm_sub_epi16(_mm_setzero_si128(), _mm_and_si128(words, _mm_set1_epi16(1))));
    return words;
}

/* Reads the first `count` varints at `bytes`. Four values are stored: the others are those of later varints, which are
 * stored afterwards. Returns the number of bytes; 0: there are longer ones. */
AVX2 INLINE size_t take_four(int64_t (*values)[WL_ROW_BLOCK_ROWS], size_t row, __m128i bytes, unsigned ends,
                             size_t count, bool zigzag) {
    const wl_short_varints *found = short_ones + (ends & 0xFF);
    if (WL_UNLIKELY(found->count < count))
        return 0;
    const __m256i all = _mm256_cvtepi16_epi64(short_values(bytes, found, zigzag));
    const __m128i low = _mm256_castsi256_si128(all), high = _mm256_extracti128_si256(all, 1);
    _mm_storel_epi64((void *)&values[0][row], low);
    _mm_storeh_pd((void *)&values[1][row], _mm_castsi128_pd(low));
    _mm_storel_epi64((void *)&values[2][row], high);
    _mm_storeh_pd((void *)&values[3][row], _mm_castsi128_pd(high));
    return found->ends[count - 1];
}

/* Reads the varints from number `number` up to `end`; those that are longer, or near the end of the input, one by
 * one. */
AVX2 INLINE const uint8_t *take_short(wl_row_block *block, size_t number, size_t end, const uint8_t *at,
                                      const uint8_t *limit, size_t row, bool zigzag) {
    while (number < end) {
        const size_t first = wl_smaller(end - number, AT_ONCE), second = wl_smaller(end - number - first, AT_ONCE);
        size_t size = 0;
        if (WL_LIKELY(block->readable - at >= 16)) {
            const __m128i bytes = _mm_loadu_si128((const void *)at);
            const unsigned ends = ~(unsigned)_mm_movemask_epi8(bytes);
            size = take_four(block->values + number, row, bytes, ends, first, zigzag);
            at += size;
            number += size ? first : 0;
            if (size && second) {
                const __m128i rest = _mm_loadl_epi64((const void *)at);
                size = take_four(block->values + number, row, rest, ends >> size, second, zigzag);
                at += size;
                number += size ? second : 0;
            }
        }
        for (const size_t last = wl_smaller(end, number + AT_ONCE); !size && number < last; number++) {
            at = take_varint(block, number, at, limit, row);
            if (WL_UNLIKELY(!at))
                return NULL;
        }
    }
    return at > limit ? NULL : at;
}

#define SHORT_VARINTS(name, zigzag)                                                                                    \
    AVX2 LAYOUT(name) {                                                                                                \
        PASS;                                                                                                          \
        at = take_short(block, string->first, string->first + string->count, at, limit, row, zigzag);                  \
        if (WL_UNLIKELY(!at))                                                                                          \
            return NULL;                                                                                               \
        value = block->values[string->first + string->count - 1][row];                                                 \
        string->begins[row] = at;                                                                                      \
        GO_ON_WITH(string + 1);                                                                                        \
    }

SHORT_VARINTS(short_unsigned, false)
SHORT_VARINTS(short_signed, true)

static wl_layout short_varints(bool zigzag) {
    return !wl_chosen.has_avx2 ? NULL : zigzag ? short_signed : short_unsigned;
}

/* Rows that consist of one varint, four at once, from row number `row` at `at` on: their values, and where they and the
 * next row begin. Returns their number; the row after them, if there is one, is longer, or near an end. */
AVX2 INLINE size_t take_rows(wl_row_block *block, const wl_ahead *ahead, const uint8_t *at, size_t row, bool zigzag) {
    int64_t *const values = block->values[block->strings->first];
    const size_t first = row;
    while (ahead->rows - row >= AT_ONCE && block->readable - at >= 16) {
        const __m128i bytes = _mm_loadu_si128((const void *)at);
        const wl_short_varints *found = short_ones + (~(unsigned)_mm_movemask_epi8(bytes) & 0xFF);
        if (WL_UNLIKELY(found->count < AT_ONCE || found->ends[AT_ONCE - 1] > ahead->end - at))
            break;
        if (WL_UNLIKELY(found->ends[AT_ONCE - 2] >= ahead->last - at))
            break;
        _mm256_storeu_si256((void *)(values + row), _mm256_cvtepi16_epi64(short_values(bytes, found, zigzag)));
        int32_t ends;
        memcpy(&ends, found->ends, sizeof ends);
        const __m256i begins = _mm256_add_epi64(_mm256_set1_epi64x((int64_t)(uintptr_t)at),
                                                _mm256_cvtepu8_epi64(_mm_cvtsi32_si128(ends)));
        _mm256_storeu_si256((void *)(block->at[0] + row + 1), begins);
        _mm256_storeu_si256((void *)(block->at[1] + row), begins);
        at += found->ends[AT_ONCE - 1];
        row += AT_ONCE;
    }
    return row - first;
}

/* A bit for each of 64 bytes: whether it is the last one of a varint. */
#define SCANNED 64
/* The varints of a row, of two bytes each, are within them: otherwise no row would ever be taken. */
_Static_assert(2 * WL_MOST_BLOCK_VARINTS <= SCANNED, "rows of short varints are longer than what is looked up at once");

AVX2 INLINE uint64_t ends_of(const uint8_t *at) {
    const unsigned low = (unsigned)_mm256_movemask_epi8(_mm256_loadu_si256((const void *)at));
    const unsigned high = (unsigned)_mm256_movemask_epi8(_mm256_loadu_si256((const void *)(at + SCANNED / 2)));
    return ~(low | (uint64_t)high << 32);
}

/* The same for rows that consist of several varints, four varints at once. The ends of varints are looked up for many
 * bytes at once, so that a row waits only for the size of the previous one. */
AVX2 INLINE size_t take_long_rows(wl_row_block *block, const wl_ahead *ahead, const uint8_t *at, size_t row,
                                  bool zigzag) {
    int64_t(*const values)[WL_ROW_BLOCK_ROWS] = block->strings->values;
    const size_t first = row, count = block->strings->count, rows = ahead->rows;
    while (row < rows && ahead->last - at >= SCANNED && ahead->end - at >= SCANNED &&
           block->readable - at >= SCANNED + 8) {
        uint64_t ends = ends_of(at);
        const uint8_t *const last = at + SCANNED - 2 * count;
        for (; row < rows && at <= last; row++) {
            for (size_t number = 0; number < count; number += AT_ONCE) {
                const __m128i bytes = _mm_loadl_epi64((const void *)at);
                const size_t size =
                    take_four(values + number, row, bytes, (unsigned)ends, wl_smaller(count - number, AT_ONCE), zigzag);
                if (WL_UNLIKELY(!size))
                    return row - first;
                at += size;
                ends >>= size;
            }
            block->at[0][row + 1] = block->at[1][row] = at;
        }
    }
    return row - first;
}

#define SEVERAL_ROWS(name, take, zigzag)                                                                               \
    AVX2 static size_t name(wl_row_block *block, const wl_ahead *ahead, const uint8_t *at, size_t row) {               \
        return take(block, ahead, at, row, zigzag);                                                                    \
    }

SEVERAL_ROWS(unsigned_rows, take_rows, false)
SEVERAL_ROWS(signed_rows, take_rows, true)
SEVERAL_ROWS(long_unsigned_rows, take_long_rows, false)
SEVERAL_ROWS(long_signed_rows, take_long_rows, true)

static wl_several_rows several_rows(bool zigzag, size_t count) {
    if (!wl_chosen.has_avx2)
        return NULL;
    if (count == 1)
        return zigzag ? signed_rows : unsigned_rows;
    return zigzag ? long_signed_rows : long_unsigned_rows;
}
#else
static wl_several_rows several_rows(bool zigzag, size_t count) {
    (void)zigzag, (void)count;
    return NULL;
}

static wl_layout short_varints(bool zigzag) {
    (void)zigzag;
    return NULL;
}
#endif

/* Selection -------------------------------------------------------------------------------------------------------- */

#define MANY 4

bool wl_row_block_short_varints(const wl_row_block *block, const wl_string *string) {
    const bool zigzag = block->varints[string->first].zigzag;
    for (size_t i = string->first; i < string->first + string->count; i++) {
        const wl_block_varint *varint = block->varints + i;
        if (varint->big_endian || varint->plain < 2 || varint->zigzag != zigzag)
            return false;
    }
    return true;
}

wl_layout wl_row_block_varints(const wl_row_block *block, const wl_string *string) {
    const bool alike = wl_row_block_short_varints(block, string), zigzag = block->varints[string->first].zigzag;
    const wl_layout quick = alike ? short_varints(zigzag) : NULL;
    /* The next row waits for the sizes of the varints if these are all that its position depends on. */
    if (quick && string->count >= (block->string_count == 1 ? 3 : MANY))
        return quick;
    return string->count >= MANY ? many_varints : any_varints;
}

wl_several_rows wl_row_block_several_rows(const wl_row_block *block) {
    const wl_string *string = block->strings;
    const bool alone = block->string_count == 1 && string->kind == WL_BETWEEN_VARINTS &&
                       !string->before && !string->condition && !string->guard && !block->tail;
    const bool fits = 2 * string->count <= block->run->arguments->max_record;
    const bool locates = !block->sum_count && !block->copy_count && !block->known.is_known;
    return alone && fits && locates && wl_row_block_short_varints(block, string)
               ? several_rows(block->varints[string->first].zigzag, string->count)
               : NULL;
}
