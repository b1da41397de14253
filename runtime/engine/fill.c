/* Consecutive rows. */
#include "internal.h"

static void finish(wl_fill_result *result, int status, size_t consumed) {
    result->status = status;
    result->consumed = consumed;
}

static size_t index_of(const wl_run *run, const uint8_t *at) {
    return (size_t)((uintptr_t)at - (uintptr_t)run->arguments->source);
}

/* The end of the rows that are valid although their unit is incomplete: those before the incomplete row, unless
 * something has been refused or a checksum of the unit is still to be verified. The index of the unit's beginning if
 * there are none. */
static size_t end_of_sound(wl_run *run, wl_fill_result *result, size_t begin) {
    if (run->in_row)
        run->refused = run->unit_refused;
    wl_units_abandon(run, 0);
    bool doubtful = run->refused || (run->program->sums_unit && run->arguments->verify);
    bool nothing = result->rows == run->units[0].rows && result->dropped == run->units[0].dropped &&
                   result->damage_count == run->units[0].damages;
    if (!run->program->has_rows || doubtful || nothing) {
        if (run->program->has_rows)
            wl_unit_take_back(run);
        return begin;
    }
    return index_of(run, run->sound);
}

/* The row or unit at `begin` is incomplete, or there is no room for it. */
static void end_at_row(wl_run *run, wl_fill_result *result, int outcome, size_t begin) {
    const wl_fill_arguments *arguments = run->arguments;
    bool is_large = outcome == WL_ROW_TRUNCATED && arguments->end - begin >= arguments->max_record;
    bool waits = outcome == WL_ROW_TRUNCATED && !arguments->at_end && !is_large;
    wl_row_take_back(run, result->rows);
    if (waits || outcome == WL_ROW_NO_ROOM) {
        if (run->program->has_rows)
            wl_unit_take_back(run);
    } else {
        begin = end_of_sound(run, result, begin);
    }
    result->position = arguments->base_offset + begin;
    result->reason = run->reason;
    if (outcome == WL_ROW_LOST) {
        finish(result, WL_LOST, begin);
    } else if (outcome == WL_ROW_NO_ROOM) {
        finish(result, result->rows ? WL_BATCH_FULL : WL_NO_ROOM, begin);
        result->needed = run->needed;
        result->reason = run->column;
    } else if (is_large) {
        /* It is incomplete within the largest record, so it is larger than that, whatever follows. */
        finish(result, WL_LOST, begin);
        result->reason = WL_REASON_LIMIT;
    } else {
        finish(result, arguments->at_end ? WL_TRUNCATED : WL_NEED_INPUT, begin);
        result->reason = WL_REASON_NONE;
        result->needed = wl_smaller(run->needed, arguments->max_record);
    }
}

/* A complete row at [begin, end). False: the fill has ended before it. */
static bool take_row(wl_run *run, wl_fill_result *result, size_t begin, size_t end) {
    const wl_fill_arguments *arguments = run->arguments;
    if (WL_UNLIKELY(arguments->end - end < arguments->padding && !arguments->at_end)) {
        /* The beginning of the next row is not in the window yet: leave this one for the next call. */
        wl_row_take_back(run, result->rows);
        if (run->program->has_rows)
            wl_unit_take_back(run);
        finish(result, WL_NEED_INPUT, begin);
        result->needed = end - begin + arguments->padding;
        return false;
    }
    if (run->program->has_rows) {
        /* An input that is read as a whole has all its bytes, although its rows may all be at explicit positions. */
        size_t after = end > begin ? end : arguments->end;
        return WL_LIKELY(wl_unit_end(run, result, begin, after)) || (finish(result, WL_BATCH_FULL, begin), false);
    }
    if (WL_UNLIKELY(run->refused)) {
        if (run->refused == WL_UNWANTED) {
            wl_row_take_back(run, result->rows);
            return true;
        }
        if (wl_damaged(run, result, begin, end, run->refused, false))
            return true;
        finish(result, WL_BATCH_FULL, begin);
        return false;
    }
    wl_unit_extends_doubt(run, result, begin, end);
    wl_row_done(run, result, begin);
    return true;
}

/* Whether there is no room for a unit with as many rows as the last one: it would be read in vain, and again in the
 * next fill. */
static bool is_tight(const wl_run *run, const wl_fill_result *result) {
    return run->program->has_rows && result->rows - result->unit_rows > run->arguments->capacity - result->rows;
}

/* Whether the fill ends before a row at `begin` is read. */
static bool ends_before(const wl_run *run, wl_fill_result *result, size_t begin) {
    const wl_fill_arguments *arguments = run->arguments;
    if (arguments->stop >= 0 && arguments->base_offset + begin >= (uint64_t)arguments->stop)
        finish(result, WL_END, begin);
    else if (run->program->whole && !arguments->at_end)
        finish(result, WL_NEED_INPUT, begin);
    else if (begin == arguments->end)
        finish(result, arguments->at_end ? WL_END : WL_NEED_INPUT, begin);
    else if (result->rows == arguments->capacity || is_tight(run, result))
        finish(result, WL_BATCH_FULL, begin);
    else
        return false;
    return true;
}

/* Reads the row or unit at `begin`. */
static int read_unit(wl_run *run, wl_fill_result *result, size_t begin) {
    const wl_fill_arguments *arguments = run->arguments;
    /* Bytes beyond the largest record must not influence the row, however large the window is. */
    const size_t size = wl_smaller(arguments->end - begin, arguments->max_record);
    const uint8_t *from = arguments->source + begin;
    run->is_final = arguments->at_end && begin + size == arguments->end;
    wl_unit_begin(run, result, begin, begin);
    return wl_unit_run(run, from, from + size);
}

bool wl_fill_back_to_back(wl_run *run, wl_fill_result *result) {
    const wl_fill_arguments *arguments = run->arguments;
    const uint8_t *source = arguments->source;
    size_t end = arguments->end;
    size_t begin = arguments->begin;
    wl_row_block *block = wl_row_block_of_plan(run);
    run->result = result;
    wl_carried_load(run);
    while (!ends_before(run, result, begin)) {
        if (block) {
            size_t after = wl_block_read(block, result, begin);
            if (after != begin) {
                begin = after;
                continue;
            }
        }
        int outcome = read_unit(run, result, begin);
        if (WL_UNLIKELY(outcome == WL_ROW_COMPLETE && run->next == run->begin && !run->program->whole)) {
            /* A row without bytes would repeat forever. */
            run->reason = WL_REASON_LENGTH;
            outcome = WL_ROW_LOST;
        }
        if (WL_UNLIKELY(outcome != WL_ROW_COMPLETE)) {
            end_at_row(run, result, outcome, begin);
            break;
        }
        size_t next = (size_t)(run->next - source);
        if (!take_row(run, result, begin, next))
            break;
        if (run->program->whole) {
            /* Its rows may all be at explicit positions: the unit has no bytes then. */
            finish(result, WL_END, next);
            break;
        }
        if (WL_UNLIKELY(run->sum_failed))
            wl_carried_commit_checksums(run);
        else
            wl_carried_commit(run);
        begin = next + wl_smaller(arguments->padding, end - next);
    }
    if (result->consumed != begin)
        wl_carried_commit_variables(run);
    wl_carried_store(run, 0);
    wl_row_block_free(block);
    return true;
}

bool wl_fill(const wl_program *program, const wl_fill_arguments *arguments, wl_fill_result *result) {
    wl_run *run = wl_run_make(program, arguments, false);
    if (!run)
        return false;
    *result = (wl_fill_result){.consumed = arguments->begin,
                               .null_counts = result->null_counts,
                               .data_used = result->data_used,
                               .items_used = result->items_used};
    wl_columns_start(run);
    bool good = true;
    if (program->delimiter_size)
        good = wl_fill_frames(run, result);
    else
        good = wl_fill_back_to_back(run, result);
    wl_columns_finish(run, result);
    wl_run_free(run);
    return good;
}
