/* The check of a program at loading: shared by validate.c, which follows its steps, and validate_operands.c. */
#ifndef WIRELOOM_VALIDATE_H
#define WIRELOOM_VALIDATE_H

#include "internal.h"
#include "operations.h"

typedef struct {
    wl_program *program;
    int64_t *safe;  /* per step: number of bytes at base that may be read; -1: not reached (yet) */
    uint8_t *depth; /* per step: number of open sub-streams */
    uint32_t *region; /* per step: jumps are allowed between steps with the same one */
    wl_function *function; /* the function that contains the step; or NULL */
    bool made[WL_MOST_SPANS]; /* spans of computed text: other steps must not use them */
    const char *subject; /* what is being checked, and its number */
    uint32_t at;
    char *message;
    size_t message_size;
} wl_checker;

/* Writes a message that describes what is wrong with the subject; returns false. */
__attribute__((format(printf, 2, 3))) bool wl_refuse(wl_checker *check, const char *format, ...);
bool wl_operands_check(wl_checker *check, const wl_step *step);
bool wl_rule_check(wl_checker *check, const wl_rule *rule);

#endif
