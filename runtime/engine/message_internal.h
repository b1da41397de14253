/* Shared by the files of the message walk; users include message.h only. */
#ifndef WIRELOOM_MESSAGE_INTERNAL_H
#define WIRELOOM_MESSAGE_INTERNAL_H

#include "internal.h"
#include "message.h"

/* The loaded program --------------------------------------------------------------------------------------------- */

#define WL_NONE UINT32_MAX
#define WL_MOST_REQUIRED 64
_Static_assert(WL_MOST_REQUIRED <= 64, "a message has a bit for each required field");

/* Flags of fields. */
enum {
    WL_FIELD_REPEATED = 1,
    WL_FIELD_REQUIRED = 2,
    WL_FIELD_TEXT = 4,      /* must be UTF-8 */
    WL_FIELD_CLOSED = 8,    /* an enum for which other values are unknown fields */
    WL_FIELD_MAP = 16,      /* messages of a key (the first field) and a value, of which the last one with a key
                             * counts */
    WL_FIELD_IMPLICIT = 32, /* zero is the same as absent */
    WL_FIELD_JSON = 64,     /* a message whose text is kept too, in its slot or, for a repeated one, its vector */
    WL_FIELD_HEX = 128,     /* bytes that are hexadecimal digits in JSON */
};

/* How the walk handles a field; chosen at loading. */
enum {
    WL_DO_VALUE,    /* a value that only needs its slot */
    WL_DO_MERGED,   /* a message that is part of the enclosing one */
    WL_DO_ITEM,     /* a message with a scope of its own */
    WL_DO_REPEATED, /* values that are stored in a vector or a table, or only need to be read */
    WL_DO_CHOSEN,   /* a value of a closed enum */
};

/* One field of a node. WL_NONE if it has none; slot 0 is written to and never read. */
typedef struct {
    wl_wire_field of;
    uint8_t action;
    uint8_t flags;
    uint32_t slot;   /* holds the value until its scope is closed */
    uint32_t vector; /* repeated values: where they are appended */
    uint32_t node;   /* messages */
    uint32_t scope;  /* WL_DO_ITEM */
    uint32_t table;  /* repeated bytes or text that look-ups read */
    uint32_t values; /* closed enums: the first of its values */
    uint32_t clears; /* members of oneofs: the first of what setting it clears … */
    uint32_t clear_count;
    uint32_t oneof; /* 0: none; numbered from 1 within the node */
    uint32_t drop;  /* closed enum as a map's value: the slot that marks the entry as dropped */
    uint32_t name;  /* its name in JSON, with quotes and a colon: its beginning in the constants … */
    uint32_t name_size;
    uint64_t required; /* its bit */
    uint64_t set;      /* the bit of its slot in wl_walk.set */
    uint64_t replaces; /* the bits of slots of which one must be set for `clears` to have an effect; not for closed
                        * enums */
} wl_field;

/* A message type at one position in the tree of wanted columns, or at any position that is not wanted. */
typedef struct {
    wl_wire_message of;
    uint32_t first_field;
    bool has_oneof;
    bool often_single; /* most messages of the type are a single value */
    uint64_t required; /* bits of the required fields */
} wl_node;

static inline const wl_field *wl_fields_of(const wl_node *node) { return node->of.fields; }

/* How the end of a scope writes an element. */
enum {
    WL_EMIT_FIXED, /* of the vector's width */
    WL_EMIT_BYTES,
    WL_EMIT_TEXT, /* bytes; invalid UTF-8 is replaced */
    WL_EMIT_STRUCT,
    WL_EMIT_LIST,
    WL_EMIT_ROW_NUMBER,
    WL_EMIT_MARK,
    WL_EMIT_PARENT, /* the number of the element that vector `slot` receives next: of the message above */
    WL_EMIT_JSON,   /* a message of the node `node` as text */
    WL_EMIT_COUNT,
};

enum {
    WL_ABSENT_NULL = 1,   /* otherwise it is the default */
    WL_ABSENT_PRESENT = 2 /* a struct that is never null */
};

typedef struct {
    uint32_t op;
    uint32_t vector;
    uint32_t slot;
    uint32_t guard; /* the slot of the message that contains it: if that is absent, so is this */
    uint32_t flags;
    uint32_t default_size; /* size in bytes of the default, which begins at default_value in the constants */
    uint32_t node;         /* WL_EMIT_JSON */
    uint8_t bit;           /* of its slot in wl_walk.set */
    bool deferred;         /* null elements are written later, in runs (message_nulls.c) */
    bool more;             /* deferred: the next one has the same bit */
    uint64_t default_value;
} wl_emit;

/* A message that is a row, an element of a list, or above the rows: slots belong to it. */
typedef struct {
    uint32_t emits;
    uint32_t emit_count;
    uint32_t drop; /* a slot; if it is set, the entry does not count */
    bool is_row;
    /* Deferred emits, which come after the others, in the order of their bits. */
    uint32_t first_deferred; /* index among the emits of the scope */
    uint32_t lead;           /* the vector whose length is that of all vectors; WL_NONE: no emit is deferred */
    uint64_t bits;
    uint16_t by_bit[64]; /* the first one with each bit: index among the deferred ones */
} wl_scope;

typedef struct {
    wl_emit index; /* op and vector are unused */
    uint32_t table;
    uint32_t scope;  /* the scope at whose end the table is complete */
    uint32_t vector; /* WL_NONE: only checked */
    bool integer;
    bool text;
    uint64_t mask;
} wl_lookup;

typedef struct {
    uint8_t storage;
    uint32_t end; /* vectors up to here are nested in it */
} wl_shape;

typedef struct {
    uint32_t is_list; /* 1: `number` is a vector, whose items since the scope's beginning are removed; 0: a slot */
    uint32_t number;
} wl_clear;

#define WL_MOST_LOOKUPS 64

struct wl_message_program {
    uint32_t node_count, field_count, value_count, clear_count, slot_count, vector_count, emit_count, scope_count;
    uint32_t table_count, lookup_count, constant_size;
    uint32_t unit_node;
    uint32_t unit_scope;
    uint32_t unit_emits, unit_emit_count; /* one element per unit */
    uint32_t max_depth;
    uint32_t prefix, prefix_size; /* in the constants */
    uint32_t digest_family;
    wl_algorithm digest; /* of the message, after it; 0 bytes if there is none */
    uint32_t least;
    bool has_json;
    bool has_whole;
    uint32_t whole; /* vector; WL_NONE: not wanted */
    uint32_t row_scope;
    wl_node *nodes; /* this and all members below: owned, one allocation each */
    wl_field *fields;
    uint8_t *values; /* of each closed enum in ascending order, four bytes each */
    wl_clear *clears;
    wl_shape *shapes; /* one per vector */
    wl_emit *emits;
    wl_scope *scopes;
    wl_lookup *lookups;
    uint8_t *constants;
};

/* Checks every operand and fills in the derived members (message_validate.c). */
bool wl_message_program_check(wl_message_program *program, char *message, size_t message_size);
/* Decides which emits are deferred, and sorts them, once the program has been checked. False: out of memory. */
bool wl_message_program_defer(wl_message_program *program);

/* The walk of one call --------------------------------------------------------------------------------------------- */

/* A value that is kept until the end of its scope. It is valid if `stamp` is that of the scope. */
typedef struct {
    const uint8_t *at;
    uint64_t value; /* bits of a scalar, or size of bytes */
    uint64_t stamp;
} wl_slot;

/* An item of a table. `known`: what has been determined about it. */
typedef struct {
    const uint8_t *at;
    uint32_t size;
    uint32_t known;
} wl_item;

typedef struct {
    wl_item *items; /* owned by the run; at most one per two bytes of the unit */
    size_t count;
    size_t capacity;
} wl_table;

/* The bytes of a message in several parts. */
typedef struct {
    uint8_t *data; /* owned by the run */
    size_t capacity;
} wl_merged;

/* The number of elements for which all vectors of a scope have room. */
typedef struct {
    size_t elements;
    uint32_t vector; /* the one that has room for no more */
} wl_room;

/* The state of a vector at the beginning of the unit. */
typedef struct {
    size_t length;
    size_t used;
    size_t nulls;
} wl_mark;

typedef struct {
    const wl_message_program *program;
    const wl_messages_arguments *arguments;
    wl_messages_result *result;
    wl_vector *vectors;      /* the caller's */
    wl_slot *slots;          /* owned */
    wl_room *rooms;          /* owned; one per scope */
    wl_mark *marks;          /* owned; one per vector */
    size_t *starts;          /* owned; lengths at the beginning of the call */
    wl_table *tables;        /* owned */
    uint64_t **indices;      /* owned; per look-up, one per row of the unit */
    wl_merged *merged;       /* owned; per slot, where there is JSON */
    struct wl_piece *pieces; /* owned; of the messages that are being written as JSON */
    size_t piece_count;
    size_t piece_capacity;
    size_t index_capacity;
    uint64_t stamp;          /* the last one that was assigned */
    uint64_t set;            /* which slots have been set in the current scope: a bit per slot, modulo 64 */
    const uint8_t *readable; /* bytes before this may be read (not used) beyond a value's end */
    /* The unit that is being read. */
    const uint8_t *unit;
    size_t unit_size;
    const uint8_t *message;
    size_t message_size;
    size_t looked_up[WL_MOST_LOOKUPS]; /* total size in bytes of the items that each look-up has returned for the unit's
                                        * rows */
    size_t row;                        /* number of rows so far */
    size_t bad;                        /* the first row whose look-ups fail, or SIZE_MAX */
    bool suspect;                      /* some message lacked a required field at its end */
    bool no_room;                      /* details are in result */
    bool no_memory;
    wl_unit_problem problem;
} wl_walk;

/* Records the problem at `at`; returns false. */
bool wl_unit_wrong(wl_walk *walk, uint32_t what, const uint8_t *at, uint64_t value, uint64_t count);
/* Prepends a step to the path of the invalid field. */
void wl_unit_path(wl_walk *walk, uint32_t number, size_t index);

/* Reads the message [cursor, end) of a type; `depth` is the number of enclosing messages. False: the unit is invalid,
 * no room, or out of memory. */
bool wl_walk_message(wl_walk *walk, const wl_node *node, const uint8_t *cursor, const uint8_t *end, uint64_t stamp,
                     unsigned depth);
/* Closes a scope that began with row `begin` of the unit. */
bool wl_close_scope(wl_walk *walk, uint32_t number, uint64_t stamp, size_t begin);
/* Reads a field of another kind (message_fields.c); `at` is its tag, `cursor` after it. NULL: as above. */
const uint8_t *wl_walk_repeated(wl_walk *walk, const wl_node *node, const wl_field *field, const uint8_t *at,
                                const uint8_t *cursor, const uint8_t *end);
/* `counts` becomes false if the value is not one of the field's. */
const uint8_t *wl_walk_chosen(wl_walk *walk, const wl_node *node, const wl_field *field, const uint8_t *cursor,
                              const uint8_t *end, uint64_t stamp, bool *counts);
void wl_walk_clear(wl_walk *walk, const wl_field *field);
/* The number of fields with that number and wire type in [begin, end), which has been read before. */
size_t wl_count_fields(const uint8_t *begin, const uint8_t *end, uint32_t number, unsigned wire);

/* Whether all required fields of the unit's message are present, after merging (message_required.c). */
bool wl_is_initialized(wl_walk *walk);

/* Writing vectors (message_vectors.c). False: no room. */
bool wl_emit_scope(wl_walk *walk, const wl_scope *scope, uint64_t stamp);
bool wl_emit_unit(wl_walk *walk, uint64_t stamp);
bool wl_emit_null(wl_walk *walk, uint32_t vector);
bool wl_no_room(wl_walk *walk, uint32_t vector, size_t elements, size_t data);
bool wl_append_bytes(wl_walk *walk, uint32_t vector, const uint8_t *at, size_t size, bool text);
bool wl_append_fixed(wl_walk *walk, uint32_t vector, uint64_t value);
void wl_vector_cut(wl_walk *walk, uint32_t vector, size_t length);
void wl_vectors_mark(wl_walk *walk);
void wl_vectors_take_back(wl_walk *walk);
void wl_vectors_start(wl_walk *walk);
void wl_vectors_finish(wl_walk *walk);
static inline void wl_set_null(wl_vector *vector) {
    vector->validity[vector->length / 8] |= (uint8_t)(1u << vector->length % 8);
    vector->nulls++;
}

/* Deferred nulls (message_nulls.c). */
void wl_nulls_start(wl_walk *walk);
/* Appends nulls to a vector that has fewer than `length` elements and room for as many. */
void wl_nulls_reach(wl_walk *walk, uint32_t vector, size_t length);
/* Appends all nulls that have been deferred. */
void wl_nulls_finish(wl_walk *walk);

/* Text in which invalid UTF-8 is replaced by U+FFFD, one per run that cannot be part of a character, like Python's
 * errors="replace". `out` NULL: only counts. Returns its size in bytes (message_text.c). */
size_t wl_text_replaced(const uint8_t *text, size_t size, uint8_t *out);

/* JSON (message_json.c). A message is appended to a vector as text; one that has been read is kept in its field's slot,
 * `again` together with the part of it that is already there. False: no room or out of memory. */
bool wl_append_json(wl_walk *walk, uint32_t vector, uint32_t node, const uint8_t *at, size_t size);
bool wl_json_note(wl_walk *walk, const wl_field *field, const uint8_t *at, size_t size, bool again);

/* Look-ups (message_lookup.c). */
bool wl_table_append(wl_walk *walk, uint32_t table, const uint8_t *at, size_t size);
bool wl_lookups_note(wl_walk *walk, uint64_t stamp);
/* The end of the scope: the rows from `begin` on receive the items of its tables, which are then emptied. */
bool wl_lookups_resolve(wl_walk *walk, uint32_t scope, size_t begin);

/* Whether an absent value is null, or its default. */
static inline bool wl_absent_is_null(const wl_walk *walk, const wl_emit *emit, uint64_t stamp) {
    return (emit->flags & WL_ABSENT_NULL) || (emit->guard != WL_NONE && walk->slots[emit->guard].stamp != stamp);
}

#endif
