/* Finds the columns that may remain unset on some path through a program: they begin every row as null.
 *
 * A step is on every path through the row if no jump leads over it and no END precedes it. What such a step writes is
 * certain; anything else is assumed to be uncertain, which costs a little but is never wrong. For the columns of a
 * list's items this starts at the beginning of an item, for those of rows inside of a unit at the beginning of a
 * row. */
#include "plan.h"

/* Whether the step gives the column a value or a null in every row. */
static bool sets_column(const wl_step *step) { return wl_writes_value(step) || step->op == WL_OP_COLUMN_NULL; }

/* A column that two steps of a row write may be null by one of them and not by the other, so it also begins as null:
 * then every value that is written clears the null. */
static void note_second_writers(wl_program *program) {
    uint32_t row = 0; /* the beginning of the row */
    for (uint32_t i = 0; i < program->step_count; i++) {
        const wl_step *step = program->steps + i;
        if (step->op == WL_OP_ROW)
            row = i;
        if (!program->reachable[i] || !sets_column(step))
            continue;
        for (uint32_t before = row; before < i && !program->conditional[step->a]; before++) {
            const wl_step *other = program->steps + before;
            program->conditional[step->a] = program->reachable[before] && sets_column(other) && other->a == step->a;
        }
    }
}

/* The rows and the items of each level, in program order: a column is written for each of them. */
typedef struct {
    uint32_t regions[WL_MOST_LEVELS + 1];  /* their number */
    uint32_t current[WL_MOST_LEVELS + 1];  /* the number of the one that was begun last, from 1 */
    uint32_t counted[WL_MOST_COLUMNS]; /* the last one that certainly writes the column */
    uint32_t writing[WL_MOST_COLUMNS]; /* the number of those that certainly do */
} levels_of_text;

static void begin_region(levels_of_text *text, unsigned level) { text->current[level] = ++text->regions[level]; }

static void note_column(const wl_program *program, levels_of_text *text, uint32_t column) {
    uint32_t current = text->current[program->levels[column]];
    text->writing[column] += text->counted[column] != current;
    text->counted[column] = current;
}

uint32_t wl_step_leads_to(const wl_program *program, const wl_step *steps, uint32_t at) {
    const wl_step *step = steps + at;
    switch (wl_operation_of(step)->flow) {
    case WL_FLOW_JUMP:
    case WL_FLOW_BRANCH:
        return (uint32_t)step->c;
    case WL_FLOW_LOOP:
        return step->b == WL_LOOP_UNTIL ? 0 : (uint32_t)step->c;
    case WL_FLOW_LIMIT:
        return step->b ? program->partner[at] : 0;
    case WL_FLOW_ATTEMPT:
    case WL_FLOW_EXPAND:
        return program->partner[at];
    default:
        return 0;
    }
}

void wl_program_paths(wl_program *program) {
    levels_of_text text = {{0}, {0}, {0}, {0}};
    /* The furthest step that some path jumps to since the beginning of the row or the item: steps before it are
     * uncertain. Then those of the enclosing rows and items. */
    int64_t within = 0, around[2 * WL_MOST_LEVELS + 2];
    size_t depth = 0;
    if (!program->has_rows)
        begin_region(&text, 0);
    for (uint32_t i = 0; i < program->step_count; i++) {
        const wl_step *step = program->steps + i;
        if (!program->reachable[i])
            continue;
        /* Damage in a sub-stream, or in an attempt, leads to its end too, but then the row is not written. */
        const uint8_t flow = wl_operation_of(step)->flow;
        const uint32_t to = flow == WL_FLOW_LIMIT || flow == WL_FLOW_ATTEMPT ? 0 : wl_step_leads_to(program, program->steps, i);
        if (to > within)
            within = to;
        if (step->op == WL_OP_END)
            within = program->step_count;
        if (i >= within && sets_column(step))
            note_column(program, &text, step->a);
        if (step->op == WL_OP_ROW || step->op == WL_OP_ITEM)
            begin_region(&text, step->op == WL_OP_ROW ? 0 : step->b);
        if (step->op == WL_OP_ROW || step->op == WL_OP_ITEM) {
            around[depth++] = within;
            within = 0;
        } else if (step->op == WL_OP_ROW_END || step->op == WL_OP_ITEM_END) {
            within = around[--depth];
        }
    }
    for (uint32_t i = 0; i < program->column_count; i++)
        program->conditional[i] = !text.writing[i] || text.writing[i] < text.regions[program->levels[i]];
    note_second_writers(program);
    if (program->row_loop != WL_NO_LOOP && (!program->reachable[program->row_loop] || wl_row_loop_leaks(program)))
        program->row_loop = WL_NO_LOOP;
}
