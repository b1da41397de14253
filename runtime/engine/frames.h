/* Groups of frames (frames*.c). */
#ifndef WIRELOOM_FRAMES_H
#define WIRELOOM_FRAMES_H

#include "internal.h"

#define WL_GROUP 128

typedef struct {
    size_t count;
    size_t positions[WL_GROUP]; /* where each row begins: the delimiter before it, or the start of the file */
    size_t contents[WL_GROUP];  /* its first byte */
    size_t behind[WL_GROUP];    /* the delimiter behind it, or the end of the input */
    /* The rows' bytes, in the input or in scratch, and why they are no rows as far as that is known without them. */
    const uint8_t *data[WL_GROUP];
    const uint8_t *ends[WL_GROUP];
    uint8_t damages[WL_GROUP];
    size_t damaged; /* how many of them are none */
    size_t spare;   /* bytes that may be read behind the end of each */
    /* The frame behind the group. */
    size_t position;
    size_t content;
    /* Whether the fill ends before it, and how. */
    bool is_last;
    int status;
    size_t consumed;
} wl_frames;

/* Fills in where the rows of the frames are, and un-stuffs them. False where there is no memory. */
bool wl_frames_unstuff(wl_run *run, wl_frames *frames);

/* Rows side by side ------------------------------------------------------------------------------------------------
 *
 * A plan without jumps, sub-streams and searches lays every row between delimiters out alike: fixed fields, then bytes
 * up to the row's end. A *sheet* is such a plan, each of its steps a tight loop over the rows of a group, so that these
 * do not wait for each other. Only rows that hold every check and have room are read in this way: the first one that
 * does not, and what becomes of it, is for the handlers (row*.c). */

/* A place in a row: so many bytes behind its beginning, or its end. */
typedef struct {
    bool is_end;
    uint32_t offset;
} wl_sheet_place;

typedef struct wl_sheet wl_sheet;
typedef struct wl_sheet_step wl_sheet_step;

/* Runs a step over the first `count` rows of the sheet; `row` is the number of the first. Returns for how many it held:
 * all, or those before the first that is not for the sheet. */
typedef size_t (*wl_sheet_function)(wl_sheet *sheet, const wl_sheet_step *step, size_t count, size_t row);

struct wl_sheet_step {
    wl_sheet_function run;
    uint32_t kind; /* of the value at `from` */
    uint32_t column;
    uint32_t width;
    wl_sheet_place from, to; /* a value and nothing, a range of bytes, or the checksum and the end of its range */
    uint8_t *out;
    uint8_t *offsets;
    size_t room;         /* data bytes of a variable column */
    uint64_t low, reach; /* a value v holds where v − low ≤ reach, modulo 2^64 */
    const uint8_t *constant;
    const wl_checksum *checksum;
    size_t begin; /* checksums: where the range begins, behind their own bytes if these are its first */
};

struct wl_sheet {
    wl_run *run;
    wl_sheet_step *steps; /* in the same allocation */
    size_t count;
    size_t fixed; /* bytes that every row has */
    /* How much is tried at once: less after rows that did not hold, and nothing for a while where they are many. */
    size_t most;
    size_t pause;
    size_t wait;
    /* The rows at hand. */
    const uint8_t *const *data;
    const uint8_t *const *ends;
    size_t spare;
    const uint8_t *from[WL_GROUP];
    uint32_t sizes[WL_GROUP];
    uint64_t values[WL_GROUP];
};

/* The sheet of a plan; NULL where it has none, or there is no memory. */
wl_sheet *wl_sheet_make(wl_run *run);
void wl_sheet_free(wl_sheet *sheet);
/* Reads frames from number `first` on into the columns from `row` on. Returns how many. */
size_t wl_sheet_read(wl_sheet *sheet, const wl_frames *frames, size_t first, size_t row);

/* Of frames_columns.c. */
wl_sheet_function wl_sheet_fixed(unsigned operation);
size_t wl_sheet_register(wl_sheet *sheet, const wl_sheet_step *step, size_t count, size_t row);
size_t wl_sheet_timestamp(wl_sheet *sheet, const wl_sheet_step *step, size_t count, size_t row);
size_t wl_sheet_range(wl_sheet *sheet, const wl_sheet_step *step, size_t count, size_t row);
size_t wl_sheet_constant(wl_sheet *sheet, const wl_sheet_step *step, size_t count, size_t row);
size_t wl_sheet_checksum(wl_sheet *sheet, const wl_sheet_step *step, size_t count, size_t row);
size_t wl_sheet_bytes(wl_sheet *sheet, const wl_sheet_step *step, size_t count, size_t row);

#endif
