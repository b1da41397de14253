/* Values as JSON text. */
#include <stdlib.h>

#include "decimal.h"
#include "message_json.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

static void put_unsigned(wl_sink *to, uint64_t value) {
    char digits[20];
    size_t at = sizeof digits;
    do
        digits[--at] = (char)('0' + value % 10);
    while (value /= 10);
    wl_put(to, digits + at, sizeof digits - at);
}

static void put_signed(wl_sink *to, uint64_t value) {
    if (value >> 63)
        wl_put_byte(to, '-');
    put_unsigned(to, value >> 63 ? 0 - value : value);
}

static void put_float(wl_sink *to, double value, bool single) {
    if (__builtin_isnan(value)) {
        wl_put(to, "\"NaN\"", 5);
    } else if (__builtin_isinf(value)) {
        wl_put(to, value < 0 ? "\"-Infinity\"" : "\"Infinity\"", value < 0 ? 11 : 10);
    } else {
        char text[WL_MOST_DECIMAL];
        wl_put(to, text, wl_decimal(value, single, text));
    }
}

/* Whether a word has a byte that must be escaped in a JSON string. */
static inline bool has_special(uint64_t word) {
    const uint64_t ones = UINT64_C(0x0101010101010101), tops = ones << 7;
    uint64_t quote = word ^ (ones * '"'), slash = word ^ (ones * '\\');
    return (((word - ones * 0x20) & ~word) | ((quote - ones) & ~quote) | ((slash - ones) & ~slash)) & tops;
}

/* The number of bytes at the beginning of `text` that need no escape, up to `size`. */
static inline size_t plain_bytes(const uint8_t *text, size_t size) {
    size_t at = 0;
#if defined(__SSE2__)
    const __m128i quote = _mm_set1_epi8('"'), slash = _mm_set1_epi8('\\'), control = _mm_set1_epi8(0x1F);
    for (; size - at >= 16; at += 16) {
        const __m128i bytes = _mm_loadu_si128((const void *)(text + at));
        __m128i special = _mm_or_si128(_mm_cmpeq_epi8(bytes, quote), _mm_cmpeq_epi8(bytes, slash));
        special = _mm_or_si128(special, _mm_cmpeq_epi8(_mm_min_epu8(bytes, control), bytes));
        const int found = _mm_movemask_epi8(special);
        if (WL_UNLIKELY(found))
            return at + (size_t)__builtin_ctz((unsigned)found);
    }
#endif
    while (size - at >= 8 && WL_LIKELY(!has_special(wl_load_le8(text + at))))
        at += 8;
    while (at < size && text[at] >= 0x20 && text[at] != '"' && text[at] != '\\')
        at++;
    return at;
}

static void put_escaped(wl_sink *to, uint8_t byte) {
    static const char letters[] = "uuuuuuuubtnufruu";
    uint8_t escape[6] = {'\\', byte};
    if (byte >= 0x20) {
        wl_put(to, escape, 2);
        return;
    }
    escape[1] = byte < 0x10 ? (uint8_t)letters[byte] : 'u';
    if (escape[1] != 'u') {
        wl_put(to, escape, 2);
        return;
    }
    escape[2] = escape[3] = '0';
    escape[4] = (uint8_t)('0' + (byte >> 4));
    escape[5] = (uint8_t)"0123456789abcdef"[byte & 15];
    wl_put(to, escape, 6);
}

void wl_put_text(wl_sink *to, const uint8_t *text, size_t size) {
    wl_put_byte(to, '"');
    for (size_t at = 0;; at++) {
        const size_t plain = plain_bytes(text + at, size - at);
        wl_put(to, text + at, plain);
        at += plain;
        if (at == size)
            break;
        put_escaped(to, text[at]);
    }
    wl_put_byte(to, '"');
}

/* Text that need not be UTF-8. */
bool wl_put_any_text(wl_walk *walk, wl_sink *to, const uint8_t *text, size_t size) {
    if (WL_LIKELY(wl_text_is_utf8(text, size))) {
        wl_put_text(to, text, size);
        return true;
    }
    size_t real = wl_text_replaced(text, size, NULL);
    uint8_t *replaced = malloc(real);
    if (!replaced) {
        walk->no_memory = true;
        return false;
    }
    wl_text_replaced(text, size, replaced);
    wl_put_text(to, replaced, real);
    free(replaced);
    return true;
}

void wl_put_hex(wl_sink *to, const uint8_t *data, size_t size) {
    static const char digits[] = "0123456789abcdef";
    wl_put_byte(to, '"');
    for (size_t at = 0; at < size; at++) {
        wl_put_byte(to, (uint8_t)digits[data[at] >> 4]);
        wl_put_byte(to, (uint8_t)digits[data[at] & 15]);
    }
    wl_put_byte(to, '"');
}

void wl_put_base64(wl_sink *to, const uint8_t *data, size_t size) {
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    wl_put_byte(to, '"');
    for (size_t at = 0; at < size; at += 3) {
        size_t left = size - at;
        uint32_t bits = (uint32_t)data[at] << 16 | (left > 1 ? (uint32_t)data[at + 1] << 8 : 0) |
                        (left > 2 ? (uint32_t)data[at + 2] : 0);
        char four[4] = {digits[bits >> 18], digits[bits >> 12 & 63], left > 1 ? digits[bits >> 6 & 63] : '=',
                        left > 2 ? digits[bits & 63] : '='};
        wl_put(to, four, sizeof four);
    }
    wl_put_byte(to, '"');
}

void wl_put_number(wl_sink *to, unsigned kind, uint64_t value) {
    float single;
    double wide;
    uint32_t bits = (uint32_t)value;
    switch (kind) {
    case WL_KIND_DOUBLE:
        memcpy(&wide, &value, sizeof wide);
        put_float(to, wide, false);
        return;
    case WL_KIND_FLOAT:
        memcpy(&single, &bits, sizeof single);
        put_float(to, (double)single, true);
        return;
    case WL_KIND_BOOL:
        wl_put(to, value ? "true" : "false", value ? 4 : 5);
        return;
    case WL_KIND_UINT32:
    case WL_KIND_FIXED32:
        put_unsigned(to, value);
        return;
    case WL_KIND_UINT64:
    case WL_KIND_FIXED64:
        wl_put_byte(to, '"');
        put_unsigned(to, value);
        wl_put_byte(to, '"');
        return;
    case WL_KIND_INT64:
    case WL_KIND_SFIXED64:
    case WL_KIND_SINT64:
        wl_put_byte(to, '"');
        put_signed(to, value);
        wl_put_byte(to, '"');
        return;
    default:
        put_signed(to, value);
    }
}
