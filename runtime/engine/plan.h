/* What a call needs of its program: between plan.c, which decodes it, and plan_needs.c, which finds it. */
#ifndef WIRELOOM_PLAN_H
#define WIRELOOM_PLAN_H

#include "internal.h"

typedef struct {
    const wl_program *program;
    const wl_fill_arguments *arguments;
    bool parse_only;
    bool registers[WL_MOST_REGISTERS];
    bool spans[WL_MOST_SPANS];
    bool marks[WL_MOST_MARKS];
    bool alone; /* nothing after the step that was asked for last reads the register that it puts into a column */
    bool list_wanted[WL_MOST_LEVELS + 1]; /* the column of the list is, whatever becomes of its items */
} wl_needs;

bool wl_wants_column(const wl_needs *need, size_t column);
/* Whether a column of the list, or of what is inside of it, is wanted. */
bool wl_wants_level(const wl_needs *need, size_t level);
/* Whether the step puts a value into a column. */
bool wl_writes_value(const wl_step *step);
/* Sets `place`, one per step: 0, the step is not needed; 2, it is the only one that reads its register; else 1. */
void wl_needs_find(wl_needs *need, uint32_t *place);

#endif
