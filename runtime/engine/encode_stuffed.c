/* Stuffs a block's rows.
 *
 * Short rows are assembled at their final positions, a header's size after the end of the previous row, and are stuffed
 * there: later headers are as long as what they replace. Only a word-stuffed row that begins with a longest block grows
 * by two bytes: such a row is assembled two bytes after its position, and that block is moved back. Other rows are
 * assembled in scratch memory, which stays in the processor's cache. */
#include "encode.h"

#include <stdlib.h>

#define WORD_FIRST_MOST 252
#define WORD_RADIX 253
#define COBS_LONGEST 254

/* The positions in a block's bytes that have to be stuffed, and how far it has been searched. Positions outside of rows
 * are skipped. */
typedef struct {
    size_t count;
    size_t next; /* the first one that may be in a row that has not been written */
    uint16_t positions[WL_SCAN_BLOCK];
} findings;

static inline bool is_words(const wl_encoder *self) { return self->block.arguments->stuffing.kind == WL_STUFFING_WORD; }

/* Searches `total` bytes, at most WL_SCAN_BLOCK; `readable`: how many may be read. */
static void search(const wl_encoder *self, const uint8_t *data, size_t total, size_t readable, findings *found) {
    bool words = is_words(self);
    found->count = found->next = 0;
    if (total <= words)
        return;
    size_t count = wl_scan_count(total - words, readable - words);
    found->count = words ? wl_chosen.scan_pair(data, count, 0xFE, 0xFD, found->positions)
                         : wl_chosen.scan_byte(data, count, 0, 0, found->positions);
}

/* The positions from the row at `from` on. */
static inline const uint16_t *findings_from(findings *found, size_t from, size_t *left) {
    while (found->next < found->count && found->positions[found->next] < from)
        found->next++;
    *left = found->count - found->next;
    return found->positions + found->next;
}

/* Final positions ------------------------------------------------------------------------------------------------ */

/* Number of bytes before a row for its headers. */
static inline size_t lead_of(bool words, size_t plain) { return words && plain >= WORD_FIRST_MOST ? 3 : 1; }

/* Lays the rows out at their final positions; false if not all of them can be stuffed there. */
static bool lay_out(wl_encoder *self, size_t *total) {
    wl_encode_block *block = &self->block;
    bool words = is_words(self);
    uint8_t *at = self->out;
    size_t longest = 0, shortest = SIZE_MAX;
    for (size_t i = 0; i < block->count; i++) {
        size_t plain = block->head + block->sizes[i];
        longest = plain > longest ? plain : longest;
        shortest = wl_smaller(plain, shortest);
        block->rows[i] = at + lead_of(words, plain);
        at = block->rows[i] + plain + self->after;
    }
    bool is_even = lead_of(words, shortest) == lead_of(words, longest);
    block->gap = is_even ? self->after + lead_of(words, longest) + block->head : WL_NOT_FOUND;
    *total = (size_t)(at - self->out);
    return *total <= WL_SCAN_BLOCK && (words || longest < COBS_LONGEST);
}

/* The bytes between rows are written last. Until then they must not look like something to be stuffed: that would not
 * change the result, but take time. */
static void blank_gaps(const wl_encoder *self) {
    const wl_encode_block *block = &self->block;
    const uint8_t blank = is_words(self) ? 0 : 1;
    for (size_t i = 0; i < block->count; i++) {
        size_t plain = block->head + block->sizes[i];
        uint8_t *row = block->rows[i];
        row[-1] = blank;
        if (self->after)
            row[plain] = blank;
        if (self->after > 1)
            row[plain + 1] = blank;
    }
}

/* Writes headers over a row at `row` of `plain` bytes, from literal `at` on; the first header, of two bytes, is at
 * `header`. `origin`: the offset of the row among the positions. */
static inline void put_word_headers(uint8_t *row, size_t plain, size_t at, uint8_t *header, const uint16_t *positions,
                                    size_t left, size_t origin) {
    for (size_t i = 0;; i++) {
        bool last = i == left || positions[i] - origin + 1 >= plain;
        size_t end = last ? plain : positions[i] - origin;
        if (end < at)
            continue;
        header[0] = (uint8_t)((end - at) % WORD_RADIX);
        header[1] = (uint8_t)((end - at) / WORD_RADIX);
        if (last)
            return;
        header = row + end;
        at = end + 2;
    }
}

/* Returns the size of the stuffed row, which begins at `to`. */
static inline size_t put_words(uint8_t *to, const uint8_t *row, size_t plain, const uint16_t *positions, size_t left,
                               size_t origin) {
    size_t first = left && positions[0] - origin + 1 < plain ? positions[0] - origin : plain;
    if (WL_LIKELY(first < plain ? first + 2 <= WORD_FIRST_MOST : plain < WORD_FIRST_MOST)) {
        if (WL_UNLIKELY(row != to + 1))
            memmove(to + 1, row, plain);
        *to = (uint8_t)first;
        if (WL_UNLIKELY(first < plain))
            put_word_headers(to + 1, plain, first + 2, to + 1 + first, positions + 1, left - 1, origin);
        return plain + 1;
    }
    memmove(to + 1, row, WORD_FIRST_MOST);
    if (WL_UNLIKELY(row != to + 3))
        memmove(to + 3 + WORD_FIRST_MOST, row + WORD_FIRST_MOST, plain - WORD_FIRST_MOST);
    *to = WORD_FIRST_MOST;
    put_word_headers(to + 3, plain, WORD_FIRST_MOST, to + 1 + WORD_FIRST_MOST, positions, left, origin);
    return plain + 3;
}

static inline size_t put_cobs(uint8_t *to, size_t plain, const uint16_t *positions, size_t left, size_t origin) {
    uint8_t *code = to;
    for (size_t i = 0; i < left && positions[i] - origin < plain; i++) {
        uint8_t *next = to + 1 + (positions[i] - origin);
        *code = (uint8_t)(next - code);
        code = next;
    }
    *code = (uint8_t)(to + 1 + plain - code);
    return plain + 1;
}

static size_t put_in_place(wl_encoder *self, size_t total, size_t *size) {
    wl_encode_block *block = &self->block;
    bool words = is_words(self);
    findings found;
    uint8_t *to = self->out;
    wl_encode_assemble(block, self->out + self->room);
    blank_gaps(self);
    search(self, self->out, total, self->room, &found);
    for (size_t i = 0; i < block->count; i++) {
        size_t plain = block->head + block->sizes[i], origin = (size_t)(block->rows[i] - self->out), left;
        const uint16_t *positions = findings_from(&found, origin, &left);
        size_t wire = words ? put_words(to, block->rows[i], plain, positions, left, origin)
                            : put_cobs(to, plain, positions, left, origin);
        if (wire > block->arguments->max_record)
            return i;
        wl_encode_after(block->arguments, to + wire);
        to += wire + self->after;
        *size = (size_t)(to - self->out);
    }
    return block->count;
}

/* From scratch ------------------------------------------------------------------------------------------------------ */

/* Makes room for rows of that total size; the contents of the scratch memory are lost. */
static bool reserve(wl_encoder *self, size_t size) {
    if (size + WL_COPY_BLOCK <= self->scratch_size)
        return true;
    uint8_t *grown = malloc(2 * size + WL_COPY_BLOCK);
    if (!grown)
        return false;
    free(self->scratch);
    self->scratch = grown;
    self->scratch_size = 2 * size + WL_COPY_BLOCK;
    return true;
}

static size_t stuff(const wl_encoder *self, const uint8_t *row, size_t plain, uint8_t *out, size_t room,
                    findings *found, bool is_known) {
    if (wl_stuffing_parameters(self->block.arguments->stuffing.kind))
        return wl_stuff(&self->block.arguments->stuffing, row, plain, out);
    bool words = is_words(self);
    size_t from = (size_t)(row - self->scratch), readable = self->scratch_size - from, left;
    if (!is_known)
        return words ? wl_word_stuff_within(row, plain, out, room, readable)
                     : wl_cobs_stuff_within(row, plain, out, room, readable);
    const uint16_t *positions = findings_from(found, from, &left);
    return words ? wl_word_stuff_found(row, plain, out, room, readable, positions, left, from)
                 : wl_cobs_stuff_found(row, plain, out, room, readable, positions, left, from);
}

static size_t put_from_scratch(wl_encoder *self, size_t *size, bool *memory) {
    wl_encode_block *block = &self->block;
    const wl_encode_arguments *arguments = block->arguments;
    findings found;
    size_t total = 0;
    for (size_t i = 0; i < block->count; i++)
        total += block->head + block->sizes[i];
    *memory = reserve(self, total);
    if (!*memory)
        return 0;
    uint8_t *at = self->scratch;
    for (size_t i = 0; i < block->count; i++) {
        block->rows[i] = at;
        at += block->head + block->sizes[i];
    }
    block->gap = block->head;
    wl_encode_assemble(block, self->scratch + self->scratch_size);
    bool is_known = total <= WL_SCAN_BLOCK && !wl_stuffing_parameters(arguments->stuffing.kind);
    if (is_known)
        search(self, self->scratch, total, self->scratch_size, &found);
    for (size_t i = 0; i < block->count; i++) {
        uint8_t *out = self->out + *size;
        size_t wire = stuff(self, block->rows[i], block->head + block->sizes[i], out, self->room - *size - self->after,
                            &found, is_known);
        if (wire > arguments->max_record)
            return i;
        wl_encode_after(arguments, out + wire);
        *size += wire + self->after;
    }
    return block->count;
}

size_t wl_encode_stuffed(wl_encoder *self, size_t *size, bool *memory) {
    size_t total;
    *size = 0;
    bool in_place = !wl_stuffing_parameters(self->block.arguments->stuffing.kind) && lay_out(self, &total);
    return in_place ? put_in_place(self, total, size) : put_from_scratch(self, size, memory);
}
