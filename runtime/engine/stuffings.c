/* All codes that keep a delimiter out of records, by number, and those with parameters: escapes, COBS with a delimiter
 * other than 00, and COBS/R. */
#include "internal.h"
#include "program.h"

#define COBS_LONGEST 0xFF /* a code after which no 00 is implied */

enum { IS_CODE = 1, IS_ESCAPED = 2 };

/* Escapes ---------------------------------------------------------------------------------------------------------- */

static size_t escapes_bound(size_t size) { return 2 * size; }

static size_t escapes_stuff(const wl_stuffing *self, const uint8_t *data, size_t size, uint8_t *out) {
    uint8_t *to = out;
    for (size_t i = 0; i < size; i++) {
        uint8_t byte = data[i];
        if (WL_UNLIKELY(self->flags[byte] & IS_ESCAPED)) {
            *to++ = self->value;
            byte = self->codes[byte];
        }
        *to++ = byte;
    }
    return (size_t)(to - out);
}

static size_t escapes_unstuff(const wl_stuffing *self, const uint8_t *data, size_t size, uint8_t *out) {
    size_t at = 0, written = 0;
    while (at < size) {
        const uint8_t *found = memchr(data + at, self->value, size - at);
        size_t run = found ? (size_t)(found - data) - at : size - at;
        memcpy(out + written, data + at, run);
        written += run;
        at += run;
        if (!found)
            break;
        if (size - at < 2 || !(self->flags[data[at + 1]] & IS_CODE))
            return WL_NOT_FOUND;
        out[written++] = self->meanings[data[at + 1]];
        at += 2;
    }
    return written;
}

/* COBS ------------------------------------------------------------------------------------------------------------- */

/* In COBS/R the last byte replaces the last code if it is not less: a reader then misses bytes after that code. */
static size_t cobs_reduce(uint8_t *out, size_t size) {
    size_t code = 0;
    while (code + out[code] < size)
        code += out[code];
    if (size - code < 2 || out[size - 1] < out[code])
        return size;
    out[code] = out[size - 1];
    return size - 1;
}

static size_t cobs_other_stuff(const wl_stuffing *self, const uint8_t *data, size_t size, uint8_t *out) {
    size_t written = wl_cobs_stuff(data, size, out);
    if (self->kind == WL_STUFFING_COBS_REDUCED)
        written = cobs_reduce(out, written);
    for (size_t i = 0; i < written; i++)
        out[i] ^= self->value;
    return written;
}

static size_t cobs_other_unstuff(const wl_stuffing *self, const uint8_t *data, size_t size, uint8_t *out) {
    size_t at = 0, written = 0;
    if (size && memchr(data, self->value, size))
        return WL_NOT_FOUND;
    while (at < size) {
        size_t code = data[at++] ^ self->value, left = size - at, run = wl_smaller(code - 1, left);
        if (code - 1 > left && self->kind != WL_STUFFING_COBS_REDUCED)
            return WL_NOT_FOUND;
        for (size_t i = 0; i < run; i++)
            out[written + i] = data[at + i] ^ self->value;
        written += run;
        at += run;
        if (code - 1 > left)
            out[written++] = (uint8_t)code;
        else if (code < COBS_LONGEST && at < size)
            out[written++] = 0;
    }
    return written;
}

/* All ------------------------------------------------------------------------------------------------------------- */

static size_t words_stuff(const wl_stuffing *self, const uint8_t *data, size_t size, uint8_t *out) {
    (void)self;
    return wl_word_stuff(data, size, out);
}

static size_t words_unstuff(const wl_stuffing *self, const uint8_t *data, size_t size, uint8_t *out) {
    (void)self;
    return wl_word_unstuff(data, size, out);
}

static size_t cobs_stuff(const wl_stuffing *self, const uint8_t *data, size_t size, uint8_t *out) {
    (void)self;
    return wl_cobs_stuff(data, size, out);
}

static size_t cobs_unstuff(const wl_stuffing *self, const uint8_t *data, size_t size, uint8_t *out) {
    (void)self;
    return wl_cobs_unstuff(data, size, out);
}

static const struct {
    bool has_parameters;
    size_t (*bound)(size_t size);
    size_t (*stuff)(const wl_stuffing *self, const uint8_t *data, size_t size, uint8_t *out);
    size_t (*unstuff)(const wl_stuffing *self, const uint8_t *data, size_t size, uint8_t *out);
} codes[WL_STUFFING_COUNT] = {
    [WL_STUFFING_WORD] = {false, wl_word_stuffed_bound, words_stuff, words_unstuff},
    [WL_STUFFING_COBS] = {false, wl_cobs_stuffed_bound, cobs_stuff, cobs_unstuff},
    [WL_STUFFING_ESCAPE] = {true, escapes_bound, escapes_stuff, escapes_unstuff},
    [WL_STUFFING_COBS_OTHER] = {true, wl_cobs_stuffed_bound, cobs_other_stuff, cobs_other_unstuff},
    [WL_STUFFING_COBS_REDUCED] = {true, wl_cobs_stuffed_bound, cobs_other_stuff, cobs_other_unstuff},
};

size_t wl_stuffing_parameters(unsigned kind) {
    return kind < WL_STUFFING_COUNT && codes[kind].has_parameters ? WL_STUFFING_PARAMETERS : 0;
}

bool wl_stuffing_read(wl_stuffing *self, const uint8_t *packed, size_t size) {
    if (!size || packed[0] >= WL_STUFFING_COUNT || size != 1 + wl_stuffing_parameters(packed[0]))
        return false;
    memset(self, 0, sizeof *self);
    memcpy(self, packed, size);
    return true;
}

size_t wl_stuffed_bound(const wl_stuffing *self, size_t size) { return codes[self->kind].bound(size); }

size_t wl_stuff(const wl_stuffing *self, const uint8_t *data, size_t size, uint8_t *out) {
    return codes[self->kind].stuff(self, data, size, out);
}

size_t wl_unstuff(const wl_stuffing *self, const uint8_t *data, size_t size, uint8_t *out) {
    return codes[self->kind].unstuff(self, data, size, out);
}
