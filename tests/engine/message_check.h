/* What the C tests of messages share: programs made by hand, and units read in any number of calls. */
#ifndef WIRELOOM_MESSAGE_CHECK_H
#define WIRELOOM_MESSAGE_CHECK_H

#include "check.h"
#include "message.h"
#include "message_internal.h"

#define DRAFT_SCOPES 16
#define DRAFT_EMITS 64

/* A message program in the making. Zero is a fine begin: then say message_draft_start(). */
typedef struct {
    struct {
        wl_field fields[16];
        uint32_t field_count;
        bool strict;
    } nodes[32];
    uint32_t node_count;
    wl_shape shapes[128];
    uint32_t vector_count;
    struct {
        wl_emit emits[DRAFT_EMITS];
        uint32_t emit_count;
        uint32_t drop;
        bool is_row;
    } scopes[DRAFT_SCOPES + 1]; /* the last one: emits of the unit */
    uint32_t scope_count;
    wl_lookup lookups[4];
    uint32_t lookup_count;
    int32_t values[32];
    uint32_t value_count;
    wl_clear clears[64];
    uint32_t clear_count;
    uint32_t slot_count, table_count, unit_node, row_scope, max_depth, least, whole;
    uint32_t digest;
    bool has_whole;
    uint8_t prefix[4];
    uint32_t prefix_size;
} message_draft;

/* Slot 0, and scope 0, which is the unit's. */
void message_draft_start(message_draft *it);
/* A field of a node; what it does not have is WL_NONE. */
wl_field *message_draft_field(message_draft *it, uint32_t node, uint32_t number, unsigned kind, unsigned flags);
uint32_t message_draft_vector(message_draft *it, unsigned storage);
void message_draft_emit(message_draft *it, uint32_t scope, unsigned op, uint32_t vector, uint32_t slot, uint32_t guard,
                        unsigned flags);
/* The packed program; the caller frees it. */
uint8_t *message_draft_pack(const message_draft *it, size_t *size);

/* How units are fed to wl_messages_fill(). */
typedef struct {
    const uint8_t *source;
    size_t size;
    const uint64_t *begins;
    const uint64_t *sizes;
    size_t units;
    size_t room;     /* elements, and data bytes, of each vector to begin with */
    size_t capacity; /* rows of a call */
    size_t bytes;    /* of input of a call */
    size_t problems; /* of a call */
    bool verify;
    bool null_rows;
} message_feed;

/* What came out; vectors and their buffers are owned by it. */
typedef struct {
    wl_vector *vectors;
    size_t vector_count;
    int32_t *counts;
    wl_unit_problem *problems;
    size_t problem_count;
    size_t rows;
} message_outcome;

message_outcome read_messages(const wl_message_program *program, const message_feed *how);
void free_outcome(message_outcome *found);
bool same_messages(const wl_message_program *program, const message_outcome *left, const message_outcome *right,
                   size_t units);

#endif
