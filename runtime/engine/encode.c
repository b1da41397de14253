/* Plain rows from columns: a head of fixed fields, a byte string, a checksum, stuffing, a delimiter.
 *
 * Rows are processed in blocks, and assembled at or near their final positions (encode_stuffed.c). Checksums are
 * computed over the rows that have just been written. */
#include "encode.h"

#include <stdlib.h>

static unsigned unsigned_kind(unsigned kind) {
    static const uint8_t kinds[WL_KIND_COUNT] = {
        [WL_U1] = WL_U1,     [WL_U2LE] = WL_U2LE, [WL_U2BE] = WL_U2BE, [WL_U4LE] = WL_U4LE, [WL_U4BE] = WL_U4BE,
        [WL_U8LE] = WL_U8LE, [WL_U8BE] = WL_U8BE, [WL_S1] = WL_U1,     [WL_S2LE] = WL_U2LE, [WL_S2BE] = WL_U2BE,
        [WL_S4LE] = WL_U4LE, [WL_S4BE] = WL_U4BE, [WL_S8LE] = WL_U8LE, [WL_S8BE] = WL_U8BE, [WL_F4LE] = WL_U4LE,
        [WL_F4BE] = WL_U4BE, [WL_F8LE] = WL_U8LE, [WL_F8BE] = WL_U8BE,
    };
    return kinds[kind];
}

/* Selection of the rows of a block --------------------------------------------------------------------------------- */

/* The end of the row's byte string, which begins at `from`; -1 if the offsets are outside of the data. */
static inline int32_t end_of_bytes(const uint8_t *offsets, size_t data_size, size_t row, int32_t from) {
    int32_t to;
    memcpy(&to, offsets + 4 * row + 4, sizeof to);
    return from < 0 || to < from || (size_t)to > data_size ? -1 : to;
}

static inline size_t stuffed_bound(const wl_stuffing *self, unsigned stuffing, size_t size) {
    switch (stuffing) {
    case WL_STUFFING_NONE:
        return size;
    case WL_STUFFING_WORD:
        return wl_word_bound(size);
    case WL_STUFFING_COBS:
        return wl_cobs_stuffed_bound(size);
    default:
        return wl_stuffed_bound(self, size);
    }
}

/* The rows from number `row` on that certainly fit into `room`. WL_ENCODED, or the reason why not a single one does.
 * `stuffing`: as in the arguments. */
static inline int choose_stuffed(wl_encoder *self, size_t row, size_t room, size_t *needed, unsigned stuffing) {
    const wl_encode_arguments *arguments = self->block.arguments;
    const uint8_t *offsets = arguments->offsets, *data = arguments->data;
    const size_t data_size = arguments->data_size, head = self->block.head;
    const size_t most = wl_smaller(arguments->rows - row, WL_ENCODE_ROWS);
    const size_t least_bytes = self->least, most_bytes = self->most, after = self->after;
    size_t count = 0, used = 0;
    int status = WL_ENCODED;
    int32_t from = 0, to = 0;
    if (offsets)
        memcpy(&from, offsets + 4 * row, sizeof from);
    for (; count < most; count++, from = to) {
        if (offsets && (to = end_of_bytes(offsets, data_size, row + count, from)) < 0) {
            status = WL_ENCODE_REFUSED;
            break;
        }
        size_t size = (size_t)(to - from);
        size_t wire = stuffed_bound(&arguments->stuffing, stuffing, head + size) + after;
        if (wire > room - used) {
            *needed = wire;
            status = WL_ENCODE_NO_ROOM;
            break;
        }
        if (size < least_bytes || size > most_bytes) {
            status = WL_ENCODE_REFUSED;
            break;
        }
        if (count && used + wire > WL_ENCODE_BYTES)
            break;
        self->block.strings[count] = data ? data + from : NULL;
        self->block.sizes[count] = (uint32_t)size;
        used += wire;
    }
    self->block.row = row;
    self->block.count = count;
    return count ? WL_ENCODED : status;
}

static int choose(wl_encoder *self, size_t row, size_t room, size_t *needed) {
    switch (self->block.arguments->stuffing.kind) {
    case WL_STUFFING_WORD:
        return choose_stuffed(self, row, room, needed, WL_STUFFING_WORD);
    case WL_STUFFING_COBS:
        return choose_stuffed(self, row, room, needed, WL_STUFFING_COBS);
    case WL_STUFFING_NONE:
        return choose_stuffed(self, row, room, needed, WL_STUFFING_NONE);
    default:
        return choose_stuffed(self, row, room, needed, self->block.arguments->stuffing.kind);
    }
}

/* Rows that are not stuffed ---------------------------------------------------------------------------------------- */

/* Whether a reader finds the row between its delimiters: the row must not form another delimiter together with them. */
static bool is_unmistakable(const wl_encode_arguments *arguments, const uint8_t *row, size_t size) {
    const uint8_t *delimiter = arguments->delimiter;
    size_t width = arguments->delimiter_size, head = wl_smaller(size, width - 1);
    uint8_t begin[3 * sizeof arguments->delimiter];
    memcpy(begin, delimiter, width);
    memcpy(begin + width, row, head);
    memcpy(begin + width + head, delimiter, width);
    /* The whole row is followed by the delimiter; a part of it is not. */
    size_t end = width + head + (head == size ? width : 0);
    size_t found = wl_find_delimiter(begin, 1, end, delimiter, width);
    return size && (found == WL_NOT_FOUND || found == width + size) &&
           wl_find_delimiter(row, 0, size + width, delimiter, width) == size;
}

/* Writes the block's rows one after another, and returns how many of them can be written. */
static size_t put_bare(wl_encoder *self, size_t *size) {
    wl_encode_block *block = &self->block;
    uint8_t *at = self->out;
    for (size_t i = 0; i < block->count; i++) {
        block->rows[i] = at;
        at += block->head + block->sizes[i] + self->after;
    }
    block->gap = self->after + block->head;
    wl_encode_assemble(block, self->out + self->room);
    *size = (size_t)(at - self->out);
    for (size_t i = 0; i < block->count && self->after; i++) {
        size_t plain = block->head + block->sizes[i];
        wl_encode_after(block->arguments, block->rows[i] + plain);
        if (block->arguments->delimiter_size && !is_unmistakable(block->arguments, block->rows[i], plain)) {
            *size = (size_t)(block->rows[i] - self->out);
            return i;
        }
    }
    return block->count;
}

/* All rows --------------------------------------------------------------------------------------------------------- */

/* Restricts the sizes of byte strings to those for which `size` plus `added` is 0 to `largest`. */
static void restrict_sizes(wl_encoder *self, int64_t added, uint64_t largest) {
    wl_integer least = -(wl_integer)added, most = (wl_integer)largest - added;
    if (least > self->least)
        self->least = least > INT32_MAX ? (size_t)INT32_MAX + 1 : (size_t)least;
    if (most < 0)
        self->least = (size_t)INT32_MAX + 1;
    else if (most < self->most)
        self->most = (size_t)most;
}

static bool prepare(wl_encoder *self) {
    const wl_encode_arguments *arguments = self->block.arguments;
    self->most = INT32_MAX;
    self->after = arguments->delimiter_size + arguments->padding;
    self->block.parts = malloc((arguments->field_count + 1) * sizeof *self->block.parts);
    if (!self->block.parts)
        return false;
    for (size_t i = 0; i < arguments->field_count; i++) {
        const wl_encode_field *field = arguments->fields + i;
        wl_encode_part *each = self->block.parts + i;
        *each = (wl_encode_part){unsigned_kind(field->kind), wl_kind_size(field->kind), field->holds, field->values,
                                 field->added};
        if (each->holds == WL_HOLDS_CHECKSUM && arguments->algorithm) {
            self->block.checked = each;
            self->block.checksum = self->block.head;
        }
        if (each->holds == WL_HOLDS_SIZE)
            restrict_sizes(self, each->added, each->size == 8 ? INT64_MAX : (UINT64_C(1) << 8 * each->size) - 1);
        self->block.head += each->size;
    }
    if (arguments->stuffing.kind == WL_STUFFING_NONE)
        restrict_sizes(self, (int64_t)self->block.head, arguments->max_record);
    if (arguments->stuffing.kind == WL_STUFFING_ESCAPE)
        restrict_sizes(self, (int64_t)self->block.head - 1, INT32_MAX); /* readers pass over empty frames */
    return true;
}

bool wl_encode(const wl_encode_arguments *arguments, size_t first, uint8_t *out, size_t room,
               wl_encode_result *result) {
    wl_encoder self = {.block = {.arguments = arguments}, .out = out, .room = room};
    bool memory = prepare(&self);
    *result = (wl_encode_result){.status = WL_ENCODED};
    while (memory && result->status == WL_ENCODED && first + result->rows < arguments->rows) {
        result->status = choose(&self, first + result->rows, self.room, &result->needed);
        if (result->status != WL_ENCODED)
            break;
        size_t size, rows = arguments->stuffing.kind == WL_STUFFING_NONE ? put_bare(&self, &size)
                                                                    : wl_encode_stuffed(&self, &size, &memory);
        if (rows < self.block.count)
            result->status = WL_ENCODE_REFUSED;
        result->rows += rows;
        result->size += size;
        self.out += size;
        self.room -= size;
    }
    free(self.block.parts);
    free(self.scratch);
    return memory;
}
