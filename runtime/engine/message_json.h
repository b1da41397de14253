/* What the files that write messages as JSON share; users include message.h only. */
#ifndef WIRELOOM_MESSAGE_JSON_H
#define WIRELOOM_MESSAGE_JSON_H

#include "message_wire.h"

/* A field's content. A message may stand in several parts, which belong together as if their bytes stood one after
 * another. Its fields are noted as pieces, in the order of the bytes, and then sorted by their numbers. */
struct wl_piece {
    const uint8_t *begin;
    const uint8_t *end;
    uint32_t field; /* counted within the node */
    uint32_t order;
    uint32_t wire;
};
typedef struct wl_piece wl_piece;

/* Counts also what it has no room for. */
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
void wl_put_base64(wl_sink *to, const uint8_t *data, size_t size);

/* Fields and messages (message_json.c). False: no memory. */

/* The message in the pieces [first, first + count); none of them: an empty one. */
bool wl_put_message(wl_walk *walk, wl_sink *to, const wl_node *node, size_t first, size_t count, unsigned depth);
/* One value of what is no message. */
bool wl_put_value(wl_walk *walk, wl_sink *to, const wl_field *field, const wl_piece *of);
/* The name of a field, with what stands before it. */
void wl_put_name(const wl_walk *walk, wl_sink *to, const wl_field *field, bool *is_first);
/* Notes the fields of one part of a message as pieces. `dropped`: whether the last value of a closed enum is none of
 * it. */
bool wl_note_fields(wl_walk *walk, const wl_node *node, wl_piece part, bool *dropped);
/* Puts the pieces from `base` on in the order of their fields. */
void wl_sort_pieces(wl_walk *walk, size_t base);
/* Reads one number of a field, from `at` on; NULL: there is none left. */
const uint8_t *wl_read_number(const wl_field *field, const uint8_t *at, const uint8_t *end, uint64_t *value);

/* The entries in the pieces [first, first + count) of a map (message_json_maps.c). */
bool wl_put_map(wl_walk *walk, wl_sink *to, const wl_field *field, size_t first, size_t count, unsigned depth,
                bool *is_first);

#endif
