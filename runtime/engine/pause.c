/* Units in pieces: what is recorded at points where reading may pause, and how reading continues from there, in the
 * same call or in another one.
 *
 * Recording everything at the end of each iteration would take longer than reading small rows. So points are recorded
 * at some distance from each other; if reading is interrupted, it returns to the last of them, and records each one
 * from there on (`dense`). */
#include <stdlib.h>

#include "handlers.h"

/* Minimum number of bytes between recorded points. */
#define STRIDE 32768
/* Number of bytes after those of kept spans that may be read. */
#define SPARE (2 * WL_COPY_BLOCK)

bool wl_pauses_at(const wl_instruction *step) {
    return step->operation == WL_RUN_AGAIN_OR_PAUSE || step->a;
}

static size_t digests_size(const wl_program *program) {
    return program->digests ? (size_t)program->rule_count * WL_MOST_DIGEST : 0;
}

static wl_pause *make(const wl_program *program, size_t more) {
    wl_pause *pause = calloc(1, sizeof *pause + program->register_count * sizeof *pause->registers +
                                    program->span_count * sizeof *pause->spans + digests_size(program) + more);
    if (!pause)
        return NULL;
    pause->program = program;
    pause->registers = (wl_integer *)(void *)(pause + 1);
    pause->spans = (wl_span *)(void *)(pause->registers + program->register_count);
    pause->digests = (uint8_t *)(pause->spans + program->span_count);
    return pause;
}

bool wl_pauses_start(wl_run *run) {
    run->pauses = run->program->can_pause && run->arguments->in_pieces && run->arguments->padding == 0;
    run->pause = run->pauses ? make(run->program, 0) : NULL;
    return run->pause || !run->pauses;
}

void wl_pauses_end(wl_run *run) { free(run->pause); }

/* The results of units that have already been refused are not returned. */
static void drop_refused(wl_run *run) {
    for (unsigned i = 0; i < run->unit_depth; i++) {
        if (i + 1 < run->unit_depth ? run->units[i + 1].refused : run->refused) {
            wl_take_back(run, run->units + i);
            return;
        }
    }
}

static void note(wl_run *run, const wl_instruction *step, const uint8_t *cursor) {
    const wl_program *program = run->program;
    wl_pause *pause = run->pause;
    drop_refused(run);
    pause->step = step;
    pause->cursor = cursor;
    pause->lost = WL_REASON_NONE;
    pause->skips = false;
    pause->given = run->given;
    pause->poisoned = run->poisoned;
    pause->refused = run->refused;
    pause->depth = run->depth;
    pause->unit_depth = run->unit_depth;
    pause->items_left = run->items_left;
    pause->begin = run->begin;
    pause->sound = run->sound;
    wl_count(run, &pause->had);
    memcpy(pause->limits, run->limits, run->depth * sizeof *run->limits);
    memcpy(pause->loops, run->loops, program->loop_count * sizeof *run->loops);
    memcpy(pause->units, run->units, run->unit_depth * sizeof *run->units);
    memcpy(pause->chains, run->chains, program->chain_count * sizeof *run->chains);
    if (run->poisoned)
        memcpy(pause->poison, run->poison, sizeof run->poison);
    memcpy(pause->registers, run->registers, program->register_count * sizeof *run->registers);
    memcpy(pause->spans, run->spans, program->span_count * sizeof *run->spans);
    memcpy(pause->digests, run->digests, digests_size(program));
    run->paused = true;
}

void wl_pause_note(wl_run *run, const wl_instruction *step, const uint8_t *cursor) {
    note(run, step, cursor);
    run->pause_from = run->dense ? 0 : (uintptr_t)cursor + STRIDE;
}

void wl_pause_begin(wl_run *run, const uint8_t *begin, bool is_final) {
    run->given = false;
    run->is_final = is_final;
    run->cut_depth = is_final ? -1 : 0;
    run->pause_from = !run->pauses ? UINTPTR_MAX : run->dense ? 0 : (uintptr_t)begin + STRIDE;
}

int wl_pause_skip(wl_run *run, const wl_instruction *step, uint32_t lost) {
    run->needed = (size_t)(run->end - run->begin) + 1;
    if (run->pauses && wl_pauses_at(step)) {
        note(run, step, run->limits[run->depth - 1].end);
        run->pause->lost = lost;
        run->pause->skips = true;
    }
    return WL_ROW_TRUNCATED;
}

void wl_pause_return(wl_run *run) {
    const wl_program *program = run->program;
    const wl_pause *pause = run->pause;
    wl_contents_start(run);
    run->counts_items = program->positions;
    wl_take_back(run, &pause->had);
    run->in_row = false;
    run->nulls = false;
    run->given = pause->given;
    run->poisoned = pause->poisoned;
    run->refused = pause->refused;
    run->depth = pause->depth;
    run->unit_depth = pause->unit_depth;
    run->items_left = pause->items_left;
    run->begin = pause->begin;
    run->sound = pause->sound;
    memcpy(run->limits, pause->limits, pause->depth * sizeof *run->limits);
    memcpy(run->loops, pause->loops, program->loop_count * sizeof *run->loops);
    memcpy(run->units, pause->units, pause->unit_depth * sizeof *run->units);
    memcpy(run->chains, pause->chains, program->chain_count * sizeof *run->chains);
    if (run->poisoned) {
        memcpy(run->poison, pause->poison, sizeof run->poison);
        run->unprepared = true;
    }
    memcpy(run->registers, pause->registers, program->register_count * sizeof *run->registers);
    memcpy(run->spans, pause->spans, program->span_count * sizeof *run->spans);
    memcpy(run->digests, pause->digests, digests_size(program));
}

static const uint8_t *moved(const uint8_t *at, uintptr_t distance) {
    return (const uint8_t *)((uintptr_t)at + distance);
}

/* Number of bytes from the cursor to the end of a sub-stream; WL_BEYOND_ALL: to that of the input. */
static uint64_t left_of(const wl_limit *limit, const uint8_t *cursor) {
    return limit->beyond == WL_BEYOND_ALL ? WL_BEYOND_ALL
                                          : (uint64_t)((uintptr_t)limit->end - (uintptr_t)cursor) + limit->beyond;
}

/* Other bytes are available now: up to `cut`. */
static void settle_limits(wl_run *run, const uint8_t *cursor, const uint8_t *cut) {
    const uint8_t *outer = cut;
    run->cut_depth = run->is_final ? -1 : 0;
    for (unsigned i = 0; i < run->depth; i++) {
        wl_limit *limit = run->limits + i;
        uint64_t left = left_of(limit, cursor), there = (uint64_t)(cut - cursor);
        if (left == WL_BEYOND_ALL && run->is_final)
            left = there;
        limit->outer = outer;
        limit->end = left <= there ? cursor + left : cut;
        limit->after = limit->end;
        limit->beyond = left <= there ? 0 : left == WL_BEYOND_ALL ? left : left - there;
        outer = limit->end;
        if (limit->beyond)
            run->cut_depth = (int)i + 1;
    }
}

bool wl_pause_pass(wl_run *run) {
    const wl_fill_arguments *arguments = run->arguments;
    wl_pause *pause = run->pause;
    const uint8_t *end = arguments->source + arguments->end;
    if (!pause->skips)
        return true;
    uint64_t left = left_of(pause->limits + pause->depth - 1, pause->cursor), there = (uint64_t)(end - pause->cursor);
    if (left > there && !(left == WL_BEYOND_ALL && arguments->at_end)) {
        pause->cursor = arguments->at_end ? pause->cursor : end;
        return false;
    }
    pause->cursor += left > there ? there : left;
    pause->skips = false;
    return true;
}

int wl_pause_go_on(wl_run *run, const uint8_t *cut, bool is_final) {
    const wl_pause *pause = run->pause;
    wl_pause_return(run);
    run->end = cut;
    run->is_final = is_final;
    settle_limits(run, pause->cursor, cut);
    run->pause_from = run->dense ? 0 : (uintptr_t)pause->cursor + STRIDE;
    const uint8_t *limit = run->depth ? run->limits[run->depth - 1].end : cut;
    return wl_unit_resume(run, pause->step, pause->cursor, limit, pause->lost);
}

/* From one call to the next ---------------------------------------------------------------------------------------- */

static void move(wl_pause *pause, uintptr_t distance) {
    pause->cursor = moved(pause->cursor, distance);
    pause->begin = moved(pause->begin, distance);
    pause->sound = moved(pause->sound, distance);
    for (unsigned i = 0; i < pause->depth; i++) {
        wl_limit *limit = pause->limits + i;
        limit->begin = moved(limit->begin, distance);
        limit->end = moved(limit->end, distance);
    }
    for (uint32_t i = 0; i < pause->program->loop_count; i++)
        pause->loops[i].turn = moved(pause->loops[i].turn, distance);
    for (unsigned i = 0; i < pause->unit_depth; i++)
        pause->units[i].begin = moved(pause->units[i].begin, distance);
}

/* Instructions are counted from the beginning of the plan, which is the same in both calls. */
static void move_steps(wl_pause *pause, const wl_instruction *from, const wl_instruction *to) {
    const uintptr_t distance = (uintptr_t)to - (uintptr_t)from;
    pause->step = (const wl_instruction *)((uintptr_t)pause->step + distance);
    for (unsigned i = 0; i < pause->depth; i++) {
        if (pause->limits[i].leave)
            pause->limits[i].leave = (const wl_instruction *)((uintptr_t)pause->limits[i].leave + distance);
    }
}

static void copy_parts(wl_pause *to, const wl_pause *from) {
    wl_integer *registers = to->registers;
    wl_span *spans = to->spans;
    uint8_t *digests = to->digests;
    *to = *from;
    to->registers = registers;
    to->spans = spans;
    to->digests = digests;
    memcpy(registers, from->registers, from->program->register_count * sizeof *registers);
    memcpy(spans, from->spans, from->program->span_count * sizeof *spans);
    memcpy(digests, from->digests, digests_size(from->program));
}

wl_pause *wl_pause_keep(const wl_run *run) {
    const wl_program *program = run->program;
    size_t size = 0, used = 0;
    for (uint32_t i = 0; i < program->span_count; i++)
        size += program->carried[i] ? run->pause->spans[i].size : 0;
    wl_pause *kept = make(program, program->column_count * sizeof *kept->wanted + size + SPARE);
    if (!kept)
        return NULL;
    copy_parts(kept, run->pause);
    kept->given = run->given || kept->had.rows > kept->units[0].rows || kept->had.dropped > kept->units[0].dropped ||
                  kept->had.damages > kept->units[0].damages;
    kept->wanted = (bool *)(kept->digests + digests_size(program));
    kept->verify = run->arguments->verify;
    kept->row_by_row = run->arguments->row_by_row;
    for (uint32_t i = 0; i < program->column_count; i++)
        kept->wanted[i] = run->arguments->columns[i].wanted;
    kept->carried = (uint8_t *)(kept->wanted + program->column_count);
    kept->carried_size = size + SPARE;
    for (uint32_t i = 0; i < program->span_count; i++) {
        wl_span *span = kept->spans + i;
        size_t bytes = program->carried[i] ? span->size : 0;
        if (bytes)
            memcpy(kept->carried + used, span->at, bytes);
        *span = (wl_span){kept->carried + used, bytes};
        used += bytes;
    }
    kept->had = (wl_unit){.rows = 0};
    for (unsigned i = 0; i < kept->unit_depth; i++) {
        wl_unit *unit = kept->units + i;
        unit->rows = unit->dropped = unit->damages = 0;
        memset(unit->items, 0, sizeof unit->items);
    }
    move(kept, -(uintptr_t)run->pause->cursor);
    move_steps(kept, run->plan, NULL);
    return kept;
}

void wl_pause_take_up(wl_run *run) {
    const wl_fill_arguments *arguments = run->arguments;
    run->resumed = arguments->resume;
    copy_parts(run->pause, run->resumed);
    move(run->pause, (uintptr_t)(arguments->source + arguments->begin));
    move_steps(run->pause, NULL, run->plan);
    run->paused = true;
}

bool wl_pause_fits(const wl_pause *pause, const wl_program *program, const wl_fill_arguments *arguments) {
    bool fits = pause->program == program && pause->verify == arguments->verify &&
                pause->row_by_row == arguments->row_by_row && arguments->padding == 0 && arguments->in_pieces;
    for (uint32_t i = 0; fits && i < program->column_count; i++)
        fits = pause->wanted[i] == arguments->columns[i].wanted;
    return fits;
}

void wl_pause_free(wl_pause *pause) { free(pause); }
