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

static WL_HANDLER(present) {
    wl_set_register(run, step->a, 0);
    GO_ON;
}

static WL_HANDLER(absent) {
    wl_set_missing(run, step->a, WL_NULL);
    GO_ON;
}

/* A column is null if its value is absent; a value that cannot be computed has refused the row. */
static WL_HANDLER(column_register) {
    if (wl_is_missing(run, step->b)) {
        wl_column_null(run, step->a, row);
        GO_ON;
    }
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
    const bool is_absent = (step->c & WL_HAS_ABSENT && value == step->d) || wl_is_missing(run, step->b);
    if (WL_LIKELY(value >= wl_earliest_time(step->c) && value <= wl_latest_time(step->c) && !is_absent))
        wl_store8(step->out + row * 8, (uint64_t)value);
    else
        wl_column_null(run, step->a, row);
    GO_ON;
}

static WL_HANDLER(column_null) {
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
    wl_calls_abandon(run, 0);
    run->items_left = run->arguments->max_items + (wl_counts_items(program) ? (uint64_t)(run->end - run->begin) : 0);
    run->counts_items = wl_counts_items(program);
    if (program->expands)
        wl_contents_start(run);
    for (uint32_t i = 0; i < program->series_count; i++)
        run->series[i].used = run->series[i].texts_used = 0;
    if (run->some_missing) {
        memset(run->missing, 0, sizeof run->missing);
        run->some_missing = false;
    }
    run->unprepared = wl_needs_preparing(run);
    if (run->has_conditional)
        wl_level_unset(run, 0, row);
}

const wl_handler wl_handlers[WL_RUN_COUNT] = {
#define OPERATION(name, handler, runs_for, flow, place, a, b, c, d, documentation) [WL_RUN_##name] = handler,
#include "ops.def"
#undef OPERATION
    [WL_RUN_COLUMN_1] = column_1,
    [WL_RUN_COLUMN_LE2] = column_le2,
    [WL_RUN_COLUMN_BE2] = column_be2,
    [WL_RUN_COLUMN_LE4] = column_le4,
    [WL_RUN_COLUMN_BE4] = column_be4,
    [WL_RUN_COLUMN_LE8] = column_le8,
    [WL_RUN_COLUMN_BE8] = column_be8,
    [WL_RUN_REGISTER_LE4] = register_le4,
    [WL_RUN_REGISTER_BE4] = register_be4,
    [WL_RUN_PRESENT] = present,
    [WL_RUN_COLUMN_VALID] = column_valid,
    [WL_RUN_VARINT_COLUMN] = wl_varint_column,
    [WL_RUN_COLUMN_BYTES_ANYWHERE] = wl_column_bytes_anywhere,
    [WL_RUN_SEEK_END] = wl_seek_end,
    [WL_RUN_ROWS] = wl_loop_rows,
};
