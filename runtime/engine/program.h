/* The loaded program: its steps, rules and columns. */
#ifndef WIRELOOM_PROGRAM_H
#define WIRELOOM_PROGRAM_H

#include "bytes.h"
#include "engine.h"
#include "message_kinds.h"
#include "program_limits.h"

enum {
#define OPERATION(name, handler, runs_for, flow, place, a, b, c, d, documentation) WL_OP_##name,
#include "ops.def"
#undef OPERATION
    WL_OP_COUNT,
};

/* Numbered as wireloom.format.program.Kind. */
enum {
    WL_U1,
    WL_U2LE,
    WL_U2BE,
    WL_U4LE,
    WL_U4BE,
    WL_U8LE,
    WL_U8BE,
    WL_S1,
    WL_S2LE,
    WL_S2BE,
    WL_S4LE,
    WL_S4BE,
    WL_S8LE,
    WL_S8BE,
    WL_F4LE,
    WL_F4BE,
    WL_F8LE,
    WL_F8BE,
    WL_KIND_COUNT,
};

/* Operand c of VARINT: numbers of seven bits and flags. */
#define WL_VARINT_GROUPS(shape) ((unsigned)((shape) & 0xFF))
#define WL_VARINT_MOST(shape) ((unsigned)((shape) >> 8 & 0xFF))
#define WL_VARINT_TOP(shape) ((unsigned)((shape) >> 16 & 0xFF))
#define WL_VARINT_BIG_ENDIAN ((int64_t)1 << 24)
#define WL_VARINT_ZIGZAG ((int64_t)1 << 25)
/* In an instruction: varints of at most this many bytes need no check, and fit into eight bytes. */
#define WL_VARINT_PLAIN(shape) ((unsigned)((shape) >> 32 & 0xFF))
/* In a VARINT_COLUMN: the number of adjacent varints from here on. */
#define WL_VARINT_FOLLOWING(shape) ((size_t)((shape) >> 40))

/* Operand b of EXPRESSION: whether a missing value refuses the row; 2: unless an attribute is absent. */
enum { WL_MISSING_REFUSES, WL_MISSING_IS_LEFT, WL_MISSING_IS_NULL };

/* Operand c of COLUMN_TIMESTAMP: the unit, and whether operand d is a number that means that there is no time. */
enum { WL_SECONDS, WL_MILLISECONDS, WL_MICROSECONDS, WL_NANOSECONDS, WL_UNITS, WL_HAS_ABSENT = 4 };
_Static_assert(!(WL_HAS_ABSENT & (WL_UNITS - 1)) && WL_HAS_ABSENT == WL_UNITS, "the flag is the bit above the unit");

/* Encodings of text. A table contains the character of each byte, in two bytes, or WL_NO_CHARACTER. */
enum { WL_UTF8, WL_ASCII, WL_UTF16LE, WL_UTF16BE, WL_TEXT_TABLE, WL_TEXT_ENCODINGS };
enum { WL_CHARACTERS_BYTES = 512, WL_NO_CHARACTER = 0xFFFF };

/* How a loop continues; numbered as wireloom.format.program.Loop. */
enum { WL_LOOP_COUNT, WL_LOOP_END, WL_LOOP_UNTIL, WL_LOOP_KINDS };


typedef struct {
    uint16_t op;
    uint16_t a;
    uint32_t b;
    int64_t c;
    int64_t d;
} wl_step;

typedef struct {
    wl_algorithm algorithm; /* owned by the program */
    int32_t replace;        /* -1: the checksum's own bytes count unchanged */
    uint32_t own;
    uint32_t own_size;
    uint32_t start;       /* the register with the checksum of what comes before; or WL_NO_REGISTER */
    uint32_t sum;         /* the register from which the code of `stored` reads the checksum */
    uint32_t stored;      /* constants: the code of the value that is stored for the checksum */
    uint32_t stored_size; /* 0: the checksum itself */
    uint32_t place;       /* WL_SUM_IN_… */
    uint32_t extra;       /* the register with a byte that follows the covered ones; or WL_NO_REGISTER */
} wl_rule;

/* A field of a message, as FIELDS reads it. */
typedef struct {
    wl_wire_field of;
    uint16_t flags;   /* WL_TAKES_… */
    uint16_t arm;     /* the result of FIELDS after it has read the field; 0: it continues reading */
    uint16_t value;   /* the register or span of the value, for a message that of its size; WL_NOWHERE: none */
    uint16_t present; /* the register that says whether it is present; WL_NOWHERE: none */
    uint16_t group;   /* fields of one oneof have the same number; 0: none */
    uint32_t closed;  /* constants: the numbers of a closed enum in ascending order, four bytes each */
} wl_message_field;

/* A message type at one position in the program. */
typedef struct {
    wl_wire_message of;
    uint32_t first;  /* of its fields */
    uint32_t depth;  /* maximum nesting depth of groups in it */
    uint32_t left;   /* the register with the rest of a packed field */
    uint32_t broken; /* the register that says that the message is invalid */
} wl_message_table;

#define WL_NOWHERE UINT16_MAX
_Static_assert(WL_MOST_STEPS < WL_NOWHERE && WL_MOST_COLUMNS < WL_NOWHERE && WL_MOST_REGISTERS < WL_NOWHERE &&
                   WL_MOST_SPANS < WL_NOWHERE && WL_MOST_MARKS < WL_NOWHERE,
               "their numbers are operands of 16 bits, of which one means none");
_Static_assert(WL_MOST_LEVELS <= UINT8_MAX && WL_DEEPEST_LIMIT < UINT8_MAX, "levels and depths are kept in a byte");
_Static_assert(WL_MOST_GROUPS <= UINT8_MAX && 7 * (WL_MOST_GROUPS - 1) < 64, "a varint has 64 bits and some groups of 7");
_Static_assert(WL_MOST_BYTES <= INT64_MAX / 4, "a size, an addend and a position are added without overflow");
enum { WL_TAKES_SEVERAL = 1, WL_TAKES_TEXT = 2, WL_TAKES_CLOSED = 4, WL_TAKES_FLAGS = 7 };
/* Operand b of LIMIT_…: rows inside of it that cannot be read cost the rest of it, and it may be entered before all of it
 * is available; or (alone) what cannot be read in it refuses the row, which continues after it. */
#define WL_LIMIT_CONTAINS 1
#define WL_LIMIT_OPEN 2
#define WL_LIMIT_REFUSES 4

#define WL_NO_REGISTER UINT32_MAX
#define WL_NO_LOOP UINT32_MAX
/* The location of the stored checksum: a register, or a span, whose bytes are those of the digest or of the number. */
enum { WL_SUM_IN_REGISTER, WL_SUM_IN_SPAN_LE, WL_SUM_IN_SPAN_BE, WL_SUM_PLACES };

/* Numbers from `from` up to `to`. */
typedef struct {
    uint16_t from, to;
} wl_range;

/* Numbers of registers, spans, marks and loops, one kind after another: in the program's `kept_numbers` from `from`
 * on. */
typedef struct {
    uint32_t from;
    uint16_t registers, spans, marks, loops; /* how many of each */
    uint16_t first_word, words; /* the words of the bits that say which registers have no value */
    uint32_t masks;             /* of these bits: in the program's `kept_masks` from here on */
    uint32_t size;              /* of all that a call keeps, in bytes */
} wl_kept;

/* Steps from FUNCTION up to RETURN that others call, including these steps themselves. They have their own registers,
 * spans, marks and loops, whose contents are saved for active calls. */
typedef struct {
    uint32_t step;   /* FUNCTION */
    uint32_t limits; /* maximum number of open sub-streams in it */
    bool needs_end;  /* whether it reads to the end of the stream in which it is called */
    wl_range registers, spans, marks, loops;
    wl_kept cleared; /* those of them that it may read before it has set them */
} wl_function;

/* Tables of the values of expressions (byte_tables.c). */
typedef struct wl_byte_table wl_byte_table;
typedef struct wl_byte_tables wl_byte_tables;
/* Creates an empty collection; NULL: out of memory. */
wl_byte_tables *wl_byte_tables_make(void);
void wl_byte_tables_free(wl_byte_tables *tables);
/* Frees a table, and those after it. */
void wl_byte_table_free(wl_byte_table *table);

struct wl_program {
    uint32_t step_count;
    uint32_t column_count;
    uint32_t register_count;
    uint32_t span_count;
    uint32_t mark_count;
    uint32_t constant_size;
    uint32_t rule_count;
    uint32_t input_register_count;
    uint32_t loop_count;
    uint32_t level_count; /* levels of lists, in addition to that of the rows */
    uint32_t series_count;
    uint32_t message_count;
    uint32_t message_field_count; /* of all messages together */
    uint32_t function_count;
    uint32_t carried_value_count; /* running checksums, and variables */
    uint32_t store_count; /* variables that are lists or tables */
    uint32_t delimiter_size;
    uint32_t row_loop; /* the LOOP directly around ROW, if no step outside of it reads what its body sets; or
                        * WL_NO_LOOP */
    uint32_t whole; /* 1: an input is one unit, which is read when all of it is in the window */
    uint8_t delimiter[4];
    bool has_rows;      /* rows are between ROW and ROW_END; otherwise the program is one row */
    bool expands;       /* some step decompresses a block, or computes text */
    bool makes_text;    /* some step computes text */
    bool digests;       /* some step computes a digest */
    bool positions;     /* positions are on the way to the rows */
    bool attempts;      /* some step is an ATTEMPT */
    bool sums_unit;     /* some checksum outside of the rows and of inner units is verified */
    bool *unset;        /* one per register, then per span, then per mark: some step may read it before a step of this
                         * row has set it; owned */
    bool *idle;         /* one per step: nothing reads what it sets; owned */
    uint8_t *readers;   /* one per register: how many steps read it, up to 255; owned */
    wl_step *steps;     /* checked; owned */
    bool *reachable;    /* one per step; owned */
    uint32_t *partner;  /* one per step: for a LIMIT_…, a SEEK or an EXPAND its LIMIT_END, for an ATTEMPT its
                         * ATTEMPT_END, and vice versa; owned */
    uint8_t *storages;  /* one per column; owned */
    uint8_t *levels;    /* one per column: 0, or the level of the list whose items are its values; owned */
    bool *conditional;  /* one per column: some path through the row may not write it; owned */
    wl_rule *rules;     /* owned */
    wl_function *functions; /* owned */
    wl_kept *kept;          /* one per step: for a CALL in a function, what the function needs after it; owned */
    uint16_t *kept_numbers; /* owned */
    uint64_t *kept_masks;   /* owned */
    uint32_t kept_size, kept_mask_count; /* number of them */
    uint8_t *constants; /* owned */
    wl_message_table *messages; /* owned */
    wl_message_field *message_fields; /* owned */
    wl_byte_tables *byte_tables; /* of its expressions; owned */
    wl_stuffing stuffing;
};

/* Whether all loop iterations count, since positions may lead to the whole input repeatedly. If an input is read unit
 * by unit they only lead to bytes in a sub-stream, and count separately. */
static inline bool wl_counts_items(const wl_program *program) { return program->positions && program->whole; }

/* Checks every step (validate.c); sets `reachable`. False: `message` describes the error. */
bool wl_program_check(wl_program *program, char *message, size_t message_size);
/* The sizes of a packed message table and of a field of one (message_tables.c). */
enum { WL_TABLE_BYTES = 24, WL_TABLE_FIELD_BYTES = 28 };
/* Reads the packed tables and fields. */
void wl_message_tables_read(wl_program *program, const uint8_t *tables, const uint8_t *fields);
/* Checks them, and makes what their reader needs. False: `problem` describes the error in the table number `at`, or in
 * its field `number` unless that is 0. */
bool wl_message_tables_check(const wl_program *program, uint32_t *at, uint32_t *number, const char **problem);
/* Checks the nesting of loops, rows, lists and sub-streams (regions.c); sets has_rows, sums_unit, row_loop and partner,
 * and region: one number per step, equal for steps between which jumps are allowed. */
bool wl_program_regions(wl_program *program, uint32_t *region, char *message, size_t message_size);
/* Sets `conditional` of a program whose steps have been checked, and checks row_loop (paths.c). */
void wl_program_paths(wl_program *program);
/* Sets `unset` and `readers` (assignment.c). False: out of memory. */
bool wl_program_assignment(wl_program *program);
/* The size in bytes of what a call keeps (calls.c). */
uint32_t wl_kept_size(const wl_kept *kept);
/* Sets `kept`, `idle`, and `cleared` of functions (liveness.c). False: out of memory. */
bool wl_program_liveness(wl_program *program);
/* Whether a step outside of the loop around the row reads what a step inside of it sets. */
bool wl_row_loop_leaks(const wl_program *program);
/* The step that step number `at` of `steps`, which are those of the program or what is left of them, may lead to
 * besides the next one; 0: none. The jump back to the beginning of a loop does not count (paths.c). */
uint32_t wl_step_leads_to(const wl_program *program, const wl_step *steps, uint32_t at);
/* Whether the value of a field is bytes or text. */
static inline bool wl_field_has_span(const wl_message_field *field) {
    return field->of.kind == WL_KIND_STRING || field->of.kind == WL_KIND_BYTES;
}
static inline unsigned wl_kind_size(unsigned kind) {
    static const uint8_t sizes[WL_KIND_COUNT] = {1, 2, 2, 4, 4, 8, 8, 1, 2, 2, 4, 4, 8, 8, 4, 4, 8, 8};
    return kind < WL_KIND_COUNT ? sizes[kind] : 0;
}
static inline bool wl_kind_is_signed(unsigned kind) { return kind >= WL_S1 && kind <= WL_S8BE; }
static inline bool wl_kind_is_float(unsigned kind) { return kind >= WL_F4LE; }

/* The integer of that kind. */
static inline wl_integer wl_load_kind(const uint8_t *at, unsigned kind) {
    switch (kind) {
    case WL_U1:
        return at[0];
    case WL_U2LE:
        return wl_load_le2(at);
    case WL_U2BE:
        return wl_load_be2(at);
    case WL_U4LE:
        return wl_load_le4(at);
    case WL_U4BE:
        return wl_load_be4(at);
    case WL_U8LE:
        return wl_load_le8(at);
    case WL_U8BE:
        return wl_load_be8(at);
    case WL_S1:
        return (int8_t)at[0];
    case WL_S2LE:
        return (int16_t)wl_load_le2(at);
    case WL_S2BE:
        return (int16_t)wl_load_be2(at);
    case WL_S4LE:
        return (int32_t)wl_load_le4(at);
    case WL_S4BE:
        return (int32_t)wl_load_be4(at);
    case WL_S8LE:
        return (int64_t)wl_load_le8(at);
    default: /* WL_S8BE */
        return (int64_t)wl_load_be8(at);
    }
}

#endif
