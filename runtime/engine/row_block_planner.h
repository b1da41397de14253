/* The state of the conversion of a plan to a row block (row_block_plan*.c). */
#ifndef WIRELOOM_ROW_BLOCK_PLANNER_H
#define WIRELOOM_ROW_BLOCK_PLANNER_H

#include "fold.h"
#include "row_block_expressions.h"
#include "row_block_guards.h"

/* Steps that run if a condition is true, up to `then_end`, and those that run if it is false, up to `end`. */
typedef struct {
    const wl_instruction *then_end, *end;
    uint32_t condition;
    unsigned depth; /* number of open sub-streams */
    size_t string;  /* the beginning of the first of them */
    wl_place base;
    bool based;
} wl_arms;

typedef struct {
    uint32_t column, guard;
} wl_guarded_write;

typedef struct {
    wl_row_block *block;
    wl_arms open[WL_MOST_CONDITIONS];
    size_t open_count;
    uint32_t guard; /* the guard that is being planned */
    bool based;     /* `base` is the same for all rows */
    wl_guarded_write writes[WL_MOST_STRETCHES];
    size_t write_count;
    uint8_t definitions[WL_MOST_REGISTERS]; /* number of steps that write the register; 2 means two or more */
    wl_folding folding; /* of expressions, if a byte is known */
    const wl_instruction *condition; /* the expression before a SKIP_IF_ZERO */
    wl_instruction simplified; /* it, or the current one */
    const wl_instruction *next; /* where the plan continues after a jump that all rows take; NULL: at the next step */
    int loop;       /* the loop whose iterations are the rows; -1: none */
    bool own_spans[WL_MOST_SPANS]; /* some step finds the span */
    bool joined; /* a varint ends at the cursor, and no position in between is recorded */
    bool delimited;
    bool at_end; /* between delimiters: nothing follows */
    unsigned depth; /* number of open sub-streams */
    uint32_t limit_guards[WL_DEEPEST_LIMIT]; /* the guards in which they began */
    wl_place cursor, base;
    unsigned row_count; /* number of rows in an iteration of the loop */
    wl_place units[WL_DEEPEST_UNIT]; /* where the open units of the iteration begin */
    unsigned unit_count;
    wl_fact *registers; /* of the program; likewise spans and marks */
    wl_fact *spans;
    wl_fact *marks;
} wl_planner;

static inline wl_place wl_place_after(wl_place place, int64_t bytes) {
    return (wl_place){place.stretch, place.offset + bytes};
}

/* Whether the current steps run only if those of the fact's guard do. */
static inline bool wl_planner_sees(const wl_planner *plan, const wl_fact *fact) {
    return !fact->guard || plan->block->guards->ancestors[plan->guard] >> fact->guard & 1;
}

/* A register, or NULL if its value is not known. What only some rows compute counts as 0 in the others; in a loop,
 * however, it would be the value of an earlier iteration. */
static inline const wl_fact *wl_planner_value(const wl_planner *plan, size_t number) {
    const wl_fact *value = plan->registers + number;
    bool once = plan->definitions[number] == 1 && plan->loop < 0;
    return value->known && (wl_planner_sees(plan, value) || once) ? value : NULL;
}

/* The same for a span, which only those rows know that have set it. */
static inline const wl_fact *wl_planner_span(const wl_planner *plan, size_t number) {
    const wl_fact *span = plan->spans + number;
    return span->known && wl_planner_sees(plan, span) ? span : NULL;
}

/* Checks and columns (row_block_plan_values.c); false: a row block cannot run the step. */
bool wl_plan_range(wl_planner *plan, const wl_instruction *instruction);
bool wl_plan_true(wl_planner *plan, const wl_instruction *instruction);
bool wl_plan_timestamp(wl_planner *plan, const wl_instruction *instruction);
bool wl_plan_expression(wl_planner *plan, const wl_instruction *instruction);
bool wl_plan_stream(wl_planner *plan, const wl_instruction *instruction);
/* The end of the loop whose iterations are the rows. */
bool wl_plan_until(wl_planner *plan, const wl_instruction *again);
bool wl_plan_text(wl_planner *plan, const wl_instruction *instruction);
bool wl_plan_constant(wl_planner *plan, const wl_instruction *instruction);
bool wl_plan_checksum(wl_planner *plan, const wl_instruction *instruction);
bool wl_plan_register(wl_planner *plan, const wl_instruction *instruction);
bool wl_plan_bytes(wl_planner *plan, const wl_instruction *instruction);
bool wl_plan_fixed(wl_planner *plan, const wl_instruction *instruction);
bool wl_plan_default(wl_planner *plan);
bool wl_plan_valid(wl_planner *plan, const wl_instruction *instruction);
bool wl_plan_null(wl_planner *plan, const wl_instruction *instruction);
bool wl_plan_no_items(wl_planner *plan, const wl_instruction *instruction);
/* Columns that begin as null. */
void wl_plan_unset(wl_planner *plan);
/* Finds the columns whose text is checked before it is copied. */
void wl_plan_copies(wl_row_block *block);

/* Positions in a row (row_block_plan_parts.c); likewise. */
bool wl_plan_pass(wl_planner *plan, int64_t bytes);
bool wl_plan_string(wl_planner *plan, size_t number, int64_t more, bool enters);
bool wl_plan_rest(wl_planner *plan, bool enters);
bool wl_plan_limit_end(wl_planner *plan);
bool wl_plan_varint(wl_planner *plan, const wl_instruction *instruction);
/* A loop over the row's items: only rows without items are run. */
bool wl_plan_no_turns(wl_planner *plan, const wl_instruction *instruction);
bool wl_plan_condition(wl_planner *plan, const wl_instruction *skip);
bool wl_plan_jump(wl_planner *plan, const wl_instruction *instruction);
/* Ends what depends on conditions up to the instruction. */
bool wl_plan_end_arms(wl_planner *plan, const wl_instruction *instruction);

#endif
