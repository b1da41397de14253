/* What the instructions of a plan do. Every read is checked against the end of the row's stream: by NEED for whole runs
 * of fixed fields, by the instruction itself for bytes of a size that is read from the input.
 *
 * An optimizing compiler makes jumps of the calls at the end of the handlers. One that does not lets the stack grow by
 * a small frame per step of the row, which WL_MOST_STEPS keeps harmless. */
#include "internal.h"

#define HANDLER(name)                                                                                                  \
    static int name(const wl_instruction *step, wl_run *run, const uint8_t *base, const uint8_t *cursor,              \
                    const uint8_t *limit, size_t row)
#define GO_ON_AT(to) return (to)->handler(to, run, base, cursor, limit, row)
#define GO_ON GO_ON_AT(step + 1)

static inline void refuse(wl_run *run, uint32_t reason) {
    if (!run->refused)
        run->refused = reason;
}

static int lost(wl_run *run, uint32_t reason) {
    run->reason = reason;
    return WL_ROW_LOST;
}

/* `size` bytes are not there. In a sub-stream they never will be: its size is given. */
__attribute__((noinline)) static int missing(wl_run *run, const uint8_t *cursor, uint64_t size) {
    if (run->depth)
        return lost(run, WL_REASON_LENGTH);
    size_t before = (size_t)(cursor - run->begin);
    run->needed = size > SIZE_MAX - before ? SIZE_MAX : before + (size_t)size;
    return WL_ROW_TRUNCATED;
}

static inline bool is_poisoned(const wl_run *run, size_t number) {
    return WL_UNLIKELY(run->poisoned) && (run->poison[number / 64] >> number % 64 & 1);
}

/* The size register[number] + more is not to be had. */
__attribute__((noinline)) static int no_size(wl_run *run, const uint8_t *cursor, size_t number, int64_t more) {
    wl_integer value;
    if (is_poisoned(run, number))
        return lost(run, WL_REASON_VALUE);
    if (__builtin_add_overflow(run->registers[number], (wl_integer)more, &value) || value < 0)
        return lost(run, WL_REASON_LENGTH);
    return missing(run, cursor, value > (wl_integer)SIZE_MAX ? SIZE_MAX : (uint64_t)value);
}

/* A size in bytes, register[number] + more; false where it is not one, or that many bytes are not there. */
static inline bool take_size(const wl_run *run, const uint8_t *cursor, const uint8_t *limit, size_t number, int64_t more,
                             size_t *size) {
    wl_integer value;
    if (WL_UNLIKELY(__builtin_add_overflow(run->registers[number], (wl_integer)more, &value)))
        return false;
    *size = (size_t)value;
    return value >= 0 && value <= limit - cursor && !is_poisoned(run, number);
}

HANDLER(end) {
    (void)step, (void)base, (void)limit, (void)row;
    run->next = cursor;
    return WL_ROW_COMPLETE;
}

HANDLER(need) {
    size_t size = (size_t)step->c;
    if (WL_UNLIKELY((size_t)(limit - cursor) < size))
        return missing(run, cursor, size);
    base = cursor;
    cursor += size;
    GO_ON;
}

/* Fixed fields to columns ------------------------------------------------------------------------------------------ */

HANDLER(column_1) {
    step->out[row] = base[step->c];
    GO_ON;
}

HANDLER(column_le2) {
    wl_store2(step->out + row * 2, wl_load_le2(base + step->c));
    GO_ON;
}

HANDLER(column_be2) {
    wl_store2(step->out + row * 2, wl_load_be2(base + step->c));
    GO_ON;
}

HANDLER(column_le4) {
    wl_store4(step->out + row * 4, wl_load_le4(base + step->c));
    GO_ON;
}

HANDLER(column_be4) {
    wl_store4(step->out + row * 4, wl_load_be4(base + step->c));
    GO_ON;
}

HANDLER(column_le8) {
    wl_store8(step->out + row * 8, wl_load_le8(base + step->c));
    GO_ON;
}

HANDLER(column_be8) {
    wl_store8(step->out + row * 8, wl_load_be8(base + step->c));
    GO_ON;
}

/* Registers -------------------------------------------------------------------------------------------------------- */

static wl_integer load_register(const uint8_t *at, uint32_t kind) {
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

HANDLER(register_any) {
    run->registers[step->a] = load_register(base + step->c, step->b);
    GO_ON;
}

HANDLER(register_le4) {
    run->registers[step->a] = wl_load_le4(base + step->c);
    GO_ON;
}

HANDLER(register_be4) {
    run->registers[step->a] = wl_load_be4(base + step->c);
    GO_ON;
}

/* Not inlined: a variable whose address is taken would keep the handler from ending in a jump. */
__attribute__((noinline)) static void run_expression(wl_run *run, const wl_instruction *step) {
    bool failed;
    run->registers[step->a] = wl_expression(run, step, &failed);
    if (WL_UNLIKELY(failed)) {
        run->poisoned = true;
        run->poison[step->a / 64] |= UINT64_C(1) << step->a % 64;
        refuse(run, WL_REASON_VALUE);
    }
}

HANDLER(expression) {
    run_expression(run, step);
    GO_ON;
}

HANDLER(column_register) {
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

HANDLER(column_timestamp) {
    wl_integer value = run->registers[step->b];
    if (WL_LIKELY(value >= step->c && value <= step->d))
        wl_store8(step->out + row * 8, (uint64_t)value);
    else
        wl_column_null(run, step->a, row);
    GO_ON;
}

HANDLER(column_null) {
    wl_column_null(run, step->a, row);
    GO_ON;
}

HANDLER(column_valid) {
    wl_column_valid(run, step->a, row);
    GO_ON;
}

/* Bytes ------------------------------------------------------------------------------------------------------------ */

HANDLER(bytes_register) {
    size_t size;
    if (WL_UNLIKELY(!take_size(run, cursor, limit, step->b, step->c, &size)))
        return no_size(run, cursor, step->b, step->c);
    run->spans[step->a] = (wl_span){cursor, size};
    cursor += size;
    GO_ON;
}

HANDLER(bytes_fixed) {
    if (WL_UNLIKELY((uint64_t)step->c > (size_t)(limit - cursor)))
        return missing(run, cursor, (uint64_t)step->c);
    run->spans[step->a] = (wl_span){cursor, (size_t)step->c};
    cursor += step->c;
    GO_ON;
}

HANDLER(bytes_rest) {
    run->spans[step->a] = (wl_span){cursor, (size_t)(limit - cursor)};
    cursor = limit;
    GO_ON;
}

HANDLER(bytes_terminated) {
    uint8_t terminator = (uint8_t)step->b;
    size_t left = (size_t)(limit - cursor);
    const uint8_t *found = NULL;
    if (run->index)
        found = wl_index_find(run->index, terminator, cursor, limit);
    else if (left)
        found = memchr(cursor, terminator, left);
    if (!found && step->c & 4)
        return missing(run, cursor, (uint64_t)left + 1);
    if (found) {
        run->spans[step->a] = (wl_span){cursor, (size_t)(found - cursor) + (step->c & 1)};
        cursor = found + (step->c >> 1 & 1);
    } else {
        run->spans[step->a] = (wl_span){cursor, left};
        cursor = limit;
    }
    GO_ON;
}

HANDLER(skip_register) {
    size_t size;
    if (WL_UNLIKELY(!take_size(run, cursor, limit, step->a, step->c, &size)))
        return no_size(run, cursor, step->a, step->c);
    cursor += size;
    GO_ON;
}

HANDLER(trim_right) {
    wl_span *span = run->spans + step->a;
    while (span->size && span->at[span->size - 1] == (uint8_t)step->c)
        span->size--;
    GO_ON;
}

HANDLER(cut_terminator) {
    wl_span *span = run->spans + step->a;
    const uint8_t *found = span->size ? memchr(span->at, (uint8_t)step->c, span->size) : NULL;
    if (found)
        span->size = (size_t)(found - span->at) + (step->b & 1);
    GO_ON;
}

HANDLER(column_bytes) {
    wl_span span = run->spans[step->b];
    size_t used = wl_load4(step->offsets + row * 4);
    size_t room = (size_t)step->d - used;
    if (WL_UNLIKELY(span.size > room)) {
        run->needed = span.size;
        run->column = step->a;
        return WL_ROW_NO_ROOM;
    }
    wl_copy(step->out + used, span.at, span.size, room, (size_t)(run->readable - span.at));
    wl_store4(step->offsets + row * 4 + 4, (uint32_t)(used + span.size));
    GO_ON;
}

/* Sub-streams ------------------------------------------------------------------------------------------------------ */

static inline const uint8_t *enter(wl_run *run, const uint8_t *cursor, const uint8_t *limit, size_t size) {
    run->limits[run->depth++] = limit;
    return cursor + size;
}

HANDLER(limit_register) {
    size_t size;
    if (WL_UNLIKELY(!take_size(run, cursor, limit, step->a, step->c, &size)))
        return no_size(run, cursor, step->a, step->c);
    limit = enter(run, cursor, limit, size);
    GO_ON;
}

HANDLER(limit_fixed) {
    if (WL_UNLIKELY((uint64_t)step->c > (size_t)(limit - cursor)))
        return missing(run, cursor, (uint64_t)step->c);
    limit = enter(run, cursor, limit, (size_t)step->c);
    GO_ON;
}

HANDLER(limit_end) {
    cursor = limit;
    limit = run->limits[--run->depth];
    GO_ON;
}

/* Checks ----------------------------------------------------------------------------------------------------------- */

/* A check that did not hold: true where the row can be read on. */
static bool check_failed(wl_run *run, uint32_t outcome) {
    if (outcome & 1)
        run->reason = outcome >> 8;
    else
        refuse(run, outcome >> 8);
    return !(outcome & 1);
}

HANDLER(check_range) {
    wl_integer value = run->registers[step->a];
    wl_integer most = step->b & 0x80 ? (wl_integer)(uint64_t)step->d : (wl_integer)step->d;
    if (WL_UNLIKELY(value < step->c || value > most || is_poisoned(run, step->a)) && !check_failed(run, step->b))
        return WL_ROW_LOST;
    GO_ON;
}

HANDLER(check_true) {
    if (WL_UNLIKELY(run->registers[step->a] == 0 || is_poisoned(run, step->a)) && !check_failed(run, step->b))
        return WL_ROW_LOST;
    GO_ON;
}

HANDLER(check_constant) {
    if (step->d && memcmp(base + step->c, step->constant, (size_t)step->d) != 0 && !check_failed(run, step->b))
        return WL_ROW_LOST;
    GO_ON;
}

HANDLER(check_utf8) {
    wl_span text = run->spans[step->a];
    if (!run->defer_text && !(step->c ? wl_text_is_ascii(text.at, text.size) : wl_text_is_utf8(text.at, text.size)))
        refuse(run, WL_REASON_ENCODING);
    GO_ON;
}

HANDLER(mark) {
    run->marks[step->a] = step->b ? cursor : base + step->c;
    GO_ON;
}

HANDLER(checksum) {
    uint32_t found = wl_checksum_run(run, run->checksums + step->a, run->marks[step->c], run->marks[step->d]);
    if (WL_UNLIKELY(run->registers[step->b] != (wl_integer)found))
        refuse(run, WL_REASON_CHECKSUM);
    GO_ON;
}

/* Jumps ------------------------------------------------------------------------------------------------------------ */

HANDLER(skip_if_zero) {
    if (is_poisoned(run, step->a))
        return lost(run, WL_REASON_VALUE);
    if (run->registers[step->a] == 0)
        GO_ON_AT(step + step->c);
    GO_ON;
}

HANDLER(jump) { GO_ON_AT(step + step->c); }

void wl_row_prepare(wl_run *run, const uint8_t *begin, size_t row) {
    const wl_program *program = run->program;
    if (run->reset) {
        for (uint32_t i = program->preset_count; i < program->register_count; i++)
            run->registers[i] = 0;
        for (uint32_t i = 0; i < program->span_count; i++)
            run->spans[i] = (wl_span){begin, 0};
        for (uint32_t i = 0; i < program->mark_count; i++)
            run->marks[i] = begin;
    }
    if (run->poisoned) {
        memset(run->poison, 0, sizeof run->poison);
        run->poisoned = false;
    }
    if (run->has_conditional) {
        for (uint32_t i = 0; i < program->column_count; i++) {
            if (program->conditional[i] && run->arguments->columns[i].wanted)
                wl_column_null(run, i, row);
        }
    }
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
    [WL_RUN_BYTES_REGISTER] = bytes_register,
    [WL_RUN_BYTES_FIXED] = bytes_fixed,
    [WL_RUN_BYTES_REST] = bytes_rest,
    [WL_RUN_BYTES_TERMINATED] = bytes_terminated,
    [WL_RUN_COLUMN_BYTES] = column_bytes,
    [WL_RUN_COLUMN_REGISTER] = column_register,
    [WL_RUN_COLUMN_TIMESTAMP] = column_timestamp,
    [WL_RUN_COLUMN_NULL] = column_null,
    [WL_RUN_COLUMN_VALID] = column_valid,
    [WL_RUN_CHECK_RANGE] = check_range,
    [WL_RUN_CHECK_TRUE] = check_true,
    [WL_RUN_CHECK_CONSTANT] = check_constant,
    [WL_RUN_CHECK_UTF8] = check_utf8,
    [WL_RUN_CHECKSUM] = checksum,
    [WL_RUN_MARK] = mark,
    [WL_RUN_EXPRESSION] = expression,
    [WL_RUN_SKIP_IF_ZERO] = skip_if_zero,
    [WL_RUN_JUMP] = jump,
    [WL_RUN_LIMIT_REGISTER] = limit_register,
    [WL_RUN_LIMIT_FIXED] = limit_fixed,
    [WL_RUN_LIMIT_END] = limit_end,
    [WL_RUN_SKIP_REGISTER] = skip_register,
    [WL_RUN_TRIM_RIGHT] = trim_right,
    [WL_RUN_CUT_TERMINATOR] = cut_terminator,
};
