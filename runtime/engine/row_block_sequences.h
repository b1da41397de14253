/* Sequences of short varints, of one string or two, with fixed fields between them, that are located at once.
 *
 * Which of the next bytes end a varint is compared with the *shape* of the last row: the sizes of its varints. Most rows
 * have that of the row before, and processors predict this, so nothing waits for these bytes. One shuffle moves all
 * values to their places. Rows with longer varints have no shape. */
#ifndef WIRELOOM_ROW_BLOCK_SEQUENCES_H
#define WIRELOOM_ROW_BLOCK_SEQUENCES_H

#include "row_block.h"

#define WL_SEQUENCE_VARINTS 4
#define WL_SEQUENCE_BYTES 16
#define WL_MOST_SEQUENCES 4
_Static_assert(WL_SEQUENCE_BYTES <= 16, "a shape has a bit for each byte");
_Static_assert(2 * WL_SEQUENCE_VARINTS + 2 <= WL_SEQUENCE_BYTES, "varints have two lanes each, and the last one two more");

/* The sizes of the varints of a sequence: one byte or two each. */
typedef struct {
    uint16_t ends, parts; /* a bit for each byte: whether it ends a varint, and whether it is part of one */
    uint8_t begin;        /* number of bytes up to the end of the first string's varints, */
    uint8_t size;         /* and of all varints */
    uint8_t lanes[WL_SEQUENCE_BYTES]; /* the numbers of two bytes for each varint, and again for the last; 0x80: none */
} wl_sequence_shape;

struct wl_varint_sequence {
    unsigned count;
    bool both; /* the varints are those of two strings */
    bool zigzag;
    uint8_t before[WL_SEQUENCE_VARINTS]; /* number of bytes of fixed fields before each varint */
    const wl_sequence_shape *last;       /* that of the last row */
    wl_sequence_shape shapes[1 << WL_SEQUENCE_VARINTS]; /* by a bit for each varint: whether it has two bytes */
};

/* What bytes of varints are combined with. In memory, since compilers would create these constants in each function. */
typedef struct {
    uint8_t bits[WL_SEQUENCE_BYTES];    /* those of a byte that belong to the value */
    uint8_t weights[WL_SEQUENCE_BYTES]; /* of the bytes of each varint */
} wl_sequence_constants;
extern const wl_sequence_constants wl_sequence_masks;

/* Finds the sequences of the block, each in its first string. */
void wl_row_block_find_sequences(wl_row_block *block);
/* Sets the shape from the bits of the row's first bytes: whether they end a varint. False: some varint is longer. */
bool wl_sequence_find_shape(wl_varint_sequence *sequence, unsigned ends);

#endif
