/* Units: programs whose rows are parts of what they are run over, in loops and sub-streams.
 *
 * A unit may contain units, which contain the rows. The validity of a unit depends on what is outside of its rows and
 * of the units inside of it: if that is refused, all of its rows are removed. What is refused inside a row costs that
 * row. A row that is lost, whose end is unknown, costs the rest of the innermost sub-stream that confines damage;
 * without one, the outermost unit ends there. */
#include "handlers.h"

static void clear_level(wl_run *run, size_t level, size_t from, size_t to) {
    const wl_program *program = run->program;
    for (uint32_t i = 0; i < program->column_count; i++) {
        if (program->levels[i] == level && run->arguments->columns[i].wanted)
            wl_nulls_clear(run->arguments->columns[i].validity, from, to);
    }
}

/* Removes items from `from` on; one more may have been begun. */
static void take_items_back(wl_run *run, size_t level, size_t from) {
    wl_items *items = run->levels + level;
    if (items->wanted)
        clear_level(run, level, from, wl_smaller(items->used + 1, run->arguments->items[level - 1]));
    items->used = from;
}

void wl_level_unset(wl_run *run, size_t level, size_t row) {
    for (uint32_t i = run->unset_from[level]; i < run->unset_from[level + 1]; i++)
        wl_column_null(run, run->unset[i], row);
}

void wl_items_begin(wl_run *run) {
    for (uint32_t level = 1; level <= run->program->level_count; level++)
        run->levels[level].row_mark = run->levels[level].used;
}

void wl_items_take_back(wl_run *run) {
    for (uint32_t level = 1; level <= run->program->level_count; level++)
        take_items_back(run, level, run->levels[level].row_mark);
}

static void count(const wl_run *run, wl_unit *unit) {
    unit->rows = run->result->rows;
    unit->dropped = run->result->dropped;
    unit->damages = run->result->damage_count;
    for (uint32_t level = 1; level <= run->program->level_count; level++)
        unit->items[level] = run->levels[level].used;
}

/* Records a unit in the open one, or the outermost one. */
static wl_unit *begin_unit(wl_run *run) {
    assert(run->unit_depth <= WL_DEEPEST_UNIT);
    wl_unit *unit = run->units + run->unit_depth++;
    count(run, unit);
    unit->refused = WL_REASON_NONE;
    return unit;
}

void wl_unit_begin(wl_run *run, wl_fill_result *result, size_t position, size_t after) {
    run->result = result;
    run->in_row = false;
    run->unit_position = position;
    run->unit_after = after;
    run->unit_depth = 0;
    run->covered = 0;
    run->sum_failed = false;
    run->is_default = false;
    run->block_begin = NULL;
    run->block_depth = 0;
    begin_unit(run);
    run->units[0].begin = run->arguments->source + position;
    wl_carried_begin_unit(run);
    wl_items_begin(run);
}

/* Removes the rows and damages since the unit began. */
static void take_back(wl_run *run, const wl_unit *unit) {
    wl_fill_result *result = run->result;
    if (run->parse_only)
        return;
    clear_level(run, 0, unit->rows, wl_smaller(result->rows + 1, run->arguments->capacity));
    for (uint32_t level = 1; level <= run->program->level_count; level++)
        take_items_back(run, level, unit->items[level]);
    wl_items_begin(run);
    result->rows = unit->rows;
    result->dropped = unit->dropped;
    result->damage_count = unit->damages;
}

void wl_unit_take_back(wl_run *run) {
    take_back(run, run->units);
    run->in_row = false;
}

/* The last damage of the call. */
static uint8_t *last_damage(const wl_run *run, const wl_fill_result *result) {
    return (uint8_t *)run->arguments->damages + (result->damage_count - 1) * sizeof(wl_damage);
}

bool wl_unit_follows_damage(const wl_run *run, const wl_fill_result *result, size_t begin) {
    wl_damage damage;
    if (!result->damage_count)
        return false;
    memcpy(&damage, last_damage(run, result), sizeof damage);
    return damage.until + run->arguments->padding == run->arguments->base_offset + begin;
}

bool wl_unit_extends_doubt(const wl_run *run, const wl_fill_result *result, size_t begin, size_t end) {
    if (!wl_proves_nothing(run) || run->refused || !wl_unit_follows_damage(run, result, begin))
        return false;
    wl_damage damage;
    uint8_t *last = last_damage(run, result);
    memcpy(&damage, last, sizeof damage);
    damage.until = run->arguments->base_offset + end;
    memcpy(last, &damage, sizeof damage);
    return true;
}

bool wl_unit_end(wl_run *run, wl_fill_result *result, size_t begin, size_t end) {
    if (!wl_unit_extends_doubt(run, result, begin, end)) {
        result->unit_begin = begin;
        result->unit_rows = run->units[0].rows;
        result->unit_damages = run->units[0].damages;
        wl_carried_store(run, 1);
    }
    if (WL_LIKELY(!run->refused))
        return true;
    wl_unit_take_back(run);
    return wl_damaged(run, result, begin, end, run->refused, false);
}

/* The index in the source of a byte of the unit; in a frame, which may have been stuffed, that of its beginning. */
static size_t index_of(const wl_run *run, const uint8_t *at) {
    return run->program->delimiter_size ? run->unit_position : (size_t)(at - run->arguments->source);
}

int wl_no_room_for(wl_run *run, uint32_t what, size_t there) {
    run->column = run->program->column_count + what;
    run->needed = there < INT32_MAX / 2 ? 2 * there + 1 : INT32_MAX;
    return WL_ROW_NO_ROOM;
}

/* Records the damage of a part of the unit. What has no bytes, such as a row that is counted but not there, cannot be
 * damaged: the unit that should contain it is refused. A wrong checksum says more. */
static bool note(wl_run *run, const uint8_t *from, const uint8_t *to, uint32_t reason) {
    wl_fill_result *result = run->result;
    if (run->parse_only || from == to) {
        wl_refuse(run, (reason == WL_REASON_TRUNCATED ? WL_REASON_LENGTH : reason) | WL_BY_CODEC);
        return true;
    }
    bool room = !run->arguments->null_rows || result->rows < run->arguments->capacity;
    size_t end = run->program->delimiter_size ? run->unit_after : index_of(run, to);
    return room && wl_damaged(run, result, index_of(run, from), end, reason, true);
}

static int no_room_to_note(wl_run *run) {
    if (run->arguments->null_rows && run->result->rows >= run->arguments->capacity)
        return wl_no_room_for(run, 0, run->arguments->capacity);
    return wl_no_room_for(run, 1, run->arguments->damage_capacity);
}

WL_HANDLER(wl_unit_enter) {
    wl_unit *unit = begin_unit(run);
    unit->begin = run->block_begin ? run->block_begin : cursor;
    unit->depth = run->depth;
    unit->sums = step->b;
    unit->refused = run->refused;
    run->refused = WL_REASON_NONE;
    GO_ON;
}

WL_HANDLER(wl_default_case) {
    run->is_default = true;
    GO_ON;
}

WL_HANDLER(wl_evidence) {
    run->is_default |= wl_is_missing(run, step->a) || !run->registers[step->a];
    GO_ON;
}

WL_HANDLER(wl_unit_leave) {
    assert(run->unit_depth > 1);
    const wl_unit *unit = run->units + --run->unit_depth;
    uint32_t reason = run->refused;
    run->refused = unit->refused;
    if (WL_UNLIKELY(reason)) {
        const uint8_t *end = run->block_begin ? run->block_end : cursor;
        take_back(run, unit);
        if (!note(run, unit->begin, end, reason))
            return no_room_to_note(run);
        run->sound = end;
    }
    GO_ON;
}

uint32_t wl_refused_around(const wl_run *run) {
    for (unsigned i = 1; i < run->unit_depth; i++) {
        if (run->units[i].refused)
            return run->units[i].refused;
    }
    return run->refused;
}

void wl_units_abandon(wl_run *run, unsigned depth) {
    for (unsigned open = run->depth;;) {
        bool in_unit = run->unit_depth > 1 && run->units[run->unit_depth - 1].depth >= depth;
        if (open > depth && !(in_unit && run->units[run->unit_depth - 1].depth >= open)) {
            wl_seek_abandon(run, run->limits + --open);
            continue;
        }
        if (!in_unit)
            return;
        const wl_unit *unit = run->units + --run->unit_depth;
        if (run->refused || (unit->sums && run->arguments->verify)) {
            take_back(run, unit);
            run->sound = unit->begin;
        }
        run->refused = unit->refused;
    }
}

WL_HANDLER(wl_row_begin) {
    (void)row;
    row = run->result->rows;
    if (WL_UNLIKELY(row >= run->arguments->capacity))
        return wl_no_room_for(run, 0, run->arguments->capacity);
    run->unit_refused = run->refused;
    run->refused = WL_REASON_NONE;
    run->row_begin = run->block_begin ? run->block_begin : step->a ? run->units[run->unit_depth - 1].begin : cursor;
    run->in_row = true;
    run->nulls = false;
    run->json_refused = WL_REASON_NONE;
    if (run->unset_from[1])
        wl_level_unset(run, 0, row);
    GO_ON;
}

WL_HANDLER(wl_where) {
    if (WL_UNLIKELY(wl_is_missing(run, step->a)))
        wl_refuse(run, WL_REASON_VALUE);
    else if ((run->registers[step->a] != 0) == (step->b != WL_REASON_NONE))
        wl_refuse(run, step->b ? step->b : WL_UNWANTED);
    GO_ON;
}

WL_HANDLER(wl_row_end) {
    uint32_t reason = run->refused;
    run->refused = run->unit_refused;
    if (reason == WL_UNWANTED) {
        if (!run->parse_only)
            wl_row_take_back(run, run->result->rows);
    } else if (WL_UNLIKELY(reason)) {
        wl_items_take_back(run);
        if (!note(run, run->row_begin, run->block_begin ? run->block_end : cursor, reason))
            return no_room_to_note(run);
    } else {
        wl_row_done(run, run->result, index_of(run, run->row_begin));
    }
    if (run->program->level_count)
        wl_items_begin(run);
    run->in_row = false;
    run->sound = run->block_begin ? run->block_end : cursor;
    wl_contents_end_row(run);
    GO_ON;
}

/* The whole unit --------------------------------------------------------------------------------------------------- */

/* Records that the rest of the sub-stream at limits[depth - 1], up to `to`, is lost. False: there is no room. */
static bool note_rest(wl_run *run, const uint8_t *to, uint32_t reason) {
    const uint8_t *from = run->sound, *unit = run->units[run->unit_depth - 1].begin;
    if (!run->block_begin) {
        if (from < unit && unit < to)
            from = unit; /* What is between two units belongs to neither. */
    } else {
        /* There are no offsets in the content of a block: it is damaged as a whole. */
        from = from < run->block_begin ? from : run->block_begin;
        to = run->block_end;
    }
    if (!note(run, from < to ? from : to, to, reason))
        return false;
    run->sound = to;
    return true;
}

/* Whether the damage refuses the row, and what follows the sub-stream is read: an attempt and some sub-streams confine
 * all damage, a content with too many items these. */
static bool refuses(const wl_limit *limit, bool items) {
    return limit->attempt || limit->refuses || (items && limit->grown);
}

/* The innermost sub-stream that confines damage: the number of open ones up to it; 0: none. */
static unsigned depth_of_damage(const wl_run *run, bool items) {
    unsigned depth = run->depth;
    while (depth && !run->limits[depth - 1].leave && !refuses(run->limits + depth - 1, items))
        depth--;
    return depth;
}

/* Ends all that is open in the sub-stream limits[depth - 1]: calls, positions, units, blocks and other sub-streams. */
static void unwind(wl_run *run, unsigned depth) {
    assert(depth && depth <= run->depth);
    wl_calls_abandon(run, run->limits[depth - 1].calls);
    wl_units_abandon(run, depth);
    run->depth = depth;
    wl_block_leave(run);
}

/* Refuses the row for what is in the sub-stream limits[depth - 1]; reading continues after it. A checksum says more. */
static const wl_instruction *refuse_part(wl_run *run, unsigned depth, int outcome) {
    const wl_limit *limit = run->limits + depth - 1;
    if (limit->refuses)
        wl_refuse(run, (outcome == WL_ROW_TRUNCATED ? WL_REASON_LENGTH : run->reason) | WL_BY_CODEC);
    else
        wl_refuse(run, outcome == WL_ROW_TRUNCATED ? WL_REASON_TRUNCATED : run->reason);
    unwind(run, depth);
    if (limit->refuses)
        wl_carried_forget(run, limit->refuses);
    return limit->attempt ? limit->attempt : limit->refuses ? limit->refuses : limit->grown;
}

/* Returns the instruction that leaves the innermost sub-stream that confines damage. NULL: there is none, or
 * (`outcome`) no room, or its end is not available. */
static const wl_instruction *contain(wl_run *run, int *outcome) {
    const bool items = *outcome == WL_ROW_LOST && run->reason == WL_REASON_ITEMS;
    const unsigned depth = depth_of_damage(run, items);
    if (!depth)
        return NULL;
    const wl_limit *limit = run->limits + depth - 1;
    if (refuses(limit, items))
        return refuse_part(run, depth, *outcome);
    if (limit->beyond) {
        *outcome = WL_ROW_TRUNCATED;
        return NULL;
    }
    if (run->in_row) {
        wl_items_take_back(run);
        run->refused = run->unit_refused;
        run->in_row = false;
    }
    if (*outcome == WL_ROW_TRUNCATED)
        run->reason = WL_REASON_TRUNCATED;
    unwind(run, depth);
    wl_carried_forget(run, limit->leave);
    wl_contents_end_row(run);
    if (!note_rest(run, limit->after, run->reason)) {
        *outcome = no_room_to_note(run);
        return NULL;
    }
    return limit->leave;
}

/* Continues after confined damage. */
static int go_on(wl_run *run, int outcome) {
    const wl_instruction *step;
    while (WL_UNLIKELY(outcome == WL_ROW_LOST || (outcome == WL_ROW_TRUNCATED && run->depth)) &&
           (step = contain(run, &outcome))) {
        const wl_limit *limit = run->limits + run->depth - 1;
        const uint8_t *at = limit->end;
        outcome = step->handler(step, run, at, at, at, limit->leave ? run->result->rows : limit->row);
    }
    return outcome;
}

int wl_unit_run(wl_run *run, const uint8_t *begin, const uint8_t *end) {
    run->sound = begin;
    return go_on(run, wl_run_row(run, begin, end, run->result->rows));
}
