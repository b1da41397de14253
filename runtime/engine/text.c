/* Whether bytes are text: what Python's strict "utf-8" and "ascii" codecs accept. */
#include "internal.h"

#define HIGH_BITS UINT64_C(0x8080808080808080)

/* Length of the run of ASCII at the start, in whole words of eight bytes. */
static size_t ascii_words(const uint8_t *text, size_t size) {
    size_t at = 0;
    while (size - at >= 8 && !(wl_load_le8(text + at) & HIGH_BITS))
        at += 8;
    return at;
}

bool wl_text_is_ascii(const uint8_t *text, size_t size) {
    for (size_t at = ascii_words(text, size); at < size; at++) {
        if (text[at] & 0x80)
            return false;
    }
    return true;
}

static bool continues(uint8_t byte) { return (byte & 0xC0) == 0x80; }

/* Overlong forms, surrogates and code points beyond U+10FFFF show in the second byte. */
size_t wl_text_character(const uint8_t *text, size_t size) {
    uint8_t first = text[0];
    if (first < 0x80)
        return 1;
    if (first < 0xC2 || first > 0xF4 || size < 2 || !continues(text[1]))
        return 0;
    if (first < 0xE0)
        return 2;
    if (size < 3 || !continues(text[2]))
        return 0;
    if (first < 0xF0)
        return (first == 0xE0 && text[1] < 0xA0) || (first == 0xED && text[1] > 0x9F) ? 0 : 3;
    if (size < 4 || !continues(text[3]))
        return 0;
    return (first == 0xF0 && text[1] < 0x90) || (first == 0xF4 && text[1] > 0x8F) ? 0 : 4;
}

bool wl_text_is_utf8(const uint8_t *text, size_t size) {
    for (size_t at = 0; at < size;) {
        at += ascii_words(text + at, size - at);
        /* The last word of the text, part of which may have been looked at. */
        if (size >= 8 && size - at < 8 && !(wl_load_le8(text + size - 8) & HIGH_BITS))
            return true;
        if (size >= 4 && size < 8 && !((wl_load_le4(text) | wl_load_le4(text + size - 4)) & (uint32_t)HIGH_BITS))
            return true;
        /* Byte by byte to the next word boundary, so that a single character does not cost a restart. */
        for (size_t i = 0; i < 8 && at < size; i++) {
            size_t step = wl_text_character(text + at, size - at);
            if (!step)
                return false;
            at += step;
        }
    }
    return true;
}
