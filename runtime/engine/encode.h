/* Plain rows from columns, a block at a time (encode*.c). */
#ifndef WIRELOOM_ENCODE_H
#define WIRELOOM_ENCODE_H

#include "internal.h"

#define WL_ENCODE_ROWS 64
/* Bytes of a block: it, and what is made of it, stay in a processor's first cache. */
#define WL_ENCODE_BYTES WL_SCAN_BLOCK

/* A field, looked at once. */
typedef struct {
    unsigned kind; /* WL_U…: signed integers and floats stand as unsigned integers of their size do */
    unsigned size;
    unsigned holds;
    const uint8_t *values;
    int64_t added;
} wl_encode_part;

/* A block's rows are put together next to each other, each with a gap behind it. */
typedef struct {
    const wl_encode_arguments *arguments;
    wl_encode_part *parts;         /* one per field */
    size_t head;                   /* bytes of all of them */
    const wl_encode_part *checked; /* the one that holds the checksum, or NULL */
    size_t checksum;               /* where it stands in the head */
    size_t row;                    /* number of the first row */
    size_t count;
    size_t begins[WL_ENCODE_ROWS]; /* of the byte strings, in the data */
    size_t sizes[WL_ENCODE_ROWS];
    uint8_t *rows[WL_ENCODE_ROWS]; /* where they are put together */
} wl_encode_block;

/* Puts the rows together; `end`: what may be written behind the last of them. */
void wl_encode_assemble(const wl_encode_block *block, const uint8_t *end);

#endif
