/* The nesting of loops, rows, lists and sub-streams of a program.
 *
 * Each of them begins with one step and ends with another, and what begins inside of one ends inside of it: in program
 * order, so that the input is not needed. Jumps stay within a region, so a body is only entered at its first step and
 * only left at its last one. The only jump back is AGAIN, from the end of a loop to its beginning.
 *
 * Rows are not nested. A level belongs to one list, whose items are nested more deeply than the list; its columns are
 * written between ITEM and ITEM_END. The fields of a message come in any order, so a list may be reopened for each
 * item: its earlier ends then do not count. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "operations.h"

#define MOST_OPEN (2 + WL_MOST_LOOPS + 2 * WL_MOST_LEVELS + WL_DEEPEST_LIMIT + WL_DEEPEST_UNIT)

typedef struct {
    uint16_t op; /* of the step that began it */
    uint32_t step;
    uint32_t region; /* around it */
    uint32_t expand; /* the step that replaces a sub-stream's bytes by their content; 0: none */
} opened;

typedef struct {
    wl_program *program;
    uint32_t *region;
    opened open[MOST_OPEN];
    size_t depth;
    uint32_t at;
    uint32_t regions; /* number of regions so far */
    uint32_t current;
    uint32_t units; /* number of open units */
    uint32_t list_of[WL_MOST_LEVELS + 1]; /* one more than the column of the level's list; 0: not known yet */
    bool in_function;
    char *message;
    size_t message_size;
} walker;

__attribute__((format(printf, 2, 3))) static bool refuse(walker *walk, const char *format, ...) {
    int used = snprintf(walk->message, walk->message_size, "step %u of the program: ", walk->at);
    if (used > 0 && (size_t)used < walk->message_size) {
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(walk->message + used, walk->message_size - (size_t)used, format, arguments);
        va_end(arguments);
    }
    return false;
}

static const wl_step *step_of(const walker *walk, const opened *each) { return walk->program->steps + each->step; }

/* The innermost open region of that kind, or NULL. */
static const opened *innermost(const walker *walk, unsigned op) {
    for (size_t i = walk->depth; i-- > 0;) {
        if (walk->open[i].op == op)
            return walk->open + i;
    }
    return NULL;
}

/* The innermost row, list or item, or NULL: directly inside of the unit. */
static const opened *holder(const walker *walk) {
    for (size_t i = walk->depth; i-- > 0;) {
        unsigned op = walk->open[i].op;
        if (op == WL_OP_ROW || op == WL_OP_LIST || op == WL_OP_ITEM)
            return walk->open + i;
    }
    return NULL;
}

/* The level of the columns that may be written here; -1: none. */
static int level_here(const walker *walk) {
    const opened *around = holder(walk);
    if (!around)
        return walk->program->has_rows ? -1 : 0;
    if (around->op == WL_OP_ROW)
        return 0;
    return around->op == WL_OP_ITEM ? (int)step_of(walk, around)->b : -1;
}

static bool begin(walker *walk, const wl_step *step, bool is_region) {
    if (walk->depth == MOST_OPEN)
        return refuse(walk, "too many parts are nested");
    walk->open[walk->depth++] = (opened){step->op, walk->at, walk->current, 0};
    if (is_region)
        walk->current = ++walk->regions;
    return true;
}

/* Ends what the innermost open step began, which must be `op`. */
static bool end(walker *walk, unsigned op, const char *what) {
    if (!walk->depth || walk->open[walk->depth - 1].op != op)
        return refuse(walk, "ends %s, which is not the innermost that is open", what);
    walk->current = walk->open[--walk->depth].region;
    return true;
}

static bool begin_loop(walker *walk, const wl_step *step) {
    if (step->a >= walk->program->loop_count)
        return refuse(walk, "there is no loop %u", step->a);
    if (step->b >= WL_LOOP_KINDS)
        return refuse(walk, "there is no kind of loop %u", step->b);
    for (size_t i = 0; i < walk->depth; i++) {
        if (walk->open[i].op == WL_OP_LOOP && step_of(walk, walk->open + i)->a == step->a)
            return refuse(walk, "loop %u is open already", step->a);
    }
    return begin(walk, step, true);
}

static bool end_loop(walker *walk, const wl_step *step) {
    if (!end(walk, WL_OP_LOOP, "a loop"))
        return false;
    const opened *loop = walk->open + walk->depth;
    const wl_step *first = step_of(walk, loop);
    return (first->a == step->a && first->b == step->b && step->c == (int64_t)loop->step + 1 &&
            first->c == (int64_t)walk->at + 1) ||
           refuse(walk, "is not the end of the loop that begins at step %u", loop->step);
}

/* Records the loop whose iterations are the rows; for rows on several paths, the first one that has such a loop. */
static void find_row_loop(walker *walk) {
    const opened *loop = innermost(walk, WL_OP_LOOP);
    if (walk->program->row_loop == WL_NO_LOOP && loop)
        walk->program->row_loop = loop->step;
}

/* Whether what cannot be read in that sub-stream is refused, and reading continues after it: then a row cannot be open. */
static bool refuses_part(const walker *walk, const opened *each) {
    if (each->op != WL_OP_LIMIT_REGISTER && each->op != WL_OP_LIMIT_FIXED && each->op != WL_OP_LIMIT_SPAN)
        return false;
    const unsigned kind = step_of(walk, each)->b;
    return kind == WL_LIMIT_REFUSES || (!kind && each->expand && !walk->program->steps[each->expand].b);
}

static bool begin_row(walker *walk, const wl_step *step) {
    if (holder(walk))
        return refuse(walk, "a row is inside of a row");
    for (size_t i = 0; i < walk->depth; i++) {
        if (refuses_part(walk, walk->open + i))
            return refuse(walk, "a row is inside of a sub-stream that is refused alone");
    }
    find_row_loop(walk);
    return begin(walk, step, true);
}

static bool begin_list(walker *walk, const wl_step *step) {
    const wl_program *program = walk->program;
    if (step->b < 1 || step->b > program->level_count)
        return refuse(walk, "there is no level %u of lists", step->b);
    if (step->a >= program->column_count || program->storages[step->a] != WL_LIST)
        return refuse(walk, "column %u is no list", step->a);
    if (level_here(walk) != program->levels[step->a])
        return refuse(walk, "a list of level %u cannot be here", program->levels[step->a]);
    if (program->levels[step->a] >= step->b)
        return refuse(walk, "level %u is not further in than its list", step->b);
    if (walk->list_of[step->b] && walk->list_of[step->b] != step->a + 1u)
        return refuse(walk, "level %u is that of another list", step->b);
    walk->list_of[step->b] = step->a + 1u;
    return begin(walk, step, true);
}

static bool end_list(walker *walk, const wl_step *step) {
    if (!end(walk, WL_OP_LIST, "a list"))
        return false;
    const wl_step *first = step_of(walk, walk->open + walk->depth);
    return (first->a == step->a && first->b == step->b) || refuse(walk, "ends another list than the one that is open");
}

static bool begin_item(walker *walk, const wl_step *step) {
    const opened *around = holder(walk);
    if (!around || around->op != WL_OP_LIST || step_of(walk, around)->b != step->b)
        return refuse(walk, "an item of level %u cannot be here", step->b);
    return begin(walk, step, true);
}

static bool end_item(walker *walk, const wl_step *step) {
    return end(walk, WL_OP_ITEM, "an item") &&
           (step_of(walk, walk->open + walk->depth)->b == step->b || refuse(walk, "ends an item of another level"));
}

static bool begin_unit(walker *walk) {
    if (holder(walk) || !walk->program->has_rows)
        return refuse(walk, "a unit can only be around rows");
    if (walk->units == WL_DEEPEST_UNIT)
        return refuse(walk, "more than %u units are open", WL_DEEPEST_UNIT);
    walk->units++;
    walk->program->steps[walk->at].b = false;
    return begin(walk, walk->program->steps + walk->at, true);
}

static bool end_unit(walker *walk) {
    walk->units--;
    return end(walk, WL_OP_UNIT, "a unit");
}

/* Records that a checksum of the innermost unit is verified. */
static bool sum_unit(walker *walk) {
    if (innermost(walk, WL_OP_ROW) || innermost(walk, WL_OP_ATTEMPT) || !walk->program->has_rows)
        return true;
    const opened *unit = innermost(walk, WL_OP_UNIT);
    if (unit)
        walk->program->steps[unit->step].b = true;
    else
        walk->program->sums_unit = true;
    return true;
}

static bool begin_limit(walker *walk, const wl_step *step) {
    if ((step->b > (WL_LIMIT_CONTAINS | WL_LIMIT_OPEN) && step->b != WL_LIMIT_REFUSES) || step->b == WL_LIMIT_OPEN)
        return refuse(walk, "operand b (%u) is not 0, 1, 3 or 4", step->b);
    if (step->b & WL_LIMIT_CONTAINS && (holder(walk) || !walk->program->has_rows))
        return refuse(walk, "damage ends with a sub-stream only around rows");
    return begin(walk, step, false);
}

static bool begin_seek(walker *walk, const wl_step *step) {
    walk->program->positions |= !innermost(walk, WL_OP_ATTEMPT);
    return begin(walk, step, false);
}

/* Parts that may fail without the row are between other steps of the row, or of what is around rows, and only set
 * registers, spans and items of lists. */
static bool begin_attempt(walker *walk, const wl_step *step) {
    const opened *around = holder(walk);
    if (around && around->op != WL_OP_ROW)
        return refuse(walk, "an attempt is inside of a list");
    walk->program->attempts = true;
    return begin(walk, step, true);
}

static bool end_attempt(walker *walk, const wl_step *step) {
    if (!end(walk, WL_OP_ATTEMPT, "an attempt"))
        return false;
    const opened *attempt = walk->open + walk->depth;
    walk->program->partner[attempt->step] = walk->at;
    walk->program->partner[walk->at] = attempt->step;
    return step_of(walk, attempt)->a == step->a || refuse(walk, "ends an attempt whose reason is in another register");
}

static bool end_limit(walker *walk) {
    unsigned op = walk->depth ? walk->open[walk->depth - 1].op : WL_OP_END;
    if (op != WL_OP_LIMIT_REGISTER && op != WL_OP_LIMIT_FIXED && op != WL_OP_LIMIT_SPAN && op != WL_OP_SEEK)
        return refuse(walk, "no sub-stream is open");
    const opened *limit = walk->open + --walk->depth;
    walk->program->partner[limit->step] = walk->at;
    if (limit->expand)
        walk->program->partner[limit->expand] = walk->at;
    return true;
}

static bool expand(walker *walk) {
    opened *limit = walk->depth ? walk->open + walk->depth - 1 : NULL;
    if (!limit || (limit->op != WL_OP_LIMIT_REGISTER && limit->op != WL_OP_LIMIT_FIXED) || limit->expand)
        return refuse(walk, "decompresses what is no sub-stream of its own");
    limit->expand = walk->at;
    walk->program->expands = true;
    return true;
}

static bool write_column(walker *walk, const wl_step *step) {
    const wl_program *program = walk->program;
    if (step->a >= program->column_count)
        return refuse(walk, "there is no column %u, the program has %u", step->a, program->column_count);
    return level_here(walk) == program->levels[step->a] ||
           refuse(walk, "column %u, of level %u, cannot be written here", step->a, program->levels[step->a]);
}

/* Two 16-bit numbers in one operand, each less than `count`. */
static bool read_range(walker *walk, uint64_t packed, uint32_t least, uint32_t count, wl_range *range) {
    *range = (wl_range){(uint16_t)packed, (uint16_t)(packed >> 16)};
    return (range->from >= least && range->from <= range->to && range->to <= count) ||
           refuse(walk, "what a function has for itself, %u up to %u, does not exist", range->from, range->to);
}

static bool begin_function(walker *walk, const wl_step *step) {
    wl_program *program = walk->program;
    if (walk->depth || walk->in_function || !walk->at || program->steps[walk->at - 1].op == WL_OP_FUNCTION)
        return refuse(walk, "a function begins inside of something else");
    if (step->a != program->function_count || step->a == WL_MOST_FUNCTIONS || step->b > 1)
        return refuse(walk, "function %u cannot be here", step->a);
    wl_function *function = program->functions + program->function_count++;
    *function = (wl_function){.step = walk->at, .needs_end = step->b};
    const uint64_t c = (uint64_t)step->c, d = (uint64_t)step->d;
    walk->in_function = true;
    walk->current = ++walk->regions;
    return read_range(walk, c, program->input_register_count, program->register_count, &function->registers) &&
           read_range(walk, c >> 32, 0, program->span_count, &function->spans) &&
           read_range(walk, d, 0, program->mark_count, &function->marks) &&
           read_range(walk, d >> 32, 0, program->loop_count, &function->loops);
}

static bool end_function(walker *walk) {
    if (walk->depth || !walk->in_function)
        return refuse(walk, "no function is complete");
    walk->in_function = false;
    walk->current = 0;
    return true;
}

static bool walk_step(walker *walk, const wl_step *step) {
    if (step->op >= WL_OP_COUNT)
        return refuse(walk, "there is no operation %u", step->op);
    const wl_operation *operation = wl_operation_of(step);
    /* Damage in a sub-stream costs rows: functions and attempts have none, but may be refused. */
    const bool contains = operation->flow == WL_FLOW_LIMIT && step->b && step->b != WL_LIMIT_REFUSES;
    const uint8_t place = contains ? WL_IN_ROWS : operation->place;
    if (walk->in_function && place != WL_IN_EVERYWHERE && place != WL_IN_FUNCTIONS)
        return refuse(walk, "operation %u cannot be in a function", step->op);
    if (walk->program->attempts && innermost(walk, WL_OP_ATTEMPT) && place != WL_IN_EVERYWHERE && place != WL_IN_ATTEMPTS)
        return refuse(walk, "operation %u cannot be in an attempt", step->op);
    if (operation->runs_for == WL_FOR_COLUMN)
        return write_column(walk, step);
    switch (step->op) {
    case WL_OP_FUNCTION:
        return begin_function(walk, step);
    case WL_OP_RETURN:
        return end_function(walk);
    case WL_OP_LOOP:
        return begin_loop(walk, step);
    case WL_OP_AGAIN:
        return end_loop(walk, step);
    case WL_OP_INDEX:
        for (size_t i = 0; i < walk->depth; i++) {
            if (walk->open[i].op == WL_OP_LOOP && step_of(walk, walk->open + i)->a == step->b)
                return true;
        }
        return refuse(walk, "loop %u is not open", step->b);
    case WL_OP_UNIT:
        return begin_unit(walk);
    case WL_OP_UNIT_END:
        return end_unit(walk);
    case WL_OP_ROW:
        return begin_row(walk, step);
    case WL_OP_ROW_END:
        return end(walk, WL_OP_ROW, "a row");
    case WL_OP_WHERE:
        return level_here(walk) == 0 || refuse(walk, "a condition of the row cannot be here");
    case WL_OP_LIST:
        return begin_list(walk, step);
    case WL_OP_LIST_END:
        return end_list(walk, step);
    case WL_OP_ITEM:
        return begin_item(walk, step);
    case WL_OP_ITEM_END:
        return end_item(walk, step);
    case WL_OP_LIMIT_REGISTER:
    case WL_OP_LIMIT_FIXED:
    case WL_OP_LIMIT_SPAN:
        return begin_limit(walk, step);
    case WL_OP_SEEK:
        return begin_seek(walk, step);
    case WL_OP_LIMIT_END:
        return end_limit(walk);
    case WL_OP_ATTEMPT:
        return begin_attempt(walk, step);
    case WL_OP_ATTEMPT_END:
        return end_attempt(walk, step);
    case WL_OP_REFUSE:
        return level_here(walk) == 0 || refuse(walk, "a row cannot be refused here");
    case WL_OP_EXPAND:
        return expand(walk);
    case WL_OP_CHECKSUM:
        return sum_unit(walk);
    case WL_OP_DIGEST:
        walk->program->digests = true;
        return true;
    case WL_OP_END:
        return !walk->current || refuse(walk, "the program ends inside of a loop, row or list");
    default:
        walk->program->makes_text |= wl_makes_text(step);
        walk->program->expands |= walk->program->makes_text;
        return true;
    }
}

static bool walk_steps(walker *walk) {
    wl_program *program = walk->program;
    program->row_loop = WL_NO_LOOP;
    for (uint32_t i = 0; i < program->step_count; i++)
        program->has_rows |= program->steps[i].op == WL_OP_ROW;
    if (program->whole && !program->has_rows) {
        snprintf(walk->message, walk->message_size, "the program is for whole inputs but has no rows inside of them");
        return false;
    }
    for (uint32_t i = 0; i < program->column_count; i++) {
        if (program->levels[i] > program->level_count) {
            snprintf(walk->message, walk->message_size, "column %u is of level %u, the program has %u", i,
                     program->levels[i], program->level_count);
            return false;
        }
    }
    for (walk->at = 0; walk->at < program->step_count; walk->at++) {
        /* The step that begins a region is before it, the step that ends one is inside of it. */
        walk->region[walk->at] = walk->current;
        if (!walk_step(walk, program->steps + walk->at))
            return false;
    }
    walk->at = program->step_count - 1;
    if (walk->in_function)
        return refuse(walk, "the last function is not complete");
    for (walk->at = 0; walk->at < program->step_count; walk->at++) {
        const wl_step *step = program->steps + walk->at;
        const bool contains = wl_operation_of(step)->flow == WL_FLOW_LIMIT && step->b;
        if (step->op == WL_OP_ATTEMPT && !program->partner[walk->at])
            return refuse(walk, "the attempt has no end");
        if (step->op == WL_OP_EXPAND && !program->partner[walk->at])
            return refuse(walk, "the sub-stream that is decompressed has no end");
        if (contains && !program->partner[walk->at])
            return refuse(walk, "the sub-stream that contains damage has no end");
    }
    return true;
}

bool wl_program_regions(wl_program *program, uint32_t *region, char *message, size_t message_size) {
    walker *walk = calloc(1, sizeof *walk);
    if (!walk) {
        snprintf(message, message_size, "no memory for the program");
        return false;
    }
    walk->program = program;
    walk->region = region;
    walk->message = message;
    walk->message_size = message_size;
    bool good = walk_steps(walk);
    free(walk);
    return good;
}
