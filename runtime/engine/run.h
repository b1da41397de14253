/* The state of one call: its plan of decoded instructions, and what changes while rows are read. */
#ifndef WIRELOOM_RUN_H
#define WIRELOOM_RUN_H

#include "bytes.h"
#include "engine.h"
#include "md5.h"
#include "program.h"

/* The plan of one call (plan.c): the steps that this call needs, decoded once ------------------------------------ */

/* The operation of an instruction: that of the step that it was created from, and the ones below, for a part of what a
 * step does. Operands are those of the step, with these exceptions:
 * - NEED: c bytes; COLUMN_REGISTER: c: width in bytes;
 * - CHECK_CONSTANT, TEXT_CONSTANT: constant: the bytes; EXPRESSION: constant: d bytes of code; b, c: operands of a short one;
 * - where c is a step: the number of instructions from here; CALL: c: the same, to the first of the function;
 * - EXPAND: c: number of the register of the codec, plus 65536 times one more than that of the size, if there is one;
 * - LIMIT_…, EXPAND, ATTEMPT: d: the number of instructions to the one that ends it;
 * - COLUMN_TEXT: c: the encoding, plus 256 times the position of its table. */
enum {
#define OPERATION(name, handler, runs_for, flow, place, a, b, c, d, documentation) WL_RUN_##name,
#include "ops.def"
#undef OPERATION
    WL_RUN_COLUMN_1, /* out[row] ← byte at base + c */
    WL_RUN_COLUMN_LE2,
    WL_RUN_COLUMN_BE2,
    WL_RUN_COLUMN_LE4,
    WL_RUN_COLUMN_BE4,
    WL_RUN_COLUMN_LE8,
    WL_RUN_COLUMN_BE8,
    WL_RUN_REGISTER_LE4, /* unsigned, the most common */
    WL_RUN_REGISTER_BE4,
    WL_RUN_PRESENT, /* the step after it sets register a, which ABSENT may have made null earlier in the row */
    WL_RUN_COLUMN_VALID,  /* clears the null that represents "not written yet" */
    WL_RUN_VARINT_COLUMN, /* and the COLUMN_REGISTER of eight bytes after it, which is kept as a target of jumps */
    WL_RUN_COLUMN_BYTES_ANYWHERE, /* like COLUMN_BYTES, of a program that decompresses blocks */
    WL_RUN_SEEK_END,              /* LIMIT_END, if positions are on the way to the rows */
    WL_RUN_ROWS,                  /* an iteration of the loop around the row begins; c: the AGAIN */
    WL_RUN_COUNT,
};

typedef struct wl_run wl_run;
typedef struct wl_instruction wl_instruction;
typedef struct wl_jumping_code wl_jumping_code; /* an expression (jumping_code.c) */

typedef struct wl_branch wl_branch;

/* An instruction is run by a separate function, which ends by calling that of the next instruction: a tail call, so a
 * jump. The state of reading a row is in the arguments, and so in processor registers throughout the row: `cursor`,
 * `base` (the beginning of the last NEED), `limit` (the end of the innermost stream), and the row's number. Returns a
 * WL_ROW_… outcome. */
typedef int (*wl_handler)(const wl_instruction *step, wl_run *run, const uint8_t *base, const uint8_t *cursor,
                          const uint8_t *limit, size_t row);

struct wl_instruction {
    wl_handler handler;
    uint16_t a;
    uint16_t operation; /* WL_RUN_… */
    uint32_t b;
    int64_t c;
    int64_t d;
    union {
        uint8_t *out; /* a column's values */
        const wl_byte_table *table; /* of an EXPRESSION, for values of a byte; or NULL */
        wl_branch *branch;          /* of a condition that depends on one register */
    };
    union {
        uint8_t *offsets; /* of a variable column; d is then its room in bytes */
        const uint8_t *constant;
    };
};

/* A condition that depends on one register, with the table that it gets if that often is a byte (branches.c). */
struct wl_branch {
    uint16_t *to; /* for each value of the byte, the distance to the instruction that it leads to, 0: none; owned */
    const wl_integer *value; /* that of the register */
    unsigned number;         /* of the register */
    unsigned tries, others; /* number of times that it was a byte, and that it was something else */
    wl_handler handler;     /* of the condition, while there is no table */
    wl_instruction alone;   /* the instruction of the condition if there will be none */
};

extern const wl_handler wl_handlers[WL_RUN_COUNT];

/* A rule with values that are computed before the first row. */
typedef struct {
    const wl_rule *rule;
    const wl_algorithm *algorithm;
    wl_sum_function update;
    const void *tables;
    uint64_t replaced; /* the state after the replaced bytes, if the range begins with them */
    uint64_t final_xor;
    bool bare;             /* the stored value is the state xor the final xor */
    wl_instruction stored; /* the code of the stored value */
    wl_jumping_code *stored_code; /* the same, or NULL; owned */
} wl_checksum;

/* Why a register, an item of a series or a value of an expression has no value; in its place. Also why a text has none
 * (computed_text.h). */
enum {
    WL_FAILED,  /* it cannot be computed, or what it refers to does not exist */
    WL_NULL,    /* it is an attribute that is absent */
    WL_ABSENT,  /* its expression uses an attribute that is absent */
    WL_TOO_LONG /* text */
};

typedef struct {
    const uint8_t *at;
    size_t size;
} wl_span;

typedef struct wl_row_block wl_row_block; /* row_block.h: rows in parallel */
typedef struct wl_row_block_step wl_row_block_step;
typedef struct wl_ahead wl_ahead;
typedef struct wl_index wl_index; /* index.c: queries about long ranges without scanning them */

/* Replaces a reason: the row is valid, but not part of the table. */
#define WL_UNWANTED 0x40000000u

/* Outcomes of one row. */
enum { WL_ROW_COMPLETE, WL_ROW_TRUNCATED, WL_ROW_LOST, WL_ROW_NO_ROOM };

/* An open sub-stream: its beginning and end, the end of the enclosing stream, and the instruction that leaves it if
 * damage inside of it costs only the rest of it (otherwise NULL). A position is one too, with the beginning and end of
 * the stream that contains the position. */
typedef struct {
    const uint8_t *begin;
    const uint8_t *end;
    const uint8_t *outer;
    const uint8_t *after; /* the position at which reading continues after it: its end, or that of the block whose
                           * content it is */
    const wl_instruction *leave;
    size_t contents; /* number of contents that were kept when it was entered */
    const uint8_t *target; /* the position; NULL for a sub-stream */
    const uint8_t *sound;  /* the previous value of the run's `sound` */
    bool is_unit;          /* whether its end is that of the unit */
    const wl_instruction *grown; /* leaves the content of a block for which too many items refuse the row; or NULL */
    const wl_instruction *refuses; /* leaves a sub-stream of which any damage refuses the row; or NULL */
    unsigned calls;                /* number of calls that were active when it was entered */
    const wl_instruction *attempt; /* the instruction that ends the attempt; NULL if it is not an attempt */
    uint32_t refused;            /* attempt: the reason why the row was refused before it */
    size_t row;                  /* number of the row or item that contains it */
    uint64_t beyond;       /* number of its bytes after `end`, at which the input ends */
} wl_limit;

/* The content of a block, or computed text, that is kept. `in_row`: until the end of the row, otherwise until that of
 * the unit; `made`: the handle is the memory itself. */
typedef struct {
    wl_content content;
    bool in_row;
    bool made;
} wl_held;

typedef struct {
    const uint8_t *turn;  /* the beginning of this iteration */
    wl_integer remaining; /* number of iterations after this one, if they are counted */
    uint64_t index;
    uint32_t idle; /* number of iterations since the last one that took bytes */
    size_t contents; /* number of contents that were kept when the loop began */
} wl_loop;

/* The values of the items of a list, for expressions that use one by its index; `failed`: it has none. */
typedef struct {
    wl_integer *values;
    bool *failed;
    size_t used, room;
    wl_span *texts; /* of a series of bytes or text */
    size_t texts_used, texts_room;
} wl_series;

/* The items of one list, in all rows together. */
typedef struct {
    size_t used;
    size_t row; /* number of the row or item that contains the list */
    size_t row_mark; /* the used number at the beginning of the row */
    bool wanted;
} wl_items;

/* The state at the beginning of a unit: the outermost one, or one inside of it. */
typedef struct {
    size_t rows;
    size_t dropped;
    size_t damages;
    size_t items[WL_MOST_LEVELS + 1]; /* used numbers, by level */
    const uint8_t *begin;             /* in the source; that of the block if the unit is in its content */
    unsigned depth;                   /* number of open sub-streams */
    uint32_t refused;                 /* the reason for what is around the unit */
    bool sums;                        /* a checksum of the unit is verified */
} wl_unit;

_Static_assert(WL_MOST_REGISTERS % 64 == 0, "failed registers are bits of words of 64");

/* The state of one call. One allocation (wl_run_make), freed by wl_run_free. */
struct wl_run {
    const wl_program *program;
    const wl_fill_arguments *arguments;
    wl_instruction *plan;
    size_t instructions; /* number of them */
    wl_branch *branches; /* the conditions, and one more */
    wl_jumping_code **jumping_code; /* one per instruction: of an expression that has been computed; owned */
    wl_checksum *checksums;
    uint8_t *digests; /* WL_MOST_DIGEST bytes for each rule: the result of its DIGEST */
    wl_byte_table *byte_tables; /* those that the program does not keep; owned */
    void *folded; /* the results of plan_fold.c, which instructions refer to; owned */
    const uint8_t *readable; /* the end of the bytes that may be read (but not used) beyond a row's end; in source or
                              * scratch memory */
    /* Whether the next row needs wl_row_prepare(). A separate word: a load of several flags at once, one of which has
     * just been stored, would wait for the store in every row. */
    uint32_t unprepared;
    bool reset;           /* clear registers, spans and marks before each row: */
    uint16_t *cleared;    /* their numbers, one kind after another; part of the allocation */
    uint32_t cleared_registers, cleared_spans, cleared_marks;
    bool is_final;        /* the available bytes end where the input does */
    bool has_conditional; /* some wanted column begins each row as null */
    /* The row that is being read. */
    bool some_missing; /* some register of it has no value */
    bool nulls;        /* some column of it is null so far */
    uint32_t refused;  /* why it is damaged, or WL_REASON_NONE */
    uint32_t reason;   /* lost */
    uint32_t column;   /* no room */
    unsigned depth;    /* number of open sub-streams */
    const uint8_t *begin;
    const uint8_t *next; /* complete: first byte after it */
    size_t needed;       /* truncated: number of bytes that the row needs at least; no room: data bytes */
    wl_limit *limits; /* WL_DEEPEST_LIMIT, or WL_MOST_OPEN_LIMITS if functions open more */
    unsigned base_depth; /* number of sub-streams that were open when the function was called */
    bool attempts; /* an attempt is open */
    /* Programs with rows inside of a unit, or with lists. */
    wl_fill_result *result;
    bool parse_only;
    bool in_row;
    uint32_t unit_refused;   /* refused, outside of the row */
    size_t unit_position;    /* delimited rows: the beginning of the frame, and the delimiter after it */
    size_t unit_after;
    const uint8_t *row_begin;
    const uint8_t *sound;    /* the first byte after the last row of the unit, or of the sub-stream */
    uint64_t items_left;     /* remaining loop iterations that count: in contents, and without bytes */
    uint64_t turns;          /* resync: remaining loop iterations */
    uint32_t *unset;         /* conditional wanted columns, by level: unset[unset_from[level] …); part of the allocation */
    uint32_t unset_from[WL_MOST_LEVELS + 2];
    wl_loop loops[WL_MOST_LOOPS];
    wl_items levels[WL_MOST_LEVELS + 1];
    wl_unit units[WL_DEEPEST_UNIT + 1]; /* the open ones, from the outermost one inwards */
    unsigned unit_depth;
    wl_row_block *block;  /* of the loop around the row; owned */
    wl_row_block *known_block; /* the same, for rows with a byte that nearly all have; owned; NULL: there is none */
    unsigned looks;            /* number of blocks before the next look for such a byte; without `block`, of iterations */
    unsigned found;            /* number of times that there was one */
    unsigned misses;           /* number of times in a row that few rows had it */
    int64_t decider;      /* where in an iteration the first byte is on which a condition depends; -1: there is none */
    bool tried_block;     /* it was created, if possible */
    bool block_needs_end; /* it searches for the end of the stream that contains the loop */
    uint64_t missing[WL_MOST_REGISTERS / 64];
    /* Programs that decompress blocks (contents.c). */
    wl_held *contents;           /* those that are kept; owned */
    size_t content_count, content_room;
    size_t content_bytes;
    const uint8_t *end;          /* of the unit */
    const uint8_t *block_begin;  /* the outermost block whose content is being read; NULL: the unit itself */
    const uint8_t *block_end;
    unsigned block_depth;        /* number of open sub-streams, including that of the block */
    bool counts_items;           /* loop iterations count: data has been expanded, or may be read again */
    /* Delimited rows only. */
    uint8_t *scratch; /* unstuffed bytes; grown on demand */
    size_t scratch_size;
    /* Carried values (carried_values.c): current state, and that at the beginning of the unit. */
    wl_carried_value carried[WL_MOST_CARRIED_VALUES];
    wl_carried_value committed[WL_MOST_CARRIED_VALUES];
    size_t covered_before;
    uint8_t *frames; /* of the active calls, one after another; owned (calls.c) */
    size_t frames_used, frames_room;
    unsigned call_depth;
    uint8_t *json; /* the JSON text of a column; owned (row_json.c) */
    size_t json_used, json_room;
    size_t json_failed_at;
    uint32_t json_failed;  /* why a value in the text at that place has none, or WL_REASON_NONE */
    uint32_t json_refused; /* why some column of the row has no text */
    wl_series series[WL_MOST_SERIES]; /* their parts are owned (series.c) */
    bool series_of_contents; /* some of them may contain text that is in a content */
    size_t covered;  /* number of bytes that the unit's checksums have covered */
    bool sum_failed; /* one of the outermost unit is wrong, which then sets no variables */
    bool is_default; /* the unit has taken the default case of its switch, or lacks its evidence */
    /* Resync only. */
    wl_index *index; /* owned by wl_resync() */
    uint64_t summed; /* number of bytes that checksums without an index may still process */
    /* Inline rather than separately allocated, so that one addition computes their address. */
    wl_integer registers[WL_MOST_REGISTERS];
    wl_span spans[WL_MOST_SPANS];
    const uint8_t *marks[WL_MOST_MARKS];
};

#endif
