/* Rows that stand between delimiters, stuffed or not. Whatever is wrong with a frame costs that frame only. */
#include <stdlib.h>

#include "internal.h"

/* The frame that is being looked at. */
typedef struct {
    size_t position; /* where its row begins: the delimiter before it, or the start of the file */
    size_t content;  /* its first byte */
} frame;

static void finish(wl_fill_result *result, int status, size_t consumed) {
    result->status = status;
    result->consumed = consumed;
}

/* Scratch for `size` bytes and a block more, so that copies out of it may run in whole blocks. The size is that of
 * bytes which are there, never one that the input claims. */
static bool reserve(wl_run *run, size_t size) {
    if (size + WL_COPY_BLOCK <= run->scratch_size)
        return true;
    size_t wanted = size * 2 + WL_COPY_BLOCK;
    uint8_t *scratch = realloc(run->scratch, wanted);
    if (!scratch)
        return false;
    run->scratch = scratch;
    run->scratch_size = wanted;
    return true;
}

/* Whether the bytes between delimiters are known to hold no 00. */
static bool cuts_at_zero(const wl_program *program) {
    return program->delimiter_size == 1 && program->delimiter[0] == 0;
}

/* Stuffing of one block stands unchanged behind its header: most records are short enough, and need no copy. */
static bool is_one_block(const wl_program *program, const uint8_t *data, size_t size) {
    if (program->stuffing == WL_STUFFING_WORD)
        return data[0] < 252 && size == (size_t)data[0] + 1;
    return data[0] < 255 && size == data[0] && cuts_at_zero(program);
}

/* Unstuffs the frame data[0 … size) into scratch, which has been reserved. */
static size_t unstuff(const wl_run *run, const uint8_t *data, size_t size) {
    size_t readable = (size_t)(run->arguments->source + run->arguments->end - data);
    if (run->program->stuffing == WL_STUFFING_WORD)
        return wl_word_unstuff_within(data, size, run->scratch, run->scratch_size, readable);
    return wl_cobs_unstuff_within(data, size, run->scratch, run->scratch_size, readable, cuts_at_zero(run->program));
}

/* Runs the row in the frame data[0 … size). Sets *damage to why it is no row, or WL_REASON_NONE.
 * Returns an outcome: WL_ROW_COMPLETE, WL_ROW_NO_ROOM, or WL_ROW_LOST where there is no memory. */
static int run_frame(wl_run *run, const uint8_t *data, size_t size, size_t row, uint32_t *damage) {
    const wl_program *program = run->program;
    *damage = WL_REASON_NONE;
    run->nulls = false;
    run->readable = run->arguments->source + run->arguments->end;
    if (program->stuffing != WL_STUFFING_NONE) {
        if (WL_LIKELY(is_one_block(program, data, size))) {
            data++;
            size--;
        } else {
            if (!reserve(run, size))
                return WL_ROW_LOST;
            size = unstuff(run, data, size);
            if (size == WL_NOT_FOUND) {
                *damage = WL_REASON_STUFFING;
                return WL_ROW_COMPLETE;
            }
            data = run->scratch;
            run->readable = run->scratch + run->scratch_size;
        }
    }
    switch (wl_run_row(run, data, data + size, row)) {
    case WL_ROW_COMPLETE:
        *damage = run->refused;
        return WL_ROW_COMPLETE;
    case WL_ROW_NO_ROOM:
        return WL_ROW_NO_ROOM;
    case WL_ROW_LOST:
        *damage = run->reason;
        return WL_ROW_COMPLETE;
    default:
        *damage = WL_REASON_LENGTH;
        return WL_ROW_COMPLETE;
    }
}

/* Where the first frame is. False: the fill has ended without one. */
static bool first_frame(const wl_run *run, wl_fill_result *result, wl_scanner *scanner, frame *first) {
    const wl_fill_arguments *arguments = run->arguments;
    size_t begin = arguments->begin, size = run->program->delimiter_size;
    if (arguments->at_start) {
        bool leading =
            arguments->end - begin >= size && !memcmp(arguments->source + begin, run->program->delimiter, size);
        *first = (frame){begin, leading ? begin + size : begin};
        return true;
    }
    if (arguments->stop >= 0 && arguments->base_offset + begin >= (uint64_t)arguments->stop) {
        finish(result, WL_END, begin);
        return false;
    }
    size_t found = wl_scanner_find(scanner, begin);
    if (found == WL_NOT_FOUND) {
        /* The last bytes may be the beginning of a delimiter. */
        size_t kept = wl_smaller(size - 1, arguments->end - begin);
        finish(result, arguments->at_end ? WL_END : WL_NEED_INPUT, arguments->end - (arguments->at_end ? 0 : kept));
        return false;
    }
    *first = (frame){found, found + size};
    return true;
}

/* Whether the fill ends before the frame's content is looked at. */
static bool ends_before(const wl_run *run, wl_fill_result *result, const frame *each) {
    const wl_fill_arguments *arguments = run->arguments;
    if (arguments->stop >= 0 && arguments->base_offset + each->position >= (uint64_t)arguments->stop)
        finish(result, WL_END, each->position);
    else if (each->content == arguments->end && arguments->at_end)
        finish(result, WL_END, arguments->end);
    else if (result->rows == arguments->capacity)
        finish(result, WL_BATCH_FULL, each->position);
    else
        return false;
    return true;
}

/* Whether the frame is larger than the largest record; `delimiter` is where the next one stands, if it was found. */
static bool is_oversize(const wl_run *run, wl_fill_result *result, const frame *each, size_t delimiter) {
    const wl_fill_arguments *arguments = run->arguments;
    size_t behind = run->program->delimiter_size - 1;
    size_t size = wl_smaller(delimiter, arguments->end) - each->content;
    /* A delimiter that has only begun at the end of the window may still come in time. */
    size_t doubt = delimiter == WL_NOT_FOUND && !arguments->at_end ? behind : 0;
    if (WL_LIKELY(size <= arguments->max_record || size - arguments->max_record <= doubt))
        return false;
    result->position = arguments->base_offset + each->position;
    result->reason = WL_REASON_LIMIT;
    finish(result, WL_OVERSIZE, wl_smaller(delimiter, arguments->end) - doubt);
    return true;
}

static void no_room(const wl_run *run, wl_fill_result *result, const frame *each) {
    finish(result, result->rows ? WL_BATCH_FULL : WL_NO_ROOM, each->position);
    result->needed = run->needed;
    result->reason = result->rows ? WL_REASON_NONE : run->column;
}

/* The frame before `delimiter`, which is the end of the input for the last one. Returns whether the fill goes on;
 * *memory is false where that ran out. */
static bool take_frame(wl_run *run, wl_fill_result *result, const frame *each, size_t delimiter, bool *memory) {
    uint32_t damage = WL_REASON_LENGTH;
    int outcome = WL_ROW_COMPLETE;
    run->nulls = false;
    if (delimiter > each->content)
        outcome =
            run_frame(run, run->arguments->source + each->content, delimiter - each->content, result->rows, &damage);
    if (WL_LIKELY(outcome == WL_ROW_COMPLETE && damage == WL_REASON_NONE)) {
        wl_row_done(run, result, each->position);
        return true;
    }
    if (outcome == WL_ROW_COMPLETE && delimiter < run->arguments->end) {
        if (wl_damaged(run, result, each->position, delimiter, damage))
            return true;
        finish(result, WL_BATCH_FULL, each->position);
        return false;
    }
    wl_row_take_back(run, result->rows);
    if (outcome == WL_ROW_NO_ROOM) {
        no_room(run, result, each);
    } else if (outcome == WL_ROW_COMPLETE) {
        result->position = run->arguments->base_offset + each->position;
        finish(result, WL_TRUNCATED, each->position);
    }
    *memory = outcome != WL_ROW_LOST;
    return false;
}

static bool fill(wl_run *run, wl_fill_result *result, wl_scanner *scanner) {
    const wl_fill_arguments *arguments = run->arguments;
    size_t size = run->program->delimiter_size;
    frame each;
    bool memory = true;
    if (!first_frame(run, result, scanner, &each))
        return true;
    while (!ends_before(run, result, &each)) {
        size_t delimiter = wl_scanner_find(scanner, each.content);
        if (is_oversize(run, result, &each, delimiter))
            break;
        if (delimiter == WL_NOT_FOUND) {
            if (!arguments->at_end)
                finish(result, WL_NEED_INPUT, each.position);
            else if (take_frame(run, result, &each, arguments->end, &memory))
                finish(result, WL_END, arguments->end);
            break;
        }
        if (!take_frame(run, result, &each, delimiter, &memory))
            break;
        each = (frame){delimiter, delimiter + size};
    }
    return memory;
}

bool wl_fill_frames(wl_run *run, wl_fill_result *result) {
    const wl_fill_arguments *arguments = run->arguments;
    wl_scanner *scanner = malloc(sizeof *scanner);
    if (!scanner)
        return false;
    wl_scanner_start(scanner, arguments->source, arguments->begin, arguments->end, run->program->delimiter,
                     run->program->delimiter_size);
    bool memory = fill(run, result, scanner);
    free(scanner);
    return memory;
}
