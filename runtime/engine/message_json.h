/* Shared by the files that write messages as JSON; users include message.h only. */
#ifndef WIRELOOM_MESSAGE_JSON_H
#define WIRELOOM_MESSAGE_JSON_H

#include "message_internal.h"
#include "message_wire.h"

/* The content of a field. A message may be in several parts, which are treated as if their bytes were concatenated. Its
 * fields are recorded as pieces, in the order of the bytes, and then sorted by their numbers. */
struct wl_piece {
    const uint8_t *begin;
    const uint8_t *end;
    uint32_t field; /* index within the node */
    uint32_t order;
    uint32_t wire;
};
typedef struct wl_piece wl_piece;

/* Also counts output for which there is no room. */
typedef struct {
    uint8_t *at;
    size_t room;
    size_t used;
} wl_sink;

static inline void wl_put(wl_sink *to, const void *from, size_t size) {
    if (WL_LIKELY(size <= to->room && to->used <= to->room - size))
        memcpy(to->at + to->used, from, size);
    to->used += size;
}

static inline void wl_put_byte(wl_sink *to, uint8_t byte) {
    if (WL_LIKELY(to->used < to->room))
        to->at[to->used] = byte;
    to->used++;
}

/* Values (json_values.c). */
void wl_put_number(wl_sink *to, unsigned kind, uint64_t value);
void wl_put_text(wl_sink *to, const uint8_t *text, size_t size);
/* Text that need not be UTF-8. False: no memory. */
bool wl_put_any_text(wl_walk *walk, wl_sink *to, const uint8_t *text, size_t size);
void wl_put_hex(wl_sink *to, const uint8_t *data, size_t size);
void wl_put_base64(wl_sink *to, const uint8_t *data, size_t size);

/* Fields and messages (message_json.c). False: no memory. */

/* The message in the pieces [first, first + count); an empty one without pieces. */
bool wl_put_message(wl_walk *walk, wl_sink *to, const wl_node *node, size_t first, size_t count, unsigned depth);
/* Writes one value that is not a message. */
bool wl_put_value(wl_walk *walk, wl_sink *to, const wl_field *field, const wl_piece *of);
/* Writes the name of a field, with what precedes it. */
void wl_put_name(const wl_walk *walk, wl_sink *to, const wl_field *field, bool *is_first);
/* Records the fields of one part of a message as pieces. `dropped`: whether the last value of a closed enum is
 * unknown. */
bool wl_note_fields(wl_walk *walk, const wl_node *node, wl_piece part, bool *dropped);
/* Sorts the pieces from `base` on by their fields. */
void wl_sort_pieces(wl_walk *walk, size_t base);
/* Reads one number of a field at `at`; NULL if there is none left. */
const uint8_t *wl_read_number(const wl_field *field, const uint8_t *at, const uint8_t *end, uint64_t *value);

/* The entries in the pieces [first, first + count) of a map (message_json_maps.c). */
bool wl_put_map(wl_walk *walk, wl_sink *to, const wl_field *field, size_t first, size_t count, unsigned depth,
                bool *is_first);

#endif
