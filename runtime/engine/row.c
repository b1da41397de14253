/* Runs a plan over one row. Every read is checked against the end of the row's stream: by NEED for whole runs of
 * fixed fields, by the step itself for bytes of a size that is read from the input. */
#include "internal.h"

/* Where the row is being read. */
typedef struct {
    const uint8_t *begin;
    const uint8_t *base;
    const uint8_t *cursor;
    const uint8_t *limit; /* end of the innermost stream */
    unsigned depth;
    const uint8_t *limits[WL_DEEPEST_LIMIT];
} place;

static inline size_t left(const place *row) { return (size_t)(row->limit - row->cursor); }

static inline void refuse(wl_run *run, uint32_t reason) {
    if (!run->refused)
        run->refused = reason;
}

static int lost(wl_run *run, uint32_t reason) {
    run->reason = reason;
    return WL_ROW_LOST;
}

/* `size` bytes are not there. In a sub-stream they never will be: its size is given. */
static int missing(wl_run *run, const place *row, wl_integer size) {
    if (row->depth)
        return lost(run, WL_REASON_LENGTH);
    size_t before = (size_t)(row->cursor - row->begin);
    run->needed = size > (wl_integer)(SIZE_MAX - before) ? SIZE_MAX : before + (size_t)size;
    return WL_ROW_TRUNCATED;
}

static inline bool is_poisoned(const wl_run *run, size_t number) {
    return WL_UNLIKELY(run->poisoned) && (run->poison[number / 64] >> number % 64 & 1);
}

/* A size in bytes, register[number] + more, that must be there. WL_ROW_COMPLETE: it is. */
static inline int take_size(wl_run *run, const place *row, size_t number, int64_t more, size_t *size) {
    wl_integer value;
    if (is_poisoned(run, number))
        return lost(run, WL_REASON_VALUE);
    if (WL_UNLIKELY(__builtin_add_overflow(run->registers[number], (wl_integer)more, &value) || value < 0))
        return lost(run, WL_REASON_LENGTH);
    if (WL_UNLIKELY(value > (wl_integer)left(row)))
        return missing(run, row, value);
    *size = (size_t)value;
    return WL_ROW_COMPLETE;
}

static inline void take_bytes(wl_run *run, place *row, size_t span, size_t size) {
    run->spans[span] = (wl_span){row->cursor, size};
    row->cursor += size;
}

static int take_terminated(wl_run *run, place *row, const wl_instruction *step) {
    uint8_t terminator = (uint8_t)step->b;
    const uint8_t *found = NULL;
    if (run->index)
        found = wl_index_find(run->index, terminator, row->cursor, row->limit);
    else if (left(row))
        found = memchr(row->cursor, terminator, left(row));
    if (!found) {
        if (step->c & 4)
            return missing(run, row, (wl_integer)left(row) + 1);
        take_bytes(run, row, step->a, left(row));
        return WL_ROW_COMPLETE;
    }
    run->spans[step->a] = (wl_span){row->cursor, (size_t)(found - row->cursor) + (step->c & 1)};
    row->cursor = found + (step->c >> 1 & 1);
    return WL_ROW_COMPLETE;
}

static inline void enter(place *row, size_t size) {
    row->limits[row->depth++] = row->limit;
    row->limit = row->cursor + size;
}

static inline void leave(place *row) {
    row->cursor = row->limit;
    row->limit = row->limits[--row->depth];
}

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

static inline int column_bytes(wl_run *run, const wl_instruction *step, size_t row) {
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
    return WL_ROW_COMPLETE;
}

static void column_register(const wl_run *run, const wl_instruction *step, size_t row) {
    uint64_t value = (uint64_t)run->registers[step->b];
    uint8_t *out = step->out + row * (size_t)step->c;
    switch (step->c) {
    case 1:
        *out = (uint8_t)value;
        break;
    case 2:
        wl_store2(out, (uint16_t)value);
        break;
    case 4:
        wl_store4(out, (uint32_t)value);
        break;
    default:
        wl_store8(out, value);
        break;
    }
}

static inline void column_timestamp(wl_run *run, const wl_instruction *step, size_t row) {
    wl_integer value = run->registers[step->b];
    if (WL_LIKELY(value >= step->c && value <= step->d))
        wl_store8(step->out + row * 8, (uint64_t)value);
    else
        wl_column_null(run, step->a, row);
}

/* A check that did not hold: true where the row can be read on. */
static bool check_failed(wl_run *run, uint32_t outcome) {
    if (outcome & 1)
        run->reason = outcome >> 8;
    else
        refuse(run, outcome >> 8);
    return !(outcome & 1);
}

static inline bool in_range(const wl_run *run, const wl_instruction *step) {
    wl_integer value = run->registers[step->a];
    wl_integer most = step->b & 0x80 ? (wl_integer)(uint64_t)step->d : (wl_integer)step->d;
    return value >= step->c && value <= most && !is_poisoned(run, step->a);
}

static void run_expression(wl_run *run, const wl_instruction *step) {
    bool failed;
    run->registers[step->a] = wl_expression(run, step, &failed);
    if (WL_UNLIKELY(failed)) {
        run->poisoned = true;
        run->poison[step->a / 64] |= UINT64_C(1) << step->a % 64;
        refuse(run, WL_REASON_VALUE);
    }
}

static void check_text(wl_run *run, const wl_instruction *step) {
    wl_span text = run->spans[step->a];
    if (!run->defer_text && !(step->c ? wl_text_is_ascii(text.at, text.size) : wl_text_is_utf8(text.at, text.size)))
        refuse(run, WL_REASON_ENCODING);
}

static void trim_right(wl_span *span, uint8_t byte) {
    while (span->size && span->at[span->size - 1] == byte)
        span->size--;
}

static void cut_terminator(wl_span *span, uint8_t byte, size_t include) {
    const uint8_t *found = span->size ? memchr(span->at, byte, span->size) : NULL;
    if (found)
        span->size = (size_t)(found - span->at) + include;
}

static void check_sum(wl_run *run, const wl_instruction *step) {
    uint32_t found = wl_checksum_run(run, run->checksums + step->a, run->marks[step->c], run->marks[step->d]);
    if (WL_UNLIKELY(run->registers[step->b] != (wl_integer)found))
        refuse(run, WL_REASON_CHECKSUM);
}

/* What only some programs or some rows need before a row begins. */
static void prepare(wl_run *run, const uint8_t *begin, size_t row) {
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

/* A step that may end the row: it does unless it comes to WL_ROW_COMPLETE. */
#define OR_RETURN(call)                                                                                                \
    do {                                                                                                               \
        int outcome_ = (call);                                                                                         \
        if (WL_UNLIKELY(outcome_ != WL_ROW_COMPLETE))                                                                  \
            return outcome_;                                                                                           \
    } while (0)
#define CASE(name) break; case WL_RUN_##name

int wl_run_row(wl_run *run, const uint8_t *begin, const uint8_t *end, size_t number) {
    place row; /* member by member: an initializer would clear the stack of limits for every row */
    row.begin = row.base = row.cursor = begin;
    row.limit = end;
    row.depth = 0;
    size_t size = 0;
    run->refused = WL_REASON_NONE;
    run->nulls = false;
    if (run->reset || run->poisoned || run->has_conditional)
        prepare(run, begin, number);
    for (const wl_instruction *step = run->plan;; step++) {
        switch (step->op) {
        case WL_RUN_END:
            run->next = row.cursor;
            return WL_ROW_COMPLETE;
        CASE(NEED):
            if (WL_UNLIKELY(left(&row) < (size_t)step->c))
                return missing(run, &row, step->c);
            row.base = row.cursor;
            row.cursor += step->c;
        CASE(COLUMN_1): step->out[number] = row.base[step->c];
        CASE(COLUMN_LE2): wl_store2(step->out + number * 2, wl_load_le2(row.base + step->c));
        CASE(COLUMN_BE2): wl_store2(step->out + number * 2, wl_load_be2(row.base + step->c));
        CASE(COLUMN_LE4): wl_store4(step->out + number * 4, wl_load_le4(row.base + step->c));
        CASE(COLUMN_BE4): wl_store4(step->out + number * 4, wl_load_be4(row.base + step->c));
        CASE(COLUMN_LE8): wl_store8(step->out + number * 8, wl_load_le8(row.base + step->c));
        CASE(COLUMN_BE8): wl_store8(step->out + number * 8, wl_load_be8(row.base + step->c));
        CASE(REGISTER): run->registers[step->a] = load_register(row.base + step->c, step->b);
        CASE(REGISTER_LE4): run->registers[step->a] = wl_load_le4(row.base + step->c);
        CASE(REGISTER_BE4): run->registers[step->a] = wl_load_be4(row.base + step->c);
        CASE(BYTES_REGISTER):
            OR_RETURN(take_size(run, &row, step->b, step->c, &size));
            take_bytes(run, &row, step->a, size);
        CASE(BYTES_FIXED):
            if (WL_UNLIKELY((uint64_t)step->c > left(&row)))
                return missing(run, &row, step->c);
            take_bytes(run, &row, step->a, (size_t)step->c);
        CASE(BYTES_REST): take_bytes(run, &row, step->a, left(&row));
        CASE(BYTES_TERMINATED): OR_RETURN(take_terminated(run, &row, step));
        CASE(COLUMN_BYTES): OR_RETURN(column_bytes(run, step, number));
        CASE(COLUMN_REGISTER): column_register(run, step, number);
        CASE(COLUMN_TIMESTAMP): column_timestamp(run, step, number);
        CASE(COLUMN_NULL): wl_column_null(run, step->a, number);
        CASE(COLUMN_VALID): wl_column_valid(run, step->a, number);
        CASE(CHECK_RANGE):
            if (WL_UNLIKELY(!in_range(run, step)) && !check_failed(run, step->b))
                return WL_ROW_LOST;
        CASE(CHECK_TRUE):
            if (WL_UNLIKELY(run->registers[step->a] == 0 || is_poisoned(run, step->a)) && !check_failed(run, step->b))
                return WL_ROW_LOST;
        CASE(CHECK_CONSTANT):
            if (step->d && memcmp(row.base + step->c, step->constant, (size_t)step->d) && !check_failed(run, step->b))
                return WL_ROW_LOST;
        CASE(CHECK_UTF8): check_text(run, step);
        CASE(CHECKSUM): check_sum(run, step);
        CASE(MARK): run->marks[step->a] = step->b ? row.cursor : row.base + step->c;
        CASE(EXPRESSION): run_expression(run, step);
        CASE(SKIP_IF_ZERO):
            if (is_poisoned(run, step->a))
                return lost(run, WL_REASON_VALUE);
            if (run->registers[step->a] == 0)
                step = run->plan + step->c - 1;
        CASE(JUMP): step = run->plan + step->c - 1;
        CASE(LIMIT_REGISTER):
            OR_RETURN(take_size(run, &row, step->a, step->c, &size));
            enter(&row, size);
        CASE(LIMIT_FIXED):
            if (WL_UNLIKELY((uint64_t)step->c > left(&row)))
                return missing(run, &row, step->c);
            enter(&row, (size_t)step->c);
        CASE(LIMIT_END): leave(&row);
        CASE(SKIP_REGISTER):
            OR_RETURN(take_size(run, &row, step->a, step->c, &size));
            row.cursor += size;
        CASE(TRIM_RIGHT): trim_right(run->spans + step->a, (uint8_t)step->c);
        CASE(CUT_TERMINATOR): cut_terminator(run->spans + step->a, (uint8_t)step->c, step->b & 1);
        }
    }
}
