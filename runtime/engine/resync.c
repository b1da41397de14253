/* Finds the next row after damage, for consecutive rows: every offset is tried. */
#include "internal.h"

/* Loop iterations per byte of the window: garbage that claims many items at every offset is not read to the end. */
#define TURNS 16
/* Bytes processed by checksums without an index, per byte of the window. */
#define SUMMED 64
/* Additional allowance for small windows: each decompressed block counts as hundreds of iterations. */
#define SOME 65536
/* Number of consecutive rows that are accepted without a checksum. */
#define ENOUGH 3
/* Number of consecutive rows that are read for that, of which some may prove nothing. */
#define MOST 16

typedef enum { NO_ROW, ROW, NOT_YET } answer;

/* Whether a valid row begins at `at`; if so, *next is the index after it. */
static answer row_holds(wl_run *run, size_t at, size_t *next) {
    const wl_fill_arguments *arguments = run->arguments;
    const uint8_t *source = arguments->source;
    const uint8_t *limit = source + at + wl_smaller(arguments->end - at, arguments->max_record);
    wl_fill_result nothing = {.rows = 0};
    wl_unit_begin(run, &nothing, at, at);
    switch (wl_unit_run(run, source + at, limit)) {
    case WL_ROW_COMPLETE:
        *next = (size_t)(run->next - source);
        return !run->refused && *next > at ? ROW : NO_ROW;
    case WL_ROW_TRUNCATED:
        /* A row that is refused anyway, or would be too large, need not be waited for. */
        return arguments->at_end || run->refused || run->needed > arguments->max_record ? NO_ROW : NOT_YET;
    default:
        return NO_ROW;
    }
}

/* A row whose checksums cover nothing proves little: the rows after it must be valid too, up to one whose checksum is a
 * proof, `ENOUGH` in all, or the end of the input. One that could be any bytes is no beginning, and does not count. */
static answer counts(wl_run *run, size_t at) {
    const wl_fill_arguments *arguments = run->arguments;
    wl_carried_load_variables(run);
    for (size_t rows = 1, proving = 0;; rows++) {
        size_t next;
        answer found = row_holds(run, at, &next);
        if (found != ROW || run->covered)
            return found;
        proving += !wl_proves_nothing(run);
        if (proving == ENOUGH)
            return ROW;
        if (arguments->proven || !proving || rows == MOST)
            return NO_ROW;
        if (arguments->end - next <= arguments->padding)
            return arguments->at_end ? ROW : NOT_YET;
        wl_carried_commit(run);
        at = next + arguments->padding;
    }
}

bool wl_resync(const wl_program *program, const wl_fill_arguments *given, bool *found, size_t *index) {
    wl_fill_arguments arguments = *given;
    arguments.verify = true;
    wl_run *run = wl_run_make(program, &arguments, true);
    wl_index *ranges =
        run ? wl_index_make(run, arguments.source + arguments.begin, arguments.source + arguments.end) : NULL;
    bool memory = run && ranges;
    size_t at = arguments.begin;
    *found = false;
    if (memory) {
        run->index = ranges;
        run->summed = (arguments.end - arguments.begin + SOME) * SUMMED;
        run->turns = (arguments.end - arguments.begin + SOME) * TURNS;
        for (; at < arguments.end; at++) {
            answer each = counts(run, at);
            if (each == NO_ROW)
                continue;
            *found = each == ROW;
            break;
        }
    }
    *index = at;
    wl_index_free(ranges);
    wl_run_free(run);
    return memory;
}
