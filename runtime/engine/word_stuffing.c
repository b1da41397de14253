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

typedef struct {
    const uint8_t *data;
    size_t size;
    size_t readable; /* bytes that may be read at `data` */
    uint8_t *out;
    size_t room;
    size_t at;
    size_t written;
    size_t most; /* literals that the next block can have */
} stuffer;

static inline void put_block(stuffer *self, size_t run) {
    self->out[self->written++] = (uint8_t)(run % RADIX);
    if (self->most == LATER_MOST)
        self->out[self->written++] = (uint8_t)(run / RADIX);
    if (run)
        wl_copy(self->out + self->written, self->data + self->at, run, self->room - self->written,
                self->readable - self->at);
    self->written += run;
    self->at += run;
    self->most = LATER_MOST;
}

/* The blocks before the delimiter at `found`, which is swallowed, unless a longest block ends inside of it. */
static inline void put_blocks(stuffer *self, size_t found) {
    while (found + 2 > self->at + self->most)
        put_block(self, self->most);
    if (self->at <= found) {
        put_block(self, found - self->at);
        self->at += 2;
    }
}

size_t wl_word_stuff_within(const uint8_t *data, size_t size, uint8_t *out, size_t room, size_t readable) {
    stuffer self = {data, size, readable, out, room, 0, 0, FIRST_MOST};
    uint16_t positions[WL_SCAN_BLOCK];
    for (size_t scanned = 0; scanned + 1 < size; scanned += WL_SCAN_BLOCK) {
        size_t count = wl_scan_count(size - 1 - scanned, readable - 1 - scanned);
        size_t found = wl_chosen.scan_pair(data + scanned, count, delimiter[0], delimiter[1], positions);
        for (size_t i = 0; i < found && scanned + positions[i] + 1 < size; i++)
            put_blocks(&self, scanned + positions[i]);
    }
    /* A longest block says nothing about what follows, so another one does, be it empty. */
    while (size - self.at >= self.most)
        put_block(&self, self.most);
    put_block(&self, size - self.at);
    return self.written;
}

size_t wl_word_stuff(const uint8_t *data, size_t size, uint8_t *out) {
    return wl_word_stuff_within(data, size, out, wl_word_stuffed_bound(size), size);
}

/* Headers of empty blocks, four at a time: data that is full of the delimiter. Gives their number. */
static inline size_t put_delimiters(const uint8_t *headers, size_t size, uint8_t *out) {
    static const uint8_t four[8] = {0xFE, 0xFD, 0xFE, 0xFD, 0xFE, 0xFD, 0xFE, 0xFD};
    size_t at = 0;
    for (; size - at >= 8 && !wl_load_le8(headers + at); at += 8)
        memcpy(out + at, four, 8);
    return at / 2;
}

size_t wl_word_unstuff_within(const uint8_t *data, size_t size, uint8_t *out, size_t room, size_t readable) {
    if (size == 0 || data[0] > FIRST_MOST)
        return WL_NOT_FOUND;
    size_t at = 1, written = 0, run = data[0], most = FIRST_MOST;
    for (;;) {
        if (run > size - at)
            return WL_NOT_FOUND;
        if (run) {
            wl_copy(out + written, data + at, run, room - written, readable - at);
            written += run;
            at += run;
        } else if (most == LATER_MOST) {
            size_t empty = put_delimiters(data + at, size - at, out + written);
            written += 2 * empty;
            at += 2 * empty;
        }
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
