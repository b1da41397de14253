/* Blocks of Snappy, and of S2, which adds copies from the offset of the copy before: a size, then elements, each of which
 * is bytes of its own (a literal) or a copy of earlier content. Formats: format_description.txt of google/snappy, and
 * s2/README.md of klauspost/compress. */
#ifndef WIRELOOM_SNAPPY_H
#define WIRELOOM_SNAPPY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Returns the size of the content that a block states, and the size of that statement in *begin; WL_NOT_FOUND if it
 * states none, or one that so few bytes cannot have. `repeats`: whether it is of S2. */
size_t wl_snappy_size(const uint8_t *data, size_t size, bool repeats, size_t *begin);

/* Decompresses elements to exactly `out_size` bytes. False: they are damaged, or give another number of bytes. */
bool wl_snappy_expand(const uint8_t *data, size_t size, bool repeats, uint8_t *out, size_t out_size);

/* Records, some of which are blocks of Snappy: Arrow's buffers. */
typedef struct {
    const uint8_t *compressed; /* a byte per record: whether it is a block */
    size_t count;
    const uint8_t *ends; /* count + 1 int32: the offset of the first record, then the end of each one */
    const uint8_t *data;
    size_t data_size;
    size_t limit; /* maximum size in bytes of a content */
} wl_snappy_records;

/* Returns the room that the contents of records need at most, and why each has none in `reasons` (WL_REASON_NONE …);
 * WL_NOT_FOUND if the offsets are not ascending or not within the data. */
size_t wl_snappy_records_room(const wl_snappy_records *records, uint8_t *reasons);

/* Writes the contents one after the other to `out`, which has that room, and count + 1 offsets in it to `ends`. What is
 * damaged has no content, and a reason. */
void wl_snappy_records_expand(const wl_snappy_records *records, uint8_t *reasons, uint8_t *out, uint8_t *ends);

#endif
