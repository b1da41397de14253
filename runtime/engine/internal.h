/* What the engine's own files share; users of the engine include engine.h only. */
#ifndef WIRELOOM_INTERNAL_H
#define WIRELOOM_INTERNAL_H

#include "bytes.h"
#include "engine.h"
#include "md5.h"
#include "program.h"

/* The plan of one call (plan.c): the steps that this call needs, decoded once ------------------------------------ */

/* What an instruction does; operands as those of the step it was made from, unless said. */
enum {
    WL_RUN_END,
    WL_RUN_NEED,     /* c bytes */
    WL_RUN_COLUMN_1, /* out[row] ← byte at base + c */
    WL_RUN_COLUMN_LE2,
    WL_RUN_COLUMN_BE2,
    WL_RUN_COLUMN_LE4,
    WL_RUN_COLUMN_BE4,
    WL_RUN_COLUMN_LE8,
    WL_RUN_COLUMN_BE8,
    WL_RUN_REGISTER,     /* of kind b */
    WL_RUN_REGISTER_LE4, /* unsigned, the commonest */
    WL_RUN_REGISTER_BE4,
    WL_RUN_BYTES_REGISTER,
    WL_RUN_BYTES_FIXED,
    WL_RUN_BYTES_REST,
    WL_RUN_BYTES_TERMINATED,
    WL_RUN_COLUMN_BYTES,
    WL_RUN_COLUMN_REGISTER, /* c: width in bytes */
    WL_RUN_COLUMN_TIMESTAMP,
    WL_RUN_COLUMN_NULL,
    WL_RUN_COLUMN_VALID, /* takes back the null that stands for "not written yet" */
    WL_RUN_CHECK_RANGE,
    WL_RUN_CHECK_TRUE,
    WL_RUN_CHECK_CONSTANT, /* constant: the bytes */
    WL_RUN_CHECK_UTF8,
    WL_RUN_CHECKSUM,
    WL_RUN_MARK,
    WL_RUN_EXPRESSION,   /* constant: d bytes of code; b, c: operands of a short one */
    WL_RUN_SKIP_IF_ZERO, /* c: index of an instruction */
    WL_RUN_JUMP,
    WL_RUN_LIMIT_REGISTER,
    WL_RUN_LIMIT_FIXED,
    WL_RUN_LIMIT_END,
    WL_RUN_SKIP_REGISTER,
    WL_RUN_TRIM_RIGHT,
    WL_RUN_CUT_TERMINATOR,
    WL_RUN_LOOP,  /* c: the instruction after the loop */
    WL_RUN_AGAIN, /* c: the first instruction of the loop's body */
    WL_RUN_INDEX,
    WL_RUN_UNIT,
    WL_RUN_UNIT_END,
    WL_RUN_WHERE,
    WL_RUN_ROW,
    WL_RUN_ROW_END,
    WL_RUN_LIST,
    WL_RUN_LIST_END,
    WL_RUN_ITEM,
    WL_RUN_ITEM_END,
    WL_RUN_VARINT,
    WL_RUN_VARINT_COLUMN, /* and the COLUMN_REGISTER of eight bytes after it, which stays for jumps to it */
    WL_RUN_COLUMN_BYTES_ANYWHERE, /* like COLUMN_BYTES, of a program that decompresses blocks */
    WL_RUN_EXPAND, /* c: number of the register of the codec, and 65536 times one more than that of the size, if there
                    * is one; d: the instruction that leaves the sub-stream */
    WL_RUN_SEEK,
    WL_RUN_SEEK_END, /* LIMIT_END, where positions are on the way to the rows */
    WL_RUN_STREAM,
    WL_RUN_ABSENT,
    WL_RUN_CHAIN_BEGIN,
    WL_RUN_CHAIN,
    WL_RUN_CHAIN_NOTE,
    WL_RUN_SERIES,
    WL_RUN_SERIES_ADD,
    WL_RUN_BLANK,
    WL_RUN_FIELDS,
    WL_RUN_SKIP_UNLESS,
    WL_RUN_LIMIT_SPAN,
    WL_RUN_CALL, /* c: the first instruction of the function */
    WL_RUN_RETURN,
    WL_RUN_COLUMN_TEXT, /* c: the encoding, and 256 times where its table is */
    WL_RUN_VARIABLE,
    WL_RUN_SET,
    WL_RUN_APPEND,
    WL_RUN_ITEM_OF,
    WL_RUN_AGAIN_OR_PAUSE,
    WL_RUN_ROWS, /* a turn of the loop around the row begins; c: the AGAIN */
    WL_RUN_COUNT,
};

typedef struct wl_run wl_run;
typedef struct wl_instruction wl_instruction;

/* An instruction is run by a function of its own, which ends by calling that of the next instruction: a tail call, so a
 * jump. What a row is read with is in the arguments, and so in processor registers all the way through the row:
 * `cursor`, `base` (where the last NEED began), `limit` (end of the innermost stream), and the row's number.
 * Returns a WL_ROW_… outcome. */
typedef int (*wl_handler)(const wl_instruction *step, wl_run *run, const uint8_t *base, const uint8_t *cursor,
                          const uint8_t *limit, size_t row);

struct wl_instruction {
    wl_handler handler;
    uint16_t a;
    uint16_t operation; /* WL_RUN_… */
    uint32_t b;
    int64_t c;
    int64_t d;
    uint8_t *out; /* a column's values */
    union {
        uint8_t *offsets; /* of a variable column; d is then its room in bytes */
        const uint8_t *constant;
    };
};

extern const wl_handler wl_handlers[WL_RUN_COUNT];

/* A rule with what can be computed before the first row. */
typedef struct {
    const wl_rule *rule;
    const wl_algorithm *algorithm;
    wl_sum_function update;
    const void *tables;
    uint64_t replaced; /* the state after the replaced bytes, where the range begins with them */
    uint64_t final_xor;
    bool bare;             /* what is stored is the state and the final xor */
    wl_instruction stored; /* the code that gives what is stored */
} wl_checksum;

typedef struct {
    const uint8_t *at;
    size_t size;
} wl_span;

typedef struct wl_row_block wl_row_block; /* row_block.h: rows side by side */
typedef struct wl_ahead wl_ahead;
typedef struct wl_index wl_index; /* index.c: answers about long ranges without going through them */

/* In place of a reason: the row holds, and has no place in the table. */
#define WL_UNWANTED 0x40000000u

/* Outcomes of one row. */
enum { WL_ROW_COMPLETE, WL_ROW_TRUNCATED, WL_ROW_LOST, WL_ROW_NO_ROOM };

/* A sub-stream that is open: where it begins and ends, the end of the stream around it, and the instruction that leaves
 * it where damage inside of it costs no more than the rest of it (otherwise NULL). What is read at a position is one too,
 * with the begin and end of the stream that the position is in. */
typedef struct {
    const uint8_t *begin;
    const uint8_t *end;
    const uint8_t *outer;
    const uint8_t *after; /* where reading goes on after it: its end, or that of the block whose content it is */
    const wl_instruction *leave;
    size_t contents; /* held before it was entered */
    const uint8_t *target; /* the position; NULL for a sub-stream */
    const uint8_t *sound;  /* what `sound` of the run was before it */
    bool is_unit;          /* its end is that of the unit */
    uint64_t beyond;       /* bytes that it has after `end`, where what is there is cut; or WL_BEYOND_ALL */
} wl_limit;

/* It goes on to the end of the input, wherever that is. */
#define WL_BEYOND_ALL UINT64_MAX

/* The content of a block that is held; `in_row`: until the row ends, otherwise until the unit does. */
typedef struct {
    wl_content content;
    bool in_row;
} wl_held;

typedef struct {
    const uint8_t *turn;  /* where this turn began */
    wl_integer remaining; /* turns after this one, where they are counted */
    uint64_t index;
    uint32_t idle; /* turns since the last one that took bytes */
} wl_loop;

/* What the items of a list held, for expressions that ask for one by its number; `failed`: it could not be computed. */
typedef struct {
    wl_integer *values;
    bool *failed;
    size_t used, room;
} wl_series;

/* The items of one list, in all rows together. */
typedef struct {
    size_t used;
    size_t row; /* number of the row or item that the list belongs to */
    size_t row_mark; /* used, where the row began */
    bool wanted;
} wl_items;

/* What was there when a unit began: the outermost one, or one inside of it. */
typedef struct {
    size_t rows;
    size_t damages;
    size_t items[WL_MOST_LEVELS + 1]; /* used, by level */
    const uint8_t *begin;             /* in the source; that of the block where the unit is in its content */
    unsigned depth;                   /* open sub-streams */
    uint32_t refused;                 /* of what is around the unit */
    bool sums;                        /* a checksum of the unit is verified */
} wl_unit;

/* Where the reading of a unit may go on later: everything that is known there. The pointers are those of the call, in
 * what is kept from one call to the next they count from the cursor. */
struct wl_pause {
    const wl_program *program;
    const wl_instruction *step;
    const uint8_t *cursor;
    uint32_t lost;  /* why the bytes from `sound` up to the cursor are to be noted as damaged, or WL_REASON_NONE */
    bool skips;     /* the rest of the innermost sub-stream is passed over first */
    bool given;     /* rows or damages of the unit have been given out */
    bool poisoned;
    uint32_t refused;
    unsigned depth, unit_depth;
    uint64_t items_left;
    const uint8_t *begin, *sound;
    wl_unit had; /* what was there */
    wl_limit limits[WL_DEEPEST_LIMIT];
    wl_loop loops[WL_MOST_LOOPS];
    wl_unit units[WL_DEEPEST_UNIT + 1];
    wl_chain chains[WL_MOST_CHAINS];
    uint64_t poison[WL_MOST_REGISTERS / 64];
    wl_integer *registers;
    wl_span *spans;
    /* Of what is kept only. */
    bool *wanted;
    bool verify, row_by_row;
    size_t carried_size; /* bytes of spans, with some more that may be read */
    uint8_t *carried;
};

/* Everything that one call works with. One allocation (wl_run_make), freed by wl_run_free. */
struct wl_run {
    const wl_program *program;
    const wl_fill_arguments *arguments;
    wl_instruction *plan;
    wl_checksum *checksums;
    const uint8_t *readable; /* bytes before this may be read (not used) beyond a row's end; source or scratch */
    /* Whether the next row needs wl_row_prepare(). A word of its own: a load of several flags at once, one of which has
     * just been stored, would wait for the store in every row. */
    uint32_t unprepared;
    bool reset;           /* clear registers, spans and marks before each row */
    bool pauses;          /* a unit may be read in pieces */
    bool dense;           /* each place to pause is noted */
    bool paused;          /* one is noted, in `pause` */
    bool given;           /* rows or damages of the unit have been given out before this call */
    bool is_final;        /* the bytes that are there end where the input does */
    int cut_depth;        /* open streams that go on beyond the bytes that are there: at this depth and further out; -1 */
    uintptr_t pause_from; /* the next place to pause that is noted is not before this address */
    wl_pause *pause;      /* owned; NULL unless `pauses` */
    const wl_pause *resumed; /* where the call began, if that is inside of a unit */
    bool has_conditional; /* some wanted column starts each row as null */
    /* The row that is being read. */
    bool poisoned;    /* some register of it could not be computed */
    bool nulls;       /* some column of it is null so far */
    uint32_t refused; /* why it is damaged, or WL_REASON_NONE */
    uint32_t reason;  /* lost */
    uint32_t column;  /* no room */
    unsigned depth;   /* open sub-streams */
    const uint8_t *begin;
    const uint8_t *next; /* complete: first byte after it */
    size_t needed;       /* truncated: bytes of the row that must be there; no room: data bytes */
    wl_limit limits[WL_MOST_OPEN_LIMITS];
    unsigned base_depth; /* sub-streams that were open when the function was called */
    /* Programs with rows inside of a unit, or with lists. */
    wl_fill_result *result;
    bool parse_only;
    bool in_row;
    uint32_t unit_refused;   /* refused, outside of the row */
    size_t unit_position;    /* delimited rows: where the frame begins, and the delimiter after it */
    size_t unit_after;
    const uint8_t *row_begin;
    const uint8_t *sound;    /* first byte after the last row of the unit, or of the sub-stream */
    uint64_t items_left;     /* turns of loops that count: in contents, and without bytes */
    uint64_t turns;          /* resync: turns of loops that may still be made */
    uint32_t *unset;         /* conditional wanted columns, by level: unset[unset_from[level] …); part of the allocation */
    uint32_t unset_from[WL_MOST_LEVELS + 2];
    wl_loop loops[WL_MOST_LOOPS];
    wl_items levels[WL_MOST_LEVELS + 1];
    wl_unit units[WL_DEEPEST_UNIT + 1]; /* that are open, from the outermost one inwards */
    unsigned unit_depth;
    wl_row_block *block;  /* of the loop around the row; owned */
    bool tried_block;     /* it was made, if it could be */
    bool block_needs_end; /* it looks for the end of the stream that the loop is in */
    uint64_t poison[WL_MOST_REGISTERS / 64];
    /* Programs that decompress blocks (contents.c). */
    wl_held *contents;           /* those that are held; owned */
    size_t content_count, content_room;
    size_t content_bytes;
    const uint8_t *end;          /* of the unit */
    const uint8_t *block_begin;  /* the outermost block whose content is read; NULL: it is the unit itself */
    const uint8_t *block_end;
    unsigned block_depth;        /* open sub-streams, that of the block included */
    bool counts_items;           /* turns of loops count: something has become larger, or may be read again */
    /* Delimited rows only. */
    uint8_t *scratch; /* unstuffed bytes; grown on demand */
    size_t scratch_size;
    /* Chained checksums (chains.c): now, and where the unit began. */
    wl_chain chains[WL_MOST_CHAINS];
    wl_chain known[WL_MOST_CHAINS];
    size_t covered_before;
    uint8_t *frames; /* of the calls that go on, one after another; owned (calls.c) */
    size_t frames_used, frames_room;
    unsigned call_depth;
    wl_series series[WL_MOST_SERIES]; /* their parts are owned (series.c) */
    /* Resync only. */
    wl_index *index; /* owned by wl_resync() */
    size_t covered;  /* bytes that the row's checksums covered */
    uint64_t summed; /* bytes that checksums without an index may still go through */
    /* In here, and not allocated apart, so that one addition finds them. */
    wl_integer registers[WL_MOST_REGISTERS];
    wl_span spans[WL_MOST_SPANS];
    const uint8_t *marks[WL_MOST_MARKS];
};

/* For resync: `parse_only` drops all columns and what only they need. */
wl_run *wl_run_make(const wl_program *program, const wl_fill_arguments *arguments, bool parse_only);
void wl_run_free(wl_run *run);

/* Leaves a position, if it is one, since what was read there broke off. */
void wl_seek_abandon(wl_run *run, const wl_limit *left);

/* Whether every row does. */
static inline bool wl_needs_preparing(const wl_run *run) {
    const wl_program *program = run->program;
    return run->reset || run->has_conditional || program->expands || program->loop_count || program->function_count ||
           program->series_count;
}

/* Clears what only some programs or some rows need cleared before a row begins. */
void wl_row_prepare(wl_run *run, const uint8_t *begin, size_t row);

/* Units: what a program with rows inside of it is run over (units.c) ---------------------------------------------- */

/* Notes that a unit begins, at index `position`; `after`: of a frame, the index of the delimiter after it. */
void wl_unit_begin(wl_run *run, wl_fill_result *result, size_t position, size_t after);
/* Runs the program over one unit; what is lost in a sub-stream with a known end costs the rest of that. */
int wl_unit_run(wl_run *run, const uint8_t *begin, const uint8_t *end);
/* Takes back all rows and damages of the outermost unit. */
void wl_unit_take_back(wl_run *run);
/* Ends the units inside of it that began when `depth` or more sub-streams were open, and that are not read to their end:
 * takes back the rows of those of which something is refused, or a checksum has not been verified. */
void wl_units_abandon(wl_run *run, unsigned depth);
/* Goes on inside of a unit; `lost`: why what is before the cursor is noted as damaged first. */
int wl_unit_resume(wl_run *run, const wl_instruction *step, const uint8_t *cursor, const uint8_t *limit, uint32_t lost);
/* Notes how many rows, damages and items there are; takes back those since. */
void wl_count(const wl_run *run, wl_unit *unit);
void wl_take_back(wl_run *run, const wl_unit *unit);

/* Units in pieces (pauses.c) --------------------------------------------------------------------------------------- */

/* Makes what a run needs for it. False: there is no memory. */
bool wl_pauses_start(wl_run *run);
void wl_pauses_end(wl_run *run);
/* Whether reading may pause before an AGAIN or LIMIT_END. */
bool wl_pauses_at(const wl_instruction *step);
/* A unit is read from its begin. */
void wl_pause_begin(wl_run *run, const uint8_t *begin, bool is_final);
/* Notes that the unit can be read on from here. */
void wl_pause_note(wl_run *run, const wl_instruction *step, const uint8_t *cursor);
/* Notes that it can be where the innermost sub-stream ends, which is not there; `lost`: as in wl_pause. The outcome. */
int wl_pause_skip(wl_run *run, const wl_instruction *step, uint32_t lost);
/* Takes the unit to where it was noted last: what came out of it since is taken back. */
void wl_pause_return(wl_run *run);
/* Reads on from there, up to `cut`. */
int wl_pause_go_on(wl_run *run, const uint8_t *cut, bool is_final);
/* Passes over the rest of a sub-stream; false: its end is not there. */
bool wl_pause_pass(wl_run *run);
/* What was noted, to be kept; NULL: there is no memory. */
wl_pause *wl_pause_keep(const wl_run *run);
/* Takes up what was kept, at the beginning of a call. */
void wl_pause_take_up(wl_run *run);

/* Why something around the rows is refused, in the outermost unit where that is so; or WL_REASON_NONE. */
uint32_t wl_refused_around(const wl_run *run);
/* The unit ends at `end`; takes it back as a whole where it is refused. False: there is no room to note that. */
bool wl_unit_end(wl_run *run, wl_fill_result *result, size_t begin, size_t end);
/* Notes how many items there are where a row begins; takes back those since. */
void wl_items_begin(wl_run *run);
void wl_items_take_back(wl_run *run);
/* Sets the level's columns that some way through it may not write to null. */
void wl_level_unset(wl_run *run, size_t level, size_t row);

/* The content of compressed blocks (contents.c) -------------------------------------------------------------------- */

/* Bit of a reason for which something is refused: a block could not be decompressed. A checksum comes before it. */
#define WL_BY_CODEC 0x80000000u

/* A row or unit begins: no content is held. */
void wl_contents_start(wl_run *run);
/* Lets go of the contents from number `from` on. What still points into one of them points to the unit's begin. */
void wl_contents_release(wl_run *run, size_t from);
/* Lets go of those that are held for the row that ends. */
void wl_contents_release_row(wl_run *run);
static inline void wl_contents_end_row(wl_run *run) {
    if (WL_UNLIKELY(run->content_count && run->contents[run->content_count - 1].in_row))
        wl_contents_release_row(run);
}
/* Notes that sub-streams were left. */
static inline void wl_block_leave(wl_run *run) {
    if (run->depth < run->block_depth) {
        run->block_begin = NULL;
        run->block_depth = 0;
        run->counts_items = wl_counts_items(run->program);
    }
}
/* Bytes that may be read at `at`, which lies in the unit or in a content that is held. */
static inline bool wl_content_holds(const wl_content *content, const uint8_t *at) {
    return content->handle && at >= content->at && at <= content->at + content->size;
}
static inline size_t wl_contents_readable(const wl_run *run, const uint8_t *at) {
    const wl_pause *from = run->resumed;
    if (from && (uintptr_t)at - (uintptr_t)from->carried <= from->carried_size)
        return (size_t)(from->carried + from->carried_size - at);
    for (size_t i = run->content_count; i-- > 0;) {
        const wl_content *content = &run->contents[i].content;
        if (wl_content_holds(content, at))
            return (size_t)(content->at + content->size - at);
    }
    return (size_t)(run->readable - at);
}
/* Whether both lie in the unit, or in the same content. */
bool wl_contents_same(const wl_run *run, const uint8_t *from, const uint8_t *to);

/* Text (text_encodings.c) ----------------------------------------------------------------------------------------- */

/* Whether the bytes are text in an encoding of WL_UTF16LE and above. */
bool wl_text_is_encoded(wl_span text, unsigned encoding, const uint8_t *table);

/* Functions (calls.c) -------------------------------------------------------------------------------------------- */

/* No call goes on any more: what was read broke off. */
static inline void wl_calls_abandon(wl_run *run) { run->frames_used = run->call_depth = run->base_depth = 0; }

/* Series (series.c) --------------------------------------------------------------------------------------------- */

void wl_series_free(wl_run *run);
/* The item of that number; false: there is none, or it could not be computed. */
bool wl_series_item(const wl_series *series, wl_integer number, wl_integer *value);
/* The least of all items, or the greatest; false: there are none, or one could not be computed. */
bool wl_series_extreme(const wl_series *series, bool greatest, wl_integer *value);

/* Chained checksums (chains.c) ------------------------------------------------------------------------------------ */

/* The fill begins with what the caller knows. */
void wl_chains_start(wl_run *run);
/* Nothing is known of checksums at the place where reading begins; variables are what the caller says. */
void wl_chains_forget(wl_run *run);
/* A unit begins with what is known. */
static inline void wl_chains_begin(wl_run *run) {
    if (WL_UNLIKELY(run->program->chain_count))
        memcpy(run->chains, run->known, run->program->chain_count * sizeof *run->chains);
}
/* The unit is complete: the next one continues it. */
static inline void wl_chains_go_on(wl_run *run) {
    if (WL_UNLIKELY(run->program->chain_count))
        memcpy(run->known, run->chains, run->program->chain_count * sizeof *run->known);
}
/* The fill ends inside of a unit: variables are what that has set, and of checksums nothing is known. */
void wl_chains_break_off(wl_run *run);
/* Tells the caller what is known where the unit began, as number `place` of its chains; 0: where the fill has ended. */
void wl_chains_tell(wl_run *run, size_t place);
/* The items in what is left at `leave`, and not read to its end, are not known. */
void wl_chains_lose(wl_run *run, const wl_instruction *leave);

/* Runs the plan over the row that begins at `begin` and may reach to `end`; writes into the columns at `row`. */
static inline int wl_run_row(wl_run *run, const uint8_t *begin, const uint8_t *end, size_t row) {
    run->refused = WL_REASON_NONE;
    run->nulls = false;
    run->begin = begin;
    run->end = end;
    run->depth = 0;
    if (WL_UNLIKELY(run->unprepared))
        wl_row_prepare(run, begin, row);
    return run->plan->handler(run->plan, run, begin, begin, end, row);
}

/* Steps that are long enough to live in files of their own. */
wl_integer wl_expression(wl_run *run, const wl_instruction *instruction, bool *failed);
bool wl_expression_check(const wl_program *program, const uint8_t *code, size_t size, const char **problem);
/* The handler of an EXPRESSION that is decoded: a quick one where the code is short (row_expressions.c). */
wl_handler wl_expression_handler(wl_instruction *instruction);
/* Calls use(register or span number) for what the (checked) code reads. */
void wl_expression_uses(const uint8_t *code, size_t size, bool *registers, bool *spans);
bool wl_expression_has_series(const uint8_t *code, size_t size);
/* The state after a range; the state that is known is for a range that begins with the replaced bytes. */
uint64_t wl_checksum_state(wl_run *run, const wl_checksum *checksum, const uint8_t *from, const uint8_t *to);
/* Whether what is stored for a state is `found`. */
bool wl_checksum_stored(wl_run *run, const wl_checksum *checksum, uint64_t state, wl_integer found);
bool wl_checksum_in_span(wl_run *run, const wl_checksum *checksum, const uint8_t *from, const uint8_t *to,
                         wl_span found);

static inline bool wl_checksum_holds(wl_run *run, const wl_checksum *checksum, uint64_t state, wl_integer found) {
    if (WL_LIKELY(checksum->bare))
        return found == (wl_integer)(state ^ checksum->final_xor);
    return wl_checksum_stored(run, checksum, state, found);
}
/* Bytes of the character that begins at `text`, 0 where none does; `size` is at least 1. */
size_t wl_text_character(const uint8_t *text, size_t size);
bool wl_text_is_utf8(const uint8_t *text, size_t size);
bool wl_text_is_ascii(const uint8_t *text, size_t size);

/* Writing rows (columns.c) --------------------------------------------------------------------------------------- */

void wl_columns_start(const wl_run *run);
void wl_column_null(wl_run *run, size_t column, size_t row);
void wl_column_valid(wl_run *run, size_t column, size_t row);
void wl_row_nulls(wl_run *run, size_t row);
void wl_row_take_back(wl_run *run, size_t row);
/* The row that begins at index `begin` stands. */
static inline void wl_row_done(const wl_run *run, wl_fill_result *result, size_t begin) {
    if (run->arguments->offsets)
        wl_store8(run->arguments->offsets + result->rows * 8, run->arguments->base_offset + begin);
    result->rows++;
}
void wl_columns_finish(const wl_run *run, wl_fill_result *result);
/* Notes a damaged row, as a row of nulls where asked for. False: there is no room for the note. */
bool wl_damaged(wl_run *run, wl_fill_result *result, size_t begin, size_t end, uint32_t reason, bool inside);

/* Rows side by side (row_block.c): those that the plan is run over, one by one; NULL where the plan is not of that kind, or
 * there is no memory. */
wl_row_block *wl_row_block_of_plan(wl_run *run);
void wl_row_block_free(wl_row_block *block);
/* Reads rows back to back from index `begin` on (back_to_back.c), as many as are plain; returns the index after them. */
size_t wl_block_read(wl_row_block *block, wl_fill_result *result, size_t begin);

/* The two ways in which rows stand in the input. False: there is no memory. */
bool wl_fill_back_to_back(wl_run *run, wl_fill_result *result);
bool wl_fill_frames(wl_run *run, wl_fill_result *result);

/* Literals of a word-stuffed block, at most, that is not the first. */
#define WL_WORD_LONGEST 64008

/* Unstuffing with room to spare: `room` bytes may be written to `out` and `readable` ones read at `data`, both at least
 * `size`. `without_zeros`: the caller knows that no 00 is in the data. */
size_t wl_word_unstuff_within(const uint8_t *data, size_t size, uint8_t *out, size_t room, size_t readable);
size_t wl_cobs_unstuff_within(const uint8_t *data, size_t size, uint8_t *out, size_t room, size_t readable,
                              bool without_zeros);
/* Un-stuffs what has been copied, without the first header: at[i] is where the second header of record i stands, and
 * ends[i] where it ends. At ends[i] afterwards: it is un-stuffed. Two bytes before it or more: there is a block of more
 * than 255 literals, and the record has to be un-stuffed anew. Elsewhere: it is refused. */
void wl_word_unstuff_copies(uint8_t **at, uint8_t *const *ends, size_t count);
/* wl_word_stuffed_bound() for where it is needed often: a header per block and the first one's byte; a block ends early
 * only where it swallows two bytes for two. */
static inline size_t wl_word_bound(size_t size) {
    return size + 3 + (size < WL_WORD_LONGEST ? 0 : 2 * (size / WL_WORD_LONGEST));
}
/* Stuffing, likewise; `room` is at least the bound. */
size_t wl_word_stuff_within(const uint8_t *data, size_t size, uint8_t *out, size_t room, size_t readable);
size_t wl_cobs_stuff_within(const uint8_t *data, size_t size, uint8_t *out, size_t room, size_t readable);
/* The same where it is known what to take out of the data: from `positions`, less `from`, on; those at and after the
 * data's end, up to `found`, are not looked at. */
size_t wl_word_stuff_found(const uint8_t *data, size_t size, uint8_t *out, size_t room, size_t readable,
                           const uint16_t *positions, size_t found, size_t from);
size_t wl_cobs_stuff_found(const uint8_t *data, size_t size, uint8_t *out, size_t room, size_t readable,
                           const uint16_t *positions, size_t found, size_t from);

/* The index of one window (index.c): the CRC state over [from, to) from `state`, the next `value` in [from, to) …, in
 * about the same time for long ranges as for short ones. Tables are made when they are first needed, and answers are
 * right (only slower) where there is no memory for them. */
wl_index *wl_index_make(const wl_run *run, const uint8_t *begin, const uint8_t *end);
void wl_index_free(wl_index *index);
uint64_t wl_index_crc(wl_index *index, const wl_checksum *checksum, uint64_t state, const uint8_t *from,
                      const uint8_t *to);
/* What is left of [from, from + size) without the bytes equal to `value` at its end. */
size_t wl_index_trim(wl_index *index, uint8_t value, const uint8_t *from, size_t size);
bool wl_index_is_text(wl_index *index, bool ascii, const uint8_t *from, size_t size);
const uint8_t *wl_index_find(wl_index *index, uint8_t value, const uint8_t *from, const uint8_t *to);

#include "variants.h"

#endif
