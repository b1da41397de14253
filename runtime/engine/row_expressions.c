/* Handlers for expressions: the machine for any of them, and one handler each for codes of a register and another
 * register or a constant, for constants, and for codes of two registers, which are most expressions. Longer ones have
 * tables for values of a byte, which their first register is, such as the kind of a record. Missing values are left to the
 * machine. */
#include "byte_tables.h"
#include "expression.h"
#include "handlers.h"
#include "jumping_code.h"

/* Operand b of a decoded expression: its first register, the second one or a kind, and what a missing value does. */
#define FIRST(step) ((step)->b & 0xFFFF)
#define SECOND(step) ((step)->b >> 16 & 0x3FFF)
#define MISSING(step) ((step)->b >> 30)

_Static_assert(WL_MOST_REGISTERS <= 0x4000, "the number of a second register has 14 bits");

/* Size in bytes of expressions that are worth a table. */
#define LONG 14

/* Not inlined: a variable whose address is taken would prevent the handler from ending in a jump. */
__attribute__((noinline)) static void run_expression(wl_run *run, const wl_instruction *step) {
    bool failed;
    wl_jumping_code **code = run->jumping_code + (step - run->plan);
    if (WL_UNLIKELY(!*code))
        *code = wl_jumping_code_make(step->constant, (size_t)step->d);
    const wl_integer value = wl_expression_value(run, *code, step, &failed);
    if (WL_UNLIKELY(failed)) {
        const bool refuses = MISSING(step) == WL_MISSING_REFUSES ||
                             (MISSING(step) == WL_MISSING_IS_NULL && value == WL_FAILED);
        wl_set_missing(run, step->a, refuses ? WL_FAILED : (unsigned)value);
        if (refuses)
            wl_refuse(run, WL_REASON_VALUE);
    } else {
        wl_set_register(run, step->a, value);
    }
}

WL_HANDLER(wl_expression_any) {
    run_expression(run, step);
    GO_ON;
}

__attribute__((noinline)) static void run_untabulated(wl_run *run, const wl_instruction *step) {
    wl_instruction *instruction = run->plan + (step - run->plan);
    const wl_integer value = run->registers[FIRST(step)];
    run_expression(run, step);
    if (!step->table && value >= 0 && value < 256 && ++instruction->c == WL_TABLE_AFTER)
        instruction->table = wl_partial_table_of(run, step->constant, (size_t)step->d, FIRST(step), WL_U1);
}

static WL_HANDLER(tabulated) {
    const wl_integer value = run->registers[FIRST(step)];
    const wl_byte_table *table = step->table;
    if (WL_LIKELY(table && !wl_is_missing(run, FIRST(step)) && value >= 0 && value < 256 &&
                  !table->failed[(size_t)value]))
        wl_set_register(run, step->a, table->values[(size_t)value]);
    else
        run_untabulated(run, step);
    GO_ON;
}

#define HANDLER(name, code, right, right_fails)                                                                        \
    static WL_HANDLER(name) {                                                                                          \
        wl_integer value;                                                                                              \
        if (WL_UNLIKELY(wl_is_missing(run, FIRST(step)) || (right_fails) ||                                            \
                        !wl_compute(code, run->registers[FIRST(step)], right, &value)))                                \
            run_expression(run, step);                                                                                 \
        else                                                                                                           \
            wl_set_register(run, step->a, value);                                                                                  \
        GO_ON;                                                                                                         \
    }
#define HANDLERS(name, code)                                                                                           \
    HANDLER(name##_constant, code, (wl_integer)step->c, false)                                                         \
    HANDLER(name##_register, code, run->registers[SECOND(step)], wl_is_missing(run, SECOND(step)))

HANDLERS(add, CODE_ADD)
HANDLERS(subtract, CODE_SUBTRACT)
HANDLERS(multiply, CODE_MULTIPLY)
HANDLERS(and, CODE_AND)
HANDLERS(or, CODE_OR)
HANDLERS(xor, CODE_XOR)
HANDLERS(shift_left, CODE_SHIFT_LEFT)
HANDLERS(shift_right, CODE_SHIFT_RIGHT)
HANDLERS(equal, CODE_EQUAL)
HANDLERS(not_equal, CODE_NOT_EQUAL)
HANDLERS(less, CODE_LESS)
HANDLERS(less_equal, CODE_LESS_EQUAL)
HANDLERS(greater, CODE_GREATER)
HANDLERS(greater_equal, CODE_GREATER_EQUAL)

static WL_HANDLER(check_kind) {
    wl_integer value = run->registers[FIRST(step)];
    if (WL_UNLIKELY(wl_is_missing(run, FIRST(step)) || !wl_kind_holds(SECOND(step), value)))
        run_expression(run, step);
    else
        wl_set_register(run, step->a, value);
    GO_ON;
}

static WL_HANDLER(constant) {
    wl_set_register(run, step->a, step->c);
    GO_ON;
}

static WL_HANDLER(copy) {
    if (WL_UNLIKELY(wl_is_missing(run, FIRST(step))))
        run_expression(run, step);
    else
        wl_set_register(run, step->a, run->registers[FIRST(step)]);
    GO_ON;
}

static WL_HANDLER(select_register) {
    if (WL_UNLIKELY(run->some_missing))
        run_expression(run, step);
    else
        run->registers[step->a] = run->registers[run->registers[FIRST(step)] ? SECOND(step) : (size_t)step->c];
    GO_ON;
}

#define BOTH(name) {name##_constant, name##_register}

static const wl_handler handlers[CODE_COUNT][2] = {
    [CODE_ADD] = BOTH(add),
    [CODE_SUBTRACT] = BOTH(subtract),
    [CODE_MULTIPLY] = BOTH(multiply),
    [CODE_AND] = BOTH(and),
    [CODE_OR] = BOTH(or),
    [CODE_XOR] = BOTH(xor),
    [CODE_SHIFT_LEFT] = BOTH(shift_left),
    [CODE_SHIFT_RIGHT] = BOTH(shift_right),
    [CODE_EQUAL] = BOTH(equal),
    [CODE_NOT_EQUAL] = BOTH(not_equal),
    [CODE_LESS] = BOTH(less),
    [CODE_LESS_EQUAL] = BOTH(less_equal),
    [CODE_GREATER] = BOTH(greater),
    [CODE_GREATER_EQUAL] = BOTH(greater_equal),
};

/* The register that the code at `code` reads, shifted to its position in operand b. */
static uint32_t second(const uint8_t *code) { return (uint32_t)wl_code_number(code + 1) << 16; }

/* The handler of a longer expression. */
static wl_handler other(wl_instruction *instruction) {
    unsigned number;
    if (instruction->d < LONG || !wl_first_register(instruction->constant, (size_t)instruction->d, &number))
        return wl_expression_any;
    instruction->b = (instruction->b & ~(uint32_t)0xFFFF) | number;
    instruction->c = 0;
    instruction->table = NULL;
    return tabulated;
}

wl_handler wl_expression_handler(wl_instruction *instruction) {
    const uint8_t *code = instruction->constant;
    const int64_t size = instruction->d;
    wl_handler handler = NULL;
    instruction->b <<= 30;
    if (code[0] == CODE_CONSTANT && size == 9) {
        instruction->c = (int64_t)wl_load_le8(code + 1);
        return constant;
    }
    if (code[0] != CODE_REGISTER)
        return other(instruction);
    instruction->b |= wl_code_number(code + 1);
    if (size == 3) {
        handler = copy;
    } else if (size == 5 && code[3] == CODE_CAST) {
        instruction->b |= (uint32_t)code[4] << 16;
        handler = check_kind;
    } else if (size == 7 && code[3] == CODE_REGISTER) {
        instruction->b |= second(code + 3);
        handler = handlers[code[6]][1];
    } else if (size == 10 && code[3] == CODE_REGISTER && code[6] == CODE_REGISTER) {
        instruction->b |= second(code + 3);
        instruction->c = wl_code_number(code + 7);
        handler = select_register;
    } else if (size == 13 && code[3] == CODE_CONSTANT) {
        instruction->c = (int64_t)wl_load_le8(code + 4);
        handler = handlers[code[12]][0];
    }
    return handler ? handler : other(instruction);
}

wl_handler wl_expression_without_table(const wl_instruction *instruction) {
    return instruction->handler == tabulated ? wl_expression_any : instruction->handler;
}
