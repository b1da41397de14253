/* Consistent overhead byte stuffing: bytes without 00. A block is a code n and n − 1 literals; behind every block but
 * the last one and those of the longest code, 255, a 00 is implied.
 *
 * Where the data ends with a longest block, the paper's listing writes a last code 01 and common implementations do
 * not; this one does not, and reads both. */
#include "internal.h"

#define LONGEST 254

size_t wl_cobs_stuffed_bound(size_t size) { return size + 1 + size / LONGEST; }

typedef struct {
    const uint8_t *data;
    size_t size;
    size_t readable; /* bytes that may be read at `data` */
    uint8_t *out;
    size_t room;
    size_t at;
    size_t written;
} stuffer;

static inline void put_block(stuffer *self, size_t run) {
    self->out[self->written++] = (uint8_t)(run + 1);
    if (run)
        wl_copy(self->out + self->written, self->data + self->at, run, self->room - self->written,
                self->readable - self->at);
    self->written += run;
    self->at += run;
}

/* The blocks up to `end`. False: the last one is a longest one that ends the data, and nothing may follow it. */
static inline bool put_blocks(stuffer *self, size_t end) {
    while (end - self->at >= LONGEST) {
        put_block(self, LONGEST);
        if (self->at == self->size)
            return false;
    }
    put_block(self, end - self->at);
    return true;
}

size_t wl_cobs_stuff_within(const uint8_t *data, size_t size, uint8_t *out, size_t room, size_t readable) {
    stuffer self = {data, size, readable, out, room, 0, 0};
    uint16_t positions[WL_SCAN_BLOCK];
    for (size_t scanned = 0; scanned < size; scanned += WL_SCAN_BLOCK) {
        size_t count = wl_scan_count(size - scanned, readable - scanned);
        size_t found = wl_chosen.scan_byte(data + scanned, count, 0, 0, positions);
        for (size_t i = 0; i < found && scanned + positions[i] < size; i++) {
            put_blocks(&self, scanned + positions[i]);
            self.at++;
        }
    }
    put_blocks(&self, size);
    return self.written;
}

size_t wl_cobs_stuff(const uint8_t *data, size_t size, uint8_t *out) {
    return wl_cobs_stuff_within(data, size, out, wl_cobs_stuffed_bound(size), size);
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
