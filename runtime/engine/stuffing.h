/* Stuffing and un-stuffing move bytes by a distance that changes only where a header is added or removed: all other
 * headers replace something of the same size. So bytes are copied unchanged, more than needed at a time, and headers,
 * or what they replace, are written over them. */
#ifndef WIRELOOM_STUFFING_H
#define WIRELOOM_STUFFING_H

#include "internal.h"

typedef struct {
    const uint8_t *data;
    size_t size;
    size_t readable; /* number of bytes that may be read at `data` */
    uint8_t *out;
    size_t room;
    size_t distance; /* data[i] is copied to out[i + distance], modulo the range of size_t */
    size_t copied;   /* the data before this is copied, or removed */
} wl_mover;

/* Copies up to `end`, and `ahead` bytes after that. */
static inline void wl_move_until(wl_mover *self, size_t end, size_t ahead) {
    if (self->copied >= end)
        return;
    size_t size = wl_smaller(end - self->copied + ahead, self->size - self->copied);
    size_t written = self->copied + self->distance;
    wl_copy(self->out + written, self->data + self->copied, size, self->room - written, self->readable - self->copied);
    self->copied += size;
}

#endif
