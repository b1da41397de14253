/* Groups of frames, none of which is empty (frames*.c). */
#ifndef WIRELOOM_FRAMES_H
#define WIRELOOM_FRAMES_H

#include "internal.h"

#define WL_GROUP 128
_Static_assert(WL_GROUP <= UINT8_MAX + 1, "the number of a frame in its group is kept in a byte");

typedef struct {
    size_t count;
    size_t positions[WL_GROUP]; /* the beginning of each row: the delimiter before it, or the beginning of the file */
    size_t contents[WL_GROUP];  /* its first byte */
    size_t after[WL_GROUP];    /* the delimiter after it, or the end of the input */
    /* The bytes of the rows, in the input or in scratch memory, and the reasons why they are invalid as far as known
     * without reading them. */
    const uint8_t *data[WL_GROUP];
    const uint8_t *ends[WL_GROUP];
    uint8_t damages[WL_GROUP];
    size_t damaged; /* number of invalid ones */
    size_t spare;   /* number of bytes that may be read after the end of each */
    /* The frame after the group. */
    size_t position;
    size_t content;
    /* Whether the fill ends before it, and how. */
    bool is_last;
    int status;
    size_t consumed;
} wl_frames;

/* Sets the positions of the rows of the frames, and un-stuffs them. False if out of memory. */
bool wl_frames_unstuff(wl_run *run, wl_frames *frames);

#endif
