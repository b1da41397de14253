/* Backtrace's word stuffing: bytes without FE FD. A record is blocks of literals with a header each; between a block
 * that is shorter than the longest and the next one, FE FD is implied.
 *
 * First header: one byte, the number of literals, 252 at most. Later headers: two bytes, low digit first, radix 253,
 * 64008 at most. A decoder takes what no encoder writes (low digits of 253 to 255, runs that could have been longer),
 * as the reference does. */
#include "internal.h"

#define FIRST_MOST 252
#define LATER_MOST 64008
#define RADIX 253

static const uint8_t delimiter[2] = {0xFE, 0xFD};

/* A header per block and the first one's byte; a block ends early only where it swallows two bytes for two. */
size_t wl_word_stuffed_bound(size_t size) { return size + 1 + 2 * (size / LATER_MOST + 1); }

/* Length of the run before the next delimiter that lies wholly inside data[0 … window), or the window. */
static size_t run_length(wl_scanner *scanner, size_t at, size_t window) {
    size_t found = wl_scanner_find(scanner, at);
    return found == WL_NOT_FOUND || found + 2 > at + window ? window : found - at;
}

size_t wl_word_stuff(const uint8_t *data, size_t size, uint8_t *out) {
    wl_scanner scanner;
    size_t at = 0, written = 0, most = FIRST_MOST, run;
    bool more;
    wl_scanner_start(&scanner, data, 0, size, delimiter, 2);
    do {
        size_t window = wl_smaller(most, size - at);
        run = run_length(&scanner, at, window);
        out[written++] = (uint8_t)(run % RADIX);
        if (most == LATER_MOST)
            out[written++] = (uint8_t)(run / RADIX);
        if (run)
            memcpy(out + written, data + at, run);
        written += run;
        at += run;
        /* A longest run says nothing about what follows, so another block does, be it empty. */
        more = run == most || at < size;
        if (run < most && more)
            at += 2;
        most = LATER_MOST;
    } while (more);
    return written;
}

size_t wl_word_unstuff_within(const uint8_t *data, size_t size, uint8_t *out, size_t room, size_t readable) {
    if (size == 0 || data[0] > FIRST_MOST)
        return WL_NOT_FOUND;
    size_t at = 1, written = 0, run = data[0], most = FIRST_MOST;
    for (;;) {
        if (run > size - at)
            return WL_NOT_FOUND;
        wl_copy(out + written, data + at, run, room - written, readable - at);
        written += run;
        at += run;
        if (run < most) {
            if (at == size)
                return written;
            /* Two bytes of header follow, or the input is refused: so this never writes more than `size`. */
            if (size - at < 2)
                return WL_NOT_FOUND;
            memcpy(out + written, delimiter, 2);
            written += 2;
        }
        if (size - at < 2)
            return WL_NOT_FOUND;
        run = data[at] + (size_t)RADIX * data[at + 1];
        at += 2;
        most = LATER_MOST;
        if (run > most)
            return WL_NOT_FOUND;
    }
}

size_t wl_word_unstuff(const uint8_t *data, size_t size, uint8_t *out) {
    return wl_word_unstuff_within(data, size, out, size, size);
}
