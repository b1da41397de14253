/* How the shim reads the arguments of fill() and resync(). Included by _module.c only, which owns Python.h. */
#ifndef WIRELOOM_ARGUMENTS_H
#define WIRELOOM_ARGUMENTS_H

#include <stdlib.h>
#include <string.h>

#include "engine.h"
#include "program_limits.h"

/* Buffers that one call has borrowed; all are released together. */
typedef struct {
    Py_buffer *views;
    size_t count;
} borrowed;

static void return_views(borrowed *held) {
    for (size_t i = 0; i < held->count; i++)
        PyBuffer_Release(held->views + i);
}

static void give_back(borrowed *held) {
    return_views(held);
    PyMem_Free(held->views);
}

/* Borrows a buffer of at least `least` bytes. The address is never NULL, even if the buffer is empty. */
static uint8_t *borrow(borrowed *held, PyObject *object, bool writable, size_t least, const char *what, size_t *size) {
    static uint8_t nothing[1];
    Py_buffer *view = held->views + held->count;
    if (PyObject_GetBuffer(object, view, writable ? PyBUF_WRITABLE : PyBUF_SIMPLE) < 0)
        return NULL;
    held->count++;
    if ((size_t)view->len < least) {
        PyErr_Format(PyExc_ValueError, "%s has %zd bytes, it needs %zu", what, view->len, least);
        return NULL;
    }
    if (size)
        *size = (size_t)view->len;
    return view->buf ? view->buf : nothing;
}

/* The value of a register: any 64-bit integer, signed or unsigned. */
static bool read_integer(PyObject *object, wl_integer *value) {
    int overflow = 0;
    long long small = PyLong_AsLongLongAndOverflow(object, &overflow);
    *value = small;
    if (overflow > 0)
        *value = PyLong_AsUnsignedLongLong(object);
    else if (overflow < 0)
        PyErr_SetString(PyExc_OverflowError, "an input register is below -2**63");
    return !PyErr_Occurred();
}

/* The values of input registers, or NULL with an error set. The caller frees them. */
static wl_integer *read_input_registers(const wl_program *program, PyObject *input_registers) {
    size_t count = wl_program_input_registers(program);
    if (!PyTuple_Check(input_registers) || (size_t)PyTuple_Size(input_registers) != count)
        return PyErr_Format(PyExc_ValueError, "input_registers must be a tuple of %zu integers", count), NULL;
    wl_integer *values = calloc(count + 1, sizeof *values);
    if (!values)
        return PyErr_NoMemory(), NULL;
    for (size_t i = 0; i < count; i++) {
        if (!read_integer(PyTuple_GetItem(input_registers, (Py_ssize_t)i), values + i)) {
            free(values);
            return NULL;
        }
    }
    return values;
}

/* Everything that fill() owns while it runs. */
typedef struct {
    borrowed held;
    wl_column *columns;
    wl_integer *input_registers;
    size_t *counts; /* null counts, data used, items used, and the maximum numbers of items */
    wl_predicate *predicates;
    wl_fill_arguments arguments;
} call;

static void release(call *each) {
    give_back(&each->held);
    free(each->columns);
    free(each->input_registers);
    free(each->counts);
    free(each->predicates);
}

/* The window and the limits, which fill() and resync() share. */
static bool read_window(call *each, PyObject *source, Py_ssize_t begin, Py_ssize_t end, long long base_offset,
                        Py_ssize_t padding, Py_ssize_t max_record) {
    size_t size = 0;
    each->arguments.source = borrow(&each->held, source, false, 0, "the source", &size);
    if (!each->arguments.source)
        return false;
    if (begin < 0 || end < begin || (size_t)end > size) {
        PyErr_Format(PyExc_ValueError, "[%zd, %zd) is not a range of %zu bytes", begin, end, size);
        return false;
    }
    if (base_offset < 0 || padding < 0 || padding > INT32_MAX || max_record < 1 || max_record > INT32_MAX) {
        PyErr_SetString(PyExc_ValueError,
                        "base_offset and padding must not be negative, max_record must be 1 to 2147483647");
        return false;
    }
    each->arguments.begin = (size_t)begin;
    each->arguments.end = (size_t)end;
    each->arguments.base_offset = (uint64_t)base_offset;
    each->arguments.padding = (size_t)padding;
    each->arguments.max_record = (size_t)max_record;
    return true;
}

/* `more`: number of buffers that are borrowed in addition. */
static bool make_call(call *each, const wl_program *program, PyObject *input_registers, size_t more) {
    size_t columns = wl_program_columns(program);
    each->held.views = PyMem_Malloc((columns + more + 7) * sizeof *each->held.views);
    each->columns = calloc(columns + 1, sizeof *each->columns);
    each->counts = calloc(2 * columns + 2 * wl_program_levels(program) + 1, sizeof *each->counts);
    if (!each->held.views || !each->columns || !each->counts)
        return PyErr_NoMemory(), false;
    each->input_registers = read_input_registers(program, input_registers);
    each->arguments.input_registers = each->input_registers;
    each->arguments.columns = each->columns;
    return each->input_registers != NULL;
}

static bool read_damages(call *each, PyObject *damages) {
    size_t size = 0;
    each->arguments.damages =
        (wl_damage *)(void *)borrow(&each->held, damages, true, sizeof(wl_damage), "damages", &size);
    each->arguments.damage_capacity = size / sizeof(wl_damage);
    return each->arguments.damages != NULL;
}

/* None: nothing is known about the previous items. */
static bool read_carried_values(call *each, const wl_program *program, PyObject *carried_values) {
    if (carried_values == Py_None)
        return true;
    size_t least =
        (2 + each->arguments.damage_capacity) * wl_program_carried_values(program) * sizeof(wl_carried_value);
    each->arguments.carried_values = borrow(&each->held, carried_values, true, least, "carried_values", NULL);
    return each->arguments.carried_values != NULL;
}

/* Stores of variables that are lists. */
static bool read_stores(call *each, const wl_program *program, PyObject *stores) {
    if (stores == Py_None)
        return true;
    each->arguments.stores =
        borrow(&each->held, stores, true, wl_program_stores(program) * WL_STORE_BYTES, "stores", NULL);
    return each->arguments.stores != NULL;
}

static uint64_t word_at(const uint8_t *words, size_t number) {
    uint64_t word;
    memcpy(&word, words + 8 * number, 8);
    return word;
}

/* Reads one predicate from `words`: its column, the kind of its keys, whether it is true for nulls, the number of its
 * ranges, and the ranges. Returns the number of words read; 0 if it is invalid. */
static size_t read_predicate(wl_predicate *predicate, const wl_program *program, const wl_column *columns,
                             const uint8_t *words, size_t left) {
    if (left < 4)
        return 0;
    const uint64_t column = word_at(words, 0), keys = word_at(words, 1), count = word_at(words, 3);
    if (column >= wl_program_columns(program) || !columns[column].wanted || wl_program_level(program, column) ||
        wl_program_storage(program, column) < 1 || wl_program_storage(program, column) > 8 || keys >= WL_KEYS_COUNT ||
        count > (left - 4) / 2)
        return 0;
    *predicate = (wl_predicate){(uint32_t)column, (uint32_t)keys, word_at(words, 2) != 0, (size_t)count, words + 32};
    return 4 + 2 * (size_t)count;
}

/* After the outputs, since predicates apply to wanted columns. */
static bool read_predicates(call *each, const wl_program *program, PyObject *predicates) {
    size_t size = 0;
    const uint8_t *words = borrow(&each->held, predicates, false, 0, "predicates", &size);
    if (!words)
        return false;
    each->predicates = calloc(size / 32 + 1, sizeof *each->predicates);
    if (!each->predicates)
        return PyErr_NoMemory(), false;
    each->arguments.predicates = each->predicates;
    for (size_t at = 0, used; at < size / 8; at += used) {
        wl_predicate *next = each->predicates + each->arguments.predicate_count++;
        used = read_predicate(next, program, each->columns, words + 8 * at, size / 8 - at);
        if (!used)
            return PyErr_SetString(PyExc_ValueError, "predicates are not of wanted columns of a fixed size"), false;
    }
    return true;
}

static void arguments_of(call *each, bool at_end, bool at_start, bool verify, bool null_rows, long long stop) {
    each->arguments.at_end = at_end;
    each->arguments.at_start = at_start;
    each->arguments.verify = verify;
    each->arguments.null_rows = null_rows;
    each->arguments.stop = stop < 0 ? -1 : stop;
}

#endif
