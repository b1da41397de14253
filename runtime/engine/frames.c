/* Rows between delimiters, stuffed or not. Damage in a frame affects only that frame.
 *
 * Frames are processed in groups: they are found and un-stuffed, then their rows are read, in parallel if they are
 * plain (frames.h), otherwise one by one. */
#include <stdlib.h>

#include "frames.h"
#include "row_block.h"
#include "scanner.h"

/* Size of a group in bytes. Larger ones write so much at once that everything else waits for memory. */
#define GROUP_BYTES 2048
/* Distance in bytes at which the input is prefetched ahead of the frames: a block of the search. */
#define FETCHED_AHEAD WL_SCAN_BLOCK
#define LINE 64

static void finish(wl_fill_result *result, int status, size_t consumed) {
    result->status = status;
    result->consumed = consumed;
}

static void finish_after(wl_frames *frames, int status, size_t consumed) {
    frames->is_last = true;
    frames->status = status;
    frames->consumed = consumed;
}

/* Finding frames --------------------------------------------------------------------------------------------------- */

/* Finds the first frame. False: the fill has ended without one. */
static bool first_frame(const wl_run *run, wl_fill_result *result, wl_scanner *scanner, wl_frames *frames) {
    const wl_fill_arguments *arguments = run->arguments;
    size_t begin = arguments->begin, size = run->program->delimiter_size;
    if (arguments->at_start) {
        bool leading =
            arguments->end - begin >= size && !memcmp(arguments->source + begin, run->program->delimiter, size);
        frames->position = begin;
        frames->content = leading ? begin + size : begin;
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
    frames->position = found;
    frames->content = found + size;
    return true;
}

/* Whether the fill ends before the next frame's content is read. */
static inline bool ends_here(const wl_fill_arguments *arguments, wl_frames *frames, bool is_full) {
    if (arguments->stop >= 0 && arguments->base_offset + frames->position >= (uint64_t)arguments->stop)
        finish_after(frames, WL_END, frames->position);
    else if (frames->content == arguments->end && arguments->at_end)
        finish_after(frames, WL_END, arguments->end);
    else if (is_full)
        finish_after(frames, WL_BATCH_FULL, frames->position);
    else
        return false;
    return true;
}

/* Whether the next frame is larger than the largest record; `delimiter` is its end, if found. */
static inline bool is_oversize(const wl_run *run, wl_frames *frames, size_t delimiter) {
    const wl_fill_arguments *arguments = run->arguments;
    size_t after = run->program->delimiter_size - 1;
    size_t size = wl_smaller(delimiter, arguments->end) - frames->content;
    /* A delimiter of which only the beginning is in the window may still be within the limit. */
    size_t doubt = delimiter == WL_NOT_FOUND && !arguments->at_end ? after : 0;
    if (WL_LIKELY(size <= arguments->max_record || size - arguments->max_record <= doubt))
        return false;
    finish_after(frames, WL_OVERSIZE, wl_smaller(delimiter, arguments->end) - doubt);
    return true;
}

/* Addresses only: nothing is read, so the input may end before them. */
static inline void fetch_ahead(const uint8_t *at, size_t size) {
    for (size_t i = 0; i < wl_smaller(size, GROUP_BYTES); i += LINE)
        __builtin_prefetch((const void *)((uintptr_t)at + FETCHED_AHEAD + i));
}

/* Finds the next frames, and passes over empty ones. `left`: the number of rows that still fit. */
static void gather(const wl_run *run, wl_fill_result *result, wl_scanner *scanner, size_t left, wl_frames *frames) {
    const wl_fill_arguments *arguments = run->arguments;
    size_t most = left ? wl_smaller(left, WL_GROUP) : WL_GROUP, end = frames->content + GROUP_BYTES, count = 0;
    while (count < most && frames->content < end && !ends_here(arguments, frames, left == 0)) {
        size_t delimiter = wl_scanner_find(scanner, frames->content);
        if (delimiter == frames->content) {
            result->empty_frames++;
            frames->position = delimiter;
            frames->content = delimiter + run->program->delimiter_size;
            continue;
        }
        if (is_oversize(run, frames, delimiter))
            break;
        if (delimiter == WL_NOT_FOUND && !arguments->at_end) {
            finish_after(frames, WL_NEED_INPUT, frames->position);
            break;
        }
        frames->positions[count] = frames->position;
        frames->contents[count] = frames->content;
        frames->after[count++] = wl_smaller(delimiter, arguments->end);
        fetch_ahead(arguments->source + frames->content, delimiter - frames->content);
        if (delimiter == WL_NOT_FOUND) {
            finish_after(frames, WL_END, arguments->end);
            break;
        }
        frames->position = delimiter;
        frames->content = delimiter + run->program->delimiter_size;
    }
    frames->count = count;
}

/* Rows ------------------------------------------------------------------------------------------------------------- */

/* Reads the row in a frame. Sets *damage to the reason why it is invalid, or WL_REASON_NONE. */
static int run_frame(wl_run *run, const wl_frames *frames, size_t i, uint32_t *damage) {
    run->readable = frames->ends[i] + frames->spare;
    int outcome = wl_unit_run(run, frames->data[i], frames->ends[i]);
    if (WL_LIKELY(outcome == WL_ROW_COMPLETE))
        *damage = run->refused;
    else if (outcome == WL_ROW_LOST)
        *damage = run->reason;
    else if (outcome == WL_ROW_TRUNCATED)
        *damage = WL_REASON_LENGTH;
    return outcome == WL_ROW_NO_ROOM ? WL_ROW_NO_ROOM : WL_ROW_COMPLETE;
}

static void no_room(const wl_run *run, wl_fill_result *result, size_t position) {
    finish(result, result->rows ? WL_BATCH_FULL : WL_NO_ROOM, position);
    result->needed = run->needed;
    result->reason = run->column;
}

/* Reads a single frame. Returns whether the fill continues after it. */
static bool take_frame(wl_run *run, wl_fill_result *result, const wl_frames *frames, size_t i) {
    uint32_t damage = frames->damages[i];
    int outcome = WL_ROW_COMPLETE;
    size_t position = frames->positions[i];
    if (WL_UNLIKELY(result->rows == run->arguments->capacity)) {
        /* A frame may contain several rows. */
        finish(result, WL_BATCH_FULL, position);
        return false;
    }
    run->nulls = false;
    wl_unit_begin(run, result, position, frames->after[i]);
    if (WL_LIKELY(damage == WL_REASON_NONE))
        outcome = run_frame(run, frames, i, &damage);
    if (WL_LIKELY(outcome == WL_ROW_COMPLETE && damage == WL_REASON_NONE)) {
        if (!run->program->has_rows)
            wl_row_done(run, result, position);
        return true;
    }
    if (damage == WL_UNWANTED) {
        wl_row_take_back(run, result->rows);
        return true;
    }
    if (run->program->has_rows)
        wl_unit_take_back(run);
    if (outcome == WL_ROW_COMPLETE && frames->after[i] < run->arguments->end) {
        if (wl_damaged(run, result, position, frames->after[i], damage, false))
            return true;
        finish(result, WL_BATCH_FULL, position);
        return false;
    }
    wl_row_take_back(run, result->rows);
    if (outcome == WL_ROW_NO_ROOM) {
        no_room(run, result, position);
    } else {
        result->position = run->arguments->base_offset + position;
        finish(result, WL_TRUNCATED, position);
    }
    return false;
}

/* Reads frames from number `first` on as rows of a row block; returns their number. */
static size_t take_block(const wl_run *run, wl_row_block *block, wl_fill_result *result, const wl_frames *frames,
                         size_t first) {
    size_t most = wl_smaller(frames->count - first, block->most), count = 0;
    if (wl_row_block_waits(block))
        return 0;
    for (const uint8_t *data, *end; count < most && frames->damages[first + count] == WL_REASON_NONE; count++) {
        data = frames->data[first + count], end = frames->ends[first + count];
        if (WL_UNLIKELY((size_t)(end - data) < block->fixed))
            break;
        block->at[0][count] = data;
        block->at[1][count] = end;
    }
    block->row = result->rows;
    block->spare = frames->spare;
    size_t rows = wl_row_block_run(block, wl_chosen.frame_rows(block, count, frames->spare), most);
    if (run->arguments->offsets) {
        for (size_t i = 0; i < block->built; i++)
            wl_store8(run->arguments->offsets + (result->rows + i) * 8,
                      run->arguments->base_offset + frames->positions[first + (block->chooses ? block->chosen[i] : i)]);
    }
    result->rows += block->built;
    result->dropped += rows - block->built;
    return rows;
}

/* Returns whether the fill continues after the group. */
static bool take_group(wl_run *run, wl_row_block *block, wl_fill_result *result, const wl_frames *frames) {
    for (size_t i = 0; i < frames->count;) {
        size_t rows = block ? take_block(run, block, result, frames, i) : 0;
        i += rows;
        if (!rows && !take_frame(run, result, frames, i++))
            return false;
    }
    return true;
}

/* The whole fill -------------------------------------------------------------------------------------------------- */

/* False if out of memory. */
static bool fill(wl_run *run, wl_row_block *block, wl_fill_result *result, wl_scanner *scanner) {
    wl_frames frames;
    frames.is_last = false;
    if (!first_frame(run, result, scanner, &frames))
        return true;
    while (!frames.is_last) {
        gather(run, result, scanner, run->arguments->capacity - result->rows, &frames);
        if (!wl_frames_unstuff(run, &frames))
            return false;
        if (!take_group(run, block, result, &frames))
            return true;
    }
    finish(result, frames.status, frames.consumed);
    if (frames.status == WL_OVERSIZE) {
        result->position = run->arguments->base_offset + frames.position;
        result->reason = WL_REASON_LIMIT;
    }
    return true;
}

bool wl_fill_frames(wl_run *run, wl_fill_result *result) {
    const wl_fill_arguments *arguments = run->arguments;
    wl_scanner *scanner = malloc(sizeof *scanner);
    if (!scanner)
        return false;
    wl_scanner_start(scanner, arguments->source, arguments->begin, arguments->end, run->program->delimiter,
                     run->program->delimiter_size);
    wl_row_block *block = wl_row_block_of_plan(run);
    bool memory = fill(run, block, result, scanner);
    wl_row_block_free(block);
    free(scanner);
    return memory;
}
