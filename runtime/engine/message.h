/* Protobuf messages to columns: the public interface, without Python, Arrow, input or output.
 *
 * A *unit* is one message of the input, including its envelope. A *message program* (created by
 * runtime/rows/messages/packed_columns.py from a wireloom.format.message_program.MessageProgram and the wanted columns)
 * describes the fields and the *vectors* that store them. A vector is one level of a column: an Arrow array without its
 * children. wl_messages_fill() reads units one after another and appends the rows of each to the vectors. An invalid
 * unit leaves nothing in them.
 *
 * Ownership
 *   - wl_message_program_load() allocates the program, wl_message_program_free() frees it. In between it is never
 *     written to, so any number of threads may use it at the same time.
 *   - All other buffers belong to the caller and are borrowed for the length of the call. Nothing needs to be
 *     aligned. Their contents are read back, but never trusted.
 *   - wl_messages_fill() allocates working memory, limited by the program's size and by the actual size of the input
 *     (never by a number that the input claims), and frees it before it returns. */
#ifndef WIRELOOM_MESSAGE_H
#define WIRELOOM_MESSAGE_H

#include "engine.h"

typedef struct wl_message_program wl_message_program;

/* Loads a packed program after checking every operand, like wl_program_load(). */
wl_message_program *wl_message_program_load(const uint8_t *packed, size_t size, char *message, size_t message_size);
void wl_message_program_free(wl_message_program *program);

size_t wl_message_program_vectors(const wl_message_program *program);

/* Like wl_program_storage(). */
unsigned wl_message_program_storage(const wl_message_program *program, size_t vector);

/* The memory and the fill level of a vector. `validity`: a bit per element, all zero after `length`; fixed: `values` of
 * capacity × storage bytes; variable and list: `values` of capacity + 1 int32 offsets; variable: `data` of `data_size`
 * bytes. `length`, `used` (data bytes) and `nulls` are read and written: a call continues where the last one ended,
 * also in memory that has been moved and grown. */
typedef struct {
    uint8_t *validity;
    uint8_t *values;
    uint8_t *data;
    size_t capacity;
    size_t data_size;
    size_t length;
    size_t used;
    size_t nulls;
} wl_vector;

/* The problem of a unit. */
enum {
    WL_UNIT_GOOD,
    WL_UNIT_SHORT,           /* fewer bytes than envelope and message require */
    WL_UNIT_PREFIX,          /* wrong prefix */
    WL_UNIT_DIGEST,          /* the digest does not match the message */
    WL_UNIT_HUGE,            /* more than WL_MOST_UNIT bytes */
    WL_UNIT_TRUNCATED,       /* the message ends inside a field */
    WL_UNIT_VARINT_LONG,     /* a varint of more than ten bytes */
    WL_UNIT_VARINT_WIDE,     /* a varint of more than 64 bits, if that is refused */
    WL_UNIT_NUMBER,          /* `value` is not a field number */
    WL_UNIT_WIRE_TYPE,       /* `value` is not a wire type */
    WL_UNIT_OTHER_WIRE_TYPE, /* a known field has the wire type `value`, if that is refused */
    WL_UNIT_GROUP_END,       /* group `value` ends but has not begun */
    WL_UNIT_GROUP_OPEN,      /* group `value` does not end */
    WL_UNIT_DEEP,            /* messages and groups are nested too deeply */
    WL_UNIT_LENGTH,          /* `value` bytes are announced, `count` are left */
    WL_UNIT_TEXT,            /* text is not UTF-8 */
    WL_UNIT_PACKED,          /* `value` bytes are not a whole number of values */
    WL_UNIT_REQUIRED,        /* a required field is missing */
    WL_UNIT_INDEX,           /* look-up `lookup` of row `row`: there is no item `value`, the table has `count` */
    WL_UNIT_INTEGER,         /* look-up `lookup` of row `row`: item `value` is not a decimal integer */
    WL_UNIT_EXPANSION,       /* look-up `lookup` returns more than `value` bytes for the rows up to `row` */
    WL_UNIT_CUT = 64,        /* added to others: the unit ends too early, and more bytes may complete it */
};

#define WL_MOST_UNIT INT32_MAX
#define WL_PATH_STEPS 12

/* Why a unit has no rows, or not all. `offset` is within the unit. `path`: the field, from the outermost message on;
 * innermost steps are omitted if it is too deep. `rows` remain valid. */
typedef struct {
    uint64_t unit;
    uint64_t offset;
    uint64_t row;
    uint64_t value;
    uint64_t count;
    uint32_t what;
    uint32_t lookup;
    uint32_t rows;
    uint32_t path_size;
    struct {
        uint32_t number;
        uint32_t index; /* index of the item of a repeated field */
    } path[WL_PATH_STEPS];
} wl_unit_problem;

typedef struct {
    const uint8_t *source;
    size_t source_size;
    const uint8_t *begins; /* uint64 per unit, in the machine's byte order */
    const uint8_t *sizes;  /* likewise */
    size_t first;          /* the unit to begin with */
    size_t count;          /* of all units */
    bool verify;           /* false: digests are not computed */
    bool null_rows;        /* an invalid unit becomes a row of nulls */
    size_t capacity;       /* the call ends after the unit with which that many rows … */
    size_t bytes;          /* … or that many bytes are reached */
    wl_vector *vectors;    /* wl_message_program_vectors() of them */
    uint8_t *counts;       /* an int32 per unit: its rows; index 0 is that of unit `first` */
    uint8_t *problems;     /* wl_unit_problem, not aligned */
    size_t problem_capacity;
} wl_messages_arguments;

/* How a call ended. */
enum {
    WL_MESSAGES_END,     /* all units have been read, or capacity or bytes are reached */
    WL_MESSAGES_FULL,    /* no more problems fit, or a vector is full: take the batch and continue */
    WL_MESSAGES_NO_ROOM, /* vector `vector` needs room for `elements` elements and `data` bytes: grow it and continue */
    WL_MESSAGES_RANGE,   /* the next unit is not within the source */
};

typedef struct {
    int status;
    size_t units; /* that have been read */
    size_t rows;  /* of this call */
    size_t problems;
    size_t vector;
    size_t elements;
    size_t data;
} wl_messages_result;

/* Reads units, at least one if there is one. Returns false only if working memory could not be allocated. */
bool wl_messages_fill(const wl_message_program *program, const wl_messages_arguments *arguments,
                      wl_messages_result *result);

#endif
