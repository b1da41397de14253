/* Plain rows from columns: a head of fixed fields, a byte string, a checksum, stuffing, a delimiter.
 *
 * Rows that are stuffed are put together in scratch first, which stays in the processor's cache; others are written
 * where they belong at once. The checksum is computed over the row as it was just written. */
#include <stdlib.h>

#include "internal.h"

/* A field, looked at once. */
typedef struct {
    unsigned kind; /* WL_U…: signed integers and floats stand as unsigned integers of their size do */
    unsigned size;
    unsigned holds;
    const uint8_t *values;
    int64_t added;
} part;

typedef struct {
    const wl_encode_arguments *arguments;
    part *parts;         /* one per field; owned by wl_encode */
    size_t head;         /* bytes of all of them */
    const part *checked; /* the one that holds the checksum, or NULL */
    size_t checksum;     /* where it stands in the head */
    uint8_t *scratch;    /* NULL where rows are not stuffed; owned by wl_encode */
    size_t scratch_size;
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

static inline void put2(uint8_t *to, uint16_t value, bool big) {
    to[0] = (uint8_t)(big ? value >> 8 : value);
    to[1] = (uint8_t)(big ? value : value >> 8);
}

static inline void put4(uint8_t *to, uint32_t value, bool big) {
    for (unsigned i = 0; i < 4; i++)
        to[i] = (uint8_t)(value >> 8 * (big ? 3 - i : i));
}

static inline void put8(uint8_t *to, uint64_t value, bool big) {
    for (unsigned i = 0; i < 8; i++)
        to[i] = (uint8_t)(value >> 8 * (big ? 7 - i : i));
}

static inline uint16_t load2(const uint8_t *from) {
    uint16_t value;
    memcpy(&value, from, sizeof value);
    return value;
}

static inline uint64_t load8(const uint8_t *from) {
    uint64_t value;
    memcpy(&value, from, sizeof value);
    return value;
}

static inline void put_number(uint8_t *to, unsigned kind, uint64_t value) {
    switch (kind) {
    case WL_U1:
        *to = (uint8_t)value;
        break;
    case WL_U2LE:
        put2(to, (uint16_t)value, false);
        break;
    case WL_U2BE:
        put2(to, (uint16_t)value, true);
        break;
    case WL_U4LE:
        put4(to, (uint32_t)value, false);
        break;
    case WL_U4BE:
        put4(to, (uint32_t)value, true);
        break;
    case WL_U8LE:
        put8(to, value, false);
        break;
    default:
        put8(to, value, true);
        break;
    }
}

static inline uint64_t column_value(const part *each, size_t row) {
    switch (each->size) {
    case 1:
        return each->values[row];
    case 2:
        return load2(each->values + 2 * row);
    case 4:
        return wl_load4(each->values + 4 * row);
    default:
        return load8(each->values + 8 * row);
    }
}

static bool fits(const part *each, int64_t value) {
    return value >= 0 && (each->size == 8 || value < (int64_t)1 << 8 * each->size);
}

/* The head of a row; false where the byte string's size does not fit its field. */
static bool put_head(const encoder *self, uint8_t *to, size_t row, size_t size) {
    const part *end = self->parts + self->arguments->field_count;
    for (const part *each = self->parts; each < end; each++) {
        if (WL_LIKELY(each->holds == WL_HOLDS_COLUMN)) {
            put_number(to, each->kind, column_value(each, row));
        } else if (each->holds == WL_HOLDS_SIZE) {
            int64_t value;
            if (__builtin_add_overflow((int64_t)size, each->added, &value) || !fits(each, value))
                return false;
            put_number(to, each->kind, (uint64_t)value);
        } else {
            memset(to, self->arguments->replace, each->size);
        }
        to += each->size;
    }
    return true;
}

static void put_checksum(const encoder *self, uint8_t *row, size_t size) {
    const wl_encode_arguments *arguments = self->arguments;
    size_t begin = wl_smaller(arguments->begin, size), end = wl_smaller(arguments->end, size);
    uint32_t state = arguments->initial;
    if (begin < end)
        state = arguments->algorithm == 1 ? wl_crc32c_update(state, row + begin, end - begin)
                                          : wl_crc32_update(state, row + begin, end - begin);
    put_number(row + self->checksum, self->checked->kind, state ^ arguments->final_xor);
}

/* The byte string of a row; false where the offsets lead out of the data. */
static bool find_bytes(const wl_encode_arguments *arguments, size_t row, size_t *begin, size_t *size) {
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

static size_t stuffed_bound(unsigned stuffing, size_t size) {
    if (stuffing == WL_STUFFING_WORD)
        return wl_word_stuffed_bound(size);
    return stuffing == WL_STUFFING_COBS ? wl_cobs_stuffed_bound(size) : size;
}

/* Makes room for a row of that size; the scratch holds nothing that is still wanted. */
static bool reserve(encoder *self, size_t size) {
    if (size <= self->scratch_size)
        return true;
    uint8_t *grown = malloc(2 * size + WL_COPY_BLOCK);
    if (!grown)
        return false;
    free(self->scratch);
    self->scratch = grown;
    self->scratch_size = 2 * size + WL_COPY_BLOCK;
    return true;
}

/* Puts together the row whose byte string is given; `room` bytes may be written at `to`. */
static bool assemble(const encoder *self, uint8_t *to, size_t room, size_t row, size_t begin, size_t size) {
    const wl_encode_arguments *arguments = self->arguments;
    if (!put_head(self, to, row, size))
        return false;
    if (size)
        wl_copy(to + self->head, arguments->data + begin, size, room - self->head, arguments->data_size - begin);
    if (self->checked)
        put_checksum(self, to, self->head + size);
    return true;
}

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

/* One row, with what stands behind it. WL_ENCODED, or why not; *size: its bytes, or those it needs. */
static int put_row(encoder *self, size_t row, uint8_t *out, size_t room, size_t *size, bool *memory) {
    const wl_encode_arguments *arguments = self->arguments;
    size_t begin, bytes, behind = arguments->delimiter_size + arguments->padding;
    if (!find_bytes(arguments, row, &begin, &bytes))
        return WL_ENCODE_REFUSED;
    size_t plain = self->head + bytes, wire = plain;
    *size = stuffed_bound(arguments->stuffing, plain) + behind;
    if (*size > room)
        return WL_ENCODE_NO_ROOM;
    if (arguments->stuffing == WL_STUFFING_NONE) {
        if (!assemble(self, out, room, row, begin, bytes))
            return WL_ENCODE_REFUSED;
        memcpy(out + plain, arguments->delimiter, arguments->delimiter_size);
        if (arguments->delimiter_size && !is_unmistakable(arguments, out, plain))
            return WL_ENCODE_REFUSED;
    } else {
        if (!reserve(self, plain)) {
            *memory = false;
            return WL_ENCODE_REFUSED;
        }
        if (!assemble(self, self->scratch, self->scratch_size, row, begin, bytes))
            return WL_ENCODE_REFUSED;
        size_t left = room - behind;
        wire = arguments->stuffing == WL_STUFFING_WORD
                   ? wl_word_stuff_within(self->scratch, plain, out, left, self->scratch_size)
                   : wl_cobs_stuff_within(self->scratch, plain, out, left, self->scratch_size);
    }
    if (wire > arguments->max_record)
        return WL_ENCODE_REFUSED;
    memcpy(out + wire, arguments->delimiter, arguments->delimiter_size);
    memset(out + wire + arguments->delimiter_size, 0, arguments->padding);
    *size = wire + behind;
    return WL_ENCODED;
}

static bool prepare(encoder *self) {
    const wl_encode_arguments *arguments = self->arguments;
    self->parts = malloc((arguments->field_count + 1) * sizeof *self->parts);
    if (!self->parts)
        return false;
    for (size_t i = 0; i < arguments->field_count; i++) {
        const wl_encode_field *field = arguments->fields + i;
        part *each = self->parts + i;
        *each =
            (part){unsigned_kind(field->kind), wl_kind_size(field->kind), field->holds, field->values, field->added};
        if (each->holds == WL_HOLDS_CHECKSUM && arguments->algorithm) {
            self->checked = each;
            self->checksum = self->head;
        }
        self->head += each->size;
    }
    return true;
}

bool wl_encode(const wl_encode_arguments *arguments, size_t first, uint8_t *out, size_t room,
               wl_encode_result *result) {
    encoder self = {.arguments = arguments};
    bool memory = prepare(&self);
    *result = (wl_encode_result){.status = WL_ENCODED};
    for (size_t row = first; memory && row < arguments->rows; row++) {
        size_t size = 0;
        result->status = put_row(&self, row, out + result->size, room - result->size, &size, &memory);
        if (result->status != WL_ENCODED) {
            result->needed = size;
            break;
        }
        result->size += size;
        result->rows++;
    }
    free(self.parts);
    free(self.scratch);
    return memory;
}
