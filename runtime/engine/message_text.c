/* Text that must be UTF-8 but is invalid. */
#include "message_internal.h"

/* Number of bytes at the beginning of `text`, where no character begins, that are replaced by one U+FFFD: as many as
 * could have begun a character (Unicode's maximal subpart), at least one. */
static size_t broken_run(const uint8_t *text, size_t size) {
    uint8_t first = text[0];
    uint8_t low = first == 0xE0 ? 0xA0 : first == 0xF0 ? 0x90 : 0x80;
    uint8_t high = first == 0xED ? 0x9F : first == 0xF4 ? 0x8F : 0xBF;
    if (first < 0xC2 || first > 0xF4 || size < 2 || text[1] < low || text[1] > high)
        return 1;
    if (first < 0xF0 || size < 3 || (text[2] & 0xC0) != 0x80)
        return 2;
    return 3;
}

size_t wl_text_replaced(const uint8_t *text, size_t size, uint8_t *out) {
    size_t written = 0;
    for (size_t at = 0; at < size;) {
        size_t step = wl_text_character(text + at, size - at);
        if (out)
            memcpy(out + written, step ? text + at : (const uint8_t *)"\xEF\xBF\xBD", step ? step : 3);
        written += step ? step : 3;
        at += step ? step : broken_run(text + at, size - at);
    }
    return written;
}
