/* Plain rows from columns, a block at a time (encode*.c). */
#ifndef WIRELOOM_ENCODE_H
#define WIRELOOM_ENCODE_H

#include "internal.h"

#define WL_ENCODE_ROWS 64
/* Size of a block in bytes: it and its results fit into a processor's first-level cache. */
#define WL_ENCODE_BYTES WL_SCAN_BLOCK

/* A field, examined once. */
typedef struct {
    unsigned kind; /* WL_U…: signed integers and floats are treated as unsigned integers of their size */
    unsigned size;
    unsigned holds;
    const uint8_t *values;
    int64_t added;
} wl_encode_part;

/* The rows of a block are assembled next to each other, each followed by a gap. */
typedef struct {
    const wl_encode_arguments *arguments;
    wl_encode_part *parts;         /* one per field */
    size_t head;                   /* total size in bytes */
    const wl_encode_part *checked; /* the part with the checksum, or NULL */
    size_t checksum;               /* the offset of the checksum in the head */
    size_t row;                    /* number of the first row */
    size_t count;
    const uint8_t *strings[WL_ENCODE_ROWS];
    uint32_t sizes[WL_ENCODE_ROWS]; /* of the byte strings */
    uint8_t *rows[WL_ENCODE_ROWS];  /* where they are assembled */
    size_t gap;                     /* distance in bytes from each byte string to the next one; WL_NOT_FOUND if it
                                     * varies */
} wl_encode_block;

typedef struct {
    wl_encode_block block;
    /* Sizes of byte strings that all fields with sizes can represent. */
    size_t least;
    size_t most;
    size_t after;    /* bytes of delimiter and padding */
    uint8_t *scratch; /* NULL if no row is assembled elsewhere before it is stuffed; owned by wl_encode */
    size_t scratch_size;
    uint8_t *out;
    size_t room;
} wl_encoder;

/* Assembles the rows; `end`: the end of the memory that may be written after the last of them. */
void wl_encode_assemble(const wl_encode_block *block, const uint8_t *end);

/* Writes the block's rows stuffed, one after another, and returns how many of them can be written. `memory` becomes
 * false if out of memory. */
size_t wl_encode_stuffed(wl_encoder *self, size_t *size, bool *memory);

/* Writes the delimiter and the padding after a row. */
static inline void wl_encode_after(const wl_encode_arguments *arguments, uint8_t *end) {
    if (WL_LIKELY(arguments->delimiter_size == 2)) {
        memcpy(end, arguments->delimiter, 2);
    } else {
        for (size_t i = 0; i < arguments->delimiter_size; i++)
            end[i] = arguments->delimiter[i];
    }
    if (arguments->padding)
        memset(end + arguments->delimiter_size, 0, arguments->padding);
}

#endif
