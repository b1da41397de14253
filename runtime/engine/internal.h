/* Shared by the engine's own files; users of the engine include engine.h only. */
#ifndef WIRELOOM_INTERNAL_H
#define WIRELOOM_INTERNAL_H

#include "computed_text.h"
#include "run.h"

/* For resync: `parse_only` drops all columns and what only they need. */
wl_run *wl_run_make(const wl_program *program, const wl_fill_arguments *arguments, bool parse_only);
void wl_run_free(wl_run *run);

/* The result of a STREAM at the cursor; false: the end of the stream is not known yet. */
bool wl_stream_value(const wl_run *run, const wl_instruction *step, const uint8_t *cursor, wl_integer *found);
/* Leaves a position, if it is one, since reading there was incomplete. */
void wl_seek_abandon(wl_run *run, const wl_limit *left);

/* Whether every row needs it. */
static inline bool wl_needs_preparing(const wl_run *run) {
    const wl_program *program = run->program;
    return run->reset || run->has_conditional || program->expands || program->loop_count || program->function_count ||
           program->series_count;
}

/* Clears state before a row begins, as required by some programs or rows only. */
void wl_row_prepare(wl_run *run, const uint8_t *begin, size_t row);

/* Units, over which a program with rows inside of it is run (units.c) -------------------------------------------- */

/* Records that a unit begins at index `position`; `after`: for a frame, the index of the delimiter after it. */
void wl_unit_begin(wl_run *run, wl_fill_result *result, size_t position, size_t after);
/* Runs the program over one unit; what is lost in a sub-stream with a known end costs the rest of that sub-stream. */
int wl_unit_run(wl_run *run, const uint8_t *begin, const uint8_t *end);
/* Whether the unit that has been read could be any bytes: it does not show that the position of its begin is right. */
static inline bool wl_proves_nothing(const wl_run *run) { return WL_UNLIKELY(run->is_default) && !run->covered; }
/* Removes all rows and damages of the outermost unit. */
void wl_unit_take_back(wl_run *run);
/* Ends the units inside of it that began when `depth` or more sub-streams were open and were not read to their end:
 * removes the rows of those in which something is refused or a checksum has not been verified. */
void wl_units_abandon(wl_run *run, unsigned depth);
/* The reason why something around the rows is refused, in the outermost such unit; or WL_REASON_NONE. */
uint32_t wl_refused_around(const wl_run *run);
/* Whether the unit at `begin` directly follows the last damage of this call. */
bool wl_unit_follows_damage(const wl_run *run, const wl_fill_result *result, size_t begin);
/* If the valid unit at [begin, end) proves nothing and directly follows damage, it is as doubtful as that damage's end:
 * records so, and returns true. */
bool wl_unit_extends_doubt(const wl_run *run, const wl_fill_result *result, size_t begin, size_t end);
/* The unit ends at `end`; it is removed as a whole if it is refused. False: there is no room to record that. */
bool wl_unit_end(wl_run *run, wl_fill_result *result, size_t begin, size_t end);
/* Records the numbers of items at the beginning of a row; removes those added since. */
void wl_items_begin(wl_run *run);
void wl_items_take_back(wl_run *run);
/* Sets to null the columns of the level that some path through it may not write. */
void wl_level_unset(wl_run *run, size_t level, size_t row);

/* The content of compressed blocks (contents.c) -------------------------------------------------------------------- */

/* Flag of a reason for which something is refused: a block could not be decompressed. A checksum takes precedence. */
#define WL_BY_CODEC 0x80000000u
_Static_assert(WL_REASON_NESTED < WL_UNWANTED && (WL_UNWANTED & WL_BY_CODEC) == 0, "flags are no reasons");

/* Begins a row or unit: no content is kept. */
void wl_contents_start(wl_run *run);
/* Releases the contents from number `from` on. Pointers into them are set to the unit's beginning. */
void wl_contents_release(wl_run *run, size_t from);
/* Releases text that was computed in the loop iteration that ends; `from`: the number of contents before the loop. */
void wl_contents_end_turn(wl_run *run, size_t from);
/* Releases those that are kept for the row that ends. */
void wl_contents_release_row(wl_run *run);
static inline void wl_contents_end_row(wl_run *run) {
    if (WL_UNLIKELY(run->content_count && run->contents[run->content_count - 1].in_row))
        wl_contents_release_row(run);
}
/* Records that sub-streams were left. */
static inline void wl_block_leave(wl_run *run) {
    if (run->depth < run->block_depth) {
        run->block_begin = NULL;
        run->block_depth = 0;
        run->counts_items = wl_counts_items(run->program);
    }
}
/* Number of bytes that may be read at `at`, which is in the unit or in a content that is kept. */
static inline bool wl_content_holds(const wl_content *content, const uint8_t *at) {
    return content->handle && at >= content->at && at <= content->at + content->size;
}
static inline size_t wl_contents_readable(const wl_run *run, const uint8_t *at) {
    for (size_t i = run->content_count; i-- > 0;) {
        const wl_content *content = &run->contents[i].content;
        if (wl_content_holds(content, at))
            return (size_t)(content->at + content->size - at);
    }
    if (WL_UNLIKELY(run->program->digests)) {
        const uintptr_t digest = (uintptr_t)at - (uintptr_t)run->digests;
        const size_t size = (size_t)run->program->rule_count * WL_MOST_DIGEST;
        if (digest < size)
            return size - digest;
    }
    if (WL_UNLIKELY(run->program->makes_text)) {
        /* A constant, or text without a value. */
        const uintptr_t constant = (uintptr_t)at - (uintptr_t)run->program->constants;
        if (constant <= run->program->constant_size)
            return run->program->constant_size - constant;
        if (wl_is_no_text(at))
            return 0;
    }
    return (size_t)(run->readable - at);
}
/* Whether both are in the unit, or in the same content. */
bool wl_contents_same(const wl_run *run, const uint8_t *from, const uint8_t *to);

/* Text (text_encodings.c) ----------------------------------------------------------------------------------------- */

/* Whether the bytes are text in an encoding of WL_UTF16LE and above. */
bool wl_text_is_encoded(wl_span text, unsigned encoding, const uint8_t *table);

/* Conditions on a byte (branches.c) ------------------------------------------------------------------------------ */

/* Finds them, in a plan that is complete. */
void wl_branches_find(wl_run *run);
void wl_branches_free(wl_run *run);

/* Functions (calls.c) -------------------------------------------------------------------------------------------- */

/* Ends all active calls but the first ones: what they read is incomplete. */
void wl_calls_leave(wl_run *run, unsigned calls);
static inline void wl_calls_abandon(wl_run *run, unsigned calls) {
    if (WL_UNLIKELY(run->call_depth > calls))
        wl_calls_leave(run, calls);
}

/* Series (series.c) --------------------------------------------------------------------------------------------- */

void wl_series_free(wl_run *run);
/* Removes all references of series to a content. */
void wl_series_forget(wl_run *run, const wl_content *content);
/* The item at that index; false: there is none, or it could not be computed. */
/* Append to a series; false: out of memory. `failed`: there is no value, for the reason `value`. */
bool wl_series_add_number(wl_series *series, bool failed, wl_integer value);
bool wl_series_add_span(wl_series *series, wl_span span);
bool wl_series_item(const wl_series *series, wl_integer number, wl_integer *value);
/* The smallest of all items, or the largest; false: there are none, or one could not be computed. */
bool wl_series_extreme(const wl_series *series, bool greatest, wl_integer *value);

/* Carried values (carried_values.c) ------------------------------------------------------------------------------- */

/* The fill begins with the state given by the caller. */
void wl_carried_load(wl_run *run);
/* Nothing is known about checksums at the beginning of reading; variables are as given by the caller. */
void wl_carried_load_variables(wl_run *run);
/* Number of items or changes that the rows at the offset that a search tries have added to a list or a table. */
int64_t wl_carried_tried(const wl_run *run, const wl_carried_value *carried);
/* A unit begins with the committed values. */
static inline void wl_carried_begin_unit(wl_run *run) {
    if (WL_UNLIKELY(run->program->carried_value_count))
        memcpy(run->carried, run->committed, run->program->carried_value_count * sizeof *run->carried);
}
/* The unit is complete: the next one continues from it. */
static inline void wl_carried_commit(wl_run *run) {
    if (WL_UNLIKELY(run->program->carried_value_count))
        memcpy(run->committed, run->carried, run->program->carried_value_count * sizeof *run->committed);
}
/* The same after a unit with a wrong checksum, which sets no variables. */
void wl_carried_commit_checksums(wl_run *run);
/* The fill ends inside of a unit: variables are those that it has set, and nothing is known about checksums. */
void wl_carried_commit_variables(wl_run *run);
/* Passes to the caller the state at the beginning of the unit, as number `place` of its carried values; 0: at the
 * end of the fill. */
void wl_carried_store(wl_run *run, size_t place);
/* The items in what is left at `leave`, and not read to its end, are unknown. */
void wl_carried_forget(wl_run *run, const wl_instruction *leave);

/* Runs the plan over the row that begins at `begin` and may extend to `end`; writes into the columns at `row`. */
static inline int wl_run_row(wl_run *run, const uint8_t *begin, const uint8_t *end, size_t row) {
    run->refused = WL_REASON_NONE;
    run->nulls = false;
    run->json_refused = WL_REASON_NONE;
    run->begin = begin;
    run->end = end;
    run->depth = 0;
    if (WL_UNLIKELY(run->unprepared))
        wl_row_prepare(run, begin, row);
    return run->plan->handler(run->plan, run, begin, begin, end, row);
}

/* Steps that are long enough for files of their own. */
wl_integer wl_expression(wl_run *run, const wl_instruction *instruction, bool *failed);
bool wl_expression_check(const wl_program *program, const uint8_t *code, size_t size, const char **problem);
/* The handler of a decoded EXPRESSION: a fast one if the code is short (row_expressions.c). */
wl_handler wl_expression_handler(wl_instruction *instruction);
/* That of an EXPRESSION, but without the table that it may have. */
wl_handler wl_expression_without_table(const wl_instruction *instruction);
/* Calls use(register or span number) for everything that the (checked) code reads. */
void wl_expression_uses(const uint8_t *code, size_t size, bool *registers, bool *spans);
bool wl_expression_has_series(const uint8_t *code, size_t size);
/* The state after a range; the known state is for a range that begins with the replaced bytes. */
uint64_t wl_checksum_state(wl_run *run, const wl_checksum *checksum, const uint8_t *from, const uint8_t *to);
/* Whether the stored form of a state is `found`. */
bool wl_checksum_stored(wl_run *run, const wl_checksum *checksum, uint64_t state, wl_integer found);
bool wl_checksum_in_span(wl_run *run, const wl_checksum *checksum, const uint8_t *from, const uint8_t *to,
                         wl_span found);

static inline bool wl_checksum_holds(wl_run *run, const wl_checksum *checksum, uint64_t state, wl_integer found) {
    if (WL_LIKELY(checksum->bare))
        return found == (wl_integer)(state ^ checksum->final_xor);
    return wl_checksum_stored(run, checksum, state, found);
}
/* Number of bytes of the character that begins at `text`, 0 if none does; `size` is at least 1. */
size_t wl_text_character(const uint8_t *text, size_t size);
bool wl_text_is_utf8(const uint8_t *text, size_t size);
bool wl_text_is_ascii(const uint8_t *text, size_t size);

/* Writing rows (columns.c) --------------------------------------------------------------------------------------- */

void wl_columns_start(const wl_run *run);
void wl_column_null(wl_run *run, size_t column, size_t row);
void wl_column_valid(wl_run *run, size_t column, size_t row);
/* The bounds of a timestamp: counts of seconds and milliseconds fit into 64 bits as microseconds too. `form`: operand c
 * of COLUMN_TIMESTAMP. */
static inline int64_t wl_latest_time(int64_t form) {
    const int64_t unit = form & (WL_UNITS - 1);
    return unit == WL_SECONDS ? INT64_MAX / 1000000 : unit == WL_MILLISECONDS ? INT64_MAX / 1000 : INT64_MAX;
}
static inline int64_t wl_earliest_time(int64_t form) {
    return (form & (WL_UNITS - 1)) <= WL_MILLISECONDS ? -wl_latest_time(form) : INT64_MIN;
}
void wl_row_nulls(wl_run *run, size_t row);
void wl_row_take_back(wl_run *run, size_t row);
/* Clears the nulls of the values from number `from` up to `to`. */
void wl_nulls_clear(uint8_t *validity, size_t from, size_t to);
/* Whether the row matches the caller's predicates (predicates.c). */
bool wl_predicates_hold(const wl_run *run, size_t row);
/* The numbers of those of the next `rows` rows, from `row` on, that match; returns their count. `nulls`: some value may
 * be null. */
size_t wl_predicates_choose(const wl_run *run, size_t row, size_t rows, bool nulls, uint8_t *chosen);
/* Adds the row that begins at index `begin` to the table. */
static inline void wl_row_add(const wl_run *run, wl_fill_result *result, size_t begin) {
    if (run->arguments->offsets)
        wl_store8(run->arguments->offsets + result->rows * 8, run->arguments->base_offset + begin);
    result->rows++;
}
/* The row that begins at index `begin` is valid: it is added to the table if it matches all predicates. */
static inline void wl_row_done(wl_run *run, wl_fill_result *result, size_t begin) {
    if (WL_LIKELY(!run->arguments->predicate_count) || wl_predicates_hold(run, result->rows)) {
        wl_row_add(run, result, begin);
    } else {
        wl_row_take_back(run, result->rows);
        result->dropped++;
    }
}
void wl_columns_finish(const wl_run *run, wl_fill_result *result);
/* Records a damaged row, as a row of nulls if requested. False: there is no room to record it. */
bool wl_damaged(wl_run *run, wl_fill_result *result, size_t begin, size_t end, uint32_t reason, bool inside);

/* Rows in parallel (row_block.c): those over which the plan is run one by one; NULL if the plan is not of that kind, or
 * if out of memory. */
wl_row_block *wl_row_block_of_plan(wl_run *run);
void wl_row_block_free(wl_row_block *block);
/* Reads consecutive rows from index `begin` on (back_to_back.c), as many as are plain; returns the index after them. */
size_t wl_block_read(wl_row_block *block, wl_fill_result *result, size_t begin);

/* The two arrangements of rows in the input. False: out of memory. */
bool wl_fill_back_to_back(wl_run *run, wl_fill_result *result);
bool wl_fill_frames(wl_run *run, wl_fill_result *result);

/* Maximum number of literals of a word-stuffed block that is not the first. */
#define WL_WORD_LONGEST 64008

/* Unstuffing with spare room: `room` bytes may be written to `out` and `readable` ones read at `data`, both at least
 * `size`. `without_zeros`: the data is known to contain no 00. */
size_t wl_word_unstuff_within(const uint8_t *data, size_t size, uint8_t *out, size_t room, size_t readable);
size_t wl_cobs_unstuff_within(const uint8_t *data, size_t size, uint8_t *out, size_t room, size_t readable,
                              bool without_zeros);
/* Un-stuffs data that has been copied, without the first header: at[i] is the position of the second header of record
 * i, and ends[i] its end. Afterwards at[i] is ends[i] if the record is un-stuffed. If it is two or more bytes before
 * that, there is a block of more than 255 literals, and the record has to be un-stuffed again. Otherwise the record is
 * refused. */
void wl_word_unstuff_copies(uint8_t **at, uint8_t *const *ends, size_t count);
/* wl_word_stuffed_bound() for frequent use: a header per block and the first one's byte; a block ends early only if it
 * replaces two bytes by two. */
static inline size_t wl_word_bound(size_t size) {
    return size + 3 + (size < WL_WORD_LONGEST ? 0 : 2 * (size / WL_WORD_LONGEST));
}
/* The same for stuffing; `room` is at least the bound. */
size_t wl_word_stuff_within(const uint8_t *data, size_t size, uint8_t *out, size_t room, size_t readable);
size_t wl_cobs_stuff_within(const uint8_t *data, size_t size, uint8_t *out, size_t room, size_t readable);
/* The same if the positions to be stuffed are known: `positions`, minus `from`; those at and after the end of the data,
 * up to `found`, are ignored. */
size_t wl_word_stuff_found(const uint8_t *data, size_t size, uint8_t *out, size_t room, size_t readable,
                           const uint16_t *positions, size_t found, size_t from);
size_t wl_cobs_stuff_found(const uint8_t *data, size_t size, uint8_t *out, size_t room, size_t readable,
                           const uint16_t *positions, size_t found, size_t from);

/* The index of one window (index.c): the CRC state over [from, to) from `state`, the next `value` in [from, to) …, in
 * about the same time for long ranges as for short ones. Tables are created on first use; if there is no memory for
 * them, answers are correct but slower. */
wl_index *wl_index_make(const wl_run *run, const uint8_t *begin, const uint8_t *end);
void wl_index_free(wl_index *index);
uint64_t wl_index_crc(wl_index *index, const wl_checksum *checksum, uint64_t state, const uint8_t *from,
                      const uint8_t *to);
/* The size of [from, from + size) without trailing bytes equal to `value`. */
size_t wl_index_trim(wl_index *index, uint8_t value, const uint8_t *from, size_t size);
bool wl_index_is_text(wl_index *index, bool ascii, const uint8_t *from, size_t size);
const uint8_t *wl_index_find(wl_index *index, uint8_t value, const uint8_t *from, const uint8_t *to);

#include "variants.h"

#endif
