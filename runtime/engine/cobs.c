/* Consistent overhead byte stuffing: bytes without 00. A block is a code n and n − 1 literals; after every block except
 * the last one and those with the longest code, 255, a 00 is implied.
 *
 * In both directions, all codes except the first one and those after longest blocks are at the position of a 00.
 *
 * If the data ends with a longest block, the listing in the paper writes a last code 01 and common implementations do
 * not. This one does not, and reads both. */
#include "stuffing.h"

#define LONGEST 254
/* Number of bytes beyond those needed that are copied at once. After a longest block they would be misplaced. */
#define AHEAD 256

size_t wl_cobs_stuffed_bound(size_t size) { return size + 1 + size / LONGEST; }

typedef struct {
    wl_mover move;
    size_t at; /* the first literal of the current block; its code is before it */
} stuffer;

static inline void put_block(stuffer *self, size_t run) {
    wl_move_until(&self->move, self->at + run, run == LONGEST ? 0 : AHEAD);
    self->move.out[self->at + self->move.distance - 1] = (uint8_t)(run + 1);
    self->at += run;
}

/* Writes the blocks up to `end`. False: the last one is a longest block that ends the data, and nothing may follow
 * it. */
static inline bool put_blocks(stuffer *self, size_t end) {
    while (WL_UNLIKELY(end - self->at >= LONGEST)) {
        put_block(self, LONGEST);
        if (self->at == self->move.size)
            return false;
        self->move.distance++;
        self->move.copied = self->at;
    }
    put_block(self, end - self->at);
    return true;
}

static inline void put_zero(stuffer *self, size_t found) {
    put_blocks(self, found);
    self->at++;
}

static inline size_t put_last(stuffer *self) {
    put_blocks(self, self->move.size);
    return self->move.size + self->move.distance;
}

size_t wl_cobs_stuff_found(const uint8_t *data, size_t size, uint8_t *out, size_t room, size_t readable,
                           const uint16_t *positions, size_t found, size_t from) {
    stuffer self = {.move = {data, size, readable, out, room, 1, 0}};
    for (size_t i = 0; i < found && positions[i] - from < size; i++)
        put_zero(&self, positions[i] - from);
    return put_last(&self);
}

size_t wl_cobs_stuff_within(const uint8_t *data, size_t size, uint8_t *out, size_t room, size_t readable) {
    stuffer self = {.move = {data, size, readable, out, room, 1, 0}};
    uint16_t positions[WL_SCAN_BLOCK];
    for (size_t scanned = 0; scanned < size; scanned += WL_SCAN_BLOCK) {
        size_t count = wl_scan_count(size - scanned, readable - scanned);
        size_t found = wl_chosen.scan_byte(data + scanned, count, 0, 0, positions);
        for (size_t i = 0; i < found && scanned + positions[i] < size; i++)
            put_zero(&self, scanned + positions[i]);
    }
    return put_last(&self);
}

size_t wl_cobs_stuff(const uint8_t *data, size_t size, uint8_t *out) {
    return wl_cobs_stuff_within(data, size, out, wl_cobs_stuffed_bound(size), size);
}

size_t wl_cobs_unstuff_within(const uint8_t *data, size_t size, uint8_t *out, size_t room, size_t readable,
                              bool without_zeros) {
    wl_mover self = {data, size, readable, out, room, 0, 0};
    size_t at = 0, before = 0xFF; /* as if a longest block came before, which implies nothing */
    /* Neither codes nor literals are 00. */
    if (!without_zeros && size && memchr(data, 0, size))
        return WL_NOT_FOUND;
    while (at < size) {
        size_t code = data[at];
        if (WL_UNLIKELY(code == 0))
            return WL_NOT_FOUND;
        if (WL_UNLIKELY(before == 0xFF)) {
            wl_move_until(&self, at, 0);
            self.distance--;
            self.copied = at + 1;
        } else {
            wl_move_until(&self, at + 1, AHEAD);
            out[at + self.distance] = 0;
        }
        before = code;
        at += code;
    }
    if (at > size)
        return WL_NOT_FOUND;
    wl_move_until(&self, size, 0);
    return size + self.distance;
}

size_t wl_cobs_unstuff(const uint8_t *data, size_t size, uint8_t *out) {
    return wl_cobs_unstuff_within(data, size, out, size, size, false);
}
