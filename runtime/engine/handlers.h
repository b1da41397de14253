/* Shared by the handlers of a plan's instructions (row.c, row_bytes.c, row_checks.c, row_varints.c).
 *
 * Every read is checked against the end of the row's stream: by NEED for whole runs of fixed fields, by the instruction
 * itself for bytes whose size is read from the input.
 *
 * An optimizing compiler turns the calls at the end of the handlers into jumps. Otherwise the stack grows by a small
 * frame per step of the row, which WL_MOST_STEPS keeps harmless. */
#ifndef WIRELOOM_HANDLERS_H
#define WIRELOOM_HANDLERS_H

#include <assert.h>

#include "internal.h"

#define WL_HANDLER(name)                                                                                               \
    int name(const wl_instruction *step, wl_run *run, const uint8_t *base, const uint8_t *cursor,                      \
             const uint8_t *limit, size_t row)
#define GO_ON_AT(to) return (to)->handler(to, run, base, cursor, limit, row)
#define GO_ON GO_ON_AT(step + 1)

/* In the files beside row.c. */
WL_HANDLER(wl_bytes_register);
WL_HANDLER(wl_bytes_fixed);
WL_HANDLER(wl_bytes_rest);
WL_HANDLER(wl_bytes_terminated);
WL_HANDLER(wl_skip_register);
WL_HANDLER(wl_trim_right);
WL_HANDLER(wl_cut_terminator);
WL_HANDLER(wl_slice);
WL_HANDLER(wl_column_bytes);
WL_HANDLER(wl_column_bytes_anywhere);
WL_HANDLER(wl_limit_register);
WL_HANDLER(wl_limit_fixed);
WL_HANDLER(wl_limit_span);
WL_HANDLER(wl_limit_end);
WL_HANDLER(wl_check_range);
WL_HANDLER(wl_check_true);
WL_HANDLER(wl_check_constant);
WL_HANDLER(wl_check_utf8);
WL_HANDLER(wl_check_sum);
WL_HANDLER(wl_set_mark);
WL_HANDLER(wl_skip_if_zero);
WL_HANDLER(wl_jump);
WL_HANDLER(wl_skip_unless);
/* In computed_sums.c. */
WL_HANDLER(wl_sum_runs);
WL_HANDLER(wl_digest_runs);
/* In row_expressions.c. */
WL_HANDLER(wl_expression_any);
/* In computed_text.c and text_encodings.c. */
WL_HANDLER(wl_text_constant);
WL_HANDLER(wl_text_select);
WL_HANDLER(wl_text_part);
WL_HANDLER(wl_text_decode);
WL_HANDLER(wl_text_clean);
/* In row_varints.c. */
WL_HANDLER(wl_varint_portable);
WL_HANDLER(wl_varint_bmi2);
WL_HANDLER(wl_varint_column);
WL_HANDLER(wl_varint_columns_portable);
WL_HANDLER(wl_varint_columns_bmi2);
/* In row_messages.c. */
WL_HANDLER(wl_blank);
WL_HANDLER(wl_fields);
/* In contents.c. */
WL_HANDLER(wl_expand);
/* In positions.c. */
WL_HANDLER(wl_seek);
WL_HANDLER(wl_seek_end);
WL_HANDLER(wl_stream);
WL_HANDLER(wl_attempt);
WL_HANDLER(wl_attempt_end);
WL_HANDLER(wl_refuse_for);
WL_HANDLER(wl_running_checksum_read);
WL_HANDLER(wl_running_checksum_set);
/* In text_encodings.c. */
WL_HANDLER(wl_column_text);
/* In calls.c. */
WL_HANDLER(wl_call);
WL_HANDLER(wl_return);
/* In series.c. */
WL_HANDLER(wl_series_begin);
WL_HANDLER(wl_series_add);
WL_HANDLER(wl_series_add_text);
WL_HANDLER(wl_text_item);
/* In inputs.c. */
WL_HANDLER(wl_input_number);
WL_HANDLER(wl_input_bytes);
WL_HANDLER(wl_input_items);
/* In row_json.c. */
WL_HANDLER(wl_json_begin);
WL_HANDLER(wl_json_put);
WL_HANDLER(wl_json_number);
WL_HANDLER(wl_json_bytes);
WL_HANDLER(wl_json_mark);
WL_HANDLER(wl_json_null);
WL_HANDLER(wl_json_first);
WL_HANDLER(wl_json_name);
WL_HANDLER(wl_column_json);
WL_HANDLER(wl_json_end);
/* In variables.c. */
WL_HANDLER(wl_variable_read);
WL_HANDLER(wl_variable_set);
WL_HANDLER(wl_variable_append);
WL_HANDLER(wl_variable_item);
/* In entries.c. */
WL_HANDLER(wl_constant_of);
WL_HANDLER(wl_entry_of);
WL_HANDLER(wl_set_entry);
/* In row_block_loop.c. */
WL_HANDLER(wl_loop_rows);
/* In loops.c. */
WL_HANDLER(wl_loop_begin);
WL_HANDLER(wl_again);
WL_HANDLER(wl_loop_index);
WL_HANDLER(wl_list_begin);
WL_HANDLER(wl_list_end);
WL_HANDLER(wl_item_begin);
WL_HANDLER(wl_item_end);
/* In units.c. */
WL_HANDLER(wl_default_case);
WL_HANDLER(wl_evidence);
WL_HANDLER(wl_unit_enter);
WL_HANDLER(wl_unit_leave);
WL_HANDLER(wl_where);
WL_HANDLER(wl_row_begin);
WL_HANDLER(wl_row_end);

/* There is no room for more than `there` rows (`what` is 0), damages (1) or items of level `what` - 1:
 * records which, and returns the row's outcome. */
int wl_no_room_for(wl_run *run, uint32_t what, size_t there);

/* The row is damaged, and reading continues to find its end. The first reason counts. */
static inline void wl_refuse(wl_run *run, uint32_t reason) {
    if (!run->refused)
        run->refused = reason;
}

static inline int wl_lost(wl_run *run, uint32_t reason) {
    run->reason = reason;
    return WL_ROW_LOST;
}

/* Handles a failed check: true if reading the row continues. */
static inline bool wl_check_failed(wl_run *run, uint32_t outcome) {
    if (outcome & 1)
        run->reason = outcome >> 8;
    else
        wl_refuse(run, outcome >> 8);
    return !(outcome & 1);
}

static inline bool wl_is_missing(const wl_run *run, size_t number) {
    return WL_UNLIKELY(run->some_missing) && (run->missing[number / 64] >> number % 64 & 1);
}

/* Why the register has no value: whatever program it is of, one of the first three. */
static inline unsigned wl_missing_reason(const wl_run *run, size_t number) {
    const wl_integer reason = run->registers[number];
    return reason == WL_NULL ? WL_NULL : reason == WL_ABSENT ? WL_ABSENT : WL_FAILED;
}

/* The register has no value. */
static inline void wl_set_missing(wl_run *run, size_t number, unsigned reason) {
    run->registers[number] = reason;
    run->some_missing = true;
    run->unprepared = true;
    run->missing[number / 64] |= UINT64_C(1) << number % 64;
}

/* Sets the register, which may have had no value in an earlier iteration of a loop. */
static inline void wl_set_register(wl_run *run, size_t number, wl_integer value) {
    run->registers[number] = value;
    if (WL_UNLIKELY(run->some_missing))
        run->missing[number / 64] &= ~(UINT64_C(1) << number % 64);
}

/* `size` bytes from the cursor are not available: returns the row's outcome. */
int wl_missing(wl_run *run, const uint8_t *cursor, uint64_t size);

/* Whether the innermost stream extends beyond the available bytes. */
static inline bool wl_is_cut(const wl_run *run) {
    return run->depth ? run->limits[run->depth - 1].beyond != 0 : !run->is_final;
}

/* The bytes after `limit`, at which the available bytes end, must be known. */
static inline int wl_wait(wl_run *run, const uint8_t *limit) {
    run->needed = (size_t)(limit - run->begin) + 1;
    return WL_ROW_TRUNCATED;
}

/* A size in bytes, register[number] + more; false if it is invalid, or if that many bytes are not available. */
static inline bool wl_take_size(const wl_run *run, const uint8_t *cursor, const uint8_t *limit, size_t number,
                                int64_t more, size_t *size) {
    wl_integer value;
    if (WL_UNLIKELY(__builtin_add_overflow(run->registers[number], (wl_integer)more, &value)))
        return false;
    *size = (size_t)value;
    return value >= 0 && value <= limit - cursor && !wl_is_missing(run, number);
}

#endif
