/* Records in fragments: which fragments begin a record. */
#ifndef WIRELOOM_FRAGMENTS_H
#define WIRELOOM_FRAGMENTS_H

#include "bytes.h"

/* The role of a fragment in its record; larger numbers: it belongs to none. */
enum { WL_FRAGMENT_FULL, WL_FRAGMENT_FIRST, WL_FRAGMENT_MIDDLE, WL_FRAGMENT_LAST };

typedef struct {
    const uint8_t *roles;
    size_t count;
    const uint8_t *places; /* `count` uint64: the offset of each fragment in the input */
    const uint8_t *ends;   /* `count` + 1 int32: Arrow's offsets of the data of the fragments */
} wl_fragments;

/* Whole records: `fragments` at the beginning. */
typedef struct {
    size_t fragments;
    size_t records;
} wl_joined_fragments;

/* Writes the places of the whole records at the beginning and, as Arrow's offsets, where the data of each begin and the
 * last ones end. The room is that of all fragments. Stops before a fragment that does not continue the one before it. */
wl_joined_fragments wl_join_fragments(const wl_fragments *fragments, uint8_t *places, uint8_t *ends);

#endif
