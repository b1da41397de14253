/* The properties of operations (ops.def), and what single steps read and set. */
#ifndef WIRELOOM_OPERATIONS_H
#define WIRELOOM_OPERATIONS_H

#include "program.h"

/* What a call must need so that it runs a step. */
enum {
    WL_FOR_ALL,
    WL_FOR_RESULT,    /* what the step sets */
    WL_FOR_COLUMN,    /* the column a */
    WL_FOR_CHECKSUMS, /* checksums are verified */
    WL_FOR_ROWS,      /* all calls except searches for rows after damage */
    WL_FOR_SEARCH,    /* such searches */
    WL_FOR_LIST,      /* a column of the list, or of its items */
    WL_FOR_JSON,      /* some column of JSON text */
    WL_FOR_NOTHING,   /* only its place counts */
};

/* Which steps may come after a step. */
enum {
    WL_FLOW_NEXT,
    WL_FLOW_END,    /* none */
    WL_FLOW_JUMP,   /* step c */
    WL_FLOW_BRANCH, /* the next one, or step c */
    WL_FLOW_LOOP,   /* the next one; without an iteration, step c */
    WL_FLOW_AGAIN,  /* the next one, or back to step c */
    WL_FLOW_CALL,
    WL_FLOW_LIMIT,   /* enters a sub-stream; if that contains damage, also its end */
    WL_FLOW_SEEK,    /* enters a sub-stream at a position */
    WL_FLOW_ATTEMPT, /* enters a sub-stream, whose end it may also lead to */
    WL_FLOW_EXPAND,  /* replaces the bytes of a sub-stream; without a content it leads to its end */
    WL_FLOW_LEAVE,   /* leaves a sub-stream */
};

/* Where a step may be: in rows and around them, and also in functions, in attempts, or in both. */
enum { WL_IN_ROWS, WL_IN_FUNCTIONS, WL_IN_ATTEMPTS, WL_IN_EVERYWHERE };

/* What an operand is. */
enum {
    WL_IS_NONE,   /* unused */
    WL_IS_NUMBER, /* checked together with other operands, or by what it means for the nesting of steps */
    WL_IS_REGISTER,
    WL_IS_REGISTER_OR_NONE, /* -1: none, here and below */
    WL_IS_RESULT,           /* a register that is set */
    WL_IS_SPAN,             /* of bytes of the input */
    WL_IS_SPAN_CHANGED,     /* the same, which is made shorter */
    WL_IS_SPAN_RESULT,
    WL_IS_TEXT, /* a span of bytes of the input, or of computed text */
    WL_IS_TEXT_OR_NONE,
    WL_IS_TEXT_RESULT,
    WL_IS_MARK,
    WL_IS_MARK_RESULT,
    WL_IS_COLUMN,
    WL_IS_VARIABLE_COLUMN,
    WL_IS_TIMESTAMP_COLUMN,
    WL_IS_STRUCT_COLUMN,
    WL_IS_CARRIED_VALUE,
    WL_IS_CARRIED_VALUE_OR_NONE,
    WL_IS_SERIES,
    WL_IS_STORE,
    WL_IS_MESSAGE,
    WL_IS_FUNCTION,
    WL_IS_CHECKSUM,
    WL_IS_KIND,
    WL_IS_OUTCOME,
    WL_IS_ENCODING, /* whose table, if it needs one, is at the constants in operand d */
    WL_IS_FLAG,
    WL_IS_BYTE,
    WL_IS_UNIT, /* of timestamps */
    WL_IS_SIZE,
    WL_IS_ADDEND, /* added to a size */
    WL_IS_STEP,   /* the step that it leads to */
};

typedef struct {
    uint8_t runs_for, flow, place; /* WL_FOR_…, WL_FLOW_…, WL_IN_… */
    uint8_t operands[4];           /* WL_IS_… */
} wl_operation;

/* One per operation; the last one is that of WL_STEP_FOLDED. */
extern const wl_operation wl_operations[WL_OP_COUNT + 1];

/* Replaces an operation: the call does not need the step. */
#define WL_STEP_FOLDED WL_OP_COUNT

/* Numbers of registers, spans and marks. */
typedef struct {
    bool registers[WL_MOST_REGISTERS];
    bool spans[WL_MOST_SPANS];
    bool marks[WL_MOST_MARKS];
} wl_values;
enum { WL_VALUES = WL_MOST_REGISTERS + WL_MOST_SPANS + WL_MOST_MARKS };
_Static_assert(sizeof(wl_values) == WL_VALUES * sizeof(bool), "they are also one array");

static inline const wl_operation *wl_operation_of(const wl_step *step) { return wl_operations + step->op; }

static inline int64_t wl_operand(const wl_step *step, size_t number) {
    return number == 0 ? step->a : number == 1 ? (int64_t)step->b : number == 2 ? step->c : step->d;
}

/* Whether the step sets a span of text that is computed by the row. */
static inline bool wl_makes_text(const wl_step *step) {
    return wl_operation_of(step)->operands[0] == WL_IS_TEXT_RESULT && step->op != WL_OP_DIGEST;
}

/* Whether the step stores a value in column a. */
static inline bool wl_writes_value(const wl_step *step) {
    return step->op == WL_OP_LIST_END || (wl_operation_of(step)->runs_for == WL_FOR_COLUMN &&
                                          step->op != WL_OP_COLUMN_NULL);
}

/* The code of an EXPRESSION. `folded`: the codes that have been simplified, whose numbers follow those of the
 * constants; or NULL. */
static inline const uint8_t *wl_code_of(const wl_program *program, const uint8_t *folded, const wl_step *step) {
    const size_t at = (size_t)step->c, size = program->constant_size;
    return at < size || !folded ? program->constants + at : folded + (at - size);
}

/* Adds what the step reads, or what it sets. The operands of the step must have been checked. */
void wl_step_reads(const wl_program *program, const uint8_t *folded, const wl_step *step, wl_values *read);
void wl_step_sets(const wl_program *program, const wl_step *step, wl_values *set);
/* Whether the step sets one of them, or changes it. */
bool wl_step_sets_any(const wl_step *step, const wl_values *values);

#endif
