/* Backtrace's word stuffing: bytes without FE FD. A record consists of blocks of literals with a header each; between a
 * block that is shorter than the longest and the next one, FE FD is implied.
 *
 * First header: one byte, the number of literals, at most 252. Later headers: two bytes, low digit first, radix 253, at
 * most 64008. A decoder accepts what no encoder writes (low digits of 253 to 255, runs that could have been longer),
 * like the reference. */
#include "stuffing.h"

#define FIRST_MOST 252
#define LATER_MOST WL_WORD_LONGEST
#define RADIX 253

static const uint8_t delimiter[2] = {0xFE, 0xFD};
static const uint8_t four_delimiters[8] = {0xFE, 0xFD, 0xFE, 0xFD, 0xFE, 0xFD, 0xFE, 0xFD};

size_t wl_word_stuffed_bound(size_t size) { return wl_word_bound(size); }

/* Number of bytes beyond those needed that are copied at once: all of most records. Not in longest blocks, after which
 * the bytes would be misplaced. */
#define AHEAD 8192

/* Stuffing only adds the first header: a later one replaces FE FD and has the same size. Headers are written when the
 * lengths of their blocks are known. Only after a longest block a header is added too, and copying restarts after
 * it. */
typedef struct {
    wl_mover move;
    size_t at;     /* the first literal of the current block */
    size_t header; /* the position of its header in `out` */
    size_t most;   /* maximum number of its literals */
} stuffer;

static inline stuffer stuffer_of(const uint8_t *data, size_t size, uint8_t *out, size_t room, size_t readable) {
    return (stuffer){.move = {data, size, readable, out, room, 1, 0}, .most = FIRST_MOST};
}

static inline void put_block(stuffer *self, size_t run) {
    size_t end = self->at + run;
    uint8_t *out = self->move.out;
    wl_move_until(&self->move, end, run == self->most ? 0 : AHEAD);
    out[self->header] = (uint8_t)(run % RADIX);
    if (self->most == LATER_MOST)
        out[self->header + 1] = (uint8_t)(run / RADIX);
    self->most = LATER_MOST;
    self->at = end;
}

static void put_longest(stuffer *self) {
    put_block(self, self->most);
    self->header = self->at + self->move.distance;
    self->move.distance += 2;
    self->move.copied = self->at;
}

/* Writes the blocks before the delimiter at `found`, which is replaced, unless a longest block ends inside of it. */
static inline void put_blocks(stuffer *self, size_t found) {
    while (WL_UNLIKELY(found + 2 > self->at + self->most))
        put_longest(self);
    if (WL_LIKELY(self->at <= found)) {
        put_block(self, found - self->at);
        self->header = found + self->move.distance;
        self->at = found + 2;
    }
}

/* Writes the blocks after the last delimiter. Returns the total size. */
static inline size_t put_last(stuffer *self) {
    /* A longest block does not determine what follows, so another one must, even if it is empty. */
    while (WL_UNLIKELY(self->move.size - self->at >= self->most))
        put_longest(self);
    put_block(self, self->move.size - self->at);
    return self->move.size + self->move.distance;
}

size_t wl_word_stuff_found(const uint8_t *data, size_t size, uint8_t *out, size_t room, size_t readable,
                           const uint16_t *positions, size_t found, size_t from) {
    stuffer self = stuffer_of(data, size, out, room, readable);
    for (size_t i = 0; i < found && positions[i] - from + 1 < size; i++)
        put_blocks(&self, positions[i] - from);
    return put_last(&self);
}

size_t wl_word_stuff_within(const uint8_t *data, size_t size, uint8_t *out, size_t room, size_t readable) {
    stuffer self = stuffer_of(data, size, out, room, readable);
    uint16_t positions[WL_SCAN_BLOCK];
    for (size_t scanned = 0; scanned + 1 < size; scanned += WL_SCAN_BLOCK) {
        size_t count = wl_scan_count(size - 1 - scanned, readable - 1 - scanned);
        size_t found = wl_chosen.scan_pair(data + scanned, count, delimiter[0], delimiter[1], positions);
        for (size_t i = 0; i < found && scanned + positions[i] + 1 < size; i++)
            put_blocks(&self, scanned + positions[i]);
    }
    return put_last(&self);
}

size_t wl_word_stuff(const uint8_t *data, size_t size, uint8_t *out) {
    return wl_word_stuff_within(data, size, out, wl_word_stuffed_bound(size), size);
}

/* Un-stuffing only removes the first header: a later one replaces FE FD and has the same size; each contains the
 * position of the next one. Only the header after a longest block is removed too, and copying restarts after it. */
static inline size_t header_at(const wl_mover *self, size_t at) {
    return self->data[at] + (size_t)RADIX * self->data[at + 1];
}

/* Headers of empty blocks, four at a time: data that is full of the delimiter. Returns their end. */
static inline size_t put_delimiters(const wl_mover *self, size_t at) {
    for (; self->copied - at >= 8 && !wl_load_le8(self->data + at); at += 8)
        memcpy(self->out + (at + self->distance), four_delimiters, 8);
    return at;
}

/* Overwrites one header after another while they have been copied and have a high digit of 0, as nearly all do: then
 * the position of the next one takes a single load. Returns the position of the next one, if it is available. */
static inline size_t put_over(const wl_mover *self, size_t at) {
    const uint8_t *data = self->data;
    uint8_t *out = self->out;
    size_t last = self->copied - 1, distance = self->distance;
    while (at < last && !data[at + 1]) {
        size_t run = data[at];
        memcpy(out + (at + distance), delimiter, 2);
        at += 2 + run;
        if (!run)
            at = put_delimiters(self, at);
    }
    return at;
}

/* Passes the `run` literals at `at`, and longest blocks with the headers after them. Returns the position of the next
 * header that is not removed, or the end of the data; WL_NOT_FOUND if there is neither. */
static inline size_t pass(wl_mover *self, size_t at, size_t run, size_t most) {
    for (;;) {
        if (run > most || run > self->size - at)
            return WL_NOT_FOUND;
        at += run;
        if (WL_LIKELY(run < most))
            return at;
        if (self->size - at < 2)
            return WL_NOT_FOUND;
        wl_move_until(self, at, 0);
        run = header_at(self, at);
        most = LATER_MOST;
        at += 2;
        self->distance -= 2;
        self->copied = at;
    }
}

size_t wl_word_unstuff_within(const uint8_t *data, size_t size, uint8_t *out, size_t room, size_t readable) {
    if (size == 0)
        return WL_NOT_FOUND;
    wl_mover self = {data, size, readable, out, room, (size_t)-1, 1};
    size_t at = pass(&self, 1, data[0], FIRST_MOST);
    while (at <= size) {
        at = put_over(&self, at);
        if (at < self.copied - 1) {
            memcpy(out + (at + self.distance), delimiter, 2);
            at = pass(&self, at + 2, header_at(&self, at), LATER_MOST);
        } else if (self.copied < size) {
            if (at > size)
                break;
            wl_move_until(&self, wl_smaller(at + 2, size), AHEAD);
        } else {
            return at == size ? size + self.distance : WL_NOT_FOUND;
        }
    }
    return WL_NOT_FOUND;
}

/* If data of short blocks only has been copied already, without its first header, its headers can be overwritten in
 * place: from `at` on, as long as they are available (a byte before `end`) and have a high digit of 0. */
static inline uint8_t *put_over_copy(uint8_t *at, const uint8_t *end) {
    while (end - at >= 2 && !at[1]) {
        size_t run = at[0];
        memcpy(at, delimiter, 2);
        at += 2 + run;
        for (; !run && end - at >= 8 && !wl_load_le8(at); at += 8)
            memcpy(at, four_delimiters, 8);
    }
    return at;
}

/* Four at once: each header has to be read before the next one is found, and four such chains wait in parallel.
 * Repeating the work for one record in step with itself is harmless. */
static inline void put_over_four(uint8_t **at, uint8_t *const *ends, const size_t *numbers) {
    uint8_t *a = at[numbers[0]], *b = at[numbers[1]], *c = at[numbers[2]], *d = at[numbers[3]];
    const uint8_t *a_end = ends[numbers[0]], *b_end = ends[numbers[1]];
    const uint8_t *c_end = ends[numbers[2]], *d_end = ends[numbers[3]];
    while (a_end - a >= 2 && b_end - b >= 2 && c_end - c >= 2 && d_end - d >= 2) {
        size_t a_run = a[0], b_run = b[0], c_run = c[0], d_run = d[0];
        if ((a[1] | b[1] | c[1] | d[1]) || !(a_run | b_run | c_run | d_run))
            break;
        memcpy(a, delimiter, 2);
        memcpy(b, delimiter, 2);
        memcpy(c, delimiter, 2);
        memcpy(d, delimiter, 2);
        a += 2 + a_run;
        b += 2 + b_run;
        c += 2 + c_run;
        d += 2 + d_run;
    }
    at[numbers[0]] = a, at[numbers[1]] = b, at[numbers[2]] = c, at[numbers[3]] = d;
}

void wl_word_unstuff_copies(uint8_t **at, uint8_t *const *ends, size_t count) {
    for (size_t i = 0; i < count; i += 4) {
        /* Fewer than four are left: the last one is used in place of the missing ones. */
        const size_t last = count - 1,
                     numbers[] = {i, wl_smaller(i + 1, last), wl_smaller(i + 2, last), wl_smaller(i + 3, last)};
        put_over_four(at, ends, numbers);
        for (size_t k = i; k < count && k < i + 4; k++)
            at[k] = put_over_copy(at[k], ends[k]);
    }
}

size_t wl_word_unstuff(const uint8_t *data, size_t size, uint8_t *out) {
    return wl_word_unstuff_within(data, size, out, size, size);
}
