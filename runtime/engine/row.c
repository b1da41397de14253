/* Rows: their beginnings and ends, fixed fields, registers, and the table of all handlers. */
#include "handlers.h"

/* In a sub-stream, missing bytes will never become available, since its size is fixed. */
int wl_missing(wl_run *run, const uint8_t *cursor, uint64_t size) {
    if (run->depth && !run->limits[run->depth - 1].is_unit) {
        const wl_limit *limit = run->limits + run->depth - 1;
        if (!limit->beyond || size - (uint64_t)(limit->end - cursor) > limit->beyond)
            return wl_lost(run, WL_REASON_LENGTH);
    }
    size_t before = (size_t)(cursor - run->begin);
    run->needed = size > SIZE_MAX - before ? SIZE_MAX : before + (size_t)size;
    return WL_ROW_TRUNCATED;
}

static WL_HANDLER(end) {
    (void)step, (void)base, (void)limit, (void)row;
    run->next = cursor;
    return WL_ROW_COMPLETE;
}

static WL_HANDLER(need) {
    size_t size = (size_t)step->c;
    if (WL_UNLIKELY((size_t)(limit - cursor) < size))
        return wl_missing(run, cursor, size);
    base = cursor;
    cursor += size;
    GO_ON;
}

/* Fixed fields to columns ------------------------------------------------------------------------------------------ */

static WL_HANDLER(column_1) {
    step->out[row] = base[step->c];
    GO_ON;
}

static WL_HANDLER(column_le2) {
    wl_store2(step->out + row * 2, wl_load_le2(base + step->c));
    GO_ON;
}

static WL_HANDLER(column_be2) {
    wl_store2(step->out + row * 2, wl_load_be2(base + step->c));
    GO_ON;
}

static WL_HANDLER(column_le4) {
    wl_store4(step->out + row * 4, wl_load_le4(base + step->c));
    GO_ON;
}

static WL_HANDLER(column_be4) {
    wl_store4(step->out + row * 4, wl_load_be4(base + step->c));
    GO_ON;
}

static WL_HANDLER(column_le8) {
    wl_store8(step->out + row * 8, wl_load_le8(base + step->c));
    GO_ON;
}

static WL_HANDLER(column_be8) {
    wl_store8(step->out + row * 8, wl_load_be8(base + step->c));
    GO_ON;
}

/* Registers -------------------------------------------------------------------------------------------------------- */

static WL_HANDLER(register_any) {
    run->registers[step->a] = wl_load_kind(base + step->c, step->b);
    GO_ON;
}

static WL_HANDLER(register_le4) {
    run->registers[step->a] = wl_load_le4(base + step->c);
    GO_ON;
}

static WL_HANDLER(register_be4) {
    run->registers[step->a] = wl_load_be4(base + step->c);
    GO_ON;
}

static WL_HANDLER(absent) {
    wl_poison(run, step->a);
    GO_ON;
}

static WL_HANDLER(column_register) {
    uint64_t value = (uint64_t)run->registers[step->b];
    uint8_t *out = step->out + row * (size_t)step->c;
    if (step->c == 1)
        *out = (uint8_t)value;
    else if (step->c == 2)
        wl_store2(out, (uint16_t)value);
    else if (step->c == 4)
        wl_store4(out, (uint32_t)value);
    else
        wl_store8(out, value);
    GO_ON;
}

static WL_HANDLER(column_timestamp) {
    wl_integer value = run->registers[step->b];
    if (WL_LIKELY(value >= step->c && value <= step->d))
        wl_store8(step->out + row * 8, (uint64_t)value);
    else
        wl_column_null(run, step->a, row);
    GO_ON;
}

static WL_HANDLER(column_null) {
    wl_column_null(run, step->a, row);
    GO_ON;
}

/* A missing value has refused the row. */
static WL_HANDLER(null_unless) {
    if (run->registers[step->b] == 0)
        wl_column_null(run, step->a, row);
    GO_ON;
}

static WL_HANDLER(column_valid) {
    wl_column_valid(run, step->a, row);
    GO_ON;
}

void wl_row_prepare(wl_run *run, const uint8_t *begin, size_t row) {
    const wl_program *program = run->program;
    const uint16_t *cleared = run->cleared;
    for (uint32_t i = 0; i < run->cleared_registers; i++)
        run->registers[*cleared++] = 0;
    for (uint32_t i = 0; i < run->cleared_spans; i++)
        run->spans[*cleared++] = (wl_span){begin, 0};
    for (uint32_t i = 0; i < run->cleared_marks; i++)
        run->marks[*cleared++] = begin;
    wl_calls_abandon(run);
    run->items_left = run->arguments->max_items + (wl_counts_items(program) ? (uint64_t)(run->end - run->begin) : 0);
    run->counts_items = wl_counts_items(program);
    if (program->expands)
        wl_contents_start(run);
    for (uint32_t i = 0; i < program->series_count; i++)
        run->series[i].used = run->series[i].texts_used = 0;
    if (run->poisoned) {
        memset(run->poison, 0, sizeof run->poison);
        run->poisoned = false;
    }
    run->unprepared = wl_needs_preparing(run);
    if (run->has_conditional)
        wl_level_unset(run, 0, row);
}

const wl_handler wl_handlers[WL_RUN_COUNT] = {
    [WL_RUN_END] = end,
    [WL_RUN_NEED] = need,
    [WL_RUN_COLUMN_1] = column_1,
    [WL_RUN_COLUMN_LE2] = column_le2,
    [WL_RUN_COLUMN_BE2] = column_be2,
    [WL_RUN_COLUMN_LE4] = column_le4,
    [WL_RUN_COLUMN_BE4] = column_be4,
    [WL_RUN_COLUMN_LE8] = column_le8,
    [WL_RUN_COLUMN_BE8] = column_be8,
    [WL_RUN_REGISTER] = register_any,
    [WL_RUN_REGISTER_LE4] = register_le4,
    [WL_RUN_REGISTER_BE4] = register_be4,
    [WL_RUN_BYTES_REGISTER] = wl_bytes_register,
    [WL_RUN_BYTES_FIXED] = wl_bytes_fixed,
    [WL_RUN_BYTES_REST] = wl_bytes_rest,
    [WL_RUN_BYTES_TERMINATED] = wl_bytes_terminated,
    [WL_RUN_COLUMN_BYTES] = wl_column_bytes,
    [WL_RUN_COLUMN_REGISTER] = column_register,
    [WL_RUN_COLUMN_TIMESTAMP] = column_timestamp,
    [WL_RUN_COLUMN_NULL] = column_null,
    [WL_RUN_COLUMN_VALID] = column_valid,
    [WL_RUN_CHECK_RANGE] = wl_check_range,
    [WL_RUN_CHECK_TRUE] = wl_check_true,
    [WL_RUN_CHECK_CONSTANT] = wl_check_constant,
    [WL_RUN_CHECK_UTF8] = wl_check_utf8,
    [WL_RUN_CHECKSUM] = wl_check_sum,
    [WL_RUN_MARK] = wl_set_mark,
    [WL_RUN_EXPRESSION] = wl_expression_any,
    [WL_RUN_SKIP_IF_ZERO] = wl_skip_if_zero,
    [WL_RUN_JUMP] = wl_jump,
    [WL_RUN_LIMIT_REGISTER] = wl_limit_register,
    [WL_RUN_LIMIT_FIXED] = wl_limit_fixed,
    [WL_RUN_LIMIT_END] = wl_limit_end,
    [WL_RUN_SKIP_REGISTER] = wl_skip_register,
    [WL_RUN_TRIM_RIGHT] = wl_trim_right,
    [WL_RUN_CUT_TERMINATOR] = wl_cut_terminator,
    [WL_RUN_LOOP] = wl_loop_begin,
    [WL_RUN_AGAIN] = wl_again,
    [WL_RUN_INDEX] = wl_loop_index,
    [WL_RUN_UNIT] = wl_unit_enter,
    [WL_RUN_UNIT_END] = wl_unit_leave,
    [WL_RUN_WHERE] = wl_where,
    [WL_RUN_ROW] = wl_row_begin,
    [WL_RUN_ROW_END] = wl_row_end,
    [WL_RUN_LIST] = wl_list_begin,
    [WL_RUN_LIST_END] = wl_list_end,
    [WL_RUN_ITEM] = wl_item_begin,
    [WL_RUN_ITEM_END] = wl_item_end,
    [WL_RUN_VARINT] = wl_varint_portable,
    [WL_RUN_VARINT_COLUMN] = wl_varint_column,
    [WL_RUN_COLUMN_BYTES_ANYWHERE] = wl_column_bytes_anywhere,
    [WL_RUN_EXPAND] = wl_expand,
    [WL_RUN_SEEK] = wl_seek,
    [WL_RUN_SEEK_END] = wl_seek_end,
    [WL_RUN_STREAM] = wl_stream,
    [WL_RUN_ABSENT] = absent,
    [WL_RUN_CHAIN_BEGIN] = wl_chain_begin,
    [WL_RUN_CHAIN] = wl_chain_read,
    [WL_RUN_CHAIN_NOTE] = wl_chain_note,
    [WL_RUN_SERIES] = wl_series_begin,
    [WL_RUN_SERIES_ADD] = wl_series_add,
    [WL_RUN_BLANK] = wl_blank,
    [WL_RUN_FIELDS] = wl_fields,
    [WL_RUN_SKIP_UNLESS] = wl_skip_unless,
    [WL_RUN_LIMIT_SPAN] = wl_limit_span,
    [WL_RUN_CALL] = wl_call,
    [WL_RUN_RETURN] = wl_return,
    [WL_RUN_COLUMN_TEXT] = wl_column_text,
    [WL_RUN_VARIABLE] = wl_variable_read,
    [WL_RUN_SET] = wl_variable_set,
    [WL_RUN_APPEND] = wl_variable_append,
    [WL_RUN_ITEM_OF] = wl_variable_item,
    [WL_RUN_SLICE] = wl_slice,
    [WL_RUN_SUM] = wl_sum_runs,
    [WL_RUN_DIGEST] = wl_digest_runs,
    [WL_RUN_TEXT_CONSTANT] = wl_text_constant,
    [WL_RUN_TEXT_SELECT] = wl_text_select,
    [WL_RUN_TEXT_PART] = wl_text_part,
    [WL_RUN_TEXT_JOIN] = wl_text_join,
    [WL_RUN_TEXT_DIGITS] = wl_text_digits,
    [WL_RUN_TEXT_DECODE] = wl_text_decode,
    [WL_RUN_TEXT_CLEAN] = wl_text_clean,
    [WL_RUN_TEXT_REVERSE] = wl_text_reverse,
    [WL_RUN_TEXT_ITEM] = wl_text_item,
    [WL_RUN_SERIES_ADD_TEXT] = wl_series_add_text,
    [WL_RUN_NULL_UNLESS] = null_unless,
    [WL_RUN_REST] = wl_rest,
    [WL_RUN_ATTEMPT] = wl_attempt,
    [WL_RUN_ATTEMPT_END] = wl_attempt_end,
    [WL_RUN_REFUSE] = wl_refuse_for,
    [WL_RUN_ROWS] = wl_loop_rows,
};
