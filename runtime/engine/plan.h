/* The needs of a call: shared by plan.c, which decodes the program, and plan_needs.c, which finds them. */
#ifndef WIRELOOM_PLAN_H
#define WIRELOOM_PLAN_H

#include "internal.h"
#include "operations.h"

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
    wl_values values; /* what the steps that are needed read */
    bool json;        /* a column of JSON text is wanted */
    bool list_wanted[WL_MOST_LEVELS + 1]; /* the column of the list is wanted, whether or not its items are */
} wl_needs;

/* Fills in `steps` and the members that belong to them. False: out of memory. */
bool wl_plan_fold(wl_needs *need);
bool wl_wants_column(const wl_needs *need, size_t column);
/* Whether a column of the list, or of its contents, is wanted. */
bool wl_wants_level(const wl_needs *need, size_t level);
/* Sets `use`, one per step: 0: the step is not needed; 2: it is the only one that reads its register; otherwise 1. */
void wl_needs_find(wl_needs *need, uint32_t *use);

#endif
