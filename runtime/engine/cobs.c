/* Consistent overhead byte stuffing: bytes without 00. A block is a code n and n − 1 literals; behind every block but
 * the last one and those of the longest code, 255, a 00 is implied.
 *
 * Where the data ends with a longest block, the paper's listing writes a last code 01 and common implementations do
 * not; this one does not, and reads both. */
#include "internal.h"

#define LONGEST 254

static const uint8_t delimiter[1] = {0};

size_t wl_cobs_stuffed_bound(size_t size) { return size + 1 + size / LONGEST; }

size_t wl_cobs_stuff(const uint8_t *data, size_t size, uint8_t *out) {
    wl_scanner scanner;
    size_t at = 0, written = 0;
    wl_scanner_start(&scanner, data, 0, size, delimiter, 1);
    for (;;) {
        size_t found = wl_scanner_find(&scanner, at);
        size_t end = found == WL_NOT_FOUND ? size : found;
        for (; end - at >= LONGEST; at += LONGEST, written += LONGEST + 1) {
            out[written] = LONGEST + 1;
            memcpy(out + written + 1, data + at, LONGEST);
            /* Nothing may follow only where this block reaches the end of the data and no 00 is still to come. */
            if (at + LONGEST == size)
                return written + LONGEST + 1;
        }
        out[written++] = (uint8_t)(end - at + 1);
        if (end > at)
            memcpy(out + written, data + at, end - at);
        written += end - at;
        if (found == WL_NOT_FOUND)
            return written;
        at = found + 1;
    }
}

size_t wl_cobs_unstuff_within(const uint8_t *data, size_t size, uint8_t *out, size_t room, size_t readable,
                              bool without_zeros) {
    size_t at = 0, written = 0;
    while (at < size) {
        size_t code = data[at++];
        if (code == 0 || code - 1 > size - at)
            return WL_NOT_FOUND;
        if (!without_zeros && memchr(data + at, 0, code - 1))
            return WL_NOT_FOUND;
        wl_copy(out + written, data + at, code - 1, room - written, readable - at);
        written += code - 1;
        at += code - 1;
        if (code <= LONGEST && at < size)
            out[written++] = 0;
    }
    return written;
}

size_t wl_cobs_unstuff(const uint8_t *data, size_t size, uint8_t *out) {
    return wl_cobs_unstuff_within(data, size, out, size, size, false);
}
