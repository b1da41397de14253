/* Plain rows from columns: a head of fixed fields, a byte string, a checksum, stuffing, a delimiter.
 *
 * Rows go in blocks. Those that are stuffed are put together in scratch first, which stays in the processor's cache;
 * others are where they belong at once. Checksums are computed over the rows as they were just written. */
#include "encode.h"

#include <stdlib.h>

typedef struct {
    wl_encode_block block;
    /* Sizes of byte strings for which all fields that hold them can. */
    size_t least;
    size_t most;
    size_t behind;    /* bytes of delimiter and padding */
    uint8_t *scratch; /* NULL where rows are not stuffed; owned by wl_encode */
    size_t scratch_size;
    uint8_t *out;
    size_t room;
} encoder;

static unsigned unsigned_kind(unsigned kind) {
    static const uint8_t kinds[WL_KIND_COUNT] = {
        [WL_U1] = WL_U1,     [WL_U2LE] = WL_U2LE, [WL_U2BE] = WL_U2BE, [WL_U4LE] = WL_U4LE, [WL_U4BE] = WL_U4BE,
        [WL_U8LE] = WL_U8LE, [WL_U8BE] = WL_U8BE, [WL_S1] = WL_U1,     [WL_S2LE] = WL_U2LE, [WL_S2BE] = WL_U2BE,
        [WL_S4LE] = WL_U4LE, [WL_S4BE] = WL_U4BE, [WL_S8LE] = WL_U8LE, [WL_S8BE] = WL_U8BE, [WL_F4LE] = WL_U4LE,
        [WL_F4BE] = WL_U4BE, [WL_F8LE] = WL_U8LE, [WL_F8BE] = WL_U8BE,
    };
    return kinds[kind];
}

/* Choosing the rows of a block ------------------------------------------------------------------------------------- */

/* The byte string of a row; false where the offsets lead out of the data. */
static inline bool find_bytes(const wl_encode_arguments *arguments, size_t row, size_t *begin, size_t *size) {
    int32_t from, to;
    *begin = *size = 0;
    if (!arguments->offsets)
        return true;
    memcpy(&from, arguments->offsets + 4 * row, sizeof from);
    memcpy(&to, arguments->offsets + 4 * row + 4, sizeof to);
    if (from < 0 || to < from || (size_t)to > arguments->data_size)
        return false;
    *begin = (size_t)from;
    *size = (size_t)(to - from);
    return true;
}

static inline size_t stuffed_bound(unsigned stuffing, size_t size) {
    if (stuffing == WL_STUFFING_WORD)
        return wl_word_bound(size);
    return stuffing == WL_STUFFING_COBS ? wl_cobs_stuffed_bound(size) : size;
}

/* The rows from number `row` on that fit into `room` for sure. WL_ENCODED, or why there is not even one. */
static int choose(encoder *self, size_t row, size_t room, size_t *needed) {
    const wl_encode_arguments *arguments = self->block.arguments;
    size_t count = 0, used = 0, most = wl_smaller(arguments->rows - row, WL_ENCODE_ROWS);
    int status = WL_ENCODED;
    for (; count < most; count++) {
        size_t begin, size;
        if (!find_bytes(arguments, row + count, &begin, &size)) {
            status = WL_ENCODE_REFUSED;
            break;
        }
        size_t wire = stuffed_bound(arguments->stuffing, self->block.head + size) + self->behind;
        if (wire > room - used) {
            *needed = wire;
            status = WL_ENCODE_NO_ROOM;
            break;
        }
        if (size < self->least || size > self->most) {
            status = WL_ENCODE_REFUSED;
            break;
        }
        if (count && used + wire > WL_ENCODE_BYTES)
            break;
        self->block.begins[count] = begin;
        self->block.sizes[count] = size;
        used += wire;
    }
    self->block.row = row;
    self->block.count = count;
    return count ? WL_ENCODED : status;
}

/* Rows that are not stuffed ---------------------------------------------------------------------------------------- */

/* Whether a reader finds the row where it is: between its delimiters, with which its ends may look like another one. */
static bool is_unmistakable(const wl_encode_arguments *arguments, const uint8_t *row, size_t size) {
    const uint8_t *delimiter = arguments->delimiter;
    size_t width = arguments->delimiter_size, head = wl_smaller(size, width - 1);
    uint8_t begin[3 * sizeof arguments->delimiter];
    memcpy(begin, delimiter, width);
    memcpy(begin + width, row, head);
    memcpy(begin + width + head, delimiter, width);
    /* With all of the row there is only the delimiter behind it; with a part of it what follows is not that. */
    size_t end = width + head + (head == size ? width : 0);
    size_t found = wl_find_delimiter(begin, 1, end, delimiter, width);
    return size && (found == WL_NOT_FOUND || found == width + size) &&
           wl_find_delimiter(row, 0, size + width, delimiter, width) == size;
}

/* Puts the delimiter and the padding behind a row. */
static inline void put_behind(const wl_encode_arguments *arguments, uint8_t *end) {
    for (size_t i = 0; i < arguments->delimiter_size; i++)
        end[i] = arguments->delimiter[i];
    if (arguments->padding)
        memset(end + arguments->delimiter_size, 0, arguments->padding);
}

/* Writes the block's rows one behind the other, and gives how many of them can be written. */
static size_t put_bare(encoder *self, size_t *size) {
    wl_encode_block *block = &self->block;
    uint8_t *at = self->out;
    for (size_t i = 0; i < block->count; i++) {
        block->rows[i] = at;
        at += block->head + block->sizes[i] + self->behind;
    }
    wl_encode_assemble(block, self->out + self->room);
    *size = (size_t)(at - self->out);
    for (size_t i = 0; i < block->count && self->behind; i++) {
        size_t plain = block->head + block->sizes[i];
        put_behind(block->arguments, block->rows[i] + plain);
        if (block->arguments->delimiter_size && !is_unmistakable(block->arguments, block->rows[i], plain)) {
            *size = (size_t)(block->rows[i] - self->out);
            return i;
        }
    }
    return block->count;
}

/* Rows that are stuffed -------------------------------------------------------------------------------------------- */

/* Makes room for rows of that size together; the scratch holds nothing that is still wanted. */
static bool reserve(encoder *self, size_t size) {
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

/* What is to be taken out of the rows in scratch. */
typedef struct {
    bool is_known; /* all rows were searched together */
    size_t count;
    size_t next; /* the first one that may be in a row not written yet */
    uint16_t positions[WL_SCAN_BLOCK];
} findings;

static void search(const encoder *self, size_t total, findings *found) {
    bool words = self->block.arguments->stuffing == WL_STUFFING_WORD;
    found->is_known = total <= WL_SCAN_BLOCK;
    found->count = found->next = 0;
    if (!found->is_known || total <= words)
        return;
    size_t count = wl_scan_count(total - words, self->scratch_size - words);
    found->count = words ? wl_chosen.scan_pair(self->scratch, count, 0xFE, 0xFD, found->positions)
                         : wl_chosen.scan_byte(self->scratch, count, 0, 0, found->positions);
}

static size_t stuff(const encoder *self, const uint8_t *row, size_t plain, uint8_t *out, size_t room, findings *found) {
    bool words = self->block.arguments->stuffing == WL_STUFFING_WORD;
    size_t from = (size_t)(row - self->scratch), readable = self->scratch_size - from;
    if (!found->is_known)
        return words ? wl_word_stuff_within(row, plain, out, room, readable)
                     : wl_cobs_stuff_within(row, plain, out, room, readable);
    while (found->next < found->count && found->positions[found->next] < from)
        found->next++;
    const uint16_t *positions = found->positions + found->next;
    size_t left = found->count - found->next;
    if (plain < 252 && (!left || *positions >= from + plain)) {
        /* One block, which is short: its size and its bytes. */
        *out = (uint8_t)(words ? plain : plain + 1);
        wl_copy(out + 1, row, plain, room - 1, readable);
        return plain + 1;
    }
    return words ? wl_word_stuff_found(row, plain, out, room, readable, positions, left, from)
                 : wl_cobs_stuff_found(row, plain, out, room, readable, positions, left, from);
}

/* As put_bare. */
static size_t put_stuffed(encoder *self, size_t *size, bool *memory) {
    wl_encode_block *block = &self->block;
    const wl_encode_arguments *arguments = block->arguments;
    findings found;
    size_t total = 0;
    for (size_t i = 0; i < block->count; i++)
        total += block->head + block->sizes[i];
    *size = 0;
    *memory = reserve(self, total);
    if (!*memory)
        return 0;
    uint8_t *at = self->scratch;
    for (size_t i = 0; i < block->count; i++) {
        block->rows[i] = at;
        at += block->head + block->sizes[i];
    }
    wl_encode_assemble(block, self->scratch + self->scratch_size);
    search(self, total, &found);
    for (size_t i = 0; i < block->count; i++) {
        uint8_t *out = self->out + *size;
        size_t wire =
            stuff(self, block->rows[i], block->head + block->sizes[i], out, self->room - *size - self->behind, &found);
        if (wire > arguments->max_record)
            return i;
        put_behind(arguments, out + wire);
        *size += wire + self->behind;
    }
    return block->count;
}

/* All rows --------------------------------------------------------------------------------------------------------- */

/* Leaves sizes of byte strings for which `size` plus `added` is 0 to `largest`. */
static void narrow(encoder *self, int64_t added, uint64_t largest) {
    wl_integer least = -(wl_integer)added, most = (wl_integer)largest - added;
    if (least > self->least)
        self->least = least > INT32_MAX ? (size_t)INT32_MAX + 1 : (size_t)least;
    if (most < 0)
        self->least = (size_t)INT32_MAX + 1;
    else if (most < self->most)
        self->most = (size_t)most;
}

static bool prepare(encoder *self) {
    const wl_encode_arguments *arguments = self->block.arguments;
    self->most = INT32_MAX;
    self->behind = arguments->delimiter_size + arguments->padding;
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
            narrow(self, each->added, each->size == 8 ? INT64_MAX : (UINT64_C(1) << 8 * each->size) - 1);
        self->block.head += each->size;
    }
    if (arguments->stuffing == WL_STUFFING_NONE)
        narrow(self, (int64_t)self->block.head, arguments->max_record);
    return true;
}

bool wl_encode(const wl_encode_arguments *arguments, size_t first, uint8_t *out, size_t room,
               wl_encode_result *result) {
    encoder self = {.block = {.arguments = arguments}, .out = out, .room = room};
    bool memory = prepare(&self);
    *result = (wl_encode_result){.status = WL_ENCODED};
    while (memory && result->status == WL_ENCODED && first + result->rows < arguments->rows) {
        result->status = choose(&self, first + result->rows, self.room, &result->needed);
        if (result->status != WL_ENCODED)
            break;
        size_t size, rows = arguments->stuffing == WL_STUFFING_NONE ? put_bare(&self, &size)
                                                                    : put_stuffed(&self, &size, &memory);
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
