/* The decompressor of Snappy and S2. Each element is checked against what is left of the input and of the output before
 * anything is read or written. Where both have room, copies take whole vectors: the bytes after the end of a copy are
 * overwritten by the next element. */
#include "snappy.h"

#include "bytes.h"
#include "engine.h"

enum { LITERAL, NEAR_COPY }; /* kinds of elements; all others are copies with an offset of their own */
#define SHORT_LITERAL 60     /* above it, the size is in the next bytes */
#define MOST_EXTRA 4         /* bytes of an element after the first one */
#define VECTOR 16
#define MOST_SHORT 64 /* bytes of a literal that is copied in vectors */
#define SPARE (2 * VECTOR)
/* The maximum content of a stored byte: of Snappy, three bytes give 64; of S2, five give 65,540 + 2^24. */
#define SNAPPY_SHIFT 5
#define S2_SHIFT 22

size_t wl_snappy_size(const uint8_t *data, size_t size, bool repeats, size_t *begin) {
    uint64_t claimed = 0;
    for (size_t i = 0; i < size && i < 5; i++) {
        claimed |= (uint64_t)(data[i] & 0x7F) << 7 * i;
        if (data[i] < 0x80) {
            *begin = i + 1;
            bool holds = claimed <= UINT32_MAX && claimed >> (repeats ? S2_SHIFT : SNAPPY_SHIFT) <= size;
            return holds ? (size_t)claimed : WL_NOT_FOUND;
        }
    }
    return WL_NOT_FOUND;
}

/* Reads a number of at most MOST_EXTRA bytes; `left` bytes may be read, at least `count`. */
static inline uint32_t number_at(const uint8_t *at, size_t count, size_t left) {
    if (WL_LIKELY(left >= MOST_EXTRA))
        return wl_load_le4(at) & (uint32_t)((UINT64_C(1) << 8 * count) - 1);
    uint32_t number = 0;
    for (size_t i = 0; i < count; i++)
        number |= (uint32_t)at[i] << 8 * i;
    return number;
}

/* Copies at least two vectors, one after the other, and writes up to SPARE bytes too much. The ranges are at least a
 * vector apart, or in different memory. */
static inline void copy_vectors(uint8_t *to, const uint8_t *from, size_t size) {
    memcpy(to, from, VECTOR);
    memcpy(to + VECTOR, from + VECTOR, VECTOR);
    for (size_t done = SPARE; WL_UNLIKELY(done < size); done += VECTOR)
        memcpy(to + done, from + done, VECTOR);
}

/* Copies `size` bytes, at least one, from `offset` bytes before `to`, where `room` bytes may be written. If the ranges
 * overlap, this repeats them. */
static inline void copy_earlier(uint8_t *to, size_t offset, size_t size, size_t room) {
    const uint8_t *from = to - offset, *end = to + size, *wide_end = end;
    if (WL_UNLIKELY(room - size < SPARE))
        wide_end -= wl_smaller(size, SPARE);
    /* What is repeated doubles with each turn, until it has the size of a vector. */
    for (size_t apart = offset; WL_UNLIKELY(apart < VECTOR) && to < wide_end; apart *= 2) {
        uint8_t repeated[VECTOR];
        memcpy(repeated, from, VECTOR);
        memcpy(to, repeated, VECTOR);
        to += apart;
    }
    if (WL_LIKELY(to < wide_end)) {
        copy_vectors(to, from, (size_t)(wide_end - to));
        to = (uint8_t *)wide_end;
    }
    for (; WL_UNLIKELY(to < end); to++)
        *to = to[-(ptrdiff_t)offset];
}

typedef struct {
    const uint8_t *at, *end;
    uint8_t *out, *to, *to_end;
    size_t offset; /* of the last copy; 0: there was none */
} expansion;

/* Reads the size of a copy from the last offset. */
static bool read_repeat(expansion *self, unsigned code, size_t *length) {
    static const uint32_t least[8] = {4, 5, 6, 7, 8, 8, 260, 65540};
    size_t extra = code < 5 ? 0 : code - 4, left = (size_t)(self->end - self->at);
    if (extra > left)
        return false;
    *length = least[code] + (size_t)number_at(self->at, extra, left);
    self->at += extra;
    return true;
}

/* Copies a literal of `length` bytes. */
static inline bool put_literal(expansion *self, size_t length) {
    size_t left = (size_t)(self->end - self->at), room = (size_t)(self->to_end - self->to);
    if (length > left || length > room)
        return false;
    if (WL_LIKELY(length <= MOST_SHORT && left >= MOST_SHORT && room >= MOST_SHORT))
        copy_vectors(self->to, self->at, length);
    else
        memcpy(self->to, self->at, length);
    self->at += length;
    self->to += length;
    return true;
}

/* Reads an element and writes what it gives; false if it is damaged. */
static inline bool take(expansion *self, bool repeats) {
    unsigned first = *self->at++, kind = first & 3, code = first >> 2;
    size_t left = (size_t)(self->end - self->at), length = code + 1;
    if (kind == LITERAL) {
        if (WL_UNLIKELY(length > SHORT_LITERAL)) {
            size_t extra = length - SHORT_LITERAL;
            if (extra > left)
                return false;
            length = (size_t)number_at(self->at, extra, left) + 1;
            self->at += extra;
        }
        return put_literal(self, length);
    }
    size_t extra = kind == 3 ? 4 : kind;
    if (extra > left)
        return false;
    size_t offset = number_at(self->at, extra, left);
    self->at += extra;
    if (kind == NEAR_COPY) {
        offset |= (first & 0xE0) << 3;
        length = 4 + (code & 7);
        if (WL_UNLIKELY(offset == 0 && repeats)) {
            if (!read_repeat(self, code & 7, &length))
                return false;
            offset = self->offset;
        }
    }
    size_t room = (size_t)(self->to_end - self->to);
    self->offset = offset;
    if (offset == 0 || offset > (size_t)(self->to - self->out) || length > room)
        return false;
    copy_earlier(self->to, offset, length, room);
    self->to += length;
    return true;
}

bool wl_snappy_expand(const uint8_t *data, size_t size, bool repeats, uint8_t *out, size_t out_size) {
    expansion self = {.at = data, .end = data + size, .out = out, .to = out, .to_end = out + out_size};
    while (self.at < self.end) {
        if (!take(&self, repeats))
            return false;
    }
    return self.to == self.to_end;
}

size_t wl_snappy_records_room(const wl_snappy_records *records, uint8_t *reasons) {
    size_t room = 0, begin, from = wl_load4(records->ends);
    for (size_t i = 0; i < records->count; i++) {
        size_t end = wl_load4(records->ends + 4 * (i + 1)), size = end - from;
        if (end < from || end > records->data_size)
            return WL_NOT_FOUND;
        if (records->compressed[i])
            size = wl_snappy_size(records->data + from, size, false, &begin);
        reasons[i] = size == WL_NOT_FOUND ? WL_REASON_CODEC : size > records->limit ? WL_REASON_LIMIT : WL_REASON_NONE;
        if (!reasons[i])
            room += size;
        from = end;
    }
    return room;
}

void wl_snappy_records_expand(const wl_snappy_records *records, uint8_t *reasons, uint8_t *out, uint8_t *ends) {
    size_t written = 0;
    wl_store4(ends, 0);
    for (size_t i = 0; i < records->count; i++) {
        size_t from = wl_load4(records->ends + 4 * i), size = wl_load4(records->ends + 4 * (i + 1)) - from, begin = 0;
        const uint8_t *data = records->data + from;
        if (!reasons[i] && records->compressed[i]) {
            size_t content = wl_snappy_size(data, size, false, &begin);
            if (wl_snappy_expand(data + begin, size - begin, false, out + written, content))
                written += content;
            else
                reasons[i] = WL_REASON_CODEC;
        } else if (!reasons[i] && size) {
            memcpy(out + written, data, size);
            written += size;
        }
        wl_store4(ends + 4 * (i + 1), (uint32_t)written);
    }
}
