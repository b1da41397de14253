/* The needs of a call: shared by plan.c, which decodes the program, and plan_needs.c, which finds them. */
#ifndef WIRELOOM_PLAN_H
#define WIRELOOM_PLAN_H

#include "internal.h"

/* Replaces an operation: the call does not need the step. */
#define WL_STEP_FOLDED WL_OP_COUNT

typedef struct {
    const wl_program *program;
    const wl_fill_arguments *arguments;
    bool parse_only;
    /* From plan_fold.c: the program's steps and which of them may run, as this call needs them; the codes of changed
     * expressions, and the memory of all of these; NULL if nothing is changed. */
    const wl_step *steps;
    const bool *reachable;
    const uint8_t *codes;
    void *folded;
    bool registers[WL_MOST_REGISTERS];
    bool spans[WL_MOST_SPANS];
    bool marks[WL_MOST_MARKS];
    bool alone; /* no step after the one queried last reads the register that it puts into a column */
    bool list_wanted[WL_MOST_LEVELS + 1]; /* the column of the list is wanted, whether or not its items are */
} wl_needs;

/* The code of an EXPRESSION. */
static inline const uint8_t *wl_code_of(const wl_needs *need, const wl_step *step) {
    const size_t at = (size_t)step->c, given = need->program->constant_size;
    return at < given ? need->program->constants + at : need->codes + (at - given);
}

/* Fills in `steps` and the members that belong to them. False: out of memory. */
bool wl_plan_fold(wl_needs *need);
bool wl_wants_column(const wl_needs *need, size_t column);
/* Whether a column of the list, or of its contents, is wanted. */
bool wl_wants_level(const wl_needs *need, size_t level);
/* Whether the step stores a value in a column. */
bool wl_writes_value(const wl_step *step);
/* Sets `place`, one per step: 0: the step is not needed; 2: it is the only one that reads its register; otherwise 1. */
void wl_needs_find(wl_needs *need, uint32_t *place);

#endif
